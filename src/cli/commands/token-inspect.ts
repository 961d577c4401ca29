import type { Json } from '../../model/json/json.ts';
import { formatDuration, parseDuration } from '../../model/text/quantities.ts';
import { onOneLine } from '../../report/escape.ts';
import { renderJson } from '../../report/json/json.ts';
import { alignColumns } from '../../report/phrases.ts';
import { makeTokenInspection, type TokenInspection } from '../../outcome/token-inspection.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { inspectToken, type Inspection } from '../../workflow/token/inspect-token.ts';
import { millisecondsOf } from '../connect/flags.ts';
import type { Run } from '../given.ts';

/** Shows what a token says, without a gateway. */
export const run: Run<'token inspect'> = async ({ operand: file, args, io }) => {
  const warnWithinMs = millisecondsOf(args.warnWithin, parseDuration);
  const { value: sources, problems: unread } = await io.readSources([file]);
  const now = io.now().getTime();
  const text = sources.map((source) => source.text).join('\n');
  const { result, inspection, problems } =
    unread.length > 0
      ? { result: 'error' as const, problems: unread }
      : inspectToken(text, file === '-' ? 'stdin' : file, io.masker, { now, warnWithinMs });
  const located = locateProblems(problems);
  return {
    result,
    problems: located,
    render: (format) => {
      if (format === 'human') return inspection === undefined ? [] : [render(inspection, now)];
      const about = inspection === undefined ? {} : aboutOf(inspection, now);
      return renderJson(makeTokenInspection({ result, ...about }, located));
    },
  };
};

function aboutOf({ header, claims, expiry }: Inspection, now: number): Partial<TokenInspection> {
  if (expiry === undefined) return { header, claims };
  const secondsLeft = Math.floor((expiry - now) / 1000);
  return { header, claims, expiresAt: new Date(expiry).toISOString(), secondsLeft };
}

function render({ claims, expiry }: Inspection, now: number): string {
  const rows = Object.entries(claims).map(([name, value]) => [onOneLine(name), cut(printClaim(value))]);
  const lines = alignColumns(rows).map((row) => `${row.join('  ').trimEnd()}\n`);
  return `${lines.join('')}${expiry === undefined ? '' : timeLeft(expiry, now)}The signature is not checked.\n`;
}

function timeLeft(expiry: number, now: number): string {
  const at = new Date(expiry).toISOString();
  const seconds = Math.floor(Math.abs(expiry - now) / 1000);
  return expiry <= now
    ? `Expired ${formatDuration(seconds)} ago, at ${at}.\n`
    : `Valid for ${formatDuration(seconds)}, until ${at}.\n`;
}

function printClaim(value: Json): string {
  return onOneLine(typeof value === 'string' ? value : JSON.stringify(value));
}

const LONGEST_CLAIM = 200;

function cut(text: string): string {
  return text.length > LONGEST_CLAIM ? `${text.slice(0, LONGEST_CLAIM - 1)}…` : text;
}
