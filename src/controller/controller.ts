import { once } from 'node:events';
import { hostname } from 'node:os';
import { digest } from '../plan/saved/digest.ts';
import type { Host } from '../workflow/host.ts';
import { serveEndpoints } from './endpoints.ts';
import { KubeError, openCluster, PATHS, type Kube } from './kube.ts';
import { makeLocks, type Held, type Taken, makeTurns } from './lease.ts';
import { makeMetrics } from './metrics.ts';
import { makeQueue } from './queue.ts';
import { reconcile, type Outcome } from './reconcile.ts';
import {
  FINALIZER,
  gatewayOf,
  GROUP,
  KIND,
  VERSION,
  keyOf,
  metadataOf,
  type GatewayConfig,
  type Status,
} from './resource.ts';
import { Schedule, SOON_MS } from './schedule.ts';
import { eventsOf, statusAfter, statusDuring, type Said } from './status.ts';
import { watchResources } from './watch.ts';

export type ControllerOptions = {
  /** The namespaces whose resources it looks at; none for all. */
  readonly namespaces: readonly string[];
  /** Its own namespace, for the locks of gateways. Default: POD_NAMESPACE, or `default`. */
  readonly ownNamespace?: string;
  /** The folders that resources may name. */
  readonly folders: readonly string[];
  /** The folder of journals, an absolute path. */
  readonly journal: string;
  /** The most that all files of a project hold. */
  readonly maxInputBytes?: number;
  /** How many resources it looks at side by side. */
  readonly parallelism: number;
  readonly listen: { readonly host: string; readonly port: number };
  readonly signal: AbortSignal;
  /** Told once it serves. */
  readonly onListening?: (port: number) => void;
  /** Told after each look. */
  readonly onLook?: (key: string, outcome: Outcome) => void;
};

/** How long others leave a resource to the replica that looked at it last. */
const GRACE_MS = 3000;

/** Runs until the signal: then it ends what is begun, after its calls in flight, and gives its locks back. */
export async function runController(host: Host, options: ControllerOptions): Promise<void> {
  const { signal, namespaces } = options;
  const { clock, log } = host;
  const kube = openCluster(host);
  const pod = host.env('POD_NAME') ?? hostname();
  const identity = `${pod}_${host.random().slice(0, 8)}`;
  const ownNamespace = options.ownNamespace ?? host.env('POD_NAMESPACE') ?? 'default';
  const locks = makeLocks(kube, host, identity);
  const takeTurn = makeTurns(clock);
  const schedule = new Schedule(host);
  /** The looks that are under way: the resource as it was then, and what ends a look before its time. */
  const looks = new Map<string, { readonly resource: GatewayConfig; readonly ending: AbortController }>();
  /** What only a run knows, of one whose status could not be written; and the last run that a status was written of. */
  const unwritten = new Map<
    string,
    { readonly since: string | undefined } & Pick<Status, 'unprotected' | 'lastAppliedPlan'>
  >();

  const watch = watchResources(kube, namespaces, onResource, onSource, ({ message: error, status }) => {
    metrics.noteKubeError();
    log.info({ error, status }, 'the API server cannot be listened to; trying again');
  });

  function onResource(resource: GatewayConfig, change: 'set' | 'deleted'): void {
    const key = keyOf(resource);
    const begun = looks.get(key);
    if (begun !== undefined && isNoLongerWanted(begun.resource, resource, change)) begun.ending.abort();
    if (change === 'deleted') {
      queue.remove(key);
      forget(key);
      return;
    }
    watch.watchSource(resource);
    if (!schedule.asksAnew(resource)) return;
    const since = schedule.remainingMs(resource);
    queue.add(key, since > 0 ? since : schedule.jittered(schedule.hasLooked ? 10 : 100));
  }

  function onSource(resource: GatewayConfig): void {
    const key = keyOf(resource);
    schedule.hurry(key);
    // The replica that looked at it last does so again, before the others come to it.
    queue.add(key, schedule.isOwn(key) ? 0 : GRACE_MS * clock.random());
  }

  function forget(key: string): void {
    schedule.forget(key);
    unwritten.delete(key);
    metrics.forget(metadataOf(key));
  }

  /** Looks at one resource, and says in how many milliseconds to do so again; undefined for never. */
  async function visit(key: string): Promise<number | undefined> {
    const cached = watch.find(key);
    if (cached === undefined || signal.aborted) return undefined;
    const { metadata, spec } = cached;
    const isGoing = metadata.deletionTimestamp !== undefined;
    if (spec.suspend === true && !isGoing) return undefined;
    const { namespace = '', name, uid = '' } = metadata;
    const owner = { apiVersion: `${GROUP}/${VERSION}`, kind: KIND, name, uid };
    const ofGateway = `gwconf-gateway-${digest(gatewayOf(spec.gateway.url)).slice(0, 16)}`;
    const ofResource = await locks.take(namespace, `gwconf-${uid}`, owner);
    // A replica that died has left both.
    if ('retryInMs' in ofResource) await locks.observe(ownNamespace, ofGateway);
    return withLock(ofResource, async (one) =>
      withLock(
        await takeTurn(ofGateway, namespace, () => locks.take(ownNamespace, ofGateway)),
        async (other) => {
          const found = await kube.get<GatewayConfig>(PATHS.resource(cached));
          if (found === undefined || found.metadata.uid !== uid) return undefined;
          const { since, ...untold } = unwritten.get(key) ?? {};
          const isUntold = unwritten.has(key) && since === found.status?.lastRun?.at;
          const resource = isUntold ? { ...found, status: { ...found.status, ...untold } } : found;
          const left = schedule.remainingMs(resource);
          if (left > SOON_MS) return left;
          const ending = new AbortController();
          looks.set(key, { resource, ending });
          try {
            return await look(key, resource, AbortSignal.any([signal, one.lost, other.lost, ending.signal]));
          } finally {
            looks.delete(key);
          }
        },
      ),
    );
  }

  async function writeStatus(key: string, resource: GatewayConfig, after: Status): Promise<void> {
    const { unprotected, lastAppliedPlan } = after;
    unwritten.set(key, { since: resource.status?.lastRun?.at, unprotected, lastAppliedPlan });
    await kube.writeStatus(resource, after);
    unwritten.delete(key);
  }

  async function withLock(
    taken: Taken,
    work: (held: Held) => Promise<number | undefined>,
  ): Promise<number | undefined> {
    if ('retryInMs' in taken) return taken.retryInMs * (1 + clock.random());
    try {
      return await work(taken.held);
    } finally {
      await taken.held.release();
    }
  }

  async function look(key: string, resource: GatewayConfig, stop: AbortSignal): Promise<number | undefined> {
    const { metadata, spec, status } = resource;
    const isGoing = metadata.deletionTimestamp !== undefined;
    const prunes = spec.prune === true && (spec.mode ?? 'plan') !== 'plan';
    const finalizers = metadata.finalizers ?? [];
    // What is on a gateway that it never changed, nor found as its files say, is not its own.
    const hasOwn = status?.lastAppliedGateway === gatewayOf(spec.gateway.url);
    if (isGoing && (!finalizers.includes(FINALIZER) || !prunes || !hasOwn || spec.suspend === true)) {
      await setFinalizer(kube, resource, false);
      return undefined;
    }
    if (!isGoing && prunes !== finalizers.includes(FINALIZER)) {
      await setFinalizer(kube, resource, prunes);
      return 0;
    }
    if (status?.observedGeneration !== metadata.generation)
      await kube.writeStatus(resource, statusDuring(resource, host.now()));
    const start = host.now();
    const outcome = await reconcile(host, kube, resource, {
      ...options,
      signal: stop,
      removes: isGoing,
      others: watch.all(),
    });
    const end = host.now();
    const seconds = (end.getTime() - start.getTime()) / 1000;
    schedule.noteLook(key);
    metrics.note(resource, outcome, seconds);
    const after = statusAfter(resource, outcome, { start, end, by: pod });
    const { state, reason, message, revision, made } = outcome;
    log.info(
      { resource: key, revision, state, reason, made, seconds },
      after.conditions?.[0]?.message ?? message,
    );
    const isGone = isGoing && state === 'done';
    if (isGone) await setFinalizer(kube, resource, false);
    else await writeStatus(key, resource, after);
    for (const said of eventsOf(resource, outcome, after)) {
      await createEvent(kube, host, pod, resource, said);
      log.info({ resource: key, reason: said.reason, type: said.type }, said.message);
    }
    options.onLook?.(key, outcome);
    return isGone ? undefined : schedule.afterLook(resource, state);
  }

  const queue = makeQueue(clock, options.parallelism, async (key) => {
    let next: number | undefined;
    try {
      const cached = watch.find(key);
      // Somebody else has looked meanwhile: its status says so.
      const left = cached === undefined ? 0 : schedule.remainingMs(cached);
      const isOthers = cached?.status?.lastRun?.by !== undefined && !schedule.isOwn(key);
      next = left > SOON_MS ? left + (isOthers ? GRACE_MS * clock.random() : 0) : await visit(key);
    } catch (error) {
      next = schedule.afterFailure(key);
      if (!(error instanceof KubeError))
        log.info({ resource: key, error: stackOf(error) }, 'a bug of gwconf: please report it');
      else if (error.status === 409) next = schedule.jittered(SOON_MS);
      else if (error.status !== 404 || watch.find(key) !== undefined) {
        metrics.noteKubeError();
        log.info({ resource: key, status: error.status }, error.message);
      }
    }
    // It was deleted during the look, which has noted things about it since.
    if (watch.find(key) === undefined) forget(key);
    else if (next !== undefined) queue.add(key, next);
  });
  const metrics = makeMetrics({ resources: watch.all, depth: queue.depth });
  const endpoints = await serveEndpoints(options.listen, {
    isReady: watch.isSynced,
    metrics: () => metrics.registry.metrics(),
  });
  log.info({ identity, namespaces, port: endpoints.port }, 'the controller runs');
  options.onListening?.(endpoints.port);
  if (!signal.aborted) await once(signal, 'abort');
  log.info({}, 'ending: no new look is begun');
  watch.stop();
  await queue.stop();
  await endpoints.close();
}

/**
 * Whether what a look was asked for is wanted no longer: the resource is suspended or deleted, for example, or an approval is taken back.
 * What is told may be older than what is looked at.
 */
function isNoLongerWanted(
  { metadata: { uid, generation = 0 } }: GatewayConfig,
  { metadata: now }: GatewayConfig,
  change: 'set' | 'deleted',
): boolean {
  const isDeleted = change === 'deleted';
  return now.uid === uid ? isDeleted || (now.generation ?? 0) > generation : !isDeleted;
}

/** What cannot be told is in the log. */
async function createEvent(
  kube: Kube,
  host: Pick<Host, 'now' | 'random'>,
  pod: string,
  { metadata: { namespace = '', name, uid } }: GatewayConfig,
  said: Said,
): Promise<void> {
  const time = host.now().toISOString();
  const id = digest(`${host.random()} ${said.reason}`).slice(0, 16);
  const event = {
    metadata: { name: `${name.slice(0, 200)}.${id}`, namespace },
    involvedObject: { apiVersion: `${GROUP}/${VERSION}`, kind: KIND, name, namespace, uid },
    source: { component: 'gwconf-controller', host: pod },
    ...said,
    ...{ firstTimestamp: time, lastTimestamp: time, count: 1 },
  };
  await kube.create(PATHS.core(namespace, 'events'), event).catch(() => undefined);
}

/** On the newest version: the status was written meanwhile. */
async function setFinalizer(kube: Kube, { metadata }: GatewayConfig, wanted: boolean): Promise<void> {
  const newest = await kube.get<GatewayConfig>(PATHS.resource({ metadata }));
  if (newest === undefined || newest.metadata.uid !== metadata.uid) return;
  const before = newest.metadata.finalizers ?? [];
  if (before.includes(FINALIZER) === wanted) return;
  const others = before.filter((one) => one !== FINALIZER);
  await kube.setFinalizers(newest, wanted ? [...others, FINALIZER] : others);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
