import { valueOf, type Json } from '../model/json/json.ts';
import type { Access, Comment, Forge } from './forge.ts';
import type { Wire } from './fetch.ts';
import { openRest, readPages, textOf } from './rest.ts';

/** Bitbucket Data Center. */
export function bitbucketServer(access: Access, wire: Wire): Forge {
  const { place, token } = access;
  const rest = openRest(
    access,
    wire,
    { authorization: `Bearer ${token.value}`, 'x-atlassian-token': 'no-check' },
    {
      forge: 'Bitbucket',
      target: `pull request #${place.number} of ${place.repository}`,
      rights: 'use an HTTP access token with the permission "Repository write" for this repository',
    },
  );
  // `projects/KEY/repos/NAME`, or `users/NAME/repos/NAME`, which the API calls the project `~NAME`.
  const [sort = '', key = '', , slug = ''] = place.repository.split('/');
  const about = { project: sort === 'users' ? `~${key}` : key, slug, pull_request: place.number };
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
      return found.filter(isWhole).map((item) => readComment(valueOf(item, 'comment') ?? {}));
    },
    create: async (body) =>
      readComment((await rest.once(`POST ${pull}/comments`, { ...about, text: body })).data),
    update: async ({ id, version = 0 }, body) => {
      await rest.repeat(`PUT ${pull}/comments/{id}`, { ...about, id, text: body, version });
    },
    remove: async ({ id, version = 0 }) => {
      await rest.repeat(`DELETE ${pull}/comments/{id}{?version}`, { ...about, id, version });
    },
    close: wire.close,
  };
}

/** A comment on the pull request, not on a line of a file. */
function isWhole(item: Json): boolean {
  return valueOf(item, 'action') === 'COMMENTED' && valueOf(item, 'commentAnchor') === undefined;
}

function readComment(item: Json): Comment {
  const version = valueOf(item, 'version');
  return {
    id: textOf(item, 'id'),
    author: textOf(item, 'author', 'name'),
    body: textOf(item, 'text'),
    url: '',
    version: typeof version === 'number' ? version : undefined,
  };
}
