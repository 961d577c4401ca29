import { once } from 'node:events';
import { hostname } from 'node:os';
import { digest } from '../plan/saved/digest.ts';
import type { Host } from '../workflow/host.ts';
import { parseDuration } from '../model/text/quantities.ts';
import { serveEndpoints } from './endpoints.ts';
import { KubeError, openCluster, PATHS, type Informer, type Kube } from './kube.ts';
import { makeLocks, type Held, type Taken } from './lease.ts';
import { beginLook, type Look } from './look.ts';
import { makeMetrics } from './metrics.ts';
import { makeQueue } from './queue.ts';
import { reconcile, type Outcome } from './reconcile.ts';
import {
  FINALIZER,
  GROUP,
  KIND,
  VERSION,
  keyOf,
  requestOf,
  type GatewayConfig,
  type KubeObject,
} from './resource.ts';
import { SOURCES, sourceOf, type FluxSource, type SourceKind } from './source.ts';
import { makeTurns } from './turns.ts';
import { eventsOf, statusAfter, statusDuring, type Said } from './status.ts';

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
  /** How long a lock lives whose holder died. Default: 15 seconds. */
  readonly leaseSeconds?: number;
  readonly signal: AbortSignal;
  /** Told once it serves. */
  readonly onListening?: (port: number) => void;
  /** Told after each look. */
  readonly onLook?: (key: string, outcome: Outcome) => void;
};

/** How much sooner or later than asked, so that not all come at once. */
const JITTER = 0.1;
const BACK_OFF = { leastMs: 5000, mostMs: 900_000 };
const SOON_MS = 1000;
/** How long the others leave a resource that failed to the replica that looked at it. */
const OTHERS_RETRY_MS = 60_000;
/** How long others leave a resource to the replica that looked at it last. */
const GRACE_MS = 3000;

/** Runs until the signal: then it ends what is begun, after its calls in flight, and gives its locks back. */
export async function runController(host: Host, options: ControllerOptions): Promise<void> {
  const { signal, namespaces } = options;
  const { clock } = host;
  const log = host.log;
  const kube = openCluster(host);
  const pod = host.env('POD_NAME') ?? hostname();
  const identity = `${pod}_${host.random().slice(0, 8)}`;
  const ownNamespace = options.ownNamespace ?? host.env('POD_NAMESPACE') ?? 'default';
  const locks = makeLocks(kube, host, {
    identity,
    ...(options.leaseSeconds === undefined ? {} : { durationSeconds: options.leaseSeconds }),
  });

  const takeTurn = makeTurns(clock);

  /** What a resource asked for when it was last added to the queue. */
  const asked = new Map<string, string>();
  const failures = new Map<string, number>();
  const own = new Set<string>();
  /** The looks that are under way. */
  const looks = new Map<string, Look>();
  const forget = (key: string): void => {
    for (const map of [asked, failures, urgent]) map.delete(key);
    own.delete(key);
    metrics.forget(metadataOf(key));
  };
  /** What must be looked at although it is not due, and since when: what it names has changed. */
  const urgent = new Map<string, number>();
  const onError = (error: KubeError): void => {
    metrics.noteKubeError();
    log.info(
      { error: error.message, status: error.status },
      'the API server cannot be listened to; trying again',
    );
  };

  const jittered = (ms: number): number => ms * (1 + JITTER * (2 * clock.random() - 1));

  const onResource = (resource: GatewayConfig, change: 'set' | 'deleted'): void => {
    const key = keyOf(resource);
    if (change === 'deleted') {
      queue.remove(key);
      forget(key);
      looks.get(key)?.endIfOther(resource, change);
      return;
    }
    watchSource(resource);
    looks.get(key)?.endIfOther(resource, change);
    const { generation, deletionTimestamp } = resource.metadata;
    const now = JSON.stringify([generation, deletionTimestamp, requestOf(resource), stoppedAt(resource)]);
    if (asked.get(key) === now) return;
    asked.set(key, now);
    failures.delete(key);
    const since = remainingMs(resource);
    queue.add(key, since > 0 ? since : jittered(own.size === 0 ? 100 : 10));
  };
  const scopes = namespaces.length === 0 ? [undefined] : namespaces;
  const informers = scopes.map((namespace) =>
    kube.inform<GatewayConfig>(PATHS.resources(namespace), {
      keep: withoutManagedFields,
      onChange: onResource,
      onError,
    }),
  );
  const find = (key: string): GatewayConfig | undefined => {
    const { namespace, name } = metadataOf(key);
    return informers.map((one) => one.get(namespace, name)).find((one) => one !== undefined);
  };
  const all = (): readonly GatewayConfig[] => informers.flatMap((one) => one.list());

  /** Informers of what resources name, each begun when one first does. */
  const sources = new Map<SourceKind, readonly Informer<Version>[]>();
  const watchSource = (resource: GatewayConfig): void => {
    const kind = sourceOf(resource.spec)?.kind;
    if (kind === undefined || sources.has(kind)) return;
    const known = new Map<string, string>();
    const onChange = (source: Version, change: 'set' | 'deleted'): void => {
      const { namespace, name } = source.metadata;
      const version = change === 'deleted' ? '' : source.version;
      if (known.get(keyOf(source)) === version) return;
      known.set(keyOf(source), version);
      for (const one of all()) {
        const named = sourceOf(one.spec);
        const isNamed = named?.kind === kind && named.name === name && one.metadata.namespace === namespace;
        if (!isNamed || !isSettled(kind)) continue;
        const key = keyOf(one);
        urgent.set(key, host.now().getTime());
        // The replica that looked at it last does so again, before the others come to it.
        queue.add(key, own.has(key) ? 0 : GRACE_MS * clock.random());
      }
    };
    const watching = scopes.map((namespace) =>
      kube.inform<Version>(SOURCES[kind](namespace), { keep: keepVersion, onChange, onError }),
    );
    sources.set(kind, watching);
  };
  // The first list tells of what has long been there.
  const isSettled = (kind: SourceKind): boolean => (sources.get(kind) ?? []).every((one) => one.isSynced());

  const intervalMs = ({ spec }: GatewayConfig): number => parseDuration(spec.interval ?? '10m') ?? 600_000;

  /** How long until a resource is due; a look by another replica counts as well. */
  function remainingMs(resource: GatewayConfig): number {
    const {
      metadata,
      status: { observedGeneration, lastHandledReconcileAt, lastRun, conditions, pendingPlan } = {},
    } = resource;
    const key = keyOf(resource);
    const request = requestOf(resource);
    const isSeen =
      observedGeneration === metadata.generation &&
      (request === undefined || lastHandledReconcileAt === request);
    if (!isSeen || lastRun === undefined || metadata.deletionTimestamp !== undefined) return 0;
    if (Date.parse(lastRun.startedAt) < (urgent.get(key) ?? 0) || lastRun.result === 'interrupted') return 0;
    const isReady = conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
    const isWell = isReady || pendingPlan !== undefined;
    if (!isWell && own.has(key)) return 0; // it comes back as its failures say
    const pause = isWell ? intervalMs(resource) : Math.min(intervalMs(resource), OTHERS_RETRY_MS);
    return Date.parse(lastRun.at) + pause - host.now().getTime();
  }

  /** Looks at one resource, and says in how many milliseconds to do so again; undefined for never. */
  async function visit(key: string): Promise<number | undefined> {
    const cached = find(key);
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
          const resource = await kube.get<GatewayConfig>(PATHS.resource(cached));
          if (resource === undefined || resource.metadata.uid !== uid) return undefined;
          const left = remainingMs(resource);
          if (left > SOON_MS) return left;
          const begun = beginLook(resource);
          looks.set(key, begun);
          try {
            return await look(key, resource, AbortSignal.any([signal, one.lost, other.lost, begun.signal]));
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

  async function look(key: string, resource: GatewayConfig, stop: AbortSignal): Promise<number | undefined> {
    const { metadata, spec, status } = resource;
    const isGoing = metadata.deletionTimestamp !== undefined;
    const prunes = spec.prune === true && (spec.mode ?? 'plan') !== 'plan';
    const finalizers = metadata.finalizers ?? [];
    if (isGoing && (!finalizers.includes(FINALIZER) || !prunes || spec.suspend === true)) {
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
    const { folders, journal, maxInputBytes } = options;
    const outcome = await reconcile(host, kube, resource, {
      folders,
      journal,
      maxInputBytes,
      signal: stop,
      removes: isGoing,
    });
    const end = host.now();
    const seconds = (end.getTime() - start.getTime()) / 1000;
    own.add(key);
    metrics.note(resource, outcome, seconds);
    const after = statusAfter(resource, outcome, { start, end, by: pod });
    const { state, reason, message, revision, made } = outcome;
    log.info({ resource: key, revision, state, reason, made, seconds }, message);
    if (isGoing && state === 'done') {
      await setFinalizer(kube, resource, false);
      await tell(resource, eventsOf(resource, outcome, after));
      options.onLook?.(key, outcome);
      return undefined;
    }
    await kube.writeStatus(resource, after);
    await tell(resource, eventsOf(resource, outcome, after));
    options.onLook?.(key, outcome);
    if (state === 'done' || state === 'waiting') failures.delete(key);
    else if (state === 'interrupted') return jittered(SOON_MS);
    else failures.set(key, (failures.get(key) ?? 0) + 1);
    return jittered(failures.has(key) ? backOffMs(key, resource) : intervalMs(resource));
  }

  const backOffMs = (key: string, resource?: GatewayConfig): number => {
    const most = resource === undefined ? BACK_OFF.mostMs : Math.max(BACK_OFF.leastMs, intervalMs(resource));
    return Math.min(
      most,
      BACK_OFF.mostMs,
      BACK_OFF.leastMs * 2 ** Math.min((failures.get(key) ?? 1) - 1, 10),
    );
  };

  async function tell({ metadata }: GatewayConfig, said: readonly Said[]): Promise<void> {
    const { namespace = '', name, uid } = metadata;
    for (const one of said) {
      const time = host.now().toISOString();
      const id = digest(`${host.random()} ${one.reason}`).slice(0, 16);
      const event = {
        metadata: { name: `${name.slice(0, 200)}.${id}`, namespace },
        involvedObject: { apiVersion: `${GROUP}/${VERSION}`, kind: KIND, name, namespace, uid },
        source: { component: 'gwconf-controller', host: pod },
        ...one,
        ...{ firstTimestamp: time, lastTimestamp: time, count: 1 },
      };
      // What cannot be told is in the log.
      await kube.create(PATHS.core(namespace, 'events'), event).catch(() => undefined);
      const { type, reason, message } = one;
      log.info({ resource: `${namespace}/${name}`, reason, type }, message);
    }
  }

  const queue = makeQueue(clock, options.parallelism, async (key) => {
    let next: number | undefined;
    try {
      const cached = find(key);
      // Somebody else has looked meanwhile: its status says so.
      const left = cached === undefined ? 0 : remainingMs(cached);
      const isOthers = cached?.status?.lastRun?.by !== undefined && !own.has(key);
      next = left > SOON_MS ? left + (isOthers ? GRACE_MS * clock.random() : 0) : await visit(key);
    } catch (error) {
      failures.set(key, (failures.get(key) ?? 0) + 1);
      next = jittered(backOffMs(key));
      if (!(error instanceof KubeError))
        log.info({ resource: key, error: stackOf(error) }, 'a bug of gwconf: please report it');
      else if (error.status === 404 && find(key) === undefined) next = undefined;
      else if (error.status !== 409) {
        metrics.noteKubeError();
        log.info({ resource: key, status: error.status }, error.message);
      } else next = jittered(SOON_MS);
    }
    // It was deleted during the look, which has noted things about it since.
    if (find(key) === undefined) forget(key);
    else if (next !== undefined) queue.add(key, next);
  });
  const metrics = makeMetrics({ resources: all, depth: queue.depth });
  const endpoints = await serveEndpoints(options.listen, {
    isReady: () => informers.every((one) => one.isSynced()),
    metrics: metrics.text,
  });
  log.info({ identity, namespaces, port: endpoints.port }, 'the controller runs');
  options.onListening?.(endpoints.port);
  if (!signal.aborted) await once(signal, 'abort');
  log.info({}, 'ending: no new look is begun');
  for (const one of [...informers, ...[...sources.values()].flat()]) one.stop();
  await queue.stop();
  await endpoints.close();
}

function metadataOf(key: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = ''] = key.split('/');
  return { namespace, name };
}

/** One gateway has one lock: what calls to it do not have of a URL, and slashes at its end, make it no other. */
function gatewayOf(text: string): string {
  if (!URL.canParse(text)) return text;
  const { origin, pathname } = new URL(text);
  let end = pathname.length;
  while (pathname[end - 1] === '/') end -= 1;
  return `${origin}${pathname.slice(0, end)}/`;
}

/** When a replica stopped in the middle of a run, which another one finishes. */
function stoppedAt({ status: { lastRun } = {} }: GatewayConfig): string | undefined {
  return lastRun?.result === 'interrupted' ? lastRun.at : undefined;
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

/** Managed fields are as long as the rest. */
function withoutManagedFields(resource: GatewayConfig): GatewayConfig {
  const { managedFields: _, ...metadata } = resource.metadata as GatewayConfig['metadata'] & {
    managedFields?: unknown;
  };
  return { ...resource, metadata };
}

/** What is kept of a source: what is in it is read when it is needed. */
type Version = KubeObject & { readonly version: string };

/** Flux writes the status of a source more often than its artifact changes. */
function keepVersion({ metadata, status }: KubeObject & FluxSource): Version {
  const { name, namespace = '', resourceVersion = '' } = metadata;
  return {
    metadata: { name, namespace, resourceVersion },
    version: status?.artifact?.digest ?? resourceVersion,
  };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
