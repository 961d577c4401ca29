import { isList, valueOf, type Json } from '../../model/json/json.ts';
import type { GatewayOperations } from '../operations.ts';
import type { Call } from './call.ts';
import { isSuccess, makeNotUnderstood, readBody, readList } from './read-response.ts';
import { makeHtmlError, readRefusal } from './refusal.ts';
import { isHtml, type HttpResponse } from './response.ts';
import type { Target } from './target.ts';

type Post = { readonly method: 'POST'; readonly path: string; readonly body: Json };

/** The operations over HTTP; `send` makes one call. */
export function makeOperations(
  send: (call: Call) => Promise<HttpResponse>,
  target: Target,
): GatewayOperations {
  const get = async (path: string, absent: readonly number[]): Promise<HttpResponse | undefined> => {
    const call: Call = { method: 'GET', path };
    const response = await send(call);
    if (absent.includes(response.status)) return undefined;
    if (response.status !== 200) throw readRefusal(response, call, target);
    return response;
  };
  const getJson = async (path: string): Promise<Json | undefined> => {
    const response = await get(path, [404]);
    return response && readBody(response, { method: 'GET', path }, target);
  };
  return {
    async issueToken(request) {
      const call: Post = { method: 'POST', path: '/gateway/v2/token', body: { ...request } };
      const response = await send(call);
      const token = valueOf(readBody(response, call, target), 'token');
      // It goes into files of other programs: without blanks, line breaks and characters that act on a terminal.
      if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token;
      throw makeNotUnderstood('contains no token', response, call, target);
    },
    async resolveInterceptors(interceptor, principal) {
      const call: Post = {
        method: 'POST',
        path: `${interceptor.collection}/resolve`,
        body: { ...principal },
      };
      return readList(interceptor, await send(call), call, target);
    },
    async readHealth() {
      // 503 is a response here: alive, and not ready.
      const [live, ready] = await Promise.all([get('/health/live', [404]), get('/health/ready', [404, 503])]);
      if (live !== undefined) return { live: true, ready: ready !== undefined };
      const isUp = valueOf(await getJson('/health'), 'status') === 'UP'; // before 3.12.0
      return { live: isUp, ready: isUp };
    },
    async readVersion() {
      const usage = await getJson('/gateway/v2/analytics/lived');
      const checks = usage === undefined ? valueOf(await getJson('/health'), 'checks') : undefined; // before 3.9.0
      const build = isList(checks) ? checks.find((check) => valueOf(check, 'id') === 'buildInfo') : undefined;
      const version = valueOf(usage, 'gatewayVersion') ?? valueOf(valueOf(build, 'data'), 'version');
      return typeof version === 'string' ? version : undefined;
    },
    async switchCluster({ api, from, to }) {
      const path =
        api === 'v1'
          ? `${pathOfCluster(from)}/switch?to=${encodeURIComponent(to)}`
          : `/gateway/v2/cluster-switching?${new URLSearchParams({ from, to }).toString()}`;
      const call: Call = { method: 'POST', path };
      const response = await send(call);
      if (!isSuccess(response)) throw readRefusal(response, call, target);
      if (isHtml(response)) throw makeHtmlError(response, target);
    },
    readV1: getJson,
    async readConnection(cluster) {
      const call: Call = { method: 'GET', path: pathOfCluster(cluster) };
      const connection = readBody(await send(call), call, target);
      if (connection === undefined) throw makeNotUnderstood('is empty', { status: 200 }, call, target);
      return connection;
    },
  };
}

function pathOfCluster(id: string): string {
  return `/admin/pclusters/v1/pcluster/${encodeURIComponent(id)}`;
}
