import type { Plain } from '../model/shape.ts';
import type { change, field } from './shapes/plan.ts';
import { joinPointer, type JsonObject, type Pointer } from '../model/json/json.ts';
import { kindOf } from '../model/resource.ts';
import type { FieldDifference } from '../model/field-difference.ts';
import { CAUSES, type Cause, fieldId, type Change } from '../plan/change/change.ts';

export type ChangeRecord = Plain<typeof change>;

/** A field, with its cause if the change has several: what this branch does comes first. */
export type FieldRecord = Plain<typeof field>;

/** Takes a change whose secrets are hidden. */
export function describeChange(change: Change): ChangeRecord {
  const { action, address, at, stage, dependsOn, reason } = change;
  return {
    action,
    address,
    kind: kindOf(address),
    at,
    stage,
    dependsOn,
    step: 'step' in change ? change.step : undefined,
    reason,
    because: 'because' in change ? change.because : undefined,
    removal: 'removal' in change ? change.removal : undefined,
    movedFrom: 'movedFrom' in change ? change.movedFrom : undefined,
    movedTo: 'movedTo' in change ? change.movedTo : undefined,
    secrets: 'verdicts' in change ? change.verdicts : undefined,
    cause: change.cause,
    fields: withCauses(fieldsOf(change), change),
  };
}

function withCauses(
  fields: readonly FieldDifference[],
  { fieldCauses }: Pick<Change, 'fieldCauses'>,
): readonly FieldRecord[] {
  if (fieldCauses === undefined) return fields;
  const caused = fields.map((field): FieldRecord => ({ ...field, cause: fieldCauses[fieldId(field)] }));
  const rank = ({ cause }: FieldRecord): number =>
    cause === undefined ? CAUSES.length : CAUSES.indexOf(cause);
  return caused.sort((one, other) => rank(one) - rank(other));
}

/** The cause by which a change is shown: of several, the one that matters most to a reviewer of the branch. */
export function mainCauseOf({ cause, fields }: Pick<ChangeRecord, 'cause' | 'fields'>): Cause | undefined {
  return cause === 'mixed' ? CAUSES.find((one) => fields.some((field) => field.cause === one)) : cause;
}

function fieldsOf(change: Change): readonly FieldDifference[] {
  switch (change.action) {
    case 'create':
      return mapSpec(change.after, (path, after) => ({ op: 'add', path, after }));
    case 'delete':
      return mapSpec(change.before, (path, before) => ({ op: 'remove', path, before }));
    case 'update':
    case 'replace':
      return change.fields;
    default:
      return change satisfies never;
  }
}

function mapSpec(
  { spec }: { readonly spec: JsonObject },
  toField: (path: Pointer, value: JsonObject[string]) => FieldDifference,
): readonly FieldDifference[] {
  return Object.entries(spec).map(([key, value]) => toField(joinPointer('/spec', key), value));
}

/** Identifies one change of a plan, as `dependsOn` does: its address, and the extra step where it is one. */
export function nameOf({ address, step }: Pick<ChangeRecord, 'address' | 'step'>): string {
  return step === undefined ? address : `${address} (${step})`;
}
