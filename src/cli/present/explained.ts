import { suggest } from '../../model/text/suggest.ts';
import type { ShownPlan } from '../../plan/secrets/redact.ts';
import { onOneLine } from '../../report/escape.ts';
import type { Paint } from '../../report/paint.ts';
import { explainChange } from '../../report/text/explain-change.ts';
import { planPieces } from '../../report/text/plan-text.ts';
import { UsageError } from '../io.ts';

/** The plan for people in pieces, or what there is to say of one address in it. Throws a UsageError for one that is not there. */
export function explained(plan: ShownPlan, address: string | undefined, paint: Paint): Iterable<string> {
  if (address === undefined) return planPieces(plan, paint);
  const text = explainChange(plan, address, paint);
  if (text !== undefined) return [text];
  const near = suggest(
    address,
    plan.changes.map((change) => change.address),
  );
  const hint = near === undefined ? '' : `; did you mean ${onOneLine(near)}?`;
  throw new UsageError(`the plan changes nothing at ${onOneLine(address)}${hint}`);
}
