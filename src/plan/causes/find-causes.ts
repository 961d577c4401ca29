import { joinPointer, sameJson, type Json } from '../../model/json/json.ts';
import { knownKind, type KindSet } from '../../model/kind.ts';
import type { Problem } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import { CAUSES, type Cause, fieldId, isStep, type Change, type DraftChange } from '../change/plan.ts';
import type { FieldDifference } from '../../model/field-difference.ts';
import { type Finding, type Spot, differingPlaces, overlaps, placeOfField } from './history.ts';

/** The cause of a change, and of its fields where they differ. */
type Caused = Required<Pick<Change, 'cause'>> & Pick<Change, 'fieldCauses'>;

/** What a commit would change on the same gateway, by address. */
export type BaseChanges = ReadonlyMap<Address, DraftChange>;

/** What the base would do with an object; each of several commits, if all of them have to do the same. */
export type BasesOf = (address: Address) => readonly (DraftChange | undefined)[];

/** What is not as the base has it either: only a history tells why. */
export function spotsToExplain(
  changes: readonly Change[],
  basesOf: BasesOf,
  kinds: KindSet,
): readonly Spot[] {
  const spots: Spot[] = [];
  for (const change of changes)
    if (!isStep(change))
      causeOf(change, basesOf(change.address), kinds, (spot) => {
        spots.push(spot);
        return 'unclear';
      });
  return spots;
}

/** The changes with their causes. */
export function withCauses(
  changes: readonly Change[],
  basesOf: BasesOf,
  kinds: KindSet,
  find: (spot: Spot) => Finding,
): readonly Change[] {
  const caused = new Map<Address, Caused>();
  for (const change of changes)
    if (!isStep(change)) caused.set(change.address, causeOf(change, basesOf(change.address), kinds, find));
  return changes.map((change) => {
    const own = caused.get(change.address) ?? BRANCH;
    return isStep(change) ? { ...change, ...ofStep(own) } : { ...change, ...own };
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
  bases: readonly (DraftChange | undefined)[],
  kinds: KindSet,
  find: (spot: Spot) => Finding,
): Caused {
  const { address } = change;
  switch (change.action) {
    case 'create': {
      const creates = bases.filter((base) => base?.action === 'create');
      if (creates.length < bases.length) return BRANCH;
      const own = new Set(creates.flatMap((base) => [...keysOfBranch(change, base, kinds)]));
      const cause = toCause(find({ address }));
      const keys = Object.keys(change.after.spec);
      if ([...own].some((key) => !keys.includes(key))) return BRANCH; // it leaves a field out, which no field shows
      const causes = keys.map((key): readonly [string, Cause] => {
        return [fieldId({ op: 'add', path: joinPointer('/spec', key) }), own.has(key) ? 'branch' : cause];
      });
      return merge(causes, cause);
    }
    case 'delete':
      return bases.every((base) => base?.action === 'delete')
        ? { cause: toCause(find({ address })) }
        : BRANCH;
    case 'update':
    case 'replace': {
      const edits = bases.filter((base) => base?.action === 'update' || base?.action === 'replace');
      return edits.length < bases.length ? BRANCH : causeOfFields(change, edits, find);
    }
    default:
      return change satisfies never;
  }
}

const BRANCH: Caused = { cause: 'branch' };

type Edit = Extract<Change, { readonly fields: unknown }>;
type BaseEdit = Extract<DraftChange, { readonly fields: unknown }>;

function causeOfFields(change: Edit, bases: readonly BaseEdit[], find: (spot: Spot) => Finding): Caused {
  const { address, fields, before, after, verdicts = {} } = change;
  const inBases = bases.map((base) =>
    base.fields.map((field) => ({ field, place: placeOfField(field, base.before, base.after) })),
  );
  const causes: (readonly [string, Cause])[] = [];
  for (const field of fields) {
    if (verdicts[field.path] === 'cannot-tell') continue; // sent beside the others, whatever it was
    const place = placeOfField(field, before, after);
    const same = inBases.map((inBase) =>
      inBase.find(({ field: one, place: at }) => isSameField(one, field) && isEqual(at, place)),
    );
    const [first] = same;
    const isOwn = first === undefined || same.includes(undefined);
    const cause = isOwn ? 'branch' : toCause(find({ address, place, path: first.field.path }));
    causes.push([fieldId(field), cause]);
  }
  return merge(causes, 'base-or-drift');
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
  'base-or-drift': 'apply what is merged, or look with gwconf drift who changed the gateway',
};

/** A problem for each cause that is not wanted and that changes have. */
export function checkCauses(changes: readonly Change[], unwanted: readonly Cause[]): readonly Problem[] {
  return [...new Set(unwanted)].flatMap((cause): readonly Problem[] => {
    const found = changes.filter((change) => !isStep(change) && hasCause(change, cause));
    if (found.length === 0) return [];
    const names = found.slice(0, MOST_NAMES).map(({ address }) => address);
    const more = found.length > names.length ? ` and ${found.length - names.length} more` : '';
    const count = found.length === 1 ? 'a change has' : `${found.length} changes have`;
    return [
      {
        code: 'unwanted-cause',
        severity: 'error',
        message: `${count} the cause ${cause}, which --fail-on names: ${names.join(', ')}${more}`,
        hint: CURES[cause],
      },
    ];
  });
}
