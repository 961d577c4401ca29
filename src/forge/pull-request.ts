import { isList, isObject, valueAt, valueOf, type Json } from '../model/json/json.ts';
import { decodeUri } from '../model/text/escape.ts';
import { parseHttpUrl } from '../model/text/url.ts';

export type ForgeName = 'github' | 'gitlab' | 'bitbucket-cloud' | 'bitbucket-server';

/** A pull request, or merge request, of a forge. */
export type PullRequest = {
  readonly forge: ForgeName;
  /** The root of the API, without a slash at its end. */
  readonly api: string;
  /** `owner/name`; of GitLab the path or number of the project, of Bitbucket Data Center `projects/KEY/repos/NAME`. */
  readonly repository: string;
  readonly number: number;
};

/** The pull request at an address that people use; undefined if it is none. */
export function pullRequestAt(text: string): PullRequest | undefined {
  const url = parseHttpUrl(text);
  if (url === undefined) return undefined;
  for (const { forge, path, apiOf } of ADDRESSES) {
    const [, before = '', repository, number] = path.exec(url.pathname) ?? [];
    const api = apiOf(url, before);
    if (repository === undefined || number === undefined || api === undefined) continue;
    return { forge, api, repository: decodeUri(repository), number: Number(number) };
  }
  return undefined;
}

type Address = {
  readonly forge: ForgeName;
  /** Its groups: the text before the repository, the repository, and the number. */
  readonly path: RegExp;
  /** Undefined for a host that cannot be of this forge. */
  readonly apiOf: (url: URL, before: string) => string | undefined;
};

const ADDRESSES: readonly Address[] = [
  { forge: 'github', path: /^()\/([^/]+\/[^/]+)\/pull\/(\d+)(?:\/|$)/, apiOf: githubApi },
  {
    forge: 'gitlab',
    path: /^()\/([^/]+\/.+)\/-\/merge_requests\/(\d+)(?:\/|$)/,
    apiOf: ({ origin }) => `${origin}/api/v4`,
  },
  {
    forge: 'bitbucket-cloud',
    path: /^()\/([^/]+\/[^/]+)\/pull-requests\/(\d+)(?:\/|$)/,
    apiOf: ({ hostname }) => (hostname === 'bitbucket.org' ? BITBUCKET_API : undefined),
  },
  {
    forge: 'bitbucket-server',
    path: /^(.*)\/((?:projects|users)\/[^/]+\/repos\/[^/]+)\/pull-requests\/(\d+)(?:\/|$)/,
    apiOf: ({ origin }, before) => `${origin}${before}/rest/api/1.0`,
  },
];

const BITBUCKET_API = 'https://api.bitbucket.org/2.0';

/** The API of github.com, of a company on ghe.com, or of GitHub Enterprise Server. */
function githubApi({ origin, protocol, host, hostname }: URL): string {
  if (hostname === 'github.com' || hostname.endsWith('.ghe.com')) return `${protocol}//api.${host}`;
  return `${origin}/api/v3`;
}

/** The environment variables of a job. */
type Env = (name: string) => string | undefined;

/** The pull request of a job; without a number if the job is for none. */
type JobPullRequest = Omit<PullRequest, 'number'> & { readonly number: number | undefined };

/** The repository, and the pull request, that a job is for. `event` is the content of the file at GITHUB_EVENT_PATH. */
export function findPullRequest(env: Env, event: Json | undefined): JobPullRequest | undefined {
  const get = (name: string): string => env(name) ?? '';
  return inGithub(get, event) ?? inGitlab(get) ?? inBitbucket(get) ?? byAddress(get);
}

function inGithub(get: (name: string) => string, event: Json | undefined): JobPullRequest | undefined {
  const repository = get('GITHUB_REPOSITORY');
  if (repository === '') return undefined;
  const api = get('GITHUB_API_URL') || 'https://api.github.com';
  const ofRef = /^refs\/pull\/(\d+)\//.exec(get('GITHUB_REF'))?.[1];
  return { forge: 'github', api, repository, number: numberOf(event) ?? asNumber(ofRef) };
}

/** The pull request of an event: of one about a pull request, or a comment on one, or a workflow that ran for one. */
function numberOf(event: Json | undefined): number | undefined {
  const isComment = isObject(valueAt(event, '/issue/pull_request'));
  return (
    asNumber(valueAt(event, '/pull_request/number')) ??
    (isComment ? asNumber(valueAt(event, '/issue/number')) : undefined) ??
    asNumber(valueOf(ofRun(event), 'number'))
  );
}

/** Of the pull requests that a run is for, one of this repository: forks have some of its branches, with numbers of their own. */
function ofRun(event: Json | undefined): Json | undefined {
  const found = valueAt(event, '/workflow_run/pull_requests');
  const own = valueAt(event, '/repository/id');
  return isList(found) ? found.find((one) => valueAt(one, '/base/repo/id') === own) : undefined;
}

function inGitlab(get: (name: string) => string): JobPullRequest | undefined {
  const api = get('CI_API_V4_URL');
  // The project of a merge request from a fork is not the one that the job runs in.
  const repository = get('CI_MERGE_REQUEST_PROJECT_ID') || get('CI_PROJECT_ID');
  if (api === '' || repository === '') return undefined;
  const number = asNumber(get('CI_MERGE_REQUEST_IID'));
  // Whoever can push a branch can have it merged into a project of their own, too.
  const own = get('CI_PROJECT_PATH');
  const [, path = '', open] =
    get('CI_OPEN_MERGE_REQUESTS')
      .split(',')
      .map((one) => /^([^!]+)!(\d+)$/.exec(one.trim()))
      .find((found) => own === '' || found?.[1] === own) ?? [];
  if (number === undefined && open !== undefined)
    return { forge: 'gitlab', api, repository: path, number: asNumber(open) };
  return { forge: 'gitlab', api, repository, number };
}

function inBitbucket(get: (name: string) => string): JobPullRequest | undefined {
  const [workspace, name] = [get('BITBUCKET_WORKSPACE'), get('BITBUCKET_REPO_SLUG')];
  if (workspace === '' || name === '') return undefined;
  const number = asNumber(get('BITBUCKET_PR_ID'));
  return { forge: 'bitbucket-cloud', api: BITBUCKET_API, repository: `${workspace}/${name}`, number };
}

/** Jenkins, CircleCI and Azure Pipelines work for any forge, and know the address of the pull request. */
function byAddress(get: (name: string) => string): JobPullRequest | undefined {
  const azure = `${get('BUILD_REPOSITORY_URI').replace(/\.git$/, '')}/pull/${get('SYSTEM_PULLREQUEST_PULLREQUESTNUMBER')}`;
  const addresses = [get('CHANGE_URL'), get('CIRCLE_PULL_REQUEST'), azure];
  return addresses.map(pullRequestAt).find((place) => place !== undefined);
}

export function asNumber(value: Json | undefined): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

/** The commit that people see on the pull request: that of its branch, not of a merge for the job. */
export function findCommit(env: Env, event: Json | undefined): string | undefined {
  const heads = [valueAt(event, '/pull_request/head/sha'), valueAt(event, '/workflow_run/head_sha')];
  // What runs after a workflow, or for a comment, runs in the default branch.
  const isElsewhere = ['workflow_run', 'issue'].some((key) => valueOf(event, key) !== undefined);
  const known = [...heads, ...(isElsewhere ? [] : COMMITS.map((name) => env(name)))];
  return known.find((one): one is string => typeof one === 'string' && /^[\da-f]{7,64}$/.test(one));
}

const COMMITS = [
  'CI_MERGE_REQUEST_SOURCE_BRANCH_SHA',
  'SYSTEM_PULLREQUEST_SOURCECOMMITID',
  'GITHUB_SHA',
  'CI_COMMIT_SHA',
  'BITBUCKET_COMMIT',
  'CIRCLE_SHA1',
  'GIT_COMMIT',
];
