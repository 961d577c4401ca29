import { addAll } from '../../model/collect.ts';
import type { Catalog } from '../../model/own-kind.ts';
import { type LocatedProblem, type Problem, applyLint, hasErrors } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import { makeDiffReport, type Comparison, type DiffReport, type SourceRecord } from '../../outcome/diff.ts';
import type { Told } from '../../outcome/outcome.ts';
import { makeSecretFinder } from '../../plan/change/former-secrets.ts';
import type { Selection } from '../../plan/change/plan.ts';
import { isBuiltIn, makeSelector } from '../../plan/change/select.ts';
import { checkSelection } from '../../plan/checks/name-checks.ts';
import { compareStates, rulesBetween, splitDifferences } from '../../plan/compare/compare-states.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import type { Host } from '../host.ts';
import { mergeProblems } from '../../outcome/problem-record.ts';
import type { Workspace } from '../project/workspace.ts';
import { readSource, type Source } from './compare-source.ts';
import { makeComparable } from './make-comparable.ts';

/** A source with what there is to warn of; or why it cannot be opened. */
export type OpenedSource =
  | { readonly source: Source; readonly warnings: readonly Problem[] }
  | { readonly problems: readonly Problem[] };

/** Two sources by their names, of which the second is opened only if the first could be. */
type Named = { readonly name: string; readonly open: () => Promise<OpenedSource> };

/** Opens two sources and compares them. Throws a RequestError when there is nothing to read. */
export async function compareNamed(
  host: Host,
  workspace: Workspace,
  [from, to]: readonly [Named, Named],
  selection: Selection,
): Promise<Told<DiffReport> & { readonly isCompared: boolean }> {
  const { problems: ofProject, project } = workspace;
  const sources: Source[] = [];
  const end = (problems: readonly LocatedProblem[], comparison?: Comparison) => {
    const [left, right] = sources.map(describeSource);
    const about = { from: left ?? { name: from.name }, to: right ?? { name: to.name } };
    const outcome = makeDiffReport(about, comparison, problems);
    return { outcome, problems, isCompared: comparison !== undefined };
  };
  if (hasErrors(ofProject)) return end(locateProblems(ofProject));
  const warnings: Problem[] = [];
  for (const { open } of [from, to]) {
    const opened = await open();
    if ('problems' in opened) return end(locateProblems(opened.problems));
    sources.push(opened.source);
    addAll(warnings, opened.warnings);
  }
  const [left, right] = sources;
  if (left === undefined || right === undefined) throw new Error('two sources are compared');
  await workspace.catalog.ask();
  const { comparison, inFiles, problems } = await compareSources(
    host,
    workspace.catalog,
    left,
    right,
    selection,
  );
  const unread = comparison === undefined ? [] : await findUnread(workspace.catalog, sources);
  const located = new Map([...inFiles].map(([name, found]) => [name, locateProblems(found)]));
  const rest = [...applyLint([...ofProject, ...unread], project.lint), ...warnings, ...problems];
  return end([...mergeProblems(located), ...locateProblems(rest)], comparison);
}

/** Both sides are read by one description: what gateways describe in another way. */
async function findUnread(
  catalog: Workspace['catalog'],
  sources: readonly Source[],
): Promise<readonly Problem[]> {
  const unread = [...catalog.problems];
  for (const source of sources)
    if (source.type === 'live') addAll(unread, await catalog.findOtherwise(source.name, source.gateway));
  return unread;
}

function describeSource(source: Source): SourceRecord {
  const { name, type, environment } = source;
  switch (type) {
    case 'files':
      return { name, type, environment };
    case 'live':
      return { name, type, environment, gateway: source.gateway.url };
    case 'snapshot': {
      const { gateway, takenAt } = source.snapshot;
      return { name, type, environment, gateway, takenAt };
    }
    default:
      return type satisfies never;
  }
}

/** `comparison` is undefined when problems left nothing to compare. */
type CompareResult = {
  readonly comparison?: Comparison;
  /** Of the files, by the name of the source. */
  readonly inFiles: ReadonlyMap<string, readonly Problem[]>;
  readonly problems: readonly Problem[];
};

/** Compares two sources field by field. Throws a RequestError when there is nothing to read. */
async function compareSources(
  host: Host,
  { kinds }: Catalog,
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
  const matched = makeSelector(selection, kinds);
  const isSelected = (address: Address): boolean => matched(address) && !isBuiltIn(address, kinds);
  const pair = await makeComparable(host, kinds, left.value, right.value, isSecret, isSelected);
  const compared = compareStates(pair.from, pair.to, kinds, isSelected);
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
    kinds,
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
