import type { EmbeddedGateway } from '../../src/emulator/memory.ts';
import type { Options } from '../../src/emulator/embedded-state.ts';
import type { Gateway } from '../../src/gateway/gateway.ts';
import { readLive } from '../../src/gateway/read-live.ts';
import { hasErrors } from '../../src/model/problem.ts';
import type { Resource } from '../../src/model/resource.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import type { Plan } from '../../src/plan/change/plan.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { stateOf } from './expect-problems.ts';
import { examplesNeededBy, resource, writableKinds } from './kinds.ts';
import { fileOf } from './plans.ts';
import { accountIn, cluster, group, interceptor } from './resources.ts';
import { gatewayWith } from './watched.ts';

/** What a plan of about sixty writes begins with, and what it is for: every kind, every action, a name that moves. */
export const BEFORE: readonly Resource[] = [
  cluster('old'),
  ...names('shared', 3).map((name) => partner(name)),
  ...names('kept', 4).map((name) => cluster(name)),
  ...names('changed', 4).map((name) => alias(name, 'kept-1', 'before')),
  ...names('gone', 6).map((name) => alias(name, 'old', 'before')),
  ...names('shared', 3).map((name) => alias('moved', name, 'before', 'main')),
  rule('folded', 'kept-1', 'before'),
  rule('unfolded', 'old', 'before'),
  ...names('user', 4).map((name) => accountIn('kept-1', name, `${name}-before`)),
  accountIn('kept-2', 'giver', 'the-name'),
  accountIn('kept-2', 'leaver', 'leaver'),
  group('team', { name: 'user-1', vCluster: 'kept-1' }, { name: 'user-2', vCluster: 'kept-1' }),
  group('leavers', { name: 'leaver', vCluster: 'kept-2' }),
  ...names('mask', 3).map((name) => scoped(name, { vCluster: 'kept-1' }, 'before')),
  ...names('drop', 3).map((name) => scoped(name, { group: 'leavers' }, 'before')),
];

const LISTED: readonly Resource[] = [
  ...names('shared', 3).map((name) => partner(name)),
  ...names('kept', 4).map((name) => cluster(name)),
  ...names('new', 4).map((name) => cluster(name)),
  ...names('changed', 4).map((name) => alias(name, 'kept-1', 'after')),
  ...names('made', 10).map((name) => alias(name, 'new-1', 'after')),
  ...names('shared', 3).map((name) => alias('moved', name, 'before', 'second')),
  rule('folded', 'kept-1', 'after'),
  rule('creased', 'new-2', 'after'),
  ...names('user', 4).map((name) => accountIn('kept-1', name, `${name}-after`)),
  ...names('guest', 6).map((name) => accountIn('new-3', name, name)),
  accountIn('kept-2', 'taker', 'the-name'),
  group('team', { name: 'user-1', vCluster: 'kept-1' }, { name: 'guest-1', vCluster: 'new-3' }),
  group('guests', { name: 'guest-2', vCluster: 'new-3' }, { name: 'guest-3', vCluster: 'new-3' }),
  ...names('mask', 3).map((name) => scoped(name, { vCluster: 'kept-1' }, 'after')),
  ...names('mask', 3).map((name) => scoped(name, { group: 'guests' }, 'after')),
  scoped('mask-1', { username: 'guest-1' }, 'after'),
];
// Other kinds are there with their examples.
const listed = new Set(LISTED.map(({ kind }) => kind));
const others = writableKinds.filter(({ name }) => !listed.has(name));
const examples = new Set(others.flatMap((kind) => [...examplesNeededBy(kind), kind.example]));

export const AFTER: readonly Resource[] = [...LISTED, ...examples];
export const DESIRED = stateOf(fileOf(...AFTER));
export const PHYSICAL_CLUSTERS = ['main', 'second'];

/** A gateway before the plan. */
export function gatewayBefore(options: Options = {}): Promise<EmbeddedGateway> {
  return gatewayWith(BEFORE, { physicalClusters: PHYSICAL_CLUSTERS, ...options });
}

/** What is left to do on a gateway. */
export async function planLeft(gateway: Gateway): Promise<Plan> {
  const { kinds } = catalog;
  const live = await readLive(gateway, [...kinds.values()]);
  const { value, problems } = makePlan(DESIRED, live, kinds, { gateway: gateway.url, prune: ['*'] });
  if (hasErrors(problems)) throw new Error(problems.map(({ message }) => message).join('\n'));
  return value;
}

function names(stem: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `${stem}-${at + 1}`);
}

function partner(name: string): Resource {
  return resource('VirtualCluster', { name }, { type: 'Partner', aclEnabled: true, superUsers: ['admin'] });
}

function alias(name: string, vCluster: string, physicalName: string, physicalCluster?: string): Resource {
  return resource(
    'AliasTopic',
    { name, vCluster },
    { physicalName, ...(physicalCluster === undefined ? {} : { physicalCluster }) },
  );
}

function rule(name: string, vCluster: string, topic: string): Resource {
  return resource(
    'ConcentrationRule',
    { name, vCluster },
    { pattern: `${name}-.*`, physicalTopics: { delete: topic } },
  );
}

function scoped(
  name: string,
  scope: { readonly vCluster?: string; readonly group?: string; readonly username?: string },
  note: string,
): Resource {
  return resource('Interceptor', { name, scope }, interceptor(name, { note }).spec);
}
