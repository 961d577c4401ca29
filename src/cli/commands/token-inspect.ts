import type { Json } from '../../model/json/json.ts';
import { formatDuration, parseDuration } from '../../model/text/quantities.ts';
import { onOneLine } from '../../report/escape.ts';
import { renderJson } from '../../report/json/json.ts';
import { alignColumns } from '../../report/phrases.ts';
import type { TokenInspection } from '../../outcome/token-inspection.ts';
import { inspectToken } from '../../workflow/token/inspect-token.ts';
import { millisecondsOf } from '../connect/flags.ts';
import type { Run } from '../given.ts';

/** Shows what a token says, without a gateway. */
export const run: Run<'token inspect'> = async ({ operand: file, args, io }) => {
  const warnWithinMs = millisecondsOf(args.warnWithin, parseDuration);
  const { outcome, problems } = await inspectToken(io, io.masker, file, warnWithinMs);
  return {
    result: outcome.result,
    problems,
    render: (format) => (format === 'json' ? renderJson(outcome) : render(outcome)),
  };
};

function* render({ result, claims, expiresAt, secondsLeft = 0 }: TokenInspection): Generator<string> {
  if (claims === undefined) return;
  const rows = Object.entries(claims).map(([name, value]) => [onOneLine(name), cut(printClaim(value))]);
  for (const row of alignColumns(rows)) yield `${row.join('  ').trimEnd()}\n`;
  if (expiresAt !== undefined)
    yield result === 'expired'
      ? `Expired ${formatDuration(-secondsLeft)} ago, at ${expiresAt}.\n`
      : `Valid for ${formatDuration(secondsLeft)}, until ${expiresAt}.\n`;
  yield 'The signature is not checked.\n';
}

function printClaim(value: Json): string {
  return onOneLine(typeof value === 'string' ? value : JSON.stringify(value));
}

const LONGEST_CLAIM = 200;

function cut(text: string): string {
  return text.length > LONGEST_CLAIM ? `${text.slice(0, LONGEST_CLAIM - 1)}…` : text;
}
