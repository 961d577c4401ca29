import type { JsonObject } from '../../../src/model/json/json.ts';
import { makeWorld, type World } from '../cli.ts';
import { bitbucketCloudApi, bitbucketServerApi } from './bitbucket.ts';
import { githubApi } from './github.ts';
import { gitlabApi } from './gitlab.ts';
import { planReport } from './reports.ts';
import { serveForge, type FakeForge, type ForgeApi } from './server.ts';

export type Sort = {
  readonly name: string;
  readonly api: ForgeApi;
  readonly variable: string;
  /** The account that comments. */
  readonly me: string;
  /** The right that is named where it is missing. */
  readonly right: string;
  readonly marker: (text: string) => string;
};

const inHtml = (text: string): string => `<!-- ${text} -->`;
const inLink = (text: string): string => `[//]: # (${text})`;
export const FORGES: readonly Sort[] = [
  {
    name: 'GitHub',
    api: githubApi,
    variable: 'GITHUB_TOKEN',
    me: 'github-actions[bot]',
    right: 'pull-requests: write',
    marker: inHtml,
  },
  {
    name: 'GitLab',
    api: gitlabApi,
    variable: 'GITLAB_TOKEN',
    me: 'project_42_bot',
    right: 'scope api',
    marker: inHtml,
  },
  {
    name: 'Bitbucket Cloud',
    api: bitbucketCloudApi,
    variable: 'BITBUCKET_TOKEN',
    me: 'repository-token',
    right: 'pullrequest:write',
    marker: inLink,
  },
  {
    name: 'Bitbucket Data Center',
    api: bitbucketServerApi,
    variable: 'BITBUCKET_TOKEN',
    me: 'ci-user',
    right: 'Repository write',
    marker: inLink,
  },
];
export const TOKEN = 'ghs_Kanarienvogel0123456789';

export type Job = { readonly forge: FakeForge; readonly world: World; readonly run: World['run'] };

/** A job for a pull request, with a report of two creates for prod. */
export async function makeJob({ api, variable, me }: Sort): Promise<Job> {
  const forge = await serveForge(api);
  forge.tokens.set(TOKEN, { account: me, rights: 'write' });
  const world = makeWorld();
  Object.assign(world.env, forge.env, { [variable]: TOKEN });
  put(world, planReport(2, { environment: 'prod' }));
  // Not all jobs tell the address of the API.
  return { forge, world, run: (...args) => world.run('comment', '--api-url', forge.api, ...args) };
}

export function put(world: World, report: JsonObject, path = 'report.json'): void {
  world.write(path, JSON.stringify(report));
}
