import { once } from '../../model/collect.ts';
import { listSome } from '../../model/text/list.ts';
import { joinPointer, sameJson, type Json } from '../../model/json/json.ts';
import { knownKind, type KindSet } from '../../model/kind.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import { CAUSES, type Cause, fieldId, isStep, type Change, type DraftChange } from '../change/change.ts';
import type { FieldDifference } from '../../model/field-difference.ts';
import { makeBridge } from '../order/extra-steps.ts';
import type { Finding, FieldOrObject } from './history.ts';
import { differingPlaces, overlaps, placeOfField, type FieldPlace } from './places.ts';

/** The cause of a change, and of its fields where they differ. */
type Caused = Required<Pick<Change, 'cause'>> & Pick<Change, 'fieldCauses'>;

/** What a commit would change on the same gateway, by address. */
export type BaseChanges = ReadonlyMap<Address, DraftChange>;

/** What others than the branch would do with an object. */
export type Bases = {
  /** The commit that the branch began at. */
  readonly start: DraftChange | undefined;
  /** The commit that the ref names, which is the same unless the branch is behind. */
  readonly tip: DraftChange | undefined;
  /** Whether the branch has moved its document: a merge takes the move, and all that is in it. */
  readonly isMoved: boolean;
};
export type BasesOf = (change: Change) => Bases;

/** The fields and objects that are not as the base has them either: only a history tells why. */
export function findUnexplained(
  changes: readonly Change[],
  basesOf: BasesOf,
  kinds: KindSet,
): readonly FieldOrObject[] {
  const unexplained: FieldOrObject[] = [];
  for (const change of changes)
    if (!isStep(change))
      causeOf(change, basesOf(change), kinds, (fieldOrObject) => {
        unexplained.push(fieldOrObject);
        return 'unclear';
      });
  return unexplained;
}

export function withCauses(
  changes: readonly Change[],
  basesOf: BasesOf,
  kinds: KindSet,
  find: (fieldOrObject: FieldOrObject) => Finding,
): readonly Change[] {
  const caused = new Map<Address, Caused>();
  for (const change of changes)
    if (!isStep(change)) caused.set(change.address, causeOf(change, basesOf(change), kinds, find));
  const bridged = once(
    () =>
      new Map(
        changes.flatMap((change) => {
          const copy = makeBridge(change, kinds)?.create.address;
          return copy === undefined ? [] : [[copy, change.address] as const];
        }),
      ),
  );
  return changes.map((change) => {
    if (!isStep(change)) return { ...change, ...caused.get(change.address) };
    const own = caused.get(change.address) ?? caused.get(bridged().get(change.address) ?? change.address);
    return { ...change, ...ofStep(own ?? BRANCH) };
  });
}

/** An extra step has the cause of its change that matters most. */
function ofStep({ cause, fieldCauses = {} }: Caused): Caused {
  if (cause !== 'mixed') return { cause };
  const all = Object.values(fieldCauses);
  return { cause: CAUSES.find((one) => all.includes(one)) ?? 'branch' };
}

function causeOf(
  change: Change,
  bases: Bases,
  kinds: KindSet,
  find: (fieldOrObject: FieldOrObject) => Finding,
): Caused {
  const { address } = change;
  const { start, tip } = bases;
  const gone: Cause = bases.isMoved ? 'branch' : 'behind';
  switch (change.action) {
    case 'create': {
      if (start?.action !== 'create') return BRANCH;
      const isPending = tip?.action === 'create';
      const cause = isPending ? toCause(find({ address })) : gone;
      const keys = Object.keys(change.after.spec);
      const own = keysOfBranch(change, start, kinds);
      const moved = isPending ? keysOfBranch(change, tip, kinds) : new Set<string>();
      // It leaves a field out, which no field shows.
      if ([...own].some((key) => !keys.includes(key))) return BRANCH;
      if ([...moved].some((key) => !keys.includes(key))) return { cause: gone };
      const causes = keys.map((key): readonly [string, Cause] => {
        const its = own.has(key) ? 'branch' : moved.has(key) ? gone : cause;
        return [fieldId({ op: 'add', path: joinPointer('/spec', key) }), its];
      });
      return merge(causes, cause);
    }
    case 'delete':
      if (start?.action !== 'delete') return BRANCH;
      return { cause: tip?.action === 'delete' ? toCause(find({ address })) : gone };
    case 'update':
    case 'replace':
      return isEdit(start) ? causeOfFields(change, start, isEdit(tip) ? tip : undefined, gone, find) : BRANCH;
    default:
      return change satisfies never;
  }
}

const BRANCH: Caused = { cause: 'branch' };

type BaseEdit = Extract<DraftChange, { readonly fields: unknown }>;

function isEdit(base: DraftChange | undefined): base is BaseEdit {
  return base?.action === 'update' || base?.action === 'replace';
}

function causeOfFields(
  { address, fields, before, after }: Extract<Change, { readonly fields: unknown }>,
  start: BaseEdit,
  tip: BaseEdit | undefined,
  gone: Cause,
  find: (fieldOrObject: FieldOrObject) => Finding,
): Caused {
  const causes: (readonly [string, Cause])[] = [];
  const [atStart, atTip] = [finderOf(start), tip === start ? undefined : finderOf(tip)];
  for (const field of fields) {
    const place = placeOfField(field, before, after);
    const old = atStart(field, place);
    const same = atTip === undefined ? old : atTip(field, place);
    const its =
      same === undefined
        ? gone
        : toCause(find({ address, place, path: same.path, isUnset: field.op === 'add' }));
    causes.push([fieldId(field), old === undefined ? 'branch' : its]);
  }
  return merge(causes, 'base-or-drift');
}

/** Finds a field that a base changes in the same way. */
function finderOf(
  base: BaseEdit | undefined,
): (field: FieldDifference, place: FieldPlace) => FieldDifference | undefined {
  const all =
    base?.fields.map((field) => ({ field, at: placeOfField(field, base.before, base.after) })) ?? [];
  return (field, place) =>
    all.find(({ field: one, at }) => isSameField(one, field) && isEqual(at, place))?.field;
}

function isSameField(one: FieldDifference, other: FieldDifference): boolean {
  const afterOf = (field: FieldDifference): Json | undefined => ('after' in field ? field.after : undefined);
  return one.op === other.op && sameJson(afterOf(one), afterOf(other));
}

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && overlaps(one, other);
}

/** The keys of the spec that the branch declares otherwise than the base. */
function keysOfBranch(
  change: Extract<Change, { readonly action: 'create' }>,
  base: Extract<DraftChange, { readonly action: 'create' }>,
  kinds: KindSet,
): ReadonlySet<string> {
  const places = differingPlaces(base.after, change.after, knownKind(change.address, kinds));
  return new Set(places.flatMap(([top, key]) => (top === 'spec' && key !== undefined ? [key] : [])));
}

function toCause(finding: Finding): Cause {
  if (finding === 'pending') return 'base';
  return finding === 'unclear' ? 'base-or-drift' : 'drift';
}

function merge(causes: readonly (readonly [string, Cause])[], otherwise: Cause): Caused {
  const [first = otherwise, ...others] = new Set(causes.map(([, cause]) => cause));
  return others.length === 0 ? { cause: first } : { cause: 'mixed', fieldCauses: Object.fromEntries(causes) };
}

/** Whether a change, or a field of it, has a cause. */
function hasCause(
  { cause, fieldCauses = {} }: Pick<Change, 'cause' | 'fieldCauses'>,
  wanted: Cause,
): boolean {
  return cause === wanted || (cause === 'mixed' && Object.values(fieldCauses).includes(wanted));
}

const MOST_NAMES = 5;

const CURES: Readonly<Record<Cause, string>> = {
  branch: 'leave these changes out of the branch',
  base: 'apply what is merged, then plan again',
  drift:
    'take what is on the gateway into the files with gwconf import --drift, or put it back with gwconf apply on the base',
  behind: 'merge the base into this branch, or rebase it, then plan again',
  'base-or-drift': 'apply what is merged, or look with gwconf drift who changed the gateway',
};

/** A problem for each cause that is not wanted and that changes have. */
export function checkCauses(changes: readonly Change[], unwanted: readonly Cause[]): readonly Problem[] {
  return [...new Set(unwanted)].flatMap((cause): readonly Problem[] => {
    const found = changes.filter((change) => !isStep(change) && hasCause(change, cause));
    if (found.length === 0) return [];
    const names = listSome(
      found.map(({ address }) => address),
      MOST_NAMES,
    );
    const count = found.length === 1 ? 'a change has' : `${found.length} changes have`;
    return [
      makeProblem({
        code: 'unwanted-cause',
        message: `${count} the cause ${cause}, which --fail-on names: ${names}`,
        hint: CURES[cause],
      }),
    ];
  });
}
