import type { Plain } from '../model/shape.ts';
import type { diffReport, source } from './shapes/compare.ts';
import type { LocatedProblem } from '../model/problem.ts';
import { kindOf } from '../model/resource.ts';
import type {
  Compared,
  Difference,
  SplitDifferences,
  UncomparedBetween,
} from '../plan/compare/compare-states.ts';
import { hasUnread, type FieldDifference } from '../model/field-difference.ts';
import { HIDDEN } from '../model/secrets/hidden.ts';
import type { Selection } from '../plan/change/plan.ts';
import { describeProblem } from './problem-record.ts';
import { resultOf } from './verdict.ts';

/** One of the two that are compared. */
export type SourceRecord = Plain<typeof source>;

export type DiffReport = Plain<typeof diffReport>;

/** How two sources differ. */
export type Comparison = Pick<SplitDifferences, 'differences' | 'expected'> &
  Pick<Compared, 'same' | 'unselected'> & {
    readonly selection: Selection;
    readonly uncompared: readonly UncomparedBetween[];
    /** Fields and objects that rules of the environment ignore on its gateway. */
    readonly ignored: number;
    /** Objects on a gateway that the files beside it do not manage. */
    readonly unmanaged: number;
  };

/** `comparison` is undefined when problems left nothing to compare. */
export function makeDiffReport(
  { from, to }: Pick<DiffReport, 'from' | 'to'>,
  comparison: Comparison | undefined,
  problems: readonly LocatedProblem[],
): DiffReport {
  const { differences, expected, uncompared, selection, unselected, same, ignored, unmanaged } =
    comparison ?? NOTHING;
  const count = (sort: Difference['difference']): number =>
    differences.filter(({ difference }) => difference === sort).length;
  const isNarrowed = selection.target.length + selection.exclude.length > 0;
  return {
    format: 'gwconf/diff-report@1',
    result: resultOf(
      problems,
      comparison !== undefined,
      differences.length > 0 ? 'differs' : uncompared.some(hasUnread) ? 'incomplete' : 'no-differences',
    ),
    from,
    to,
    selection: isNarrowed ? { ...selection, unselected } : undefined,
    summary: {
      onlyFrom: count('only-from'),
      onlyTo: count('only-to'),
      differs: count('differs'),
      same,
      expected: expected.length,
      ignored,
      unmanaged,
      uncompared: uncompared.length,
    },
    differences: differences.map((one) => ({ ...one, ...describe(one) })),
    expected: expected.map((one) => ({ ...one, ...describe(one) })),
    uncompared,
    problems: problems.map(describeProblem),
  };
}

const NOTHING: Comparison = {
  differences: [],
  expected: [],
  uncompared: [],
  selection: { target: [], exclude: [] },
  unselected: 0,
  same: 0,
  ignored: 0,
  unmanaged: 0,
};

type DifferenceRecord = DiffReport['differences'][number];

function describe({ address, fields }: Difference): Pick<DifferenceRecord, 'kind' | 'fields'> {
  return { kind: kindOf(address), fields: fields.map(describeField) };
}

function describeField(field: FieldDifference): DifferenceRecord['fields'][number] {
  const isSecret = field.op === 'set' && field.before === HIDDEN && field.after === HIDDEN;
  return {
    path: field.path,
    ...('before' in field ? { from: field.before } : {}),
    ...('after' in field ? { to: field.after } : {}),
    ...(isSecret ? { secret: true } : {}),
  };
}

/** A field as a plan would change it to make the first side the second. */
export function fieldDifferenceOf({ path, from, to }: DifferenceRecord['fields'][number]): FieldDifference {
  if (from === undefined) return { op: 'add', path, after: to ?? null };
  return to === undefined
    ? { op: 'remove', path, before: from }
    : { op: 'set', path, before: from, after: to };
}

/** Why something was not compared. */
export function wordsOf(one: UncomparedBetween, report: Pick<DiffReport, 'from' | 'to'>): string {
  switch (one.reason) {
    case 'unavailable':
      return `not available in ${report[one.side].name}${one.objects === 0 ? '' : `, so ${one.objects} not compared`}: ${one.words}`;
    case 'cannot-tell':
      return one.because === 'variable'
        ? `${one.path}: a variable in it has no value here`
        : `${one.path}: a secret, of which a snapshot has a digest only`;
    default:
      return one satisfies never;
  }
}
