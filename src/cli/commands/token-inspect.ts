import { parseDuration } from '../../model/text/quantities.ts';
import { inspectToken } from '../../workflow/token/inspect-token.ts';
import { millisecondsOf } from '../connect/read-flags.ts';
import type { Run } from '../given.ts';

/** Shows what a token says, without a gateway. */
export const run: Run<'token inspect'> = async ({ operand: file, args, io }) => {
  const warnWithinMs = millisecondsOf(args.warnWithin, '--warn-within', parseDuration);
  const { outcome, problems } = await inspectToken(io, io.masker, file, warnWithinMs);
  const text = outcome.claims === undefined ? () => [] : undefined;
  return { view: { report: outcome, problems, text }, isAnswer: true };
};
