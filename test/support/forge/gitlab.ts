import type { Json } from '../../../src/model/json/json.ts';
import { pageOf, textIn, type FakeComment, type ForgeApi, type ForgeRequest } from './server.ts';

const NOTES = '/projects/42/merge_requests/12/notes';

/** GitLab on a server of one's own, with merge request 12 of project 42 (docs.gitlab.com/api/notes). */
export const gitlabApi: ForgeApi = {
  root: '/api/v4',
  envOf: (origin) => ({
    CI_API_V4_URL: `${origin}/api/v4`,
    CI_PROJECT_ID: '42',
    CI_MERGE_REQUEST_IID: '12',
    CI_COMMIT_SHA: '0123456789abcdef0123456789abcdef01234567',
    CI_JOB_URL: 'https://gitlab.example/acme/gateway/-/jobs/77',
  }),
  answer({ method, path, query, body }, forge, who) {
    if (who === undefined) return { status: 401, data: { message: '401 Unauthorized' } };
    if (path === '/user') return { status: 200, data: { id: idOf(who.account), username: who.account } };
    if (who.rights === 'none') return { status: 404, data: { message: '404 Merge Request Not Found' } };
    if (method !== 'GET' && who.rights === 'read') return { status: 403, data: insufficientScope };
    if (path === '/projects/42/merge_requests/12')
      return { status: 200, data: { iid: 12, state: 'opened', sha: forge.head } };
    if (path === NOTES && method === 'GET') {
      const [size, page] = [Number(query['per_page'] ?? 20), Number(query['page'] ?? 1)];
      const [items, hasMore] = pageOf(forge.comments, size, size * (page - 1));
      const next = `<${forge.api}${NOTES}?id=42&merge_request_iid=12&page=${page + 1}&per_page=${size}>; rel="next"`;
      const headers = { 'x-next-page': hasMore ? String(page + 1) : '', ...(hasMore ? { link: next } : {}) };
      return { status: 200, data: items.map(describe), headers };
    }
    if (path === NOTES && method === 'POST')
      return { status: 201, data: describe(forge.add(who.account, textIn(body, 'body'))) };
    const at = forge.comments.findIndex(({ id }) => path === `${NOTES}/${id}`);
    const found = forge.comments[at];
    if (found === undefined) return { status: 404, data: { message: '404 Not found' } };
    if (method === 'DELETE') {
      forge.comments.splice(at, 1);
      return { status: 204 };
    }
    found.body = textIn(body, 'body');
    return { status: 200, data: describe(found) };
  },
  check: (request) => checkCall(CALLS, request),
};

const insufficientScope = {
  error: 'insufficient_scope',
  error_description: 'The request requires higher privileges than provided by the access token.',
  scope: 'api',
};

function idOf(account: string): number {
  return Buffer.from(account).reduce((sum, byte) => (sum * 7 + byte) % 1_000_003, 0);
}

function describe({ id, author, body }: FakeComment): Json {
  return {
    ...{
      id,
      type: null,
      body,
      system: false,
      noteable_id: 9,
      noteable_iid: 12,
      noteable_type: 'MergeRequest',
    },
    author: { id: idOf(author), username: author, name: author, state: 'active' },
    ...{ created_at: '2026-03-01T12:00:00Z', updated_at: '2026-03-01T12:00:00Z', internal: false },
  };
}

/** The documented calls: their path, and the fields of the query or the body. */
const CALLS: readonly (readonly [method: string, path: RegExp, query: RegExp, body: readonly string[]])[] = [
  ['GET', /^\/user$/, /^$/, []],
  ['GET', /^\/projects\/42\/merge_requests\/12$/, /^$/, []],
  [
    'GET',
    /^\/projects\/42\/merge_requests\/12\/notes$/,
    /^(sort|order_by|per_page|page|id|merge_request_iid)$/,
    [],
  ],
  ['POST', /^\/projects\/42\/merge_requests\/12\/notes$/, /^$/, ['body']],
  ['PUT', /^\/projects\/42\/merge_requests\/12\/notes\/\d+$/, /^$/, ['body']],
  ['DELETE', /^\/projects\/42\/merge_requests\/12\/notes\/\d+$/, /^$/, []],
];

/** What of a request is not documented. */
export function checkCall(
  calls: typeof CALLS,
  { method, path, query, body }: ForgeRequest,
): readonly string[] {
  const about = `${method} ${path}`;
  const call = calls.find(([verb, form]) => verb === method && form.test(path));
  if (call === undefined) return [`${about}: not documented`];
  const [, , queries, fields] = call;
  const unknown = Object.keys(query).filter((name) => !queries.test(name));
  const wrong = String(Object.keys(body).sort()) === String([...fields].sort()) ? [] : Object.keys(body);
  return [...unknown, ...wrong].map((name) => `${about}: ${name} is not documented`);
}
