import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Api, KubeJson } from './contract.ts';

/**
 * An API server of Kubernetes in memory, as far as the controller needs one: objects of any kind with lists, watches and conflicts; status
 * by server-side apply; finalizers; generations. It checks no schema and no rights: the real one does, in `npm run test:kubernetes`.
 */
export async function startApiServer(): Promise<Api & { readonly url: string }> {
  const objects = new Map<string, KubeJson>();
  const changes: {
    readonly version: number;
    readonly type: string;
    readonly path: string;
    readonly object: KubeJson;
  }[] = [];
  const watches = new Set<(change: (typeof changes)[number]) => void>();
  const sockets = new Set<Socket>();
  const calls: { readonly method: string; readonly path: string }[] = [];
  let version = 0;
  let isDown: boolean | 'status' = false;

  const publish = (type: string, path: string, object: KubeJson): KubeJson => {
    const metadata = { ...object.metadata, resourceVersion: String((version += 1)) };
    const stored = sorted({ ...object, metadata }) as KubeJson;
    if (type === 'DELETED') objects.delete(path);
    else objects.set(path, stored);
    const change = { version, type, path, object: stored };
    changes.push(change);
    for (const tell of watches) tell(change);
    return stored;
  };
  const isWithin = (path: string, collection: string): boolean => {
    const [, base = '', namespace, plural = ''] =
      /^(.*?)(?:\/namespaces\/([^/]+))?\/([^/]+)$/.exec(collection) ?? [];
    const [, ownBase, ownNamespace, ownPlural] =
      /^(.*?)\/namespaces\/([^/]+)\/([^/]+)\/[^/]+$/.exec(path) ?? [];
    return (
      ownBase === base && ownPlural === plural && (namespace === undefined || ownNamespace === namespace)
    );
  };
  const isItem = (path: string): boolean =>
    path.split('/').length % 2 === (path.startsWith('/api/v1') ? 1 : 0);

  const handle = (
    method: string,
    url: URL,
    body: KubeJson | undefined,
  ): { status: number; answer: unknown } => {
    const fail = (status: number, message: string): { status: number; answer: unknown } => ({
      status,
      answer: { kind: 'Status', message },
    });
    const isStatus = url.pathname.endsWith('/status');
    const path = isStatus ? url.pathname.slice(0, -'/status'.length) : url.pathname;
    const found = objects.get(path);
    if (isStatus && isDown === 'status') return fail(500, 'etcdserver: request timed out');
    if (method === 'GET' && !isItem(path)) {
      const items = [...objects].filter(([one]) => isWithin(one, path)).map(([, object]) => object);
      return { status: 200, answer: { kind: 'List', metadata: { resourceVersion: String(version) }, items } };
    }
    if (method === 'POST') {
      const at = `${path}/${body?.metadata.name ?? ''}`;
      if (objects.has(at)) return fail(409, `${at} already exists`);
      const [, namespace] = /\/namespaces\/([^/]+)/.exec(path) ?? [];
      const uid = `uid-${version + 1}`;
      const metadata = {
        ...body?.metadata,
        namespace,
        uid,
        generation: 1,
        creationTimestamp: new Date().toISOString(),
      };
      return { status: 201, answer: publish('ADDED', at, { ...body, metadata } as KubeJson) };
    }
    if (found === undefined) return fail(404, `${path} not found`);
    if (method === 'GET') return { status: 200, answer: found };
    const { metadata } = found;
    const seen = body?.metadata.resourceVersion;
    if (method !== 'DELETE' && seen !== undefined && seen !== metadata.resourceVersion)
      return fail(409, `${path}: the object has been modified`);
    if (method === 'DELETE') {
      if ((metadata.finalizers ?? []).length === 0)
        return { status: 200, answer: publish('DELETED', path, found) };
      const deletionTimestamp = metadata.deletionTimestamp ?? new Date().toISOString();
      return {
        status: 200,
        answer: publish('MODIFIED', path, {
          ...found,
          metadata: { ...metadata, deletionTimestamp, generation: (metadata.generation ?? 1) + 1 },
        }),
      };
    }
    if (isStatus) {
      const { status } = JSON.parse(JSON.stringify(body)) as KubeJson;
      return { status: 200, answer: publish('MODIFIED', path, { ...found, status }) };
    }
    const merged: KubeJson =
      method === 'PUT'
        ? { ...found, ...body, metadata: { ...metadata, ...body?.metadata } }
        : {
            ...found,
            ...body,
            metadata: merge(metadata, body?.metadata) as KubeJson['metadata'],
            spec: merge(found.spec, body?.spec),
          };
    const isChanged = JSON.stringify(merged.spec) !== JSON.stringify(found.spec);
    merged.metadata = { ...merged.metadata, generation: (metadata.generation ?? 1) + (isChanged ? 1 : 0) };
    const isGone =
      merged.metadata.deletionTimestamp !== undefined && (merged.metadata.finalizers ?? []).length === 0;
    return { status: 200, answer: publish(isGone ? 'DELETED' : 'MODIFIED', path, merged) };
  };

  const watch = (url: URL, request: IncomingMessage, response: ServerResponse): void => {
    const since = Number(url.searchParams.get('resourceVersion') ?? 0);
    const tell = (change: (typeof changes)[number]): void => {
      if (change.version > since && isWithin(change.path, url.pathname))
        response.write(`${JSON.stringify({ type: change.type, object: change.object })}\n`);
    };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    changes.forEach(tell);
    watches.add(tell);
    request.on('close', () => watches.delete(tell));
  };

  const server = createServer((request, response) => {
    if (isDown === true) {
      request.socket.destroy();
      return;
    }
    const url = new URL(request.url ?? '', 'http://localhost');
    calls.push({ method: request.method ?? '', path: url.pathname });
    if (url.searchParams.get('watch') === 'true') {
      watch(url, request, response);
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { status, answer } = handle(
        request.method ?? '',
        url,
        text === '' ? undefined : (JSON.parse(text) as KubeJson),
      );
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    namespace: 'team',
    kubeconfig: JSON.stringify({
      clusters: [{ name: 'test', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'test', user: { token: 'secret-token' } }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
      'current-context': 'test',
    }),
    call: (method, path, body) => {
      const { status, answer } = handle(method, new URL(path, url), body as KubeJson | undefined);
      return Promise.resolve({ status, body: answer as KubeJson });
    },
    calls,
    setDown: (down) => {
      isDown = down;
      if (down === true) for (const socket of sockets) socket.destroy();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** As the real one returns objects: their keys are in another order than they were written. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, child]) => [key, sorted(child)]));
}

function merge(before: object | undefined, after: object | undefined): Record<string, unknown> {
  const all: readonly [string, unknown][] = Object.entries({ ...before, ...after });
  return Object.fromEntries(all.filter(([, value]) => value !== null));
}
