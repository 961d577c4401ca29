import { valueAt, type Json } from '../model/json/json.ts';
import type { Access, Comment, Forge } from './forge.ts';
import type { Wire } from './fetch.ts';
import { nextLink, openRest, readPages, textOf } from './rest.ts';

/** github.com, and GitHub Enterprise Server. */
export function github(access: Access, wire: Wire): Forge {
  const { pullRequest, token } = access;
  const [owner = '', repo = ''] = pullRequest.repository.split('/');
  const about = { owner, repo };
  const rest = openRest(
    access,
    wire,
    {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token.value}`,
      'x-github-api-version': '2022-11-28',
    },
    {
      forge: 'GitHub',
      target: `pull request ${pullRequest.repository}#${pullRequest.number}`,
      rights:
        'give the job `permissions: { pull-requests: write }`, or the token the right "Pull requests: write"; for a pull request from a fork GitHub makes a token that only reads, so comment from a workflow on workflow_run',
    },
  );
  const comments = '/repos/{owner}/{repo}/issues/{issue_number}/comments';
  const comment = '/repos/{owner}/{repo}/issues/comments/{comment_id}';
  return {
    // The token of a job is that of a bot, for which the REST API has no `GET /user`.
    whoAmI: async () => {
      const { data } = await rest.repeat(`POST ${graphqlOf(pullRequest.api)}`, {
        query: 'query { viewer { login } }',
      });
      return textOf(valueAt(data, '/data/viewer'), 'login') || undefined;
    },
    list: async () => {
      const first = { ...about, issue_number: pullRequest.number, per_page: 100 };
      const found = await readPages(rest, `GET ${comments}`, first, ({ data }) => data, nextLink);
      return found.map(readComment);
    },
    create: async (body) => {
      const made = await rest.once(`POST ${comments}`, { ...about, issue_number: pullRequest.number, body });
      return readComment(made.data);
    },
    update: async ({ id }, body) =>
      readComment((await rest.repeat(`PATCH ${comment}`, { ...about, comment_id: id, body })).data),
    remove: async ({ id }) => {
      await rest.repeat(`DELETE ${comment}`, { ...about, comment_id: id });
    },
    close: wire.close,
  };
}

/** The GraphQL API; GitHub Enterprise Server has it beside the REST API, at `/api/graphql`. */
function graphqlOf(api: string): string {
  return `${api.replace(/\/v3$/, '')}/graphql`;
}

function readComment(item: Json): Comment {
  return {
    id: textOf(item, 'id'),
    author: textOf(item, 'user', 'login'),
    body: textOf(item, 'body'),
    url: textOf(item, 'html_url'),
  };
}
