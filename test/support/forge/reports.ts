import type { JsonObject } from '../../../src/model/json/json.ts';

/** A plan as a JSON report: so many topics are created. */
export function planReport(creates: number, about: JsonObject = {}): JsonObject {
  const names = Array.from({ length: creates }, (_, at) => `AliasTopic/topic-${at}@vCluster=prod`);
  return {
    format: 'gwconf/plan-report@1',
    result: creates > 0 ? 'changes' : 'no-changes',
    gateway: 'https://gateway.example:8888',
    summary: {
      ...{ create: creates, update: 0, replace: 0, delete: 0 },
      ...{ unchanged: 3, unclaimed: 0, unmanaged: 0, ignored: 0 },
    },
    risks: [],
    changes: names.map((address) => ({
      action: 'create',
      address,
      kind: 'AliasTopic',
      stage: 1,
      dependsOn: [],
      fields: [{ op: 'add', path: '/spec/physicalName', after: 'orders-v1' }],
    })),
    unclaimed: [],
    unmanaged: [],
    ignored: [],
    problems: [],
    ...about,
  };
}
