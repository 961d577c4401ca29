/** The environment variables of a job. */
type Env = (name: string) => string | undefined;

/** The address of a line of a file, by its path from the top of the repository. */
export type FileLink = (path: string, line: number) => string;

/** Links to the files of the commit that a job works on; undefined outside of GitHub, GitLab, Bitbucket and Azure. */
export function fileLinks(env: Env): FileLink | undefined {
  for (const { repository, commit, link } of FORGES) {
    const [base, sha] = [repository.map((name) => env(name) ?? '').join('/'), env(commit) ?? ''];
    if (!/^https?:\/\/[^\s/?#]+\/[^\s?#]+$/.test(base) || !/^[\da-f]{7,64}$/.test(sha)) continue;
    return (path, line) =>
      link(escaped(base), sha, escaped(path.split('/').map(encodeURIComponent).join('/')), line);
  }
  return undefined;
}

type Forge = {
  /** The variables that hold the parts of its address. */
  readonly repository: readonly string[];
  readonly commit: string;
  readonly link: (base: string, sha: string, path: string, line: number) => string;
};

const FORGES: readonly Forge[] = [
  {
    repository: ['GITHUB_SERVER_URL', 'GITHUB_REPOSITORY'],
    commit: 'GITHUB_SHA',
    link: (base, sha, path, line) => `${base}/blob/${sha}/${path}#L${line}`,
  },
  {
    repository: ['CI_PROJECT_URL'],
    commit: 'CI_COMMIT_SHA',
    link: (base, sha, path, line) => `${base}/-/blob/${sha}/${path}#L${line}`,
  },
  {
    repository: ['BITBUCKET_GIT_HTTP_ORIGIN'],
    commit: 'BITBUCKET_COMMIT',
    link: (base, sha, path, line) => `${base}/src/${sha}/${path}#lines-${line}`,
  },
  {
    repository: ['BUILD_REPOSITORY_URI'],
    commit: 'BUILD_SOURCEVERSION',
    link: (base, sha, path, line) => `${base}?path=/${path}&version=GC${sha}&line=${line}`,
  },
];

/** Without the characters that end a link in Markdown. */
function escaped(text: string): string {
  return text.replace(/[()'"<>\\`*!]/g, (found) => `%${found.charCodeAt(0).toString(16)}`);
}

/** The address of the run of this job; undefined outside of the build servers that tell it. */
export function runLink(env: Env): string | undefined {
  for (const names of RUNS) {
    const parts = names.map((name) => (/^[A-Z_]+$/.test(name) ? (env(name) ?? '') : name));
    const url = parts.every((part) => part !== '') ? parts.join('') : '';
    if (/^https?:\/\/[^\s/?#]+\/\S*$/.test(url)) return escaped(url);
  }
  return undefined;
}

/** The variables whose values, with the texts between them, are the address of a run. */
const RUNS: readonly (readonly string[])[] = [
  ['GITHUB_SERVER_URL', '/', 'GITHUB_REPOSITORY', '/actions/runs/', 'GITHUB_RUN_ID'],
  ['CI_JOB_URL'],
  ['BITBUCKET_GIT_HTTP_ORIGIN', '/pipelines/results/', 'BITBUCKET_BUILD_NUMBER'],
  ['SYSTEM_COLLECTIONURI', 'SYSTEM_TEAMPROJECT', '/_build/results?buildId=', 'BUILD_BUILDID'],
  ['CIRCLE_BUILD_URL'],
  ['RUN_DISPLAY_URL'],
  ['BUILD_URL'],
];
