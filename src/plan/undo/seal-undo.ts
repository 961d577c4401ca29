import type { Pointer } from '../../model/json/json.ts';
import { knownKind, type KindSet } from '../../model/kind.ts';
import { normalForm } from '../../model/normal/normal-form.ts';
import { anyItem } from '../../model/secrets/secrets.ts';
import { slowDigester, type Digester } from '../saved/digest.ts';
import { countChanges, isStep, type Change } from '../change/plan.ts';
import {
  basisOf,
  PLAN_FORMAT,
  sealWith,
  type OpenPlan,
  type SavedChange,
  type SavedPlan,
  type SecretSource,
} from '../saved/saved-plan.ts';
import type { Undo } from './undo.ts';

/**
 * Converts an undo to a saved plan for the same gateway and environment, stored beside the journal of `run`. Apply checks that
 * each object has the result of the run, or that of an extra step.
 */
export function sealUndo(
  undo: Undo,
  run: string,
  kinds: KindSet,
  about: Pick<SavedPlan, 'tool' | 'createdAt' | 'salt' | 'environment' | 'gateway' | 'origin' | 'undoesPlan'>,
  slow: Digester = slowDigester(about.salt),
): OpenPlan {
  const nothing = { unclaimed: [], unmanaged: [], ignored: [] };
  return {
    format: PLAN_FORMAT,
    ...about,
    undoes: { run, losses: undo.losses },
    selection: { target: [], exclude: [] },
    summary: countChanges({ ...nothing, changes: undo.changes, unchanged: [] }),
    changes: undo.changes.map((change) => sealChange(change, undo, kinds, slow)),
    ...nothing,
    relies: [],
    unselected: 0,
    managed: {},
  };
}

function sealChange(
  change: Change,
  { reversals, halfway }: Undo,
  kinds: KindSet,
  slow: Digester,
): SavedChange {
  const { address } = change;
  const kind = knownKind(address, kinds);
  // Fields that the gateway adds are unknown in advance, so only known fields are checked.
  const between = halfway.get(address);
  const origins = reversals.get(address)?.origins;
  const checks = {
    ...('before' in change
      ? { result: basisOf(kind, change.before, change, { slow, form: normalForm }) }
      : {}),
    ...(between === undefined ? {} : { halfway: basisOf(kind, between, change, { slow, form: normalForm }) }),
  };
  const originOf = (pointer: Pointer): Partial<SecretSource> =>
    isStep(change) ? { live: anyItem(pointer) } : (origins?.get(pointer) ?? {});
  return sealWith(change, kind, { checks, slow, originOf });
}
