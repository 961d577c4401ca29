import { printDotenv } from '../../declare/dotenv.ts';
import { GatewayError, type Gateway, type GatewayOperations } from '../../gateway/gateway.ts';
import { valueOf, type JsonObject } from '../../model/json/json.ts';
import { printJson } from '../../model/json/json-text.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import { axisOf, parseAddress, type Address } from '../../model/resource.ts';
import type { Lifetime } from '../../model/rules.ts';
import type { LiveState } from '../../model/state.ts';
import { compileGlob } from '../../model/text/glob.ts';
import { formatDuration } from '../../model/text/quantities.ts';
import { suggest } from '../../model/text/suggest.ts';
import type { Told } from '../../outcome/outcome.ts';
import type { TokenReport } from '../../outcome/gateway.ts';
import { describeProblem } from '../../outcome/problem-record.ts';
import { resultOf } from '../../outcome/verdict.ts';
import { isLocal, serviceAccount, hasLocalAccounts } from '../../schema/kinds/service-account.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import type { Host } from '../host.ts';
import { type Opened, gatewayProblem, readGateway } from '../live/read-live.ts';
import { checkTarget } from '../live/target.ts';
import type { Workspace } from '../project/workspace.ts';
import { writePrivateFile } from '../write-file.ts';
import { expiryOf, noExpiry, readJwt } from './inspect-token.ts';

/** Without a file, the text is for whoever asked. */
type TokenResult = Told<TokenReport> & { readonly text?: string };

type Issuer = Pick<Gateway, 'url' | 'list'> & Pick<GatewayOperations, 'issueToken'>;

/**
 * Issues a token for a LOCAL account, if the rules of the project allow it and the account is there, and writes it to the file that
 * is named. The masker of the project learns the token.
 */
export async function issueToken(
  host: Host,
  workspace: Workspace,
  opened: Opened<Issuer>,
  { file, format, ...wish }: TokenWish & { readonly file: string | undefined; readonly format: TokenFormat },
): Promise<TokenResult> {
  const isOpen = 'gateway' in opened;
  const made = isOpen ? await issue(host, workspace, opened.gateway, wish) : opened;
  const found = [...(isOpen ? opened.warnings : []), ...made.problems];
  const issued = 'issued' in made ? made.issued : undefined;
  const end = (result: TokenReport['result'], all: readonly Problem[], kept?: IssuedToken): TokenResult => {
    const problems = locateProblems(all);
    const outcome: TokenReport = {
      format: 'gwconf/token-report@1',
      ...{ result, gateway: isOpen ? opened.gateway.url : '', account: wish.account },
      ...{ lifetimeSeconds: wish.lifetimeSeconds, expiresAt: kept?.expiresAt },
      file: kept === undefined ? undefined : file,
      problems: problems.map(describeProblem),
    };
    return { outcome, problems };
  };
  if (issued === undefined) return end(made.result, found);
  const text = TOKEN_FORMATS[format](issued, { security: workspace.environment?.security });
  if (file === undefined) return { ...end(made.result, found, issued), text };
  const unwritten = await writePrivateFile(file, text, host);
  if (unwritten.length === 0) return end(made.result, found, issued);
  const lost = unwritten.map((one) => ({ ...one, message: `the token is lost: ${one.message}` }));
  return end('error', [...found, ...lost]);
}

type Issued = Pick<TokenReport, 'result'> & {
  readonly issued?: IssuedToken;
  readonly problems: readonly Problem[];
};

async function issue(
  host: Pick<Host, 'now'>,
  workspace: Workspace,
  gateway: Issuer,
  wish: TokenWish,
): Promise<Issued> {
  const wrongTarget = checkTarget(undefined, gateway.url, workspace);
  if (wrongTarget !== undefined) return { result: 'stale', problems: [wrongTarget] };
  const ruled = checkTokenRules(workspace.environment, wish);
  const allowed = resultOf(ruled, true, 'ok');
  if (allowed !== 'ok') return { result: allowed, problems: ruled };
  try {
    const { resources } = await readGateway(workspace, gateway, [serviceAccount]);
    const fault = findAccountFault(wish.account, resources);
    if (fault !== undefined) return { result: 'error', problems: [...ruled, fault] };
    const username = parseAddress(wish.account)?.name ?? '';
    const virtualCluster = axisOf(wish.account, 'vCluster') ?? 'passthrough';
    const lifeTimeSeconds = wish.lifetimeSeconds;
    const token = await gateway.issueToken({ username, vCluster: virtualCluster, lifeTimeSeconds });
    workspace.secrets.note(token);
    const { claims } = readJwt(token) ?? { claims: {} };
    const expiry = expiryOf({ claims });
    const expiresAt = expiry === undefined ? undefined : new Date(expiry).toISOString();
    return {
      result: 'ok',
      issued: { account: wish.account, username, virtualCluster, token, expiresAt },
      problems: [
        ...ruled,
        ...checkClaim(claims, 'username', username),
        ...checkClaim(claims, 'vcluster', virtualCluster),
        ...(expiry === undefined ? [noExpiry(claims)] : checkExpiry(expiry, host.now().getTime(), wish)),
      ],
    };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { result: 'error', problems: [...ruled, gatewayProblem(error)] };
  }
}

function findAccountFault(account: Address, live: LiveState['resources']): Problem | undefined {
  const found = live.get(account);
  if (found === undefined) {
    const near = suggest(account, live.keys());
    return makeProblem({
      code: 'not-found',
      message: `there is no ${account} on the gateway`,
      hint: near === undefined ? 'declare and apply it first' : `did you mean ${near}?`,
    });
  }
  if (isLocal(found)) return undefined;
  return makeProblem({
    code: 'no-token',
    message: `${account} is EXTERNAL: its identity provider issues its credentials, not the gateway`,
    hint: 'get its credentials from the identity provider, or issue a token for a LOCAL account',
  });
}

/** Whoever gets a token for another account has the access of that account. A claim that is not there says nothing (gateway-api B, Token). */
function checkClaim(
  claims: JsonObject,
  claim: 'username' | 'vcluster',
  expected: string,
): readonly Problem[] {
  const found = valueOf(claims, claim);
  if (found === undefined || found === expected) return [];
  return [
    makeProblem({
      code: 'unusual-value',
      message: `the claim ${claim} of the token is ${printJson(found)}; expected "${expected}"`,
      hint: 'give it to nobody before you know why: it may be for another account',
    }),
  ];
}

/** Less than this may be the difference of two clocks. */
const TOLERANCE_MS = 600_000;

/** A gateway may understand the lifetime in another unit, or have a limit of its own. */
function checkExpiry(
  expiry: number,
  now: number,
  { lifetime, lifetimeSeconds }: TokenWish,
): readonly Problem[] {
  if (Math.abs(expiry - now - lifetimeSeconds * 1000) <= TOLERANCE_MS) return [];
  const left = (expiry - now) / 1000;
  const found = left < 0 ? `expired ${formatDuration(-left)} ago` : `expires in ${formatDuration(left)}`;
  return [
    makeProblem({
      code: 'unusual-value',
      message: `the token ${found}; expected ${lifetime}`,
      hint: 'compare the clock of the gateway with that of this machine',
    }),
  ];
}

/** What is asked for: `lifetime` is as the user wrote it. */
type TokenWish = {
  readonly account: Address;
  readonly lifetime: string;
  readonly lifetimeSeconds: number;
};

/** Ten years (gateway-api G). */
const USUAL_SECONDS = 10 * 365 * 24 * 60 * 60;

/** What the environment says against a token, before the gateway is asked. */
function checkTokenRules(environment: Workspace['environment'], wish: TokenWish): readonly Problem[] {
  const { security, securityPlace } = environment ?? {};
  if (!hasLocalAccounts(security)) {
    return [
      makeProblem({
        code: 'no-token',
        message: `a gateway with ${security ?? ''} has no LOCAL accounts, so it issues no tokens`,
        ...(securityPlace === undefined ? {} : { at: securityPlace }),
        hint: 'authenticate clients in the way of that mode, or correct security in gwconf.yaml',
      }),
    ];
  }
  return [...checkLifetime(environment, wish), ...checkUsual(wish)];
}

function* checkLifetime(
  environment: Workspace['environment'],
  { account, lifetime, lifetimeSeconds }: TokenWish,
): Generator<Problem> {
  const { maxLifetime, accounts = [] } = environment?.token ?? {};
  const limits: readonly { readonly of: string; readonly longest: Lifetime; readonly reason?: string }[] = [
    ...(maxLifetime === undefined
      ? []
      : [{ of: `environment ${environment?.name ?? ''}`, longest: maxLifetime }]),
    ...accounts
      .filter(({ address }) => compileGlob(address)(account))
      .map(({ address, maxLifetime: longest, ...about }) => ({ of: address, longest, ...about })),
  ];
  for (const { of, longest, reason } of limits) {
    if (lifetimeSeconds <= longest.seconds) continue;
    const why = reason === undefined ? '' : ` (${reason})`;
    yield makeProblem({
      code: 'long-lifetime',
      message: `a token for ${account} cannot be valid for ${lifetime}; the limit of ${of} is ${longest.text}${why}`,
      at: longest.place,
      hint: `use --lifetime ${longest.text} or less, or change token in gwconf.yaml`,
    });
  }
}

function checkUsual({ lifetime, lifetimeSeconds }: TokenWish): readonly Problem[] {
  if (lifetimeSeconds <= USUAL_SECONDS) return [];
  return [
    makeProblem({
      code: 'unusual-value',
      message: `a lifetime of ${lifetime} is more than ten years`,
      hint: 'tokens cannot be revoked: use a shorter lifetime, and issue a new token in time',
    }),
  ];
}

export type IssuedToken = {
  readonly account: string;
  readonly username: string;
  readonly virtualCluster: string;
  readonly token: string;
  /** ISO 8601; undefined where the token does not say. */
  readonly expiresAt: string | undefined;
};

type Options = {
  /** The security mode of the environment. */
  readonly security: string | undefined;
};

/** The text of a token for a client; `security` tells the protocol of its connection. */
export const TOKEN_FORMATS = {
  token: ({ token }) => `${token}\n`,
  jaas: (issued) => `${jaasOf(issued)}\n`,
  properties: (issued, { security = '' }) => {
    const isProtocol = ['SASL_PLAINTEXT', 'SASL_SSL'].includes(security);
    return [
      `${isProtocol ? '' : '# '}security.protocol=${isProtocol ? security : 'SASL_SSL'}`,
      'sasl.mechanism=PLAIN',
      `sasl.jaas.config=${jaasOf(issued).replaceAll('\\', '\\\\')}`,
      '',
    ].join('\n');
  },
  env: ({ username, token }) =>
    printDotenv([
      { name: 'KAFKA_SASL_USERNAME', value: username },
      { name: 'KAFKA_SASL_PASSWORD', value: token },
    ]).text,
  json: (issued) => `${JSON.stringify({ format: 'gwconf/token@1', ...issued }, null, 2)}\n`,
} as const satisfies Readonly<Record<string, (issued: IssuedToken, options: Options) => string>>;
export type TokenFormat = keyof typeof TOKEN_FORMATS;

function jaasOf({ username, token }: IssuedToken): string {
  const [user, password] = [username, token].map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`);
  return `org.apache.kafka.common.security.plain.PlainLoginModule required username=${user ?? ''} password=${password ?? ''};`;
}
