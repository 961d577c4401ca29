import type { KindSet } from '../../model/kind.ts';
import { redact, type ShownPlan } from '../secrets/redact.ts';
import { unpackEffects, unpackExposures } from './saved-effects.ts';
import type { SavedPlan } from './saved-plan.ts';

/** A saved plan for renderers. */
export function redactSaved(saved: SavedPlan, kinds: KindSet): ShownPlan {
  const { effects, exposures, summary: counts, ...plan } = saved;
  return redact(
    {
      ...plan,
      counts,
      ...(effects === undefined ? {} : { effects: unpackEffects(effects) }),
      ...(exposures === undefined ? {} : { exposures: unpackExposures(exposures) }),
    },
    kinds,
  );
}
