import { excess } from '../model/json/extent.ts';
import { readJson } from '../model/json/json-text.ts';
import type { Json } from '../model/json/json.ts';
import type { Host } from './host.ts';

/**
 * Whether gwconf runs in a CI job, where files may come from strangers and credentials from the job: what build servers set, and
 * `CI=false` for a user who says that it is none.
 */
export function isCi(env: (name: string) => string | undefined): boolean {
  return env('CI') !== 'false' && MARKS.some((name) => (env(name) ?? '') !== '');
}

/** GitHub, GitLab, CircleCI, Bitbucket and most others; Azure; Jenkins; TeamCity; AWS CodeBuild. */
const MARKS = ['CI', 'TF_BUILD', 'JENKINS_URL', 'TEAMCITY_VERSION', 'CODEBUILD_BUILD_ID'];

/** What a job of GitHub is for; undefined where no file says so. */
export async function readEvent({
  env,
  readFile,
}: Pick<Host, 'env' | 'readFile'>): Promise<Json | undefined> {
  const path = env('GITHUB_EVENT_PATH') ?? '';
  const text = path === '' ? '' : await readFile(path).catch(() => '');
  return excess(text) === undefined ? readJson(text) : undefined;
}
