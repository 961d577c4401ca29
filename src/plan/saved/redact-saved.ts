import type { KindSet } from '../../model/kind.ts';
import { redact, type ShownPlan } from '../secrets/redact.ts';
import { unpackEffects, unpackExposures } from './saved-effects.ts';
import type { SavedPlan } from './saved-plan.ts';

/** A saved plan for renderers; `now` is what its changes mean for principals now, in place of what it says itself. */
export function redactSaved(
  { effects = [], exposures = [], summary: counts, ...plan }: SavedPlan,
  kinds: KindSet,
  now: Required<Pick<ShownPlan, 'effects' | 'exposures'>> = {
    effects: unpackEffects(effects),
    exposures: unpackExposures(exposures),
  },
): ShownPlan {
  return redact(
    {
      ...plan,
      counts,
      ...(now.effects.length === 0 ? {} : { effects: now.effects }),
      ...(now.exposures.length === 0 ? {} : { exposures: now.exposures }),
    },
    kinds,
  );
}
