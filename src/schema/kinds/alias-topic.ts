import { addressOf, type SurveyProblem, type World } from '../../model/kind.ts';
import { defineKind } from '../define-kind.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { checkAges } from '../plugins/ages.ts';
import { BACKED_BY_KAFKA, gatewayV2, vClusterName } from './common.ts';

export type AliasTopic = Resource<
  'AliasTopic',
  { readonly name: string; readonly vCluster?: string },
  { readonly physicalName: string; readonly physicalCluster?: string }
>;

const AGES = [{ at: ['spec', 'physicalCluster'], it: { since: '3.5.0' } }];

// gateway-api A.6 AliasTopic
export const aliasTopic = defineKind<AliasTopic>({
  name: 'AliasTopic',
  summary: 'A second name for a topic, inside one virtual cluster.',
  ...gatewayV2('alias-topic'),
  removal: 'body',
  schema: {
    metadata: {
      type: 'object',
      required: ['name'],
      additionalProperties: false,
      properties: {
        name: { type: 'string', pattern: '^[a-zA-Z0-9._-]+$', description: 'The name that clients see.' },
        vCluster: vClusterName,
      },
    },
    spec: {
      type: 'object',
      required: ['physicalName'],
      additionalProperties: false,
      properties: {
        physicalName: {
          type: 'string',
          pattern: '^[a-zA-Z0-9._-]+$',
          description: 'A real topic, not another alias.',
        },
        physicalCluster: {
          type: 'string',
          minLength: 1,
          description: 'Only main in a Standard virtual cluster. It cannot be changed. Default: main.',
        },
      },
    },
  },
  example: {
    apiVersion: 'gateway/v2',
    kind: 'AliasTopic',
    metadata: { name: 'orders', vCluster: 'prod' },
    spec: { physicalName: 'orders-v3' },
  },
  defaults: { '/metadata/vCluster': 'passthrough', '/spec/physicalCluster': 'main' },
  immutable: ['/spec/physicalCluster'],
  agree: { on: '/spec/physicalCluster', within: '/metadata/vCluster' },
  absentIn: BACKED_BY_KAFKA,
  scope: { vCluster: '/metadata/vCluster' },
  references: ({ metadata }) => [
    { to: addressOf('VirtualCluster', metadata.vCluster ?? ''), path: '/metadata/vCluster' },
  ],
  ages: AGES,
  check: (alias, context) => checkAges(AGES, alias, context),
  survey: physicalClusters,
});

// A Standard virtual cluster has its topics on main; all aliases of a Partner one are on the same (gateway-api A.6).
function physicalClusters(mine: ReadonlyMap<Address, AliasTopic>, world: World): readonly SurveyProblem[] {
  const first = new Map<string, Address>();
  return [...mine].flatMap(([address, { metadata, spec }]): readonly SurveyProblem[] => {
    const home = addressOf('VirtualCluster', metadata.vCluster ?? '');
    const type = world.get(home)?.spec['type'];
    const cluster = spec.physicalCluster ?? 'main';
    const finding = (message: string, hint: string): SurveyProblem => ({
      code: 'physical-cluster',
      severity: 'error',
      address,
      path: '/spec/physicalCluster',
      message,
      hint,
    });
    if (type === 'Partner') {
      const other = first.get(home) ?? address;
      first.set(home, other);
      const there = mine.get(other)?.spec.physicalCluster ?? 'main';
      if (there === cluster) return [];
      const message = `${address} is on ${cluster} and ${other} on ${there}; all aliases of a Partner virtual cluster are on one`;
      return [
        {
          ...finding(message, `put both on ${there}`),
          also: { address: other, path: '/spec/physicalCluster' },
        },
      ];
    }
    const standard = type === 'Standard' || metadata.vCluster === 'passthrough';
    if (!standard || cluster === 'main') return [];
    const message = `${address} is on ${cluster}, but its virtual cluster is Standard and has its topics on main`;
    return [finding(message, 'take physicalCluster out, or make the virtual cluster type: Partner')];
  });
}
