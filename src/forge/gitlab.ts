import { isList, valueOf, type Json } from '../model/json/json.ts';
import type { Access, Comment } from './forge.ts';
import { textOf, type ForgeApi } from './rest.ts';

/** gitlab.com, and GitLab on a server of one's own. */
export function gitlab({ pullRequest, token }: Access): ForgeApi {
  const about = { id: pullRequest.repository, merge_request_iid: pullRequest.number };
  const request = '/projects/{id}/merge_requests/{merge_request_iid}';
  const notes = `${request}/notes`;
  return {
    forge: 'GitLab',
    target: `merge request !${pullRequest.number} of project ${pullRequest.repository}`,
    rights:
      'use a project access token with the scope api and the role Reporter or higher; the token of a job (CI_JOB_TOKEN) cannot write comments',
    headers: { authorization: `Bearer ${token.value}` },
    whoAmI: async ({ repeat }) => textOf((await repeat('GET /user')).data, 'id') || undefined,
    about: [`GET ${request}`, about],
    head: ['sha'],
    list: [`GET ${notes}`, { ...about, per_page: 100, order_by: 'created_at', sort: 'asc' }],
    commentsIn: ({ data }) =>
      isList(data) ? data.filter((item) => valueOf(item, 'system') !== true) : undefined,
    create: (body) => [`POST ${notes}`, { ...about, body }],
    update: ({ id }, body) => [`PUT ${notes}/{note_id}`, { ...about, note_id: id, body }],
    remove: ({ id }) => [`DELETE ${notes}/{note_id}`, { ...about, note_id: id }],
    read,
  };
}

function read(item: Json): Comment {
  return {
    id: textOf(item, 'id'),
    author: textOf(item, 'author', 'id'),
    body: textOf(item, 'body'),
    url: '',
  };
}
