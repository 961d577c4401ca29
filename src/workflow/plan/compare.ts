import { type Problem, applyLint } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import { makeSecretFinder } from '../../plan/change/former-secrets.ts';
import type { Selection } from '../../plan/change/plan.ts';
import { isBuiltIn, makeSelector } from '../../plan/change/select.ts';
import { checkSelection } from '../../plan/checks/names.ts';
import {
  compareStates,
  type Compared,
  rulesBetween,
  splitDifferences,
  type SplitDifferences,
  type UncomparedBetween,
} from '../../plan/compare/compare-states.ts';
import { catalog } from '../../schema/kinds/index.ts';
import type { Host } from '../host.ts';
import { readSource, type Source } from './compare-source.ts';
import { makeComparable } from './make-comparable.ts';

/** How two sources differ. */
export type Comparison = SplitDifferences &
  Pick<Compared, 'same' | 'unselected'> & {
    readonly selection: Selection;
    readonly uncompared: readonly UncomparedBetween[];
    /** Fields and objects that rules of the environment ignore on its gateway. */
    readonly ignored: number;
    /** Objects on a gateway that the files beside it do not manage. */
    readonly unmanaged: number;
  };

/** `comparison` is undefined when problems left nothing to compare. */
export type CompareResult = {
  readonly comparison?: Comparison;
  /** Of the files, by the name of the source. */
  readonly inFiles: ReadonlyMap<string, readonly Problem[]>;
  readonly problems: readonly Problem[];
};

/** Compares two sources field by field. Throws a RequestError when there is nothing to read. */
export async function compareSources(
  host: Host,
  from: Source,
  to: Source,
  selection: Selection,
): Promise<CompareResult> {
  const [left, right] = [await readSource(host, from, to), await readSource(host, to, from)];
  const inFiles = new Map([
    [from.name, left.problems],
    [to.name, right.problems],
  ]);
  if (left.value === undefined || right.value === undefined) return { inFiles, problems: [] };
  const {
    project: { lint, differs },
  } = from.workspace;
  const isSecret = makeSecretFinder([...from.workspace.secrets.values, ...to.workspace.secrets.values]);
  const pair = await makeComparable(host, left.value, right.value, isSecret);
  const matched = makeSelector(selection, catalog.kinds);
  const isSelected = (address: Address): boolean => matched(address) && !isBuiltIn(address, catalog.kinds);
  const compared = compareStates(pair.from, pair.to, catalog.kinds, isSelected);
  const uncompared = pair.uncompared.filter((one) => one.reason === 'unavailable' || isSelected(one.address));
  const isNarrowed = selection.target.length + selection.exclude.length > 0;
  const isComplete = !isNarrowed && uncompared.every(({ reason }) => reason !== 'unavailable');
  const rules = rulesBetween(differs, from.environment, to.environment);
  const apart = splitDifferences(compared.differences, uncompared, rules, isComplete);
  const unmatched = checkSelection({
    selection,
    desired: pair.from.resources,
    live: pair.to,
    removals: [],
    kinds: catalog.kinds,
  });
  return {
    comparison: {
      ...compared,
      ...apart,
      selection,
      uncompared,
      ignored: pair.ignored,
      unmanaged: pair.unmanaged,
    },
    inFiles,
    problems: applyLint([...unmatched, ...apart.problems], lint),
  };
}
