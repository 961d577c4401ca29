import type { JsonObject } from '../../src/model/json/json.ts';
import type { Resource } from '../../src/model/resource.ts';
import { resource } from './kinds.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { stateOf } from './expect-problems.ts';
import { fileOf, liveStateOf } from './plans.ts';

export const PROD = { vCluster: 'prod' };

export const mask = (
  name: string,
  topic: string,
  fields: readonly string[],
  scope: JsonObject = PROD,
): Resource =>
  resource(
    'Interceptor',
    { name, scope },
    {
      pluginClass: 'io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin',
      priority: 1,
      config: { topic, policies: [{ name: 'p', rule: { type: 'MASK_ALL' }, fields }] },
    },
  );
export const group = (...members: readonly string[]): Resource =>
  resource(
    'GatewayGroup',
    { name: 'g' },
    { members: members.map((name) => ({ name, ...PROD })), externalGroups: [] },
  );
export const WORLD = [
  resource('VirtualCluster', { name: 'prod' }, {}),
  ...['bob', 'eve'].map((name) => resource('GatewayServiceAccount', { name, ...PROD }, { type: 'LOCAL' })),
];

/** The plan from these live resources to the wanted ones, beside those of `world`; `$NAME` is a variable. */
export function planned(
  live: readonly Resource[],
  wanted: readonly Resource[],
  variables = {},
  world: readonly Resource[] = WORLD,
) {
  const text = fileOf(...world, ...wanted).replaceAll(/"?\$(\w+)"?/g, '${$1}');
  const { value, problems } = makePlan(
    stateOf(text, { variables }),
    liveStateOf([...world, ...live]),
    catalog.kinds,
    { gateway: 'memory:', prune: ['*'] },
  );
  return {
    plan: value,
    problems,
    order: value.changes.map(({ action, address }) => `${action} ${address}`),
    told: problems.flatMap(({ code, message }) => (code === 'weakened-protection' ? [message] : [])),
  };
}
