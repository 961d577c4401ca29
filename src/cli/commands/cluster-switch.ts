import { addAll } from '../../model/collect.ts';
import type { Problem } from '../../model/problem.ts';
import { onOneLine } from '../../report/escape.ts';
import { renderJson } from '../../report/json/json.ts';
import { alignColumns, formatCount } from '../../report/phrases.ts';
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
import { millisecondsOf } from '../connect/flags.ts';
import type { Given, Run } from '../given.ts';
import { UsageError } from '../io.ts';
import type { Args } from '../table/commands.ts';

type SwitchArgs = Args<'cluster switch'>;

type Switched = Pick<SwitchReport, 'result'> & {
  readonly outcomes: readonly Outcome[];
  readonly problems: readonly Problem[];
};

/** Tells every instance of a gateway to use another physical cluster. */
export const run: Run<'cluster switch'> = async (given) => {
  const { args, io } = given;
  const { from, to } = args;
  for (const id of [from, to])
    if (!/^\w[\w.-]*$/.test(id))
      throw new UsageError(`expected the id of a physical cluster; found ${onOneLine(id)}`);
  if (args.autoApprove !== true && !io.interactive)
    throw new UsageError('cannot ask for approval without a terminal: use --auto-approve');
  const { outcomes, problems: found, result } = await switchAll(given, await given.openWorkspace(args));
  const problems = locateProblems(found);
  const report = makeSwitchReport({ result, from, to, instances: outcomes }, problems);
  return {
    result,
    problems,
    render: (format) => (format === 'json' ? renderJson(report) : [render(outcomes)]),
  };
};

async function switchAll(
  { args, io, connect }: Given<'cluster switch'>,
  workspace: Workspace,
): Promise<Switched> {
  const { from, to } = args;
  const settleTimeoutMs = millisecondsOf(args.settleTimeout ?? io.env('GWCONF_SETTLE_TIMEOUT')) ?? 30_000;
  const warnings: Problem[] = [];
  const stopped = (result: Switched['result'], ...problems: readonly Problem[]): Switched => ({
    result,
    outcomes: [],
    problems: [...warnings, ...problems],
  });
  const instances: OpenGateway[] = [];
  const prepared: Prepared[] = [];
  try {
    for (const url of args.url === undefined ? [undefined] : new Set(args.url)) {
      const { url: _, ...others } = args;
      const connected = await connect(url === undefined ? others : { ...others, url }, workspace);
      if ('problems' in connected) return stopped(connected.result, ...connected.problems);
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

function resultOf(outcomes: readonly Outcome[]): Switched['result'] {
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
