import { getOrAdd } from '../../model/collect.ts';
import { addressOf, type FoundRisk, type SurveyProblem, type World } from '../../model/kind.ts';
import { defineKind } from '../define-kind.ts';
import { closed, text } from '../closed.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { BACKED_BY_KAFKA, gatewayV2, inVirtualCluster, topicName, vClusterName } from './common.ts';

export type AliasTopic = Resource<
  'AliasTopic',
  { readonly name: string; readonly vCluster?: string },
  { readonly physicalName: string; readonly physicalCluster?: string }
>;

type AliasFields = {
  readonly metadata: { readonly vCluster?: string };
  readonly spec: { readonly physicalCluster?: string };
};

// gateway-api A.6 AliasTopic
export const aliasTopic = defineKind<AliasTopic>({
  name: 'AliasTopic',
  summary: 'An alias of a topic, in one virtual cluster.',
  ...gatewayV2('alias-topic'),
  ...inVirtualCluster,
  topics: { by: 'name', at: '/metadata/name' },
  removal: 'body',
  schema: {
    metadata: closed(['name'], {
      name: { ...topicName, description: 'The name that clients use.' },
      vCluster: vClusterName,
    }),
    spec: closed(['physicalName'], {
      physicalName: { ...topicName, description: 'The physical topic; not another alias.' },
      physicalCluster: {
        ...text,
        description:
          'The physical cluster; always main in a Standard virtual cluster. Immutable. Default: main.',
      },
    }),
  },
  example: {
    apiVersion: 'gateway/v2',
    kind: 'AliasTopic',
    metadata: { name: 'orders', vCluster: 'prod' },
    spec: { physicalName: 'orders-v3' },
  },
  columns: [
    { title: 'PHYSICAL NAME', at: '/spec/physicalName' },
    { title: 'PHYSICAL CLUSTER', at: '/spec/physicalCluster' },
  ],
  defaults: { '/metadata/vCluster': 'passthrough', '/spec/physicalCluster': 'main' },
  shown: ['/spec/physicalCluster'],
  immutable: ['/spec/physicalCluster'],
  agree: { on: '/spec/physicalCluster', within: '/metadata/vCluster' },
  absentIn: BACKED_BY_KAFKA,
  standsFor: ['/spec/physicalName', '/spec/physicalCluster'],
  risks: findRisks,
  ages: [{ at: ['spec', 'physicalCluster'], it: { since: '3.5.0' } }],
  survey: (survey) => survey(['/metadata/vCluster', '/spec/physicalCluster'], physicalClusters),
});

// Its clients go on under the same name, with what they have committed and produced there.
function findRisks(before: AliasTopic | undefined, after: AliasTopic | undefined): readonly FoundRisk[] {
  if (before === undefined || after === undefined) return [];
  const [was, is] = [before, after].map(({ spec }) => spec);
  const [from = 'main', to = 'main'] = [was?.physicalCluster, is?.physicalCluster];
  if (from === to && was?.physicalName === is?.physicalName) return [];
  const where = from === to ? 'leads to another topic' : 'is on another physical cluster';
  return [{ risk: 'other-data', message: `${where} after this: its clients read and write other data` }];
}

// A Standard virtual cluster has its topics on main; all aliases of a Partner one are on the same (gateway-api A.6).
function physicalClusters(mine: ReadonlyMap<Address, AliasFields>, world: World): readonly SurveyProblem[] {
  const first = new Map<string, Address>();
  return [...mine].flatMap(([address, { metadata, spec }]): readonly SurveyProblem[] => {
    const home = addressOf('VirtualCluster', metadata.vCluster ?? '');
    const type = world.get(home)?.spec['type'];
    const cluster = spec.physicalCluster ?? 'main';
    const finding = (message: string, hint: string): SurveyProblem => ({
      code: 'physical-cluster',
      address,
      path: '/spec/physicalCluster',
      message,
      hint,
    });
    if (type === 'Partner') {
      const other = getOrAdd(first, home, () => address);
      const there = mine.get(other)?.spec.physicalCluster ?? 'main';
      if (there === cluster) return [];
      const message = `${address} is on ${cluster} and ${other} on ${there}; all aliases of a Partner virtual cluster must be on the same physical cluster`;
      return [
        {
          ...finding(message, `put both on ${there}`),
          also: { address: other, path: '/spec/physicalCluster' },
        },
      ];
    }
    const standard = type === 'Standard' || metadata.vCluster === 'passthrough';
    if (!standard || cluster === 'main') return [];
    const message = `${address} is on ${cluster}, but a Standard virtual cluster has all its topics on main`;
    return [finding(message, 'remove physicalCluster, or set type: Partner on the virtual cluster')];
  });
}
