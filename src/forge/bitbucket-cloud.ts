import { isObject, valueOf, type Json } from '../model/json/json.ts';
import { ForgeError, type Access, type Comment, type Forge } from './forge.ts';
import type { Wire } from './fetch.ts';
import { openRest, readPages, textOf } from './rest.ts';

/** bitbucket.org. */
export function bitbucketCloud(access: Access, wire: Wire): Forge {
  const { place, token } = access;
  const [workspace = '', repository = ''] = place.repository.split('/');
  const basic = Buffer.from(`${token.user ?? ''}:${token.value}`).toString('base64');
  const rest = openRest(
    access,
    wire,
    { authorization: token.user === undefined ? `Bearer ${token.value}` : `Basic ${basic}` },
    {
      forge: 'Bitbucket',
      target: `pull request #${place.number} of ${place.repository}`,
      rights:
        'use a repository access token with the scope pullrequest:write, or an API token with write:pullrequest:bitbucket',
    },
  );
  const about = { workspace, repository, pull_request_id: place.number };
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
      return found.filter(isWhole).map((item) => readComment(item));
    },
    create: async (body) =>
      readComment((await rest.once(`POST ${comments}`, { ...about, content: { raw: body } })).data),
    update: async ({ id }, body) => {
      await rest.repeat(`PUT ${comments}/{comment_id}`, { ...about, comment_id: id, content: { raw: body } });
    },
    remove: async ({ id }) => {
      await rest.repeat(`DELETE ${comments}/{comment_id}`, { ...about, comment_id: id });
    },
    close: wire.close,
  };
}

/** Not deleted, and not on a line of a file. */
function isWhole(item: Json): boolean {
  return valueOf(item, 'deleted') !== true && !isObject(valueOf(item, 'inline'));
}

function readComment(item: Json): Comment {
  return {
    id: textOf(item, 'id'),
    author: textOf(item, 'user', 'uuid'),
    body: textOf(item, 'content', 'raw'),
    url: textOf(item, 'links', 'html', 'href'),
  };
}
