import { sameJson, type Json } from '../../model/json/json.ts';
import type { Kind, KindSet } from '../../model/kind.ts';
import { comparable, comparableWhole, isAsWanted } from '../../model/normal/normal-form.ts';
import { kindOf, type Resource } from '../../model/resource.ts';
import type { FieldDifference } from '../../model/field-difference.ts';
import { HIDDEN } from '../../model/secrets/hidden.ts';
import { cutWithin } from '../../model/text/list.ts';
import { diffFields } from '../../plan/diff/diff.ts';
import type { Change } from '../../plan/change/change.ts';
import { hideSecrets } from '../../plan/secrets/redact.ts';
import { printJson } from '../../model/json/json-text.ts';

/** Whether the live object is as wanted; `undefined` is an object that does not exist. */
export function isSame(kind: Kind, live: Resource | undefined, wanted: Resource | undefined): boolean {
  if (live === undefined || wanted === undefined) return live === wanted;
  return isAsWanted(kind, live, wanted);
}

const SHOWN = 3;

/** How the live object differs from the plan, as a clause without secrets. */
export function describeMismatch(change: Change, live: Resource | undefined, kinds: KindSet): string {
  if (live === undefined) return 'it does not exist';
  const kind = kinds.get(kindOf(change.address));
  if (change.action === 'delete' || kind === undefined) return 'it still exists';
  const fields = diffFields(comparable(kind, live), comparable(kind, change.after), kind.sets(change.after));
  const shown = hideSecrets({ ...change, action: 'update' as const, before: live, fields }, kinds);
  return joinClauses(shown.fields.map(describeFound));
}

/** How an object has changed since it was planned, as a clause without secrets. */
export function describeStaleness(
  change: Exclude<Change, { action: 'create' }>,
  now: Resource,
  kind: Kind,
  kinds: KindSet,
): string {
  // A saved plan has its secrets hidden already, so both sides are compared without them.
  const [seen, found] = [change.before, now].map(
    (before) => hideSecrets({ ...change, before }, kinds).before,
  );
  if (seen === undefined || found === undefined) return '';
  const fields = diffFields(comparableWhole(kind, seen), comparableWhole(kind, found), kind.sets(now));
  if (fields.length > 0) return joinClauses(pairMoves(fields).map(describeFieldChange));
  // Of what a run has left halfway, only a digest is known.
  return sameJson(change.before, now)
    ? 'it is neither as the run found it nor as it left it'
    : 'a secret in it has changed';
}

/** A value that was removed and one that was added at the same place of a list are one change. */
function pairMoves(fields: readonly FieldDifference[]): readonly FieldDifference[] {
  const removed = new Map(
    fields.flatMap((field) => (field.op === 'remove' ? [[field.path, field.before]] : [])),
  );
  const added = new Set(fields.flatMap(({ op, path }) => (op === 'add' ? [path] : [])));
  return fields.flatMap((field): readonly FieldDifference[] => {
    const { op, path } = field;
    const before = removed.get(path);
    if (op === 'add' && before !== undefined) return [{ op: 'set', path, before, after: field.after }];
    return op === 'remove' && added.has(path) ? [] : [field];
  });
}

function joinClauses(texts: readonly string[]): string {
  const rest = texts.length - SHOWN;
  return [...texts.slice(0, SHOWN), ...(rest > 0 ? [`${rest} more differ`] : [])].join(', ');
}

function describeFound(field: FieldDifference): string {
  return field.op === 'add' ? `${field.path} is not set` : `${field.path} is ${shorten(field.before)}`;
}

function describeFieldChange(field: FieldDifference): string {
  switch (field.op) {
    case 'add':
      return `${field.path} is now ${shorten(field.after)}`;
    case 'remove':
      return `${field.path} is no longer set (was ${shorten(field.before)})`;
    case 'set':
      return `${field.path} is now ${field.before === HIDDEN ? HIDDEN : shorten(field.after)} (was ${shorten(field.before)})`;
    default:
      return field satisfies never;
  }
}

function shorten(value: Json): string {
  return cutWithin(value === HIDDEN ? value : printJson(value), 80);
}
