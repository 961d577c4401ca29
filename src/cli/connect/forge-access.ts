import type { Access, Token } from '../../forge/forge.ts';
import {
  asNumber,
  findCommit,
  findPullRequest,
  pullRequestAt,
  type ForgeName,
  type PullRequest,
} from '../../forge/pull-request.ts';
import { isLoopback, parseHttpUrl } from '../../model/text/url.ts';
import { onOneLine } from '../../report/escape.ts';
import { readEvent } from '../../workflow/ci.ts';
import { UsageError, type Io } from '../io.ts';
import { proxyFor } from './connect.ts';
import { millisecondsOf } from './read-flags.ts';
import { readSettings, readVariable } from './settings.ts';
import type { Args } from '../table/commands.ts';

type ForgeArgs = Args<'comment'>;

/** What this job is for. */
export type Job = { readonly place: PullRequest | undefined; readonly commit: string | undefined };

/** The pull request that flags, or else the variables of the job, name; undefined if neither does. Throws a UsageError. */
export async function findJob({ pullRequest, apiUrl }: ForgeArgs, io: Io): Promise<Job> {
  const event = await readEvent(io); // without it, GITHUB_REF tells the number, too
  const commit = findCommit(io.env, event);
  const found = findPullRequest(io.env, event);
  const named = pullRequest === undefined ? undefined : pullRequestAt(pullRequest);
  const number = asNumber(pullRequest);
  if (pullRequest !== undefined && named === undefined && number === undefined)
    throw new UsageError(
      `expected --pull-request to be the address of a pull request, or its number; found ${pullRequest}`,
    );
  const ofJob = number ?? found?.number;
  const place = named ?? (found && ofJob !== undefined ? { ...found, number: ofJob } : undefined);
  if (place === undefined) {
    if (number !== undefined)
      throw new UsageError('the job does not tell its repository; use the address as --pull-request');
    return { place: undefined, commit };
  }
  return { place: { ...place, api: checkUrl(apiUrl ?? place.api) }, commit };
}

/** The token is worth as much as a password. */
function checkUrl(text: string): string {
  const url = parseHttpUrl(text);
  if (url === undefined || url.username !== '' || url.password !== '')
    throw new UsageError('expected the URL of the API (--api-url) to be like https://forge.example/api/v3');
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new UsageError(`the token would be sent to ${url.host} without encryption; use https in --api-url`);
  return `${url.origin}${url.pathname}`.replace(/\/{1,10}$/, '');
}

/** The variables that hold the token of a forge, in the order in which they are looked at; each has a twin with `_FILE`. */
const TOKENS: Readonly<Record<ForgeName, readonly [string, ...string[]]>> = {
  github: ['GITHUB_TOKEN', 'GH_TOKEN'],
  gitlab: ['GITLAB_TOKEN'],
  'bitbucket-cloud': ['BITBUCKET_TOKEN'],
  'bitbucket-server': ['BITBUCKET_TOKEN'],
};

/** How the forge of a pull request is reached. Throws a UsageError if there is no token. */
export async function readAccess(
  place: PullRequest,
  args: ForgeArgs,
  io: Io,
): Promise<Omit<Access, 'userAgent'>> {
  const token = await readToken(place.forge, io);
  const { ca, proxy, timeout } = await readSettings(args, io, undefined);
  for (const { problem } of [ca, proxy, timeout])
    if (problem !== undefined) throw new UsageError(problem.message);
  return {
    pullRequest: place,
    token,
    ca: ca.value ?? (await readServerCa(io)),
    proxy: proxy.value ?? proxyFor(place.api, io),
    noProxy: io.env('NO_PROXY') ?? io.env('no_proxy'),
    timeoutMs: millisecondsOf(timeout.value, timeout.origin),
  };
}

async function readToken(forge: ForgeName, io: Io): Promise<Token> {
  const about = forge === 'bitbucket-cloud' ? readBitbucketAccount(io) : {};
  for (const name of TOKENS[forge]) {
    const found = await readVariable(name, io);
    if (found === undefined) continue;
    if ('problem' in found) throw new UsageError(found.problem.message);
    const value = found.value.trim();
    if (!/^[\x21-\x7e]+$/.test(value))
      throw new UsageError(`the token in ${found.origin} is empty, or has characters that no token has`);
    io.masker.learn(value);
    return { value, origin: found.origin, ...about };
  }
  const names = TOKENS[forge].join(' or ');
  throw new UsageError(
    `there is no token for ${onOneLine(forge)}: set ${names}, or ${TOKENS[forge][0]}_FILE`,
  );
}

/** What Bitbucket Cloud does not tell of a token. */
function readBitbucketAccount({ env }: Io): Pick<Token, 'user' | 'account'> {
  return { user: env('BITBUCKET_USERNAME') || undefined, account: env('BITBUCKET_ACCOUNT') || undefined };
}

/** The authority of a GitLab server of one's own, which a runner knows. */
async function readServerCa(io: Io): Promise<string | undefined> {
  const path = io.env('CI_SERVER_TLS_CA_FILE') ?? '';
  return path === '' ? undefined : io.readNamedFile(path).catch(() => undefined);
}
