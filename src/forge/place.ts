export type ForgeName = 'github' | 'gitlab' | 'bitbucket-cloud' | 'bitbucket-server';

/** A pull request, or merge request, of a forge. */
export type Place = {
  readonly forge: ForgeName;
  /** The root of the API, without a slash at its end. */
  readonly api: string;
  /** `owner/name`; of GitLab the path or number of the project, of Bitbucket Data Center `projects/KEY/repos/NAME`. */
  readonly repository: string;
  readonly number: number;
};

/** The pull request at an address that people use; undefined if it is none. */
export function placeAt(text: string): Place | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  for (const { forge, path, api } of ADDRESSES) {
    const [, before = '', repository, number] = path.exec(url.pathname) ?? [];
    if (repository === undefined || number === undefined || !(api.on?.(url) ?? true)) continue;
    return { forge, api: api.of(url, before), repository: decode(repository), number: Number(number) };
  }
  return undefined;
}

type Address = {
  readonly forge: ForgeName;
  /** What is before the repository, the repository, and the number. */
  readonly path: RegExp;
  readonly api: {
    readonly on?: (url: URL) => boolean;
    readonly of: (url: URL, before: string) => string;
  };
};

const ADDRESSES: readonly Address[] = [
  {
    forge: 'github',
    path: /^()\/([^/]+\/[^/]+)\/pull\/(\d+)(?:\/|$)/,
    api: { of: githubApi },
  },
  {
    forge: 'gitlab',
    path: /^()\/([^/]+\/.+)\/-\/merge_requests\/(\d+)(?:\/|$)/,
    api: { of: ({ origin }) => `${origin}/api/v4` },
  },
  {
    forge: 'bitbucket-cloud',
    path: /^()\/([^/]+\/[^/]+)\/pull-requests\/(\d+)(?:\/|$)/,
    api: { on: ({ hostname }) => hostname === 'bitbucket.org', of: () => BITBUCKET_API },
  },
  {
    forge: 'bitbucket-server',
    path: /^(.*)\/((?:projects|users)\/[^/]+\/repos\/[^/]+)\/pull-requests\/(\d+)(?:\/|$)/,
    api: { of: ({ origin }, before) => `${origin}${before}/rest/api/1.0` },
  },
];

export const BITBUCKET_API = 'https://api.bitbucket.org/2.0';

/** That of github.com, of a company on ghe.com, or of GitHub Enterprise Server. */
function githubApi({ origin, protocol, host, hostname }: URL): string {
  if (hostname === 'github.com' || hostname.endsWith('.ghe.com')) return `${protocol}//api.${host}`;
  return `${origin}/api/v3`;
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
