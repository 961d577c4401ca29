import type { Problem } from '../../model/problem.ts';
import { printAddress, type Address } from '../../model/resource.ts';
import { parseDuration } from '../../model/text/quantities.ts';
import { onOneLine } from '../../report/escape.ts';
import { makeTokenReport } from '../../outcome/token.ts';
import { renderJson } from '../../report/json/json.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { serviceAccount } from '../../schema/kinds/service-account.ts';
import { readAddress } from '../../schema/load/address.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { isCi } from '../../workflow/ci.ts';
import { issueToken, type TokenResult } from '../../workflow/token/issue-token.ts';
import { TOKEN_FORMATS, type IssuedToken, type TokenFormat } from '../../workflow/token/token-formats.ts';
import { tryConnect } from '../connect/connect.ts';
import { openWorkspaceFor, type ProjectArgs } from '../connect/flags.ts';
import type { ConnectionArgs } from '../table/flags.ts';
import { UsageError, type Io } from '../io.ts';
import { finish } from '../present/finish.ts';
import { parseReportFormat } from '../present/report-format.ts';
import { writePrivateFile } from '../present/write-file.ts';
import type { ExitCode } from '../../outcome/verdict.ts';

export type IssueArgs = ProjectArgs &
  ConnectionArgs & {
    readonly account?: string;
    readonly virtualCluster?: string;
    readonly lifetime: string;
    readonly out?: string;
    readonly format: TokenFormat;
    readonly show?: boolean;
    readonly output?: readonly string[];
  };

/** Issues a token, and writes it to a file or to stdout. */
export async function issue(address: string | undefined, args: IssueArgs, io: Io): Promise<ExitCode> {
  const { lifetime, out, format } = args;
  const account = accountOf(address, args);
  const lifetimeSeconds = secondsOf(lifetime);
  const reportFormat = parseReportFormat('token issue', args.output);
  if (out === undefined && reportFormat === 'json')
    throw new UsageError('stdout carries the token: use --out FILE with -o json');
  await checkDestination(args, io);
  const workspace = await openWorkspaceFor(args, io);
  const end = (result: TokenResult, url: string, warnings: readonly Problem[]): Promise<ExitCode> => {
    const problems = locateProblems([...warnings, ...result.problems]);
    if (reportFormat === 'json') {
      const { expiresAt } = result.issued ?? {};
      const file = result.issued === undefined ? undefined : out;
      const report = makeTokenReport(
        { result: result.result, gateway: url, account, lifetimeSeconds, expiresAt, file },
        problems,
      );
      for (const text of renderJson(report)) io.out(text);
    } else if (result.issued !== undefined) {
      (out === undefined ? io.err : io.out)(summaryOf(result.issued, out));
    }
    return finish({ result: result.result, problems }, io);
  };
  const connected = await tryConnect(args, io, workspace);
  if ('problems' in connected) return end(connected, '', []);
  const { gateway, warnings } = connected;
  try {
    const wish = { account, lifetime, lifetimeSeconds };
    const result = await issueToken(io, workspace, gateway, wish);
    const { issued } = result;
    if (issued === undefined) return await end(result, gateway.url, warnings);
    const text = TOKEN_FORMATS[format](issued, { security: workspace.environment?.security });
    if (out === undefined) io.copy(text);
    const unwritten = out === undefined ? [] : await writePrivateFile(out, text, io);
    if (unwritten.length === 0) return await end(result, gateway.url, warnings);
    const lost = unwritten.map((one) => ({ ...one, message: `the token is lost: ${one.message}` }));
    const failed: TokenResult = { result: 'error', problems: [...result.problems, ...lost] };
    return await end(failed, gateway.url, warnings);
  } finally {
    await gateway.close();
  }
}

function accountOf(text: string | undefined, { account, virtualCluster }: IssueArgs): Address {
  if (text === undefined) {
    if (account === undefined) throw new UsageError('name an account: its address, or --account NAME');
    const scope = { vCluster: virtualCluster ?? 'passthrough' };
    return printAddress({ kind: serviceAccount.name, name: account, scope });
  }
  if (account !== undefined || virtualCluster !== undefined)
    throw new UsageError('an address is complete: leave out --account and --virtual-cluster');
  const read = readAddress(text, catalog.kinds);
  if ('fault' in read) throw new UsageError(`${read.fault.message}; ${read.fault.hint ?? ''}`);
  if (text.startsWith(`${serviceAccount.name}/`)) return read.address;
  throw new UsageError(`only a ${serviceAccount.name} has tokens; found ${onOneLine(text)}`);
}

function secondsOf(lifetime: string): number {
  const seconds = (parseDuration(lifetime) ?? NaN) / 1000;
  if (Number.isInteger(seconds) && seconds >= 1 && /[smhd]$/.test(lifetime)) return seconds;
  throw new UsageError(
    `expected --lifetime to be a duration from 1s to 36500d, such as 12h or 90d; found ${onOneLine(lifetime)}`,
  );
}

/** Before there is a token: whether it would be where others read it. */
async function checkDestination({ out, show }: IssueArgs, io: Io): Promise<void> {
  if (out === undefined) {
    if (show === true) return;
    const instead = 'use --out FILE, or --show to print it all the same';
    if (io.outIsTerminal) throw new UsageError(`the token would be on the terminal: ${instead}`);
    if (isCi(io.env)) throw new UsageError(`the token would be in the log of this job: ${instead}`);
    return;
  }
  if (show === true) throw new UsageError('the token goes to the file: leave out --show, or --out');
  if (await io.wouldBeTracked(out))
    throw new UsageError(
      `${out} would not be ignored by git: add it to .gitignore, or name a file outside of this folder`,
    );
}

function summaryOf({ account, expiresAt }: IssuedToken, out: string | undefined): string {
  const where = out === undefined ? '' : ` is in ${onOneLine(out)}`;
  const until = expiresAt === undefined ? 'its end is not known' : `valid until ${expiresAt}`;
  return `Token for ${onOneLine(account)}${where}; ${until}.\n`;
}
