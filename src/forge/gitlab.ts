import { valueOf, type Json } from '../model/json/json.ts';
import type { Access, Comment, Forge } from './forge.ts';
import type { Wire } from './fetch.ts';
import { nextLink, openRest, readPages, textOf } from './rest.ts';

/** gitlab.com, and GitLab on a server of one's own. */
export function gitlab(access: Access, wire: Wire): Forge {
  const { pullRequest, token } = access;
  const rest = openRest(
    access,
    wire,
    { authorization: `Bearer ${token.value}` },
    {
      forge: 'GitLab',
      target: `merge request !${pullRequest.number} of project ${pullRequest.repository}`,
      rights:
        'use a project access token with the scope api and the role Reporter or higher; the token of a job (CI_JOB_TOKEN) cannot write comments',
    },
  );
  const about = { id: pullRequest.repository, merge_request_iid: pullRequest.number };
  const notes = '/projects/{id}/merge_requests/{merge_request_iid}/notes';
  return {
    whoAmI: async () => textOf((await rest.repeat('GET /user')).data, 'id') || undefined,
    list: async () => {
      const first = { ...about, per_page: 100, order_by: 'created_at', sort: 'asc' };
      const found = await readPages(rest, `GET ${notes}`, first, ({ data }) => data, nextLink);
      return found.filter((item) => valueOf(item, 'system') !== true).map((item) => readNote(item));
    },
    create: async (body) => readNote((await rest.once(`POST ${notes}`, { ...about, body })).data),
    update: async ({ id }, body) =>
      readNote((await rest.repeat(`PUT ${notes}/{note_id}`, { ...about, note_id: id, body })).data),
    remove: async ({ id }) => {
      await rest.repeat(`DELETE ${notes}/{note_id}`, { ...about, note_id: id });
    },
    close: wire.close,
  };
}

function readNote(item: Json): Comment {
  return {
    id: textOf(item, 'id'),
    author: textOf(item, 'author', 'id'),
    body: textOf(item, 'body'),
    url: '',
  };
}
