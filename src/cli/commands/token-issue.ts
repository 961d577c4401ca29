import { catalog } from '../../schema/kinds/index.ts';
import { printAddress, type Address } from '../../model/resource.ts';
import { parseDuration } from '../../model/text/quantities.ts';
import { onOneLine } from '../../report/escape.ts';
import { renderText } from '../../report/formats.ts';
import { serviceAccount } from '../../schema/kinds/service-account.ts';
import { readAddress } from '../../schema/load/address.ts';
import { isCi } from '../../workflow/ci.ts';
import { issueToken } from '../../workflow/token/issue-token.ts';
import type { Run } from '../given.ts';
import { UsageError, type Io } from '../io.ts';
import type { Args } from '../table/commands.ts';

type IssueArgs = Args<'token issue'>;

/** Issues a token, and writes it to a file or to stdout. */
export const run: Run<'token issue'> = async ({ operand, args, output, io, openWorkspace, connect }) => {
  const { lifetime, out, format } = args;
  const account = accountOf(operand, args);
  const lifetimeSeconds = secondsOf(lifetime);
  if (out === undefined && output.stdout !== 'human')
    throw new UsageError(`stdout carries the token: use --out FILE with -o ${output.stdout}`);
  await checkDestination(args, io);
  const workspace = await openWorkspace(args);
  const { outcome, problems, text } = await issueToken(io, workspace, await connect(args, workspace), {
    account,
    lifetime,
    lifetimeSeconds,
    file: out,
    format,
  });
  if (text !== undefined) {
    io.copy(text);
    io.err([...renderText(outcome, { paint: io.errPaint, width: io.columns.err })].join(''));
  }
  const isShown = outcome.result === 'ok' && text === undefined;
  return { view: { report: outcome, problems, text: isShown ? undefined : () => [] }, isAnswer: true };
};

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
