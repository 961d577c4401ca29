import { hasErrors, isBlocked } from '../../model/problem.ts';
import { formatDuration, parseDuration } from '../../model/text/quantities.ts';
import type { Cause } from '../../plan/change/cause.ts';
import { isNarrowed } from '../../plan/change/plan.ts';
import { encodePlan } from '../../plan/saved/decode-plan.ts';
import { onOneLine } from '../../report/escape.ts';
import { makePlanReport } from '../../outcome/plan.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { planProject } from '../../workflow/plan/plan.ts';
import { defaultValidity, savePlan, type SaveOptions } from '../../workflow/plan/saved-plan.ts';
import type { Detail } from '../../report/text/text-options.ts';
import {
  type InputArgs,
  filesOf,
  limitsOf,
  millisecondsOf,
  openWorkspaceFor,
  type ProjectArgs,
  type RuleArgs,
  type SourceArgs,
} from '../connect/flags.ts';
import { openGatewaySource, openSnapshotSource } from '../connect/live-source.ts';
import { readPlanKeys } from '../connect/plan-keys.ts';
import type { ConnectionArgs } from '../connect/settings.ts';
import { UsageError, type Io } from '../io.ts';
import type { ExitCode } from '../../outcome/verdict.ts';
import { commandLine, ruleFlags } from '../present/command-line.ts';
import { explained } from '../present/explained.ts';
import { finish } from '../present/finish.ts';
import { parseOutput, PLAN_FORMATS } from '../present/output.ts';
import { writeFile } from '../present/write-file.ts';

/** What of files and gateway a command looks at. */
export type ScopeArgs = {
  readonly target?: readonly string[];
  readonly exclude?: readonly string[];
  readonly manages?: readonly string[];
};

export type PlanArgs = ProjectArgs &
  ConnectionArgs &
  InputArgs &
  SourceArgs &
  ScopeArgs &
  RuleArgs & {
    readonly chdir?: string;
    readonly output?: readonly string[];
    readonly detail?: Detail;
    readonly out?: string;
    readonly signKey?: string;
    readonly validFor?: string;
    readonly snapshot?: string;
    readonly explain?: string;
    readonly base?: string;
    readonly failOn?: readonly Cause[];
    readonly detailedExitcode?: boolean;
  };

/** Compares files with the gateway, or with a snapshot of it, and changes neither. */
export async function plan(paths: readonly string[], args: PlanArgs, io: Io): Promise<ExitCode> {
  const { out, snapshot, target, exclude, manages, acceptExposure, base, failOn } = args;
  const output = parseOutput(args.output, io, { ...args, formats: PLAN_FORMATS });
  if (snapshot !== undefined && out !== undefined)
    throw new UsageError(
      'a saved plan is bound to the state of the gateway, and a snapshot is not the gateway: leave out --out',
    );
  checkBaseFlags(paths, args);
  const saving = out === undefined ? refuseSaveFlags(args) : await readSaveOptions(args, io);
  const limits = limitsOf(args);
  const workspace = await openWorkspaceFor(args, io);
  const environment = workspace.environment?.name;
  const opened =
    snapshot === undefined
      ? await openGatewaySource(args, workspace, io)
      : await openSnapshotSource(snapshot, args, workspace, io);
  if ('problems' in opened) {
    const problems = locateProblems(opened.problems);
    const { result } = opened;
    const report = { ...makePlanReport(undefined, '', problems, { environment }), result };
    const view = { report, problems, text: () => [] };
    return finish({ result, problems, view }, io, output);
  }
  const { source, warnings } = opened;
  try {
    const options = {
      ...filesOf(paths, args, opened.workspace, io),
      target,
      exclude,
      manages,
      limits,
      acceptExposure,
      base,
      failOn,
    };
    const planned = await planProject(io, opened.workspace, source, options);
    const { shown, cannotTell } = planned;
    const found = [...warnings, ...planned.problems];
    const isSaved = planned.plan !== undefined && !hasErrors(found) && out !== undefined;
    const unsaved = isSaved
      ? await writeFile(out, encodePlan(await savePlan(io, workspace, planned, planned.plan, saving)), io)
      : [];
    const problems = locateProblems([...found, ...unsaved]);
    const failed = hasErrors(problems);
    const snapshotInfo = source.age === undefined ? undefined : { ...source.age, cannotTell };
    const report = makePlanReport(shown, source.url, problems, { environment, snapshot: snapshotInfo });
    // A plan that a safety rule blocks is shown, so that its author can see why; so is one that cannot be saved.
    const isShown = shown !== undefined && (!failed || isBlocked(problems) || unsaved.length > 0);
    const text = isShown ? explained(report, args.explain) : () => [];
    const hint = isSaved && !failed ? savedHint(out, args, saving) : '';
    const { result } = report;
    const isPartial = shown !== undefined && isNarrowed(shown);
    const view = { report, problems, text };
    const changes = shown?.changes.length;
    const isDetailed = args.detailedExitcode;
    const ending = { result, isDetailed, changes, problems, view, hints: hint, isNarrowed: isPartial };
    return await finish(ending, io, output);
  } finally {
    await opened.close();
  }
}

function checkBaseFlags(paths: readonly string[], { base, failOn, file = [] }: PlanArgs): void {
  if (failOn !== undefined && base === undefined)
    throw new UsageError('--fail-on needs the causes of changes: add --base REF');
  if (base === undefined) return;
  if (base.trim() === '')
    throw new UsageError("expected --base to be a ref of git, such as origin/main; found ''");
  if ([...paths, ...file].includes('-'))
    throw new UsageError('--base reads files of another commit, and stdin has none: name files or folders');
}

function refuseSaveFlags({ signKey, validFor }: PlanArgs): SaveOptions {
  if ((signKey ?? validFor) === undefined) return {};
  throw new UsageError('--sign-key and --valid-for need a saved plan: add --out FILE');
}

async function readSaveOptions({ signKey, validFor }: PlanArgs, io: Io): Promise<SaveOptions> {
  const keys = await readPlanKeys(io, signKey);
  const given = validFor ?? io.env('GWCONF_VALID_FOR') ?? '';
  if (given === 'none') return { keys };
  const validForMs = millisecondsOf(given, parseDuration) ?? defaultValidity(keys);
  if (validForMs === 0) throw new UsageError('expected --valid-for above 0; found 0');
  return { keys, validForMs };
}

function savedHint(out: string, args: PlanArgs, { keys, validForMs }: SaveOptions): string {
  const line = commandLine(['apply', out, ...ruleFlags(args)], args);
  const signed = (keys?.shared ?? keys?.private) === undefined ? '' : ', signed';
  const valid = validForMs === undefined ? '' : `, valid for ${formatDuration(validForMs / 1000)}`;
  return `The plan is saved in ${onOneLine(out)}${signed}${valid}. Apply it with: ${line}\n`;
}
