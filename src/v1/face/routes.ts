import { atLeast } from '../../model/text/version.ts';
import type { Operation } from '../../emulator/api/route.ts';
import type { State } from '../../emulator/state/state.ts';
import { makeConcentrationRules } from './concentration-rules.ts';
import { makeInterceptors } from './interceptors.ts';
import { makePhysicalClusters } from './physical-clusters.ts';
import { makePlugins } from './plugins.ts';
import { makeTopics } from './topics.ts';
import { makeUserMappings } from './user-mappings.ts';
import { makeVirtualClusters } from './virtual-clusters.ts';

/** v1, which was removed in 3.21.0 (gateway-api C): another view of the same resources. */
export function makeV1Routes(state: State): readonly Operation[] {
  if (atLeast(state.version, '3.21.0')) return [];
  const groups = [
    makeUserMappings,
    makeVirtualClusters,
    makeTopics,
    makeConcentrationRules,
    makeInterceptors,
    makePlugins,
    makePhysicalClusters,
  ];
  return groups.flatMap((make) => make(state));
}
