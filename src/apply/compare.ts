import { sameJson } from '../model/json.ts';
import type { Kind, KindSet } from '../model/kind.ts';
import { comparable, normalForm } from '../model/normal-form.ts';
import { kindOf, type Resource } from '../model/resource.ts';
import { diffFields } from '../plan/diff.ts';
import type { Change, FieldChange } from '../plan/plan.ts';
import { hideSecrets } from '../plan/redact.ts';

/** Whether two resources mean the same, or are both not there. */
export function same(kind: Kind, one: Resource | undefined, other: Resource | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return sameJson(normalForm(kind, one), normalForm(kind, other));
}

const SHOWN = 3;

/** What is there instead of what a change asks for, as a clause without a secret. */
export function insteadText(change: Change, live: Resource | undefined, kinds: KindSet): string {
  if (live === undefined) return 'it is not there';
  const kind = kinds.get(kindOf(change.address));
  if (change.action === 'delete' || kind === undefined) return 'it is still there';
  const fields = diffFields(comparable(kind, live), comparable(kind, change.after), kind.sets(change.after));
  const { address, dependsOn, stage, after, templates } = change;
  const shown = hideSecrets(
    {
      address,
      dependsOn,
      stage,
      action: 'update',
      before: live,
      after,
      fields,
      ...(templates === undefined ? {} : { templates }),
    },
    kinds,
  ).fields;
  const rest = shown.length - SHOWN;
  return [...shown.slice(0, SHOWN).map(fieldText), ...(rest > 0 ? [`${rest} more differ`] : [])].join(', ');
}

function fieldText(field: FieldChange): string {
  if (field.op === 'add') return `${field.path} is not there`;
  const text = JSON.stringify(field.before);
  return `${field.path} is ${text.length > 80 ? `${text.slice(0, 79)}…` : text}`;
}
