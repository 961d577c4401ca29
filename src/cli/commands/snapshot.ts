import type { ReadableGateway } from '../../gateway/gateway.ts';
import { encodeLiveSnapshot, type LiveSnapshot } from '../../plan/saved/live-snapshot.ts';
import { onOneLine } from '../../report/escape.ts';
import { formatCount } from '../../report/text/phrases.ts';
import { renderProblems } from '../../report/text/problems-text.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { takeSnapshot } from '../../workflow/live/snapshot.ts';
import { tryConnectToRead } from '../connect/connect.ts';
import { type InputArgs, inputOf, openWorkspaceFor, type ProjectArgs } from '../connect/flags.ts';
import type { ConnectionArgs } from '../table/flags.ts';
import { ProblemsError, type Io } from '../io.ts';
import type { ExitCode } from '../../outcome/verdict.ts';
import { finish } from '../present/finish.ts';
import { writeFile } from '../present/write-file.ts';

export type SnapshotArgs = ProjectArgs & ConnectionArgs & Pick<InputArgs, 'file'> & { readonly out: string };

/** Writes what is live to a file, without secrets, for plans without access to the gateway. */
export async function snapshot(args: SnapshotArgs, io: Io): Promise<ExitCode> {
  const { out } = args;
  const workspace = await openWorkspaceFor(args, io);
  let gateway: ReadableGateway | undefined;
  const open = async (): Promise<ReadableGateway> => {
    const connected = await tryConnectToRead(args, io, workspace);
    if ('problems' in connected) throw new ProblemsError(connected.problems, connected.result);
    io.err(renderProblems(locateProblems(connected.warnings), io.errPaint, io.columns.err));
    return (gateway = connected.gateway);
  };
  try {
    const taken = await takeSnapshot(io, workspace, open, inputOf([], args));
    if ('failed' in taken)
      return await finish({ result: taken.failed, problems: locateProblems(taken.problems) }, io);
    const unwritten = await writeFile(out, encodeLiveSnapshot(taken.value), io);
    if (unwritten.length > 0)
      return await finish({ result: 'error', problems: locateProblems(unwritten) }, io);
    io.out(summaryOf(taken.value, out));
    return await finish({ result: 'ok' }, io);
  } finally {
    await gateway?.close();
  }
}

function summaryOf({ gateway, resources, unavailable }: LiveSnapshot, out: string): string {
  const secrets = resources.flatMap((sealed) => Object.keys(sealed.secrets ?? {})).length;
  const lines = [
    `${formatCount(resources.length, 'object')} of ${onOneLine(gateway)} ${resources.length === 1 ? 'is' : 'are'} in ${out}; ${secrets} secrets as digests.`,
    ...Object.entries(unavailable).map(([kind, words]) => `It does not serve ${kind}: ${onOneLine(words)}`),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
