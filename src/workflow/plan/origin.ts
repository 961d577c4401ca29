import type { Origin } from '../../plan/saved/saved-plan.ts';

/** The variables in which build servers say which repository and commit a job runs. */
const VARIABLES: readonly { readonly repository: readonly string[]; readonly commit: string }[] = [
  { repository: ['GITHUB_REPOSITORY'], commit: 'GITHUB_SHA' },
  { repository: ['CI_PROJECT_PATH'], commit: 'CI_COMMIT_SHA' }, // GitLab
  { repository: ['BITBUCKET_REPO_FULL_NAME'], commit: 'BITBUCKET_COMMIT' },
  { repository: ['BUILD_REPOSITORY_NAME'], commit: 'BUILD_SOURCEVERSION' }, // Azure
  { repository: ['CIRCLE_PROJECT_USERNAME', 'CIRCLE_PROJECT_REPONAME'], commit: 'CIRCLE_SHA1' },
];

/** The repository and commit of this job; undefined outside of CI. */
export function readOrigin(env: (name: string) => string | undefined): Origin | undefined {
  for (const { repository: names, commit: variable } of VARIABLES) {
    const parts = names.map((name) => env(name) ?? '').filter((part) => part !== '');
    if (parts.length < names.length) continue;
    const commit = env(variable) ?? '';
    return { repository: parts.join('/'), ...(commit === '' ? {} : { commit }) };
  }
  return undefined;
}
