import { once } from 'node:events';
import { hostname } from 'node:os';
import { digest } from '../plan/saved/digest.ts';
import type { Host } from '../workflow/host.ts';
import { serveEndpoints } from './endpoints.ts';
import { KubeError, openCluster, PATHS } from './kube.ts';
import { makeLocks, type Held, type Taken, makeTurns } from './lease.ts';
import { makeLooker } from './look.ts';
import { makeMetrics } from './metrics.ts';
import { makeQueue } from './queue.ts';
import type { Outcome } from './reconcile.ts';
import { gatewayOf, GROUP, KIND, VERSION, keyOf, metadataOf, type GatewayConfig } from './resource.ts';
import { Schedule, SOON_MS } from './schedule.ts';
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
    looker.forget(key);
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
          const resource = looker.withUntold(found);
          const left = schedule.remainingMs(resource);
          if (left > SOON_MS) return left;
          const ending = new AbortController();
          looks.set(key, { resource, ending });
          try {
            const stop = AbortSignal.any([signal, one.lost, other.lost, ending.signal]);
            return await looker.look(resource, stop);
          } finally {
            looks.delete(key);
          }
        },
      ),
    );
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
  const looker = makeLooker({ host, kube, pod, schedule, metrics, others: watch.all, options });
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

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
