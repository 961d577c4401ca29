import type { JsonObject } from '../../model/json/json.ts';
import { rulesOf } from '../rules/rules.ts';
import type { State } from '../state/state.ts';
import { formatValue } from '../responses/text.ts';
import { ROLES } from '../responses/wording.ts';

/** Counts of resources (gateway-api A.8). There is no traffic, so no topic is ever covered. */
export function countUsage({ kinds, store, version }: State): JsonObject {
  const instances = new Map<string, number>();
  for (const { spec } of store.all(ROLES.interceptor)) {
    const className = formatValue(spec['pluginClass']);
    instances.set(className, (instances.get(className) ?? 0) + 1);
  }
  const counts = [...kinds.values()].flatMap((kind): (readonly [string, number])[] => {
    const { countedAs } = rulesOf(kind);
    return countedAs === undefined ? [] : [[countedAs, store.count(kind.name)]];
  });
  return {
    interceptors: [...instances].map(([className, instanceCount]) => ({
      className,
      instanceCount,
      topicsCovered: 0,
    })),
    totalInterceptorTypes: instances.size,
    totalInterceptorInstances: store.count(ROLES.interceptor),
    uniqueTopicsCovered: 0,
    ...Object.fromEntries(counts),
    gatewayVersion: version,
    gatewayCommit: 'embedded',
    deploymentMethod: 'embedded',
  };
}
