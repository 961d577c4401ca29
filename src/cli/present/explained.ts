import { suggest } from '../../model/text/suggest.ts';
import { onOneLine } from '../../report/escape.ts';
import type { View } from '../../report/formats.ts';
import { renderExplanation } from '../../report/text/explanation.ts';
import type { Lazy } from '../../outcome/lazy.ts';
import type { PlanReport } from '../../outcome/plan.ts';
import { UsageError } from '../io.ts';

/** What `--explain` prints instead of the plan. It throws a UsageError for an address that the plan does not have. */
export function explained(report: Lazy<PlanReport>, address: string | undefined): View['text'] {
  if (address === undefined) return undefined;
  return (paint) => {
    const text = renderExplanation(report, address, paint);
    if (text !== undefined) return [text];
    const near = suggest(
      address,
      Array.from(report.changes, (change) => change.address),
    );
    const hint = near === undefined ? '' : `; did you mean ${onOneLine(near)}?`;
    throw new UsageError(`the plan changes nothing at ${onOneLine(address)}${hint}`);
  };
}
