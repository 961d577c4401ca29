import type { Undoes } from '../../plan/change/plan.ts';
import type { ShownPlan } from '../../plan/secrets/redact.ts';
import { onOneLine } from '../../report/escape.ts';
import type { JournalArgs, ProjectArgs, RuleArgs, SourceArgs } from '../connect/flags.ts';
import type { ConnectionArgs } from '../table/flags.ts';

/** The flags that say where project, gateway, journal and secrets are. */
export type PlaceArgs = ConnectionArgs &
  ProjectArgs &
  JournalArgs &
  SourceArgs & { readonly chdir?: string | undefined };

const FLAGS = {
  chdir: '--chdir',
  env: '--env',
  publicVariable: '--public-variable',
  url: '--url',
  user: '--user',
  passwordFile: '--password-file',
  header: '--header',
  caCert: '--ca-cert',
  clientCert: '--client-cert',
  clientKey: '--client-key',
  proxy: '--proxy',
  timeout: '--timeout',
  insecureSkipVerify: '--insecure-skip-verify',
  journal: '--journal',
  allowExec: '--allow-exec',
  secretRoot: '--secret-root',
} as const satisfies { readonly [flag in keyof Required<PlaceArgs>]: string };

/** A command line to paste into a shell, with the flags of this command that say where things are. */
export function commandLine(words: readonly string[], args: PlaceArgs): string {
  const flags = Object.entries(FLAGS).flatMap(([name, flag]): readonly string[] => {
    const value = args[name as keyof PlaceArgs]; // a key of the table, which has them all
    if (value === undefined || value === false) return [];
    if (value === true) return [flag];
    const values = typeof value === 'string' ? [value] : value;
    return values.flatMap((one) => [flag, holdsSecret(flag, one) ? '…' : one]);
  });
  return ['gwconf', ...[...words, ...flags].map(quoted)].join(' ');
}

/** Whether a value may hold a secret; the user fills it in. */
function holdsSecret(flag: string, value: string): boolean {
  const isHeader = flag === '--header' && !value.startsWith('@');
  return isHeader || flag === '--proxy' || (flag === '--url' && /^(?!embedded:).*@/s.test(value));
}

/** Quoted for a POSIX shell. */
export function quoted(word: string): string {
  const text = onOneLine(word);
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
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

/** How to undo a run that is over. An undo is itself undone only by name. */
export function undoHint(
  { run, losses }: Undoes,
  { undoes }: ShownPlan,
  place: PlaceArgs & RuleArgs,
): string {
  const { manages } = place;
  const words = [...(undoes === undefined ? ['undo'] : ['undo', run]), ...ruleFlags({ manages })];
  const except = losses.length === 0 ? '' : ', except for what was listed at the start';
  return `Undo this run${except}: ${commandLine(words, place)}\n`;
}

/** How to resume a run that ended before everything was done. */
export function resumeHint(run: string, place: PlaceArgs & RuleArgs): string {
  return `Resume this run: ${commandLine(['apply', '--resume', run, ...ruleFlags(place)], place)}\n`;
}
