import fc from '../support/fast-check.ts';
import { expect, it } from 'vitest';
import { applyPlan } from '../../src/apply/apply.ts';
import { bindPlan, checkPlan } from '../../src/apply/verify/check-plan.ts';
import { findMisstatements } from '../../src/apply/verify/find-misstatements.ts';
import type { EmbeddedGateway } from '../../src/emulator/memory.ts';
import { readLive } from '../../src/gateway/read-live.ts';
import type { Resource } from '../../src/model/resource.ts';
import { afterOf, idOf, isStep, type Change } from '../../src/plan/change/change.ts';
import { countActions, type Plan } from '../../src/plan/change/plan.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { load } from '../../src/schema/load/load.ts';
import { makePlan, planChanges } from '../../src/plan/make-plan.ts';
import { decodePlan } from '../../src/plan/saved/decode-plan.ts';
import type { SavedPlan } from '../../src/plan/saved/saved-plan.ts';
import { sealPlan, sign } from '../../src/plan/saved/seal-plan.ts';
import type { Checked } from '../../src/model/problem.ts';
import type { Rules } from '../../src/model/rules.ts';
import { NO_VARIABLES } from '../../src/schema/yaml/interpolate.ts';
import { stateOf as declaredIn } from '../support/expect-problems.ts';
import { virtualClock } from '../support/clock.ts';
import { protectionOf, type State } from '../support/exposure-oracle.ts';
import { written } from '../support/generate.ts';
import { resource } from '../support/kinds.ts';
import { make, planOf, runs, time } from '../support/order-pairs.ts';
import { orderGateway } from '../support/order-states.ts';
import { fileOf, liveStateOf, planFor, textOf } from '../support/plans.ts';
import { workingConfig } from '../support/resources.ts';
import { stateOf, takeBack, undoOf } from '../support/undos.ts';

const { kinds } = catalog;
const OWN = 'io.acme.Own';
const AUDIT = 'io.conduktor.gateway.interceptor.AuditPlugin';
const ENCRYPT = 'io.conduktor.gateway.interceptor.EncryptPlugin';
const MASK = 'io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin';

const group = (name: string, ...members: readonly string[]): Resource =>
  resource('GatewayGroup', { name }, { members: members.map((one) => ({ name: one, vCluster: 'prod' })) });
const ACCOUNTS = [
  resource('VirtualCluster', { name: 'prod' }, {}),
  ...['bob', 'eve', 'kim'].map((name) =>
    resource('GatewayServiceAccount', { name, vCluster: 'prod' }, { type: 'LOCAL' }),
  ),
];
const MASKS = ['first', 'second'].map((name) =>
  resource(
    'Interceptor',
    { name: `mask-${name}`, scope: { vCluster: 'prod', group: name } },
    { pluginClass: MASK, priority: 1, config: workingConfig(MASK) },
  ),
);
/** A state in which all members of these groups have an interceptor. */
const stateWith = (...groups: readonly Resource[]): readonly Resource[] => [...ACCOUNTS, ...groups, ...MASKS];
const NAMES = ['bob', 'eve', 'kim'];
/** Each client is in one group, and all have an interceptor by it. */
const someState: fc.Arbitrary<readonly Resource[]> = fc
  .array(fc.boolean(), { minLength: NAMES.length, maxLength: NAMES.length })
  .map((places) =>
    stateWith(
      group('first', ...NAMES.filter((_, at) => places[at])),
      group('second', ...NAMES.filter((_, at) => !places[at])),
    ),
  );
const interceptor = (name: string, pluginClass: string, priority = 1): Resource =>
  resource(
    'Interceptor',
    { name, scope: { vCluster: 'prod' } },
    { pluginClass, priority, config: workingConfig(pluginClass) },
  );
/** Interceptors of all clients change their classes in place. */
const permuted: fc.Arbitrary<readonly Resource[]> = fc
  .shuffledSubarray([MASK, AUDIT, OWN], { minLength: 3, maxLength: 3 })
  .map((classes) => [
    ...ACCOUNTS,
    ...classes.map((name, at) => interceptor(['a', 'b', 'c'][at] ?? '', name)),
  ]);
const pairs = fc.oneof(fc.tuple(someState, someState), fc.tuple(permuted, permuted));
const B = 'Interceptor/b@vCluster=prod';
const BRIDGE = 'Interceptor/b-gwconf-bridge@vCluster=prod';
const ABOUT = { tool: 'gwconf', createdAt: '2025-01-01T00:00:00Z', salt: 'salt' };
function exposedIn(wanted: readonly Resource[], live: readonly Resource[]): boolean {
  const options = { gateway: 'memory:', prune: ['*'] };
  const { plan } = planChanges(declaredIn(fileOf(...wanted)), liveStateOf(live), kinds, options);
  return (plan.exposures ?? []).length > 0;
}
function bridgeOfB(): Resource {
  const live = [...ACCOUNTS, interceptor('a', MASK), interceptor('b', AUDIT)];
  const { plan } = planFor(fileOf(...ACCOUNTS, interceptor('a', AUDIT), interceptor('b', MASK)), live);
  const made = plan.changes.map(afterOf).find((one) => one?.metadata.name === 'b-gwconf-bridge');
  if (made === undefined) throw new Error('nothing is bridged');
  return made;
}
const stepsOf = ({ changes }: Plan): readonly string[] => changes.map((change) => idOf(change));

it('fills a group in an extra step where its members swap with those of another one', () => {
  const live = stateWith(group('first', 'bob'), group('second', 'eve'));
  const file = fileOf(...stateWith(group('first', 'eve'), group('second', 'bob')));
  const { plan } = planFor(file, live);
  expect(plan.exposures).toBeUndefined();
  expect(stepsOf(plan)).toEqual([
    'GatewayGroup/second (expand)',
    'GatewayGroup/first',
    'GatewayGroup/second',
  ]);
  expect(plan.changes[0]).toMatchObject({
    action: 'update',
    reason: 'adds to members before anything is removed, so that no client lacks protection in between',
    after: { spec: { members: [{ name: 'eve' }, { name: 'bob' }] } },
    fields: [{ op: 'add', path: '/spec/members/0' }],
  });
});

it('fills one group in an extra step where the members of many move round in a ring', () => {
  const names = Array.from({ length: 20 }, (_, at) => `user-${at}`);
  const movedBy = (by: number): readonly Resource[] =>
    names.flatMap((name, at) => [
      resource('GatewayServiceAccount', { name, vCluster: 'prod' }, { type: 'LOCAL' }),
      group(`group-${at}`, names[(at + by) % names.length] ?? ''),
      resource(
        'Interceptor',
        { name: 'mask', scope: { vCluster: 'prod', group: `group-${at}` } },
        { pluginClass: MASK, priority: 1, config: workingConfig(MASK) },
      ),
    ]);
  const { plan } = planFor(fileOf(...ACCOUNTS, ...movedBy(1)), [...ACCOUNTS, ...movedBy(0)]);
  expect(plan.exposures).toBeUndefined();
  expect(plan.changes.filter(isStep)).toHaveLength(1);
});

it('needs no extra step where members only come, or an order is safe', () => {
  const live = stateWith(group('first', 'bob'), group('second'));
  const moved = planFor(fileOf(...stateWith(group('first'), group('second', 'bob'))), live);
  expect(stepsOf(moved.plan)).toEqual(['GatewayGroup/second', 'GatewayGroup/first']);
});

it('bridges a name that is in the way, where interceptors swap their classes in place', () => {
  const live = [...ACCOUNTS, interceptor('a', MASK, 7), interceptor('b', AUDIT)];
  const { plan } = planFor(fileOf(...ACCOUNTS, interceptor('a', AUDIT, 7), interceptor('b', MASK)), live);
  expect(plan.exposures).toBeUndefined();
  expect(countActions(plan.changes)).toEqual({ create: 0, update: 2, replace: 0, delete: 0 });
  expect(plan.changes[0]).toMatchObject({
    reason: `takes the place of ${B} while it changes, so that no client lacks protection in between`,
    after: { spec: { pluginClass: AUDIT, priority: 1 } },
  });
  expect(stepsOf(plan)).toEqual([
    `${BRIDGE} (bridge)`,
    'Interceptor/b@vCluster=prod',
    'Interceptor/a@vCluster=prod',
    `${BRIDGE} (unbridge)`,
  ]);
});

it.each([
  [
    'encrypts',
    [interceptor('a', MASK), interceptor('b', ENCRYPT)],
    [interceptor('a', ENCRYPT), interceptor('b', MASK)],
    1,
  ],
  [
    'encrypts both times',
    [interceptor('a', ENCRYPT), interceptor('b', AUDIT)],
    [interceptor('a', AUDIT), interceptor('b', ENCRYPT)],
    1,
  ],
])('bridges no interceptor that %s: what masks is bridged in its place', (_, there, wanted, count) => {
  const { plan } = planFor(fileOf(...ACCOUNTS, ...wanted), [...ACCOUNTS, ...there]);
  const copies = plan.changes.filter((change) => isStep(change) && change.action === 'create');
  expect(copies).toHaveLength(count);
  for (const change of copies) expect(afterOf(change)?.spec['pluginClass']).not.toBe(ENCRYPT);
});

it('bridges nothing where the name is taken, or the class is not known', () => {
  const swapped = [interceptor('a', AUDIT), interceptor('b', MASK)];
  const names = ['a', 'b'].map((name) => interceptor(`${name}-gwconf-bridge`, OWN));
  const live = [...ACCOUNTS, interceptor('a', MASK), interceptor('b', AUDIT), ...names];
  expect(exposedIn([...ACCOUNTS, ...swapped, ...names], live)).toBe(true);
});

it('deletes what a run left behind, also without prune, unless the project does not manage it', () => {
  const left = [...ACCOUNTS, interceptor('b', MASK), bridgeOfB()];
  const desired = declaredIn(fileOf(...left.slice(0, -1)));
  const plan = (rules: Rules): Checked<Plan> =>
    makePlan(desired, liveStateOf(left), kinds, { gateway: 'memory:', rules });
  const place = { file: { path: 'gwconf.yaml', text: '', named: true }, offset: 0 } as const;
  const protect = [{ address: '*', reason: 'all of it', place }];
  const found = plan({ protect });
  expect(found.problems).toMatchObject([{ code: 'lost-protection', severity: 'warning' }]);
  expect(found.value.changes).toMatchObject([
    { action: 'delete', address: BRIDGE, removal: 'a run that stopped left it behind' },
  ]);
  const others = plan({ manages: ['*', '!Interceptor/*bridge*'] });
  expect(others.value.changes).toEqual([]);
  expect(others.problems).toMatchObject([{ code: 'not-managed', severity: 'warning', address: BRIDGE }]);
});

it('refuses a saved plan that creates or deletes something else in an extra step', () => {
  const live = [...ACCOUNTS, interceptor('a', MASK), interceptor('b', AUDIT)];
  const { plan, desired } = planFor(
    fileOf(...ACCOUNTS, interceptor('a', AUDIT), interceptor('b', MASK)),
    live,
  );
  const forge = (wanted: string, alter: (body: Resource) => Resource): readonly string[] => {
    const forged = plan.changes.map((change): Change => {
      if (!isStep(change) || change.action !== wanted) return change;
      return change.action === 'create'
        ? { ...change, after: alter(change.after) }
        : change.action === 'delete'
          ? { ...change, before: alter(change.before) }
          : change;
    });
    const text = textOf(sign(sealPlan({ ...plan, changes: forged }, desired, kinds, ABOUT)));
    const { value, problems } = decodePlan(text, 'plan.json', kinds);
    if (value === undefined) return problems.map(({ message }) => message);
    return findMisstatements(value, new Set(), liveStateOf(live).resources, kinds).map(
      ({ message }) => message,
    );
  };
  const permanent = (body: Resource): Resource => ({ ...body, spec: { ...body.spec, comment: 'stays' } });
  const weaker = (body: Resource): Resource => ({ ...body, spec: { ...body.spec, pluginClass: OWN } });
  expect(forge('create', (body) => body)).toEqual([]);
  expect(forge('create', permanent)).toEqual([expect.stringContaining(`${BRIDGE} is no temporary object`)]);
  expect(forge('delete', permanent)).toEqual([expect.stringContaining(`${BRIDGE} is no temporary object`)]);
  expect(forge('create', weaker)).toEqual([expect.stringContaining('it shows another extra step')]);
});

it('refuses a saved plan with another extra step than its update needs', () => {
  const live = stateWith(group('first', 'bob'), group('second', 'eve'));
  const { plan } = planFor(fileOf(...stateWith(group('first', 'eve'), group('second', 'bob'))), live);
  const { changes, relies } = bindPlan(plan, kinds);
  const forged = changes.map((change) =>
    isStep(change) && change.action === 'update'
      ? { ...change, after: group('second', 'eve', 'bob', 'mallory') }
      : change,
  );
  const found = findMisstatements({ changes: forged, relies }, new Set(), liveStateOf(live).resources, kinds);
  expect(found.map(({ message }) => message)).toEqual([
    'the plan is not what apply would do to GatewayGroup/second: it shows another extra step',
  ]);
});

it('an extra step is resumed, undone or planned over wherever a run stops', time, async () => {
  const numRuns = Math.ceil(runs.numRuns / 4); // each applies a plan many times
  let stepped = 0;
  await fc.assert(
    fc.asyncProperty(pairs, fc.nat(), async ([there, wanted], cut) => {
      const { value: desired } = load(
        [{ path: 'state.yaml', text: written(wanted), named: true }],
        catalog,
        NO_VARIABLES,
      );
      const first = await orderGateway(there);
      const before = await stateOf(first);
      const scope = { prune: ['*'] };
      const { value: plan } = await planOf(desired, first, scope);
      if (!plan.changes.some(isStep)) return;
      stepped += 1;
      expect(plan.exposures).toBeUndefined();
      await applyAll(plan, first);
      const after = await stateOf(first);
      expect(gapsOn(plan, before, after)).toEqual([]);
      expect((await planOf(desired, first, scope)).value.changes).toEqual([]);

      const made = plan.changes.slice(0, cut % (plan.changes.length + 1));
      const stopped = async (): Promise<EmbeddedGateway> => {
        const gateway = await orderGateway(there);
        for (const change of made) await make(change, gateway);
        return gateway;
      };
      const resumed = await stopped();
      const saved = decodePlan(textOf(sign(sealPlan(plan, desired, kinds, ABOUT))), 'plan.json', kinds);
      expect(saved.problems).toEqual([]);
      await applyAll(saved.value ?? plan, resumed);
      expect(await stateOf(resumed)).toEqual(after);

      const undone = await stopped();
      await takeBack(undoOf(plan.changes), undone);
      expect(await stateOf(undone)).toEqual(before);

      const planned = await stopped();
      await applyAll((await planOf(desired, planned, scope)).value, planned);
      expect(await stateOf(planned)).toEqual(after);
    }),
    // Few pairs need an extra step: these do.
    { seed: 2, ...runs, numRuns },
  );
  expect(stepped).toBeGreaterThan(numRuns / 10);
});

/** Who lacks protection at some point of the plan that it has before and after. */
function gapsOn({ changes }: Plan, before: State, after: State): readonly string[] {
  const state = new Map(before);
  return changes.flatMap((change) => {
    const made = afterOf(change);
    if (made === undefined) state.delete(change.address);
    else state.set(change.address, made);
    return NAMES.flatMap((username) => {
      const client = { vCluster: 'prod', username, external: null };
      const [was, is, now] = [before, after, state].map((one) => protectionOf(client, one).sorts);
      return [...(was ?? [])]
        .filter((sort) => is?.has(sort) === true && now?.has(sort) !== true)
        .map((sort) => `${username}: ${sort} after ${idOf(change)}`);
    });
  });
}

/** Applies what is left of a plan; it is not stale, and is what it shows. */
async function applyAll(plan: Plan | SavedPlan, gateway: EmbeddedGateway): Promise<void> {
  const live = await readLive(gateway, [...kinds.values()]);
  const bound = 'salt' in plan ? plan : bindPlan(plan, kinds);
  const { already, stale } = checkPlan(bound, live, kinds);
  expect(stale).toEqual([]);
  expect(findMisstatements(bound, already, live.resources, kinds)).toEqual([]);
  for await (const event of applyPlan(bound.changes, gateway, kinds, { clock: virtualClock(), already })) {
    expect(event.type).not.toBe('retrying');
    if (event.type !== 'finished') continue;
    const failed = event.ledger.entries.filter(({ outcome }) => outcome !== 'done' && outcome !== 'already');
    expect(failed).toEqual([]);
  }
}
