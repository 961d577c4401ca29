import { formatDuration, parseDuration } from '../../model/text/quantities.ts';
import { isNarrowed } from '../../plan/change/plan.ts';
import { onOneLine } from '../../report/escape.ts';
import { isTold } from '../../report/page/given-up.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { planProject } from '../../workflow/plan/plan.ts';
import { defaultValidity, type SaveOptions } from '../../workflow/plan/saved-plan.ts';
import { checkTopicsPath, filesOf, limitsOf, millisecondsOf } from '../connect/read-flags.ts';
import { readPlanKeys } from '../connect/plan-keys.ts';
import type { Run } from '../given.ts';
import { UsageError, type Io } from '../io.ts';
import { commandLine, ruleFlags } from '../present/command-line.ts';
import { explained } from '../present/explained.ts';
import type { Args } from '../table/commands.ts';

type PlanArgs = Args<'plan'>;

/** Compares files with the gateway, or with a snapshot of it, and changes neither. */
export const run: Run<'plan'> = async ({ operand: paths, args, io, openWorkspace, openLive }) => {
  const { out, snapshot, target, exclude, manages, acceptExposure, base, failOn, topics } = args;
  if (snapshot !== undefined && out !== undefined)
    throw new UsageError(
      'a saved plan is bound to the state of the gateway, and a snapshot is not the gateway: leave out --out',
    );
  checkBaseFlags(paths, args);
  checkTopicsPath([...(args.file ?? []), ...paths], topics);
  const saving = out === undefined ? refuseSaveFlags(args) : await readSaveOptions(args, io);
  const limits = limitsOf(args);
  const workspace = await openWorkspace(args);
  const opened = await openLive(args, workspace);
  const saveTo = out === undefined ? undefined : { ...saving, path: out };
  const planned =
    'problems' in opened
      ? await planProject(io, workspace, opened)
      : await planProject(io, opened.workspace, opened.source, {
          ...filesOf(paths, args, opened.workspace, io),
          ...{ manages, limits, acceptExposure, target, exclude, base, failOn, topics, saveTo },
          warnings: opened.warnings,
        });
  const { shown, outcome: report, isSaved } = planned;
  // A plan that a safety rule blocks is shown, so that its author can see why; so is one that cannot be saved.
  const isShown = shown !== undefined && (report.result !== 'error' || isSaved === false);
  return {
    view: {
      report: isShown && args.explain !== undefined ? explained(report, args.explain) : report,
      problems: locateProblems(planned.problems),
      text: isShown ? undefined : () => [],
      isTold: isShown && args.explain === undefined ? isTold : undefined,
    },
    changes: shown?.changes.length,
    hints: isSaved === true && out !== undefined ? savedHint(out, args, saving) : '',
    isNarrowed: shown !== undefined && isNarrowed(shown),
  };
};

function checkBaseFlags(paths: readonly string[], { base, failOn, file = [] }: PlanArgs): void {
  if (failOn?.some((one) => one !== 'loss') === true && base === undefined)
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
  const name = validFor === undefined ? 'GWCONF_VALID_FOR' : '--valid-for';
  const validForMs = millisecondsOf(given, name, parseDuration) ?? defaultValidity(keys);
  if (validForMs === 0) throw new UsageError(`expected ${name} above 0; found 0`);
  return { keys, validForMs };
}

function savedHint(out: string, args: PlanArgs, { keys, validForMs }: SaveOptions): string {
  const line = commandLine(['apply', out, ...ruleFlags(args)], args);
  const signed = (keys?.shared ?? keys?.private) === undefined ? '' : ', signed';
  const valid = validForMs === undefined ? '' : `, valid for ${formatDuration(validForMs / 1000)}`;
  return `The plan is saved in ${onOneLine(out)}${signed}${valid}. Apply it with: ${line}\n`;
}
