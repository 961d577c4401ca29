import type { Json } from '../../../src/model/json/json.ts';
import { checkCall } from './gitlab.ts';
import { pageOf, textIn, type FakeComment, type ForgeApi } from './server.ts';

const CLOUD = '/repositories/acme/gateway/pullrequests/12/comments';

/** bitbucket.org, with pull request 12 of acme/gateway; an access token cannot ask who it is. */
export const bitbucketCloudApi: ForgeApi = {
  root: '/2.0',
  envOf: () => ({
    BITBUCKET_WORKSPACE: 'acme',
    BITBUCKET_REPO_SLUG: 'gateway',
    BITBUCKET_PR_ID: '12',
    BITBUCKET_COMMIT: '0123456789ab',
    BITBUCKET_GIT_HTTP_ORIGIN: 'https://bitbucket.org/acme/gateway',
    BITBUCKET_BUILD_NUMBER: '77',
  }),
  answer({ method, path, query, body, headers }, forge, who) {
    if (who === undefined)
      return { status: 401, data: errorOf('Token is invalid, expired, or not supported') };
    if (path === '/user') {
      return headers.authorization?.startsWith('Basic ') === true
        ? { status: 200, data: userOf(who.account) }
        : { status: 403, data: errorOf('This API is not accessible by this authentication mechanism') };
    }
    if (who.rights === 'none')
      return { status: 404, data: errorOf('You may not have access to this repository') };
    if (method !== 'GET' && who.rights === 'read')
      return { status: 403, data: errorOf('Your credentials lack one or more required privilege scopes.') };
    if (`${path}/comments` === CLOUD)
      return {
        status: 200,
        data: { id: 12, state: 'OPEN', source: { commit: { hash: forge.head.slice(0, 12) } } },
      };
    if (path === CLOUD && method === 'GET') {
      const [size, page] = [Number(query['pagelen'] ?? 10), Number(query['page'] ?? 1)];
      const [items, hasMore] = pageOf(forge.comments, size, size * (page - 1));
      const next = `${forge.api}${CLOUD}?pagelen=${size}&page=${page + 1}`;
      const values = items.map(describeCloud);
      return { status: 200, data: { values, pagelen: size, page, ...(hasMore ? { next } : {}) } };
    }
    const raw = (): string => textIn(body['content'], 'raw');
    if (path === CLOUD && method === 'POST')
      return { status: 201, data: describeCloud(forge.add(who.account, raw())) };
    const at = forge.comments.findIndex(({ id }) => path === `${CLOUD}/${id}`);
    const found = forge.comments[at];
    if (found === undefined) return { status: 404, data: errorOf('No such comment') };
    if (method === 'DELETE') {
      forge.comments.splice(at, 1);
      return { status: 204 };
    }
    found.body = raw();
    return { status: 200, data: describeCloud(found) };
  },
  check: (request) =>
    checkCall(
      [
        ['GET', /^\/user$/, /^$/, []],
        ['GET', /\/pullrequests\/12$/, /^$/, []],
        ['GET', /\/pullrequests\/12\/comments$/, /^(pagelen|page)$/, []],
        ['POST', /\/pullrequests\/12\/comments$/, /^$/, ['content']],
        ['PUT', /\/pullrequests\/12\/comments\/\d+$/, /^$/, ['content']],
        ['DELETE', /\/pullrequests\/12\/comments\/\d+$/, /^$/, []],
      ],
      request,
    ),
};

function errorOf(message: string): Json {
  return { type: 'error', error: { message } };
}

function userOf(account: string): Json {
  return { type: 'user', uuid: `{${account}}`, display_name: 'Anyone', nickname: 'anyone' };
}

function describeCloud({ id, author, body }: FakeComment): Json {
  const href = `https://bitbucket.org/acme/gateway/pull-requests/12#comment-${id}`;
  const content = { type: 'rendered', raw: body, markup: 'markdown', html: '' };
  return { id, content, user: userOf(author), deleted: false, links: { html: { href } } };
}

const PULL = '/projects/ACME/repos/gateway/pull-requests/12';

/** Bitbucket Data Center, with pull request 12 of ACME/gateway; Jenkins tells its address. */
export const bitbucketServerApi: ForgeApi = {
  root: '/rest/api/1.0',
  envOf: (origin) => ({
    CHANGE_URL: `${origin}/projects/ACME/repos/gateway/pull-requests/12`,
    GIT_COMMIT: '0123456789abcdef0123456789abcdef01234567',
    BUILD_URL: 'https://jenkins.example/job/acme/77/',
  }),
  answer({ method, path, query, body }, forge, who) {
    if (who === undefined) return { status: 401, data: { errors: [{ message: 'Authentication failed.' }] } };
    const headers = { 'x-ausername': who.account };
    if (who.rights === 'none') {
      const message = 'You are not permitted to access this resource';
      return { status: 401, data: { errors: [{ message }] }, headers };
    }
    if (method !== 'GET' && who.rights === 'read')
      return { status: 403, data: { errors: [{ message: 'You are not permitted to write' }] }, headers };
    if (path === PULL)
      return {
        status: 200,
        data: { id: 12, version: 1, title: 'Plan', state: 'OPEN', fromRef: { latestCommit: forge.head } },
        headers,
      };
    if (path === `${PULL}/activities`) {
      const [size, start] = [Number(query['limit'] ?? 25), Number(query['start'] ?? 0)];
      const all = [...forge.comments].reverse();
      const [items, hasMore] = pageOf(all, size, start);
      const values = items.map((comment) => ({
        ...{ id: comment.id, action: 'COMMENTED', commentAction: 'ADDED', comment: describeServer(comment) },
      }));
      const more = hasMore ? { nextPageStart: start + size } : { nextPageStart: null };
      return {
        status: 200,
        data: { values, size: values.length, isLastPage: !hasMore, start, ...more },
        headers,
      };
    }
    if (path === `${PULL}/comments` && method === 'POST')
      return { status: 201, data: describeServer(forge.add(who.account, textIn(body, 'text'))), headers };
    const at = forge.comments.findIndex(({ id }) => path === `${PULL}/comments/${id}`);
    const found = forge.comments[at];
    if (found === undefined)
      return { status: 404, data: { errors: [{ message: 'No such comment' }] }, headers };
    if (found.version !== Number(method === 'DELETE' ? query['version'] : body['version']))
      return { status: 409, data: { errors: [{ message: 'It was changed by another user' }] }, headers };
    if (method === 'DELETE') {
      forge.comments.splice(at, 1);
      return { status: 204, headers };
    }
    found.body = textIn(body, 'text');
    found.version += 1;
    return { status: 200, data: describeServer(found), headers };
  },
  check: (request) =>
    checkCall(
      [
        ['GET', /\/pull-requests\/12$/, /^$/, []],
        ['GET', /\/pull-requests\/12\/activities$/, /^(limit|start)$/, []],
        ['POST', /\/pull-requests\/12\/comments$/, /^$/, ['text']],
        ['PUT', /\/pull-requests\/12\/comments\/\d+$/, /^$/, ['text', 'version']],
        ['DELETE', /\/pull-requests\/12\/comments\/\d+$/, /^version$/, []],
      ],
      request,
    ),
};

function describeServer({ id, author, body, version }: FakeComment): Json {
  return { id, version, text: body, author: { name: author, id: 1, slug: author }, comments: [] };
}
