/**
 * Whether gwconf runs in a CI job, where files may come from strangers and credentials from the job: what build servers set, and
 * `CI=false` for a user who says that it is none.
 */
export function isCi(env: (name: string) => string | undefined): boolean {
  return env('CI') !== 'false' && MARKS.some((name) => (env(name) ?? '') !== '');
}

/** GitHub, GitLab, CircleCI, Bitbucket and most others; Azure; Jenkins; TeamCity; AWS CodeBuild. */
const MARKS = ['CI', 'TF_BUILD', 'JENKINS_URL', 'TEAMCITY_VERSION', 'CODEBUILD_BUILD_ID'];
