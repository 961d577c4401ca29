import { valueAt, type Json } from '../model/json/json.ts';
import type { Access, Comment } from './forge.ts';
import { textOf, type ForgeApi } from './rest.ts';

/** github.com, and GitHub Enterprise Server. */
export function github({ pullRequest, token }: Access): ForgeApi {
  const [owner = '', repo = ''] = pullRequest.repository.split('/');
  const about = { owner, repo };
  const all = { ...about, issue_number: pullRequest.number };
  const comments = '/repos/{owner}/{repo}/issues/{issue_number}/comments';
  const comment = '/repos/{owner}/{repo}/issues/comments/{comment_id}';
  return {
    forge: 'GitHub',
    target: `pull request ${pullRequest.repository}#${pullRequest.number}`,
    rights:
      'give the job `permissions: { pull-requests: write }`, or the token the right "Pull requests: write"; for a pull request from a fork GitHub makes a token that only reads, so comment from a workflow on workflow_run',
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token.value}`,
      'x-github-api-version': '2022-11-28',
    },
    // The token of a job is that of a bot, for which the REST API has no `GET /user`.
    whoAmI: async ({ repeat }) => {
      const query = 'query { viewer { login } }';
      const { data } = await repeat(`POST ${graphqlOf(pullRequest.api)}`, { query });
      return textOf(valueAt(data, '/data/viewer'), 'login') || undefined;
    },
    about: ['GET /repos/{owner}/{repo}/pulls/{pull_number}', { ...about, pull_number: pullRequest.number }],
    head: ['head', 'sha'],
    list: [`GET ${comments}`, { ...all, per_page: 100 }],
    create: (body) => [`POST ${comments}`, { ...all, body }],
    update: ({ id }, body) => [`PATCH ${comment}`, { ...about, comment_id: id, body }],
    remove: ({ id }) => [`DELETE ${comment}`, { ...about, comment_id: id }],
    read,
  };
}

/** The GraphQL API; GitHub Enterprise Server has it beside the REST API, at `/api/graphql`. */
function graphqlOf(api: string): string {
  return `${api.replace(/\/v3$/, '')}/graphql`;
}

function read(item: Json): Comment {
  return {
    id: textOf(item, 'id'),
    author: textOf(item, 'user', 'login'),
    body: textOf(item, 'body'),
    url: textOf(item, 'html_url'),
  };
}
