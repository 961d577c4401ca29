import { addAll } from '../../model/collect.ts';
import type { Problem } from '../../model/problem.ts';
import { onOneLine } from '../../report/escape.ts';
import { renderJson } from '../../report/json/json.ts';
import { alignColumns, formatCount } from '../../report/text/phrases.ts';
import { makeSwitchReport, type SwitchReport } from '../../outcome/switch.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import type { OpenGateway } from '../../workflow/live/around-calls.ts';
import { isEmbedded } from '../../workflow/live/open-gateway.ts';
import { gatewayProblem } from '../../workflow/live/read-live.ts';
import {
  prepareSwitch,
  switchInstance,
  type Outcome,
  type Prepared,
} from '../../workflow/live/switch-cluster.ts';
import { checkTarget } from '../../workflow/live/target.ts';
import type { Workspace } from '../../workflow/project/workspace.ts';
import { RequestError } from '../../workflow/request-error.ts';
import { connect } from '../connect/connect.ts';
import { millisecondsOf, openWorkspaceFor, type ProjectArgs } from '../connect/flags.ts';
import type { ConnectionArgs } from '../table/flags.ts';
import { ProblemsError, UsageError, type Io } from '../io.ts';
import { finish } from '../present/finish.ts';
import { parseReportFormat } from '../present/report-format.ts';
import type { ExitCode } from '../../outcome/verdict.ts';

export type SwitchArgs = ProjectArgs &
  Omit<ConnectionArgs, 'url'> & {
    readonly url?: readonly string[];
    readonly from: string;
    readonly to: string;
    readonly experimental?: boolean;
    readonly autoApprove?: boolean;
    readonly settleTimeout?: string;
    readonly output?: readonly string[];
  };

type Ending = Pick<SwitchReport, 'result'> & {
  readonly outcomes: readonly Outcome[];
  readonly problems: readonly Problem[];
};

/** Tells every instance of a gateway to use another physical cluster. */
export async function switchCluster(args: SwitchArgs, io: Io): Promise<ExitCode> {
  const { from, to } = args;
  const format = parseReportFormat('cluster switch', args.output);
  for (const id of [from, to])
    if (!/^\w[\w.-]*$/.test(id))
      throw new UsageError(`expected the id of a physical cluster; found ${onOneLine(id)}`);
  if (args.autoApprove !== true && !io.interactive)
    throw new UsageError('cannot ask for approval without a terminal: use --auto-approve');
  const workspace = await openWorkspaceFor(args, io);
  const instances: OpenGateway[] = [];
  try {
    const { outcomes, problems: found, result } = await run(args, workspace, instances, io);
    const problems = locateProblems(found);
    const report = makeSwitchReport({ result, from, to, instances: outcomes }, problems);
    if (format === 'json') for (const text of renderJson(report)) io.out(text);
    else io.out(render(outcomes));
    return await finish({ result, problems }, io);
  } finally {
    for (const instance of instances) await instance.close();
  }
}

/** `instances` gets what is opened. */
async function run(
  args: SwitchArgs,
  workspace: Workspace,
  instances: OpenGateway[],
  io: Io,
): Promise<Ending> {
  const { from, to } = args;
  const settleTimeoutMs = millisecondsOf(args.settleTimeout ?? io.env('GWCONF_SETTLE_TIMEOUT')) ?? 30_000;
  const warnings: Problem[] = [];
  const stopped = (result: Ending['result'], ...problems: readonly Problem[]): Ending => ({
    result,
    outcomes: [],
    problems: [...warnings, ...problems],
  });
  const prepared: Prepared[] = [];
  try {
    for (const url of args.url === undefined ? [undefined] : new Set(args.url)) {
      const { url: _, ...others } = args;
      const connected = await connect(url === undefined ? others : { ...others, url }, io, workspace);
      addAll(warnings, connected.warnings);
      instances.push(connected.gateway);
    }
    for (const instance of instances) {
      if (isEmbedded(instance.url))
        throw new RequestError(
          `${instance.url} runs only while a command does: start an instance with gwconf gateway`,
        );
      const wrongTarget = checkTarget(undefined, instance.url, workspace);
      if (wrongTarget !== undefined) return stopped('stale', wrongTarget);
      const known = { version: workspace.environment?.version, isExperimental: args.experimental === true };
      prepared.push(await prepareSwitch(instance, { from, to }, known));
    }
  } catch (error) {
    if (error instanceof ProblemsError) return stopped(error.result, ...error.problems);
    if (error instanceof UsageError || error instanceof RequestError) throw error;
    return stopped('error', gatewayProblem(error));
  }
  io.err(preview(prepared, args));
  if (args.autoApprove !== true) {
    const answer = await io.ask(
      `Switch ${from} to ${to} on ${formatCount(prepared.length, 'instance')}? Type yes to confirm: `,
    );
    if (answer.trim() !== 'yes' || io.interrupted.aborted) {
      io.err('Nothing was changed.\n');
      return stopped('unchanged');
    }
  }
  const outcomes: Outcome[] = [];
  for (const one of prepared) {
    const { url } = one.instance;
    outcomes.push(
      io.interrupted.aborted
        ? { url, status: 'not-attempted' }
        : await switchInstance(io, one, { from, to }, settleTimeoutMs),
    );
  }
  return { result: resultOf(outcomes), outcomes, problems: warnings };
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

function resultOf(outcomes: readonly Outcome[]): Ending['result'] {
  if (outcomes.some(({ status }) => status === 'not-attempted')) return 'interrupted';
  const done = outcomes.filter(({ status }) => status === 'switched' || status === 'accepted').length;
  return done === outcomes.length ? 'ok' : done === 0 ? 'failed' : 'partial';
}

function render(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ url, status, message = '' }) => [status, onOneLine(url), onOneLine(message)]);
  return alignColumns(rows)
    .map((row) => `${row.join('  ').trimEnd()}\n`)
    .join('');
}
