import { isList, isObject, valueOf, type Json } from '../model/json/json.ts';
import { ForgeError, type Access, type Comment } from './forge.ts';
import { pageAt, textOf, type ForgeApi } from './rest.ts';

/** bitbucket.org. */
export function bitbucketCloud({ pullRequest, token }: Access): ForgeApi {
  const [workspace = '', repository = ''] = pullRequest.repository.split('/');
  const basic = Buffer.from(`${token.user ?? ''}:${token.value}`).toString('base64');
  const about = { workspace, repository, pull_request_id: pullRequest.number };
  const pull = '/repositories/{workspace}/{repository}/pullrequests/{pull_request_id}';
  const comments = `${pull}/comments`;
  return {
    forge: 'Bitbucket',
    target: `pull request #${pullRequest.number} of ${pullRequest.repository}`,
    rights:
      'use a repository access token with the scope pullrequest:write, or an API token with write:pullrequest:bitbucket',
    headers: { authorization: token.user === undefined ? `Bearer ${token.value}` : `Basic ${basic}` },
    whoAmI: async ({ repeat }) => {
      if (token.account !== undefined) return token.account;
      try {
        return textOf((await repeat('GET /user')).data, 'uuid') || undefined;
      } catch (error) {
        // An access token is of a repository, not of a user, and must not ask.
        if (error instanceof ForgeError && [401, 403, 404].includes(error.status ?? 0)) return undefined;
        throw error;
      }
    },
    about: [`GET ${pull}`, about],
    head: ['source', 'commit', 'hash'],
    list: [`GET ${comments}`, { ...about, pagelen: 100 }],
    // Not deleted, and not on a line of a file.
    commentsIn: ({ data }) =>
      valuesIn(data)?.filter(
        (item) => valueOf(item, 'deleted') !== true && !isObject(valueOf(item, 'inline')),
      ),
    next: ({ data }) => pageAt(textOf(data, 'next')),
    create: (body) => [`POST ${comments}`, { ...about, content: { raw: body } }],
    update: ({ id }, body) => [
      `PUT ${comments}/{comment_id}`,
      { ...about, comment_id: id, content: { raw: body } },
    ],
    remove: ({ id }) => [`DELETE ${comments}/{comment_id}`, { ...about, comment_id: id }],
    read: (item): Comment => ({
      id: textOf(item, 'id'),
      author: textOf(item, 'user', 'uuid'),
      body: textOf(item, 'content', 'raw'),
      url: textOf(item, 'links', 'html', 'href'),
    }),
  };
}

/** Bitbucket Data Center. */
export function bitbucketServer({ pullRequest, token }: Access): ForgeApi {
  // `projects/KEY/repos/NAME`, or `users/NAME/repos/NAME`, which the API calls the project `~NAME`.
  const [sort = '', key = '', , slug = ''] = pullRequest.repository.split('/');
  const about = { project: sort === 'users' ? `~${key}` : key, slug, pull_request: pullRequest.number };
  const pull = '/projects/{project}/repos/{slug}/pull-requests/{pull_request}';
  const page = { ...about, limit: 100 };
  return {
    forge: 'Bitbucket',
    target: `pull request #${pullRequest.number} of ${pullRequest.repository}`,
    rights: 'use an HTTP access token with the permission "Repository write" for this repository',
    headers: { authorization: `Bearer ${token.value}`, 'x-atlassian-token': 'no-check' },
    // There is no call for it, but every response names the user.
    whoAmI: async ({ repeat }) => (await repeat(`GET ${pull}`, about)).headers['x-ausername'],
    about: [`GET ${pull}`, about],
    head: ['fromRef', 'latestCommit'],
    list: [`GET ${pull}/activities`, page],
    // Comments on the pull request, not on a line of a file.
    commentsIn: ({ data }) =>
      valuesIn(data)
        ?.filter(
          (item) => valueOf(item, 'action') === 'COMMENTED' && valueOf(item, 'commentAnchor') === undefined,
        )
        .map((item) => valueOf(item, 'comment') ?? {}),
    next: ({ data }) => {
      const start = valueOf(data, 'nextPageStart');
      const isLast = valueOf(data, 'isLastPage') !== false || typeof start !== 'number';
      return isLast ? undefined : [`GET ${pull}/activities`, { ...page, start }];
    },
    create: (body) => [`POST ${pull}/comments`, { ...about, text: body }],
    update: ({ id, version = 0 }, body) => [
      `PUT ${pull}/comments/{id}`,
      { ...about, id, text: body, version },
    ],
    remove: ({ id, version = 0 }) => [`DELETE ${pull}/comments/{id}{?version}`, { ...about, id, version }],
    read: (item): Comment => {
      const version = valueOf(item, 'version');
      return {
        id: textOf(item, 'id'),
        author: textOf(item, 'author', 'name'),
        body: textOf(item, 'text'),
        url: '',
        version: typeof version === 'number' ? version : undefined,
      };
    },
  };
}

function valuesIn(data: Json): readonly Json[] | undefined {
  const values = valueOf(data, 'values');
  return isList(values) ? values : undefined;
}
