import { isObject, valueOf, type Json } from '../model/json/json.ts';
import type { Wire } from './fetch.ts';
import { ForgeError, type Access, type Comment, type Forge } from './forge.ts';
import { openRest, readPages, textOf } from './rest.ts';

/** bitbucket.org. */
export function bitbucketCloud(access: Access, wire: Wire): Forge {
  const { pullRequest, token } = access;
  const [workspace = '', repository = ''] = pullRequest.repository.split('/');
  const basic = Buffer.from(`${token.user ?? ''}:${token.value}`).toString('base64');
  const rest = openRest(
    access,
    wire,
    { authorization: token.user === undefined ? `Bearer ${token.value}` : `Basic ${basic}` },
    {
      forge: 'Bitbucket',
      target: `pull request #${pullRequest.number} of ${pullRequest.repository}`,
      rights:
        'use a repository access token with the scope pullrequest:write, or an API token with write:pullrequest:bitbucket',
    },
  );
  const about = { workspace, repository, pull_request_id: pullRequest.number };
  const comments = '/repositories/{workspace}/{repository}/pullrequests/{pull_request_id}/comments';
  return {
    whoAmI: async () => {
      if (token.account !== undefined) return token.account;
      try {
        return textOf((await rest.repeat('GET /user')).data, 'uuid') || undefined;
      } catch (error) {
        // An access token is of a repository, not of a user, and must not ask.
        if (error instanceof ForgeError && [401, 403, 404].includes(error.status ?? 0)) return undefined;
        throw error;
      }
    },
    list: async () => {
      const found = await readPages(
        rest,
        `GET ${comments}`,
        { ...about, pagelen: 100 },
        ({ data }) => valueOf(data, 'values'),
        ({ data }) => {
          const next = textOf(data, 'next');
          return next === '' ? undefined : [`GET ${next.replace(/[{}]/g, encodeURIComponent)}`, {}];
        },
      );
      return found.filter(isOnCloudPullRequest).map((item) => readCloudComment(item));
    },
    create: async (body) =>
      readCloudComment((await rest.once(`POST ${comments}`, { ...about, content: { raw: body } })).data),
    update: async ({ id }, body) => {
      const parameters = { ...about, comment_id: id, content: { raw: body } };
      return readCloudComment((await rest.repeat(`PUT ${comments}/{comment_id}`, parameters)).data);
    },
    remove: async ({ id }) => {
      await rest.repeat(`DELETE ${comments}/{comment_id}`, { ...about, comment_id: id });
    },
    close: wire.close,
  };
}

/** Not deleted, and not on a line of a file. */
function isOnCloudPullRequest(item: Json): boolean {
  return valueOf(item, 'deleted') !== true && !isObject(valueOf(item, 'inline'));
}

function readCloudComment(item: Json): Comment {
  return {
    id: textOf(item, 'id'),
    author: textOf(item, 'user', 'uuid'),
    body: textOf(item, 'content', 'raw'),
    url: textOf(item, 'links', 'html', 'href'),
  };
}

/** Bitbucket Data Center. */
export function bitbucketServer(access: Access, wire: Wire): Forge {
  const { pullRequest, token } = access;
  const rest = openRest(
    access,
    wire,
    { authorization: `Bearer ${token.value}`, 'x-atlassian-token': 'no-check' },
    {
      forge: 'Bitbucket',
      target: `pull request #${pullRequest.number} of ${pullRequest.repository}`,
      rights: 'use an HTTP access token with the permission "Repository write" for this repository',
    },
  );
  // `projects/KEY/repos/NAME`, or `users/NAME/repos/NAME`, which the API calls the project `~NAME`.
  const [sort = '', key = '', , slug = ''] = pullRequest.repository.split('/');
  const about = { project: sort === 'users' ? `~${key}` : key, slug, pull_request: pullRequest.number };
  const pull = '/projects/{project}/repos/{slug}/pull-requests/{pull_request}';
  return {
    // There is no call for it, but every response names the user.
    whoAmI: async () => (await rest.repeat(`GET ${pull}`, about)).headers['x-ausername'],
    list: async () => {
      const found = await readPages(
        rest,
        `GET ${pull}/activities`,
        { ...about, limit: 100 },
        ({ data }) => valueOf(data, 'values'),
        ({ data }) => {
          const start = valueOf(data, 'nextPageStart');
          const isLast = valueOf(data, 'isLastPage') !== false || typeof start !== 'number';
          return isLast ? undefined : [`GET ${pull}/activities`, { ...about, limit: 100, start }];
        },
      );
      return found
        .filter(isOnServerPullRequest)
        .map((item) => readServerComment(valueOf(item, 'comment') ?? {}));
    },
    create: async (body) =>
      readServerComment((await rest.once(`POST ${pull}/comments`, { ...about, text: body })).data),
    update: async ({ id, version = 0 }, body) => {
      const parameters = { ...about, id, text: body, version };
      return readServerComment((await rest.repeat(`PUT ${pull}/comments/{id}`, parameters)).data);
    },
    remove: async ({ id, version = 0 }) => {
      await rest.repeat(`DELETE ${pull}/comments/{id}{?version}`, { ...about, id, version });
    },
    close: wire.close,
  };
}

/** A comment on the pull request, not on a line of a file. */
function isOnServerPullRequest(item: Json): boolean {
  return valueOf(item, 'action') === 'COMMENTED' && valueOf(item, 'commentAnchor') === undefined;
}

function readServerComment(item: Json): Comment {
  const version = valueOf(item, 'version');
  return {
    id: textOf(item, 'id'),
    author: textOf(item, 'author', 'name'),
    body: textOf(item, 'text'),
    url: '',
    version: typeof version === 'number' ? version : undefined,
  };
}
