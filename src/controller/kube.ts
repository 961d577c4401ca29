import { delimiter } from 'node:path';
import { ListWatch } from '@kubernetes/client-node/dist/cache.js';
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { type HttpMethod, RequestContext } from '@kubernetes/client-node/dist/gen/http/http.js';
import { Watch } from '@kubernetes/client-node/dist/watch.js';
import { fetch, type Dispatcher } from 'undici';
import type { Host } from '../workflow/host.ts';
import { RequestError } from '../workflow/system-error.ts';
import {
  GROUP,
  VERSION,
  KIND,
  PLURAL,
  type KubeObject,
  type Status,
  type GatewayConfig,
} from './resource.ts';

// Only the parts of the client package that need no generated models: they are three times as large as gwconf.

/** What the API server said no to, or why it did not answer (status 0). */
export class KubeError extends Error {
  readonly status: number;
  constructor(status: number, message: string, cause?: unknown) {
    super(message, { cause });
    this.status = status;
  }
}

/** The API server: what the controller needs of it. Every call rejects with a KubeError. */
export type Kube = {
  /** Undefined when there is no such object. */
  readonly get: <T extends KubeObject>(path: string) => Promise<T | undefined>;
  readonly create: <T extends KubeObject>(path: string, object: object) => Promise<T>;
  /** Rejects with 409 when it has changed since `metadata.resourceVersion`. */
  readonly replace: <T extends KubeObject>(path: string, object: object) => Promise<T>;
  readonly writeStatus: (resource: GatewayConfig, status: Status) => Promise<void>;
  readonly setFinalizers: (resource: GatewayConfig, finalizers: readonly string[]) => Promise<void>;
  readonly inform: <T extends KubeObject>(path: string, options: InformerOptions<T>) => Informer<T>;
};

export type InformerOptions<T> = {
  /** What to keep of each object in memory. */
  readonly keep: (object: T) => T;
  readonly onChange: (object: T, change: 'set' | 'deleted') => void;
  /** Told when the API server cannot be listened to; it is tried again. */
  readonly onError: (error: KubeError) => void;
};

/** Objects as the API server tells them; they may be behind. */
export type Informer<T> = {
  readonly get: (namespace: string, name: string) => T | undefined;
  readonly list: () => readonly T[];
  /** Whether it has been read once. */
  readonly isSynced: () => boolean;
  readonly stop: () => void;
};

export const PATHS = {
  resources: (namespace?: string) =>
    `/apis/${GROUP}/${VERSION}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${PLURAL}`,
  resource: ({ metadata: { namespace = '', name } }: KubeObject) => `${PATHS.resources(namespace)}/${name}`,
  leases: (namespace: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`,
  core: (namespace: string | undefined, plural: string) =>
    `/api/v1${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plural}`,
};

/**
 * The path of an object of a collection; undefined for what is no name of Kubernetes. Resources say names, and `../../b/secrets/x` would
 * be an object of another namespace.
 */
export function pathOf(collection: string, name: string): string | undefined {
  return /^[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$/.test(name) ? `${collection}/${name}` : undefined;
}

const TIMEOUT_MS = 30_000;
/** How long connections are shared before certificates and proxies are read again. */
const SHARED_MS = 300_000;
const RETRY_MS = { least: 1000, most: 15_000 };

/** The cluster that KUBECONFIG names, or the one that this process runs in. Throws a RequestError when there is none. */
export function openCluster(host: Pick<Host, 'env' | 'clock'>): Kube {
  const config = new KubeConfig();
  const named = host.env('KUBECONFIG') ?? '';
  try {
    if (named !== '') load(config, named.split(delimiter));
    else if ((host.env('KUBERNETES_SERVICE_HOST') ?? '') !== '') config.loadFromCluster();
    else throw new RequestError('no cluster: run in a pod, or set KUBECONFIG');
    if (config.getCurrentCluster() === null)
      throw new RequestError(`${named} has no current context with a cluster`);
  } catch (error) {
    if (error instanceof RequestError) throw error;
    throw new RequestError(
      `${named === '' ? 'the service account' : named} cannot be read: ${wordsOf(error)}`,
    );
  }
  return clusterOf(config, host.clock);
}

function load(config: KubeConfig, named: readonly string[]): void {
  const [first = '', ...others] = named.filter((path) => path !== '');
  config.loadFromFile(first);
  for (const path of others) {
    const more = new KubeConfig();
    more.loadFromFile(path);
    config.mergeConfig(more);
  }
}

function clusterOf(config: KubeConfig, clock: Host['clock']): Kube {
  const server = config.getCurrentCluster()?.server ?? '';
  let shared: { readonly dispatcher: Dispatcher | undefined; readonly until: number } | undefined;
  // The package makes a pool of connections for each call; one is enough.
  const applySecurityAuthentication = async (context: RequestContext): Promise<void> => {
    await config.applySecurityAuthentication(context);
    if (shared === undefined || shared.until < clock.now())
      shared = { dispatcher: context.getDispatcher(), until: clock.now() + SHARED_MS };
    if (shared.dispatcher !== undefined) context.setDispatcher(shared.dispatcher);
  };
  const watch = new Watch(
    Object.assign(Object.create(config) as KubeConfig, { applySecurityAuthentication }),
  );

  const request = async (
    method: HttpMethod,
    path: string,
    body?: object,
    type = 'application/json',
  ): Promise<unknown> => {
    const context = new RequestContext(`${server}${path}`, method);
    let text: string;
    let status: number;
    try {
      await applySecurityAuthentication(context);
      const dispatcher = context.getDispatcher();
      const response = await fetch(context.getUrl(), {
        method,
        headers: {
          ...context.getHeaders(),
          accept: 'application/json',
          ...(body && { 'content-type': type }),
        },
        ...(body && { body: JSON.stringify(body) }),
        ...(dispatcher && { dispatcher }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      status = response.status;
      text = await response.text();
    } catch (error) {
      throw new KubeError(0, `the API server does not answer: ${wordsOf(error)}`, error);
    }
    const answer = valueIn(text);
    if (status >= 300) throw new KubeError(status, messageIn(answer) ?? `the API server answered ${status}`);
    if (answer === undefined) throw new KubeError(0, 'the API server does not answer with JSON: a proxy may');
    return answer;
  };

  return {
    get: async <T extends KubeObject>(path: string) => {
      try {
        return (await request('GET', path)) as T;
      } catch (error) {
        if (error instanceof KubeError && error.status === 404) return undefined;
        throw error;
      }
    },
    create: async <T extends KubeObject>(path: string, object: object) =>
      (await request('POST', path, object)) as T,
    replace: async <T extends KubeObject>(path: string, object: object) =>
      (await request('PUT', path, object)) as T,
    writeStatus: async (resource, status) => {
      const { name, uid } = resource.metadata;
      const own = { apiVersion: `${GROUP}/${VERSION}`, kind: KIND, metadata: { name, uid }, status };
      const path = `${PATHS.resource(resource)}/status?fieldManager=gwconf-controller&force=true`;
      await request('PATCH', path, own, 'application/apply-patch+yaml');
    },
    setFinalizers: async (resource, finalizers) => {
      const { resourceVersion } = resource.metadata;
      const change = { metadata: { finalizers, resourceVersion } };
      await request('PATCH', PATHS.resource(resource), change, 'application/merge-patch+json');
    },
    inform: (path, options) => inform(path, options, { watch, clock, list: () => request('GET', path) }),
  };
}

/** What of the informer of the package is used; its own types are of generated models. */
type Watched<T> = {
  on(change: 'add' | 'update' | 'delete', told: (object: T) => void): void;
  on(change: 'error', told: (error: unknown) => void): void;
  start(): Promise<void>;
  stop(): Promise<void>;
  get(name: string, namespace: string): T | undefined;
  list(): readonly T[];
  latestResourceVersion(): string;
};

type Source = { readonly watch: Watch; readonly clock: Host['clock']; readonly list: () => Promise<unknown> };

function inform<T extends KubeObject>(
  path: string,
  { keep, onChange, onError }: InformerOptions<T>,
  { watch, clock, list }: Source,
): Informer<T> {
  const stopping = new AbortController();
  let isSynced = false;
  let failures = 0;
  const isGone = (): boolean => stopping.signal.aborted;
  const listAll = async (): Promise<{ readonly items: readonly T[] }> => {
    const all = (await list()) as { readonly items: readonly T[] };
    failures = 0;
    return { ...all, items: all.items.map(keep) };
  };
  const trimming: Pick<Watch, 'watch'> = {
    watch: (at, query, onEvent, onEnd) =>
      isGone()
        ? Promise.resolve(stopping)
        : watch.watch(
            at,
            { ...query, allowWatchBookmarks: true },
            (phase, object: T, event) => {
              const isObject = phase !== 'BOOKMARK' && phase !== 'ERROR';
              onEvent(phase, isObject ? keep(object) : object, event);
            },
            onEnd,
          ),
  };
  const delayFn = (ms: number): Promise<void> => clock.wait(ms, stopping.signal);
  const more = [false, undefined, undefined, { delayFn }] as const;
  const watched = new ListWatch(path, trimming as Watch, listAll as never, ...more) as unknown as Watched<T>;
  watched.on('add', (object) => onChange(object, 'set'));
  watched.on('update', (object) => onChange(object, 'set'));
  watched.on('delete', (object) => onChange(object, 'deleted'));
  watched.on('error', (error: unknown) => {
    if (isGone()) return;
    failures += 1;
    const { status = 0 } = error as Partial<KubeError>;
    onError(new KubeError(status, wordsOf(error), error));
    const wait = Math.min(RETRY_MS.most, RETRY_MS.least * 2 ** Math.min(failures - 1, 5));
    void clock.wait(wait * (0.5 + clock.random()), stopping.signal).then(start);
  });
  const start = async (): Promise<void> => {
    if (isGone()) return;
    await watched.start();
    isSynced ||= watched.latestResourceVersion() !== '';
  };
  void start();
  return {
    get: (namespace, name) => watched.get(name, namespace),
    list: () => watched.list(),
    isSynced: () => isSynced,
    stop: () => {
      stopping.abort();
      void watched.stop();
    },
  };
}

/** The message of a `Status` of Kubernetes. */
function messageIn(answer: unknown): string | undefined {
  const { message } = (answer ?? {}) as { readonly message?: unknown };
  return typeof message === 'string' ? message : undefined;
}

/** Undefined for what is not JSON. */
function valueIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.message === 'fetch failed'
    ? error.cause.message
    : error.message;
}
