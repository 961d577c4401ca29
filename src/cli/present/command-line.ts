import type { NeededLimits } from '../../plan/checks/limits.ts';
import type { Undoes } from '../../plan/change/plan.ts';
import { onOneLine } from '../../report/escape.ts';
import type { RuleArgs } from '../connect/read-flags.ts';
import type { Args } from '../table/commands.ts';
import { flagOf } from '../table/flag.ts';
import { wordForShell } from '../../model/text/escape.ts';

/** The flags that say where project, gateway, journal and secrets are. */
const PLACE = [
  'chdir',
  'env',
  'publicVariable',
  'url',
  'user',
  'passwordFile',
  'header',
  'caCert',
  'clientCert',
  'clientKey',
  'proxy',
  'timeout',
  'insecureSkipVerify',
  'journal',
  'allowExec',
  'secretRoot',
] as const satisfies readonly (keyof Args<'apply'>)[];
export type PlaceArgs = Pick<Args<'apply'>, (typeof PLACE)[number]>;

/** A command line to paste into a shell, with the flags of this command that say where things are. */
export function commandLine(words: readonly string[], args: PlaceArgs): string {
  const flags = PLACE.flatMap((name): readonly string[] => {
    const flag = flagOf(name);
    const value = args[name];
    if (value === undefined || value === false) return [];
    if (value === true) return [flag];
    const values = typeof value === 'string' ? [value] : value;
    return values.flatMap((one) => [flag, holdsSecret(flag, one) ? '…' : one]);
  });
  return ['gwconf', ...[...words, ...flags].map(quoted)].join(' ');
}

/** A command line as it was typed, but for values that may be secret. */
export function typedLine(words: readonly string[]): string {
  const shown = words.map((word, at) => {
    const [flag = '', ...value] = word.split('=');
    if (value.length > 0 && flag.startsWith('--') && holdsSecret(flag, value.join('='))) return `${flag}=…`;
    return holdsSecret(words[at - 1] ?? '', word) ? '…' : word;
  });
  return ['gwconf', ...shown.map(quoted)].join(' ');
}

/** Whether a value may hold a secret; the user fills it in. */
function holdsSecret(flag: string, value: string): boolean {
  const isHeader = flag === '--header' && !value.startsWith('@');
  return isHeader || flag === '--proxy' || (flag === '--url' && /^(?!embedded:).*[@?]/s.test(value));
}

/** Quoted for a POSIX shell. */
export function quoted(word: string): string {
  return wordForShell(onOneLine(word));
}

/** The flags that take the place of rules of the project, which a command that goes on with a plan needs as well. */
export function ruleFlags({
  manages = [],
  maxDeletes,
  maxUpdates,
  acceptExposure = [],
}: RuleArgs): readonly string[] {
  return [
    ...manages.flatMap((glob) => ['--manages', glob]),
    ...(maxDeletes === undefined ? [] : ['--max-deletes', maxDeletes]),
    ...(maxUpdates === undefined ? [] : ['--max-updates', maxUpdates]),
    ...acceptExposure.flatMap((glob) => ['--accept-exposure', glob]),
  ];
}

/**
 * How to undo a run that is over, with the limits that would stop it otherwise. An undo is itself undone only by name, and a resumed
 * run may not be the newest.
 */
export function undoHint(
  { run, losses }: Undoes,
  needs: NeededLimits,
  isNamed: boolean,
  place: PlaceArgs & RuleArgs,
): string {
  const { manages = [] } = place; // other rules were for this run
  const limits = Object.entries(needs).flatMap(([what, count]) => [`--max-${what}`, `${count}`]);
  const words = ['undo', ...(isNamed ? [run] : []), ...ruleFlags({ manages }), ...limits];
  const except = losses.length === 0 ? '' : ', except for what was listed at the start';
  return `Undo this run${except}: ${commandLine(words, place)}\n`;
}

/** How to resume a run that ended before everything was done. A login that was rejected would be so again: the user fills in another one. */
export function resumeHint(run: string, place: PlaceArgs & RuleArgs, isRejected: boolean): string {
  const login = (['user', 'passwordFile'] as const).filter((flag) => isRejected && place[flag] !== undefined);
  const other = Object.fromEntries(login.map((flag) => [flag, '…']));
  const line = commandLine(['apply', '--resume', run, ...ruleFlags(place)], { ...place, ...other });
  return `Resume this run${isRejected ? ', as a user who may write' : ''}: ${line}\n`;
}

/** A shell looks for a name without a slash in PATH. */
export function pathForShell(path: string): string {
  return path.includes('/') ? path : `./${path}`;
}
