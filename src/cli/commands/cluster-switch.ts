import { formatCount } from '../../model/text/list.ts';
import { onOneLine } from '../../report/escape.ts';
import { alignColumns } from '../../report/phrases.ts';
import { switchCluster, type Prepared } from '../../workflow/live/switch-cluster.ts';
import { durationOf } from '../connect/read-flags.ts';
import type { Run } from '../given.ts';
import { confirm, requireTerminal, UsageError, type Io } from '../io.ts';
import type { Args } from '../table/commands.ts';

type SwitchArgs = Args<'cluster switch'>;

/** Tells every instance of a gateway to use another physical cluster. */
export const run: Run<'cluster switch'> = async ({ args, io, openWorkspace, connect }) => {
  const { from, to, url: urls = [undefined], ...others } = args;
  for (const id of [from, to])
    if (!/^\w[\w.-]*$/.test(id))
      throw new UsageError(`expected the id of a physical cluster; found ${onOneLine(id)}`);
  if (args.autoApprove !== true) requireTerminal(io, '--auto-approve');
  const workspace = await openWorkspace(args);
  const instances = Array.from(
    new Set(urls),
    (url) => () => connect(url === undefined ? others : { ...others, url }, workspace),
  );
  const { outcome: report, problems } = await switchCluster(io, workspace, instances, {
    from,
    to,
    settleTimeoutMs: durationOf(args, 'settleTimeout', io) ?? 30_000,
    isExperimental: args.experimental === true,
    approve: (prepared) => approve(prepared, args, io),
    signal: io.interrupted,
  });
  return { view: { report, problems }, isAnswer: true };
};

async function approve(prepared: readonly Prepared[], args: SwitchArgs, io: Io): Promise<boolean> {
  io.err(preview(prepared, args));
  if (args.autoApprove === true) return true;
  const count = formatCount(prepared.length, 'instance');
  return confirm(`Switch ${args.from} to ${args.to} on ${count}?`, io);
}

function preview(prepared: readonly Prepared[], { from, to }: SwitchArgs): string {
  const rows = prepared.map((one) => [
    onOneLine(one.instance.url),
    'error' in one ? `cannot be asked: ${onOneLine(one.error.message)}` : `gateway ${onOneLine(one.version)}`,
  ]);
  const lines = alignColumns(rows).map((row) => `  ${row.join('  ').trimEnd()}\n`);
  const alone =
    prepared.length === 1
      ? 'Each instance of a gateway has to be told: name all of them, each with --url.\n'
      : '';
  return `Traffic of the physical cluster ${from} goes to ${to} on:\n${lines.join('')}${alone}`;
}
