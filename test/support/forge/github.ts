import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { isObject, valueAt, valueOf, type Json, type JsonObject } from '../../../src/model/json/json.ts';
import { ROOT } from '../sandbox.ts';
import {
  pageOf,
  textIn,
  type FakeComment,
  type ForgeAnswer,
  type ForgeApi,
  type ForgeRequest,
} from './server.ts';

const PULL = '/repos/acme/gateway/pulls/12';
const COMMENTS = '/repos/acme/gateway/issues/12/comments';

/** GitHub Enterprise Server, with the pull request acme/gateway#12. */
export const githubApi: ForgeApi = {
  root: '/api/v3',
  envOf: (origin) => ({
    GITHUB_REPOSITORY: 'acme/gateway',
    GITHUB_API_URL: `${origin}/api/v3`,
    GITHUB_SERVER_URL: 'https://github.example',
    GITHUB_REF: 'refs/pull/12/merge',
    GITHUB_RUN_ID: '77',
    GITHUB_SHA: '0123456789abcdef0123456789abcdef01234567',
  }),
  isRead: ({ path }) => path === '/api/graphql',
  answer(request, forge, who) {
    const { method, path, query, body } = request;
    if (who === undefined) return refuse(401, 'Bad credentials');
    if (path === '/api/graphql') {
      const isViewer = /^query \{ viewer \{ login \} \}$/.test(textIn(body, 'query'));
      return { status: 200, data: isViewer ? { data: { viewer: { login: who.account } } } : { errors: [] } };
    }
    if (who.rights === 'none') return refuse(404, 'Not Found');
    if (method !== 'GET' && who.rights === 'read')
      return refuse(403, 'Resource not accessible by integration');
    if (path === PULL) return { status: 200, data: { number: 12, state: 'open', head: { sha: forge.head } } };
    if (path === COMMENTS && method === 'GET') {
      const [size, page] = [Number(query['per_page'] ?? 30), Number(query['page'] ?? 1)];
      const [items, hasMore] = pageOf(forge.comments, size, size * (page - 1));
      const next = `<${forge.api}${COMMENTS}?per_page=${size}&page=${page + 1}>; rel="next"`;
      return {
        status: 200,
        data: items.map(describe),
        ...(hasMore ? { headers: { link: `${next}, <${forge.api}>; rel="last"` } } : {}),
      };
    }
    if (path === COMMENTS && method === 'POST')
      return { status: 201, data: describe(forge.add(who.account, textIn(body, 'body'))) };
    const id = Number(/^\/repos\/acme\/gateway\/issues\/comments\/(\d+)$/.exec(path)?.[1]);
    const at = forge.comments.findIndex((comment) => comment.id === id);
    const found = forge.comments[at];
    if (found === undefined) return refuse(404, 'Not Found');
    if (method === 'DELETE') {
      forge.comments.splice(at, 1);
      return { status: 204 };
    }
    found.body = textIn(body, 'body');
    return { status: 200, data: describe(found) };
  },
  check,
};

function refuse(status: number, message: string): ForgeAnswer {
  return {
    status,
    data: { message, documentation_url: 'https://docs.github.com/rest', status: String(status) },
  };
}

function describe({ id, author, body }: FakeComment): Json {
  const url = `https://github.example/${encodeURIComponent(author)}`;
  const links = ['followers', 'following', 'gists', 'starred', 'subscriptions', 'organizations', 'repos'];
  const more = ['events', 'received_events'];
  const user = {
    ...{ login: author, id: 1, node_id: 'U', avatar_url: url, gravatar_id: '', url, html_url: url },
    ...Object.fromEntries([...links, ...more].map((name) => [`${name}_url`, url])),
    ...{ type: author.endsWith('[bot]') ? 'Bot' : 'User', site_admin: false },
  };
  const html_url = `https://github.example/acme/gateway/pull/12#issuecomment-${id}`;
  const time = '2026-03-01T12:00:00Z';
  return {
    ...{ id, node_id: 'IC', url: html_url, html_url, issue_url: html_url, body, user },
    ...{ created_at: time, updated_at: time, author_association: 'NONE', performed_via_github_app: null },
  };
}

// GitHub's description of its API; scripts/github-openapi.mjs made it.
const document = JSON.parse(
  readFileSync(join(ROOT, 'test/support/forge/github-openapi.json'), 'utf8'),
) as JsonObject;
const ajv = new Ajv({ strict: false, validateFormats: false, coerceTypes: false });
ajv.addSchema(document, 'github');

/** What is not as GitHub describes it: the path, a parameter, the body, the status or the response. */
function check(request: ForgeRequest, { status, data, cut }: ForgeAnswer): readonly string[] {
  const { method, path, query, body, headers } = request;
  const about = `${method} ${path}`;
  if (headers['user-agent'] === undefined) return [`${about}: no user-agent, which GitHub refuses`];
  if (['/api/graphql', PULL].includes(path)) return []; // not in the part of the description that the tests have
  const described = Object.keys((document['paths'] ?? {}) as JsonObject).find((one) =>
    new RegExp(`^${one.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(path),
  );
  const at = `/paths/${(described ?? '').replaceAll('/', '~1')}/${method.toLowerCase()}` as const;
  const operation = valueAt(document, at);
  if (operation === undefined) return [`${about}: not described`];
  const parameters = ((valueOf(operation, 'parameters') ?? []) as readonly Json[]).map(resolve);
  const queries = parameters
    .filter((one) => valueOf(one, 'in') === 'query')
    .map((one) => valueOf(one, 'name'));
  const unknown = Object.keys(query).filter((name) => !queries.includes(name));
  const faults = [
    ...unknown.map((name) => `${about}: the parameter ${name} is not described`),
    ...(headers['x-github-api-version'] === '2022-11-28' ? [] : [`${about}: no version of the API`]),
    ...(headers.accept === 'application/vnd.github+json'
      ? []
      : [`${about}: accept is ${String(headers.accept)}`]),
  ];
  const content = valueAt(operation, '/requestBody/content');
  if (content !== undefined) {
    const schema = `${at}/requestBody/content/application~1json/schema`;
    faults.push(...violations(schema, body, about));
    const known = valueAt(content, '/application~1json/schema/properties');
    const extra = Object.keys(body).filter((key) => !isObject(known) || !(key in known));
    faults.push(...extra.map((key) => `${about}: the field ${key} is not described`));
  } else if (Object.keys(body).length > 0) faults.push(`${about}: a body, and none is described`);
  // Failures of what is in front of the API, and limits, are not described.
  if (cut === true || status >= 500 || [401, 429].includes(status) || data === undefined) return faults;
  const pointer = `${at}/responses/${status}` as const;
  const response = valueAt(document, pointer);
  if (response === undefined)
    return status >= 400 ? faults : [...faults, `${about}: ${status} is not described`];
  const reference = valueOf(response, '$ref');
  const base = typeof reference === 'string' ? reference.slice(1) : pointer;
  return [...faults, ...violations(`${base}/content/application~1json/schema`, data, `${about} ${status}`)];
}

function violations(pointer: string, value: Json, about: string): readonly string[] {
  const validate = ajv.getSchema(`github#${encodeURI(pointer)}`);
  if (validate === undefined) return [`${about}: no schema at ${pointer}`];
  if (validate(value) === true) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `${about}: ${instancePath} ${message ?? ''}`,
  );
}

function resolve(parameter: Json): Json {
  const reference = valueOf(parameter, '$ref');
  if (typeof reference !== 'string') return parameter;
  return valueAt(document, reference.slice(1) as `/${string}`) ?? {};
}
