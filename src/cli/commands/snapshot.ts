import { formatCount } from '../../model/text/list.ts';
import type { ReadableGateway } from '../../gateway/gateway.ts';
import { encodeLiveSnapshot, type LiveSnapshot } from '../../plan/saved/live-snapshot.ts';
import { onOneLine } from '../../report/escape.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { takeSnapshot } from '../../workflow/live/live-source.ts';
import { inputOf } from '../connect/read-flags.ts';
import type { Run } from '../given.ts';
import { tellProblems } from '../present/finish.ts';
import { ProblemsError } from '../io.ts';
import { writeFile } from '../../workflow/write-file.ts';

/** Writes what is live to a file, without secrets, for plans without access to the gateway. */
export const run: Run<'snapshot'> = async ({ args, io, openWorkspace, connect }) => {
  const { out } = args;
  const workspace = await openWorkspace(args);
  const open = async (): Promise<ReadableGateway> => {
    const connected = await connect(args, workspace);
    if ('problems' in connected) throw new ProblemsError(connected.problems, connected.result);
    io.err(tellProblems(locateProblems(connected.warnings), false, io));
    return connected.gateway;
  };
  const taken = await takeSnapshot(io, workspace, open, inputOf([], args));
  if ('failed' in taken) return { result: taken.failed, problems: locateProblems(taken.problems) };
  const unwritten = await writeFile(out, encodeLiveSnapshot(taken.value), io);
  if (unwritten.length > 0) return { result: 'error', problems: locateProblems(unwritten) };
  io.out(summaryOf(taken.value, out));
  return { result: 'ok', problems: locateProblems(taken.problems) };
};

function summaryOf({ gateway, resources, unavailable }: LiveSnapshot, out: string): string {
  const secrets = resources.flatMap((sealed) => Object.keys(sealed.secrets ?? {})).length;
  const lines = [
    `${formatCount(resources.length, 'object')} of ${onOneLine(gateway)} ${resources.length === 1 ? 'is' : 'are'} in ${out}; secrets as salted hashes: ${secrets}.`,
    ...Object.entries(unavailable).map(([kind, words]) => `It does not serve ${kind}: ${onOneLine(words)}`),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
