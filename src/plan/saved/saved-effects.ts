import { groupBy, memoize } from '../../model/collect.ts';
import type { Principal } from '../../model/principal.ts';
import type { Effect, Exposure, ShownLink } from '../change/exposure.ts';

type Principals = { readonly principals: readonly Principal[] };

/** Principals with the same chains before and after: together, because there may be 10,000. */
export type SavedEffect = Principals & Pick<Effect, 'before' | 'after'>;
/** Principals that lose the same by the same change. */
export type SavedExposure = Principals & Omit<Exposure, keyof Principal>;

export function packEffects(effects: readonly Effect[]): readonly SavedEffect[] {
  const textOf = memoize((chain: readonly ShownLink[]) => ({ text: JSON.stringify(chain) }));
  const groups = groupBy(effects, ({ before, after }) => `${textOf(before).text} ${textOf(after).text}`);
  return [...groups.values()].map((group) => {
    const [{ before, after }] = group;
    return { principals: group.map(principalOf), before, after };
  });
}

export function packExposures(exposures: readonly Exposure[]): readonly SavedExposure[] {
  const groups = groupBy(exposures, (one) => JSON.stringify(withoutPrincipal(one)));
  return [...groups.values()].map((group) => ({
    principals: group.map(principalOf),
    ...withoutPrincipal(group[0]),
  }));
}

export function unpackEffects(effects: readonly SavedEffect[]): readonly Effect[] {
  return effects.flatMap(({ principals, ...chains }) => principals.map((one) => ({ ...one, ...chains })));
}

export function unpackExposures(exposures: readonly SavedExposure[]): readonly Exposure[] {
  return exposures.flatMap(({ principals, ...loss }) => principals.map((one) => ({ ...one, ...loss })));
}

function principalOf({ virtualCluster, username, groups, externalGroup }: Principal): Principal {
  return { virtualCluster, username, groups, ...(externalGroup === undefined ? {} : { externalGroup }) };
}

function withoutPrincipal({
  protection,
  lasting,
  lost,
  from,
  until,
  seconds,
  accepted,
}: Exposure): Omit<Exposure, keyof Principal> {
  return {
    protection,
    lasting,
    lost,
    from,
    ...(until === undefined ? {} : { until }),
    ...(seconds === undefined ? {} : { seconds }),
    ...(accepted === undefined ? {} : { accepted }),
  };
}
