import type { KindSet } from '../../model/kind.ts';
import { identify } from '../../model/identity.ts';
import { declarable, requestBody } from '../../model/normal/normal-form.ts';
import { kindOf } from '../../model/resource.ts';
import { secretPlaces } from '../../model/secrets/secrets.ts';
import { formerSources, type DraftChange } from '../change/plan.ts';

/** The extra steps around an update: a temporary copy of the object as it was is there meanwhile. */
type Bridge = { readonly create: DraftChange; readonly remove: DraftChange };

/** Undefined where the kind has no such copy, or where it would have a secret. */
export function makeBridge(change: DraftChange, kinds: KindSet): Bridge | undefined {
  const kind = kinds.get(kindOf(change.address));
  if (kind?.bridge === undefined || change.action !== 'update' || change.step !== undefined) return undefined;
  const { before, address } = change;
  if (kind.withheld.length > 0 || secretPlaces(kind, before, formerSources(change)).size > 0)
    return undefined;
  const copy = kind.bridge(declarable(kind, before));
  if (copy === undefined) return undefined;
  const after = requestBody(kind, copy);
  const own = identify(kind, after);
  return {
    create: {
      ...{ address: own, action: 'create', step: 'bridge', after },
      reason: `takes the place of ${address} while it changes, so that no principal lacks protection in between`,
    },
    remove: {
      ...{ address: own, action: 'delete', step: 'unbridge', before: after },
      reason: `was only needed while ${address} changed`,
    },
  };
}
