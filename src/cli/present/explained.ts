import { suggest } from '../../model/text/suggest.ts';
import { onOneLine } from '../../report/escape.ts';
import { makeExplainReport, type ExplainReport } from '../../outcome/explain.ts';
import type { Lazy } from '../../outcome/lazy.ts';
import type { PlanReport } from '../../outcome/plan.ts';
import { UsageError } from '../io.ts';

/** What `--explain` prints in place of the plan. It throws a UsageError for an address that the plan does not have. */
export function explained(plan: Lazy<PlanReport>, address: string): ExplainReport {
  const found = makeExplainReport(plan, address);
  if (found !== undefined) return found;
  const near = suggest(
    address,
    Array.from(plan.changes, (change) => change.address),
  );
  const hint = near === undefined ? '' : `; did you mean ${onOneLine(near)}?`;
  throw new UsageError(`the plan changes nothing at ${onOneLine(address)}${hint}`);
}
