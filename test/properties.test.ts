import fc from './support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { applyPlan, type ApplyOptions } from '../src/apply/apply.ts';
import type { Ledger } from '../src/apply/events.ts';
import { bindPlan, checkPlan } from '../src/apply/verify/check-plan.ts';
import type { EmbeddedGateway } from '../src/emulator/memory.ts';
import { readLive } from '../src/gateway/read-live.ts';
import { renderNdjson } from '../src/report/json/json.ts';
import { makePlanReport } from '../src/outcome/plan.ts';
import type { JsonObject } from '../src/model/json/json.ts';
import { hasErrors, type Checked } from '../src/model/problem.ts';
import { identify } from '../src/model/identity.ts';
import { referencesOf } from '../src/model/normal/normal-form.ts';
import { asValid, kindOf as kindNameOf, type Address, type Resource } from '../src/model/resource.ts';
import type { DesiredState } from '../src/model/state.ts';
import { restoreLiveSecrets } from '../src/plan/saved/unseal-plan.ts';
import { makePlan, type PlanOptions } from '../src/plan/make-plan.ts';
import { afterOf, beforeOf, type Change, type ChangeId, idOf } from '../src/plan/change/change.ts';
import type { Plan } from '../src/plan/change/plan.ts';
import { redact } from '../src/plan/secrets/redact.ts';
import { decodePlan } from '../src/plan/saved/decode-plan.ts';
import { quickDigester } from '../src/plan/saved/digest.ts';
import { sealPlan, sign, sealUndo } from '../src/plan/saved/seal-plan.ts';
import { makeUndo } from '../src/plan/undo/undo.ts';
import { catalog } from '../src/schema/kinds/index.ts';
import { load } from '../src/schema/load/load.ts';
import { NO_VARIABLES } from '../src/schema/yaml/interpolate.ts';
import { virtualClock } from './support/clock.ts';
import { SALT } from './support/cli.ts';
import {
  generousGateway,
  SECRET,
  standardState,
  state,
  written,
  type Resources,
} from './support/generate.ts';
import { kindOf } from './support/kinds.ts';
import { planText, textOf } from './support/plans.ts';
import { findingDigester } from './support/quick-key.ts';
import { orAll } from './support/soak.ts';
import { stateOf } from './support/undos.ts';

const { kinds } = catalog;
const everything: readonly string[] = ['*'];
const runs = { numRuns: orAll(12, 1000) };

const interceptor = (name: string, plugin: string, config: JsonObject, scope?: JsonObject): Resource =>
  asValid({
    apiVersion: 'gateway/v2',
    kind: 'GatewayInterceptor',
    metadata: scope === undefined ? { name } : { name, scope },
    spec: { pluginClass: `io.conduktor.gateway.interceptor.safeguard.${plugin}`, config, priority: 1 },
  });
const external = (name: string, vCluster: string): Resource =>
  asValid({
    apiVersion: 'gateway/v2',
    kind: 'GatewayServiceAccount',
    metadata: { name, vCluster },
    spec: { type: 'EXTERNAL', externalNames: ['sub-1'] },
  });
const readOnly = (name: string, scope?: JsonObject): Resource =>
  interceptor(name, 'ReadOnlyTopicPolicyPlugin', { topic: 'audit-.*', action: 'BLOCK' }, scope);
const bounded = (name: string, scope?: JsonObject): Resource => {
  const config = { topic: '.*', numPartition: { min: 3, max: 6, action: 'BLOCK' } };
  return interceptor(name, 'CreateTopicPolicyPlugin', config, scope);
};
function encrypting(more: JsonObject): Resource {
  return asValid({
    apiVersion: 'gateway/v2',
    kind: 'GatewayInterceptor',
    metadata: { name: 'guard' },
    spec: {
      pluginClass: 'io.conduktor.gateway.interceptor.EncryptPlugin',
      config: {
        topic: 'cards',
        kmsConfig: { vault: { uri: 'https://vault.example', type: 'TOKEN', version: 1, token: SECRET } },
      },
      priority: 1,
      ...more,
    },
  });
}
/** Two interceptors that swap their classes: one has a temporary copy meanwhile. */
const swap: [Resources, Resources] = [
  [readOnly('mask'), bounded('guard')],
  [bounded('mask'), readOnly('guard')],
];

/** An interceptor with a secret that nobody would take for one by its look gets a comment. */
const commented: [Resources, Resources] = [[encrypting({ comment: 'why' })], [encrypting({})]];

/** An external name moves to an account whose interceptor waits for it, from one that has gained the same sort meanwhile. */
const gainedInBetween: [Resources, Resources] = [
  [
    asValid({ apiVersion: 'gateway/v2', kind: 'VirtualCluster', metadata: { name: 'alpha' }, spec: {} }),
    external('app-one', 'alpha'),
    asValid({
      apiVersion: 'gateway/v2',
      kind: 'GatewayGroup',
      metadata: { name: 'readers' },
      spec: { members: [{ name: 'app-one', vCluster: 'alpha' }] },
    }),
    bounded('first'),
    bounded('mask', { vCluster: 'alpha', group: 'readers' }),
  ],
  [external('app-three', 'passthrough')],
];

const EVERYWHERE = { vCluster: null, group: null, username: null };
/** One that is taken over by another name hides, in between, what only the first part has made. */
const hiddenInBetween: [Resources, Resources] = [
  [bounded('second'), readOnly('first', EVERYWHERE), readOnly('second', EVERYWHERE)],
  [bounded('first')],
];

/** What files that hold this ask for. */
function desiredOf(resources: Resources): DesiredState {
  const { value, problems } = load(
    [{ path: 'state.yaml', text: written(resources), named: true }],
    catalog,
    NO_VARIABLES,
  );
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  return value;
}

/** A gateway that has this. */
async function gatewayWith(resources: Resources): Promise<EmbeddedGateway> {
  const gateway = generousGateway();
  for (const one of resources) await gateway.put(kindOf(one.kind), one);
  return gateway;
}

async function planFor(
  desired: DesiredState,
  gateway: EmbeddedGateway,
  options: Partial<PlanOptions> = {},
): Promise<Checked<Plan>> {
  return makePlan(desired, await readLive(gateway, [...kinds.values()]), kinds, {
    gateway: gateway.url,
    ...options,
  });
}

async function applied(
  changes: readonly Change[],
  gateway: EmbeddedGateway,
  options: Partial<ApplyOptions> = {},
): Promise<Ledger> {
  for await (const event of applyPlan(changes, gateway, kinds, { clock: virtualClock(), ...options })) {
    if (event.type === 'finished') return event.ledger;
  }
  return expect.fail('the run ended without a ledger');
}

/** A plan between two states that can be carried out: with prune, so that one state really becomes the other. */
const possible = (wanted: Resources, there: Resources) => async () => {
  const desired = desiredOf(wanted);
  const gateway = await gatewayWith(there);
  const { value: plan, problems } = await planFor(desired, gateway, { prune: everything });
  fc.pre(!hasErrors(problems));
  return { desired, gateway, plan };
};

describe('a plan', () => {
  it('of a state against itself, however either is spelled, needs nothing', () =>
    fc.assert(
      fc.asyncProperty(state, async (resources) => {
        const { value, problems } = await planFor(desiredOf(resources), await gatewayWith(resources));
        expect(value.changes).toEqual([]);
        expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
      }),
      runs,
    ));

  it('is taken back by its undo, but for what that says does not come back; and no secret is in it', () =>
    fc.assert(
      fc.asyncProperty(state, state, async (wanted, there) => {
        const { gateway, plan } = await possible(wanted, there)();
        const before = new Map<Address, Resource | undefined>(await stateOf(gateway));
        const undo = makeUndo(plan.changes, kinds);
        await applied(plan.changes, gateway);
        const after = await stateOf(gateway);
        const about = { tool: 'gwconf', createdAt: '2025-01-01T00:00:00Z', salt: SALT, gateway: gateway.url };
        const text = textOf(sign(sealUndo(undo, 'run', kinds, about, findingDigester)));
        expect(text).not.toContain(SECRET);

        const saved = decodePlan(text, 'undo.json', kinds).value ?? expect.fail('it cannot be read');
        const live = await readLive(gateway, [...kinds.values()]);
        const { value: changes, problems } = restoreLiveSecrets(saved, live.resources, findingDigester);
        expect(problems).toEqual([]);
        // A run removes its temporary objects itself; its undo is for a run that stopped before, too.
        const gone = changes.filter(({ address, action }) => action === 'delete' && !after.has(address));
        expect(gone.filter((change) => !('step' in change))).toEqual([]);
        const already = new Set(gone.map(idOf));
        expect(checkPlan({ ...saved, changes }, live, kinds, findingDigester)).toEqual({
          already,
          stale: [],
        });
        const { entries } = await applied(changes, gateway, { already });
        const left = (id: ChangeId): string => (already.has(id) ? 'already' : 'done');
        expect(entries.filter(({ id, outcome }) => outcome !== left(id))).toEqual([]);
        const lost = undo.losses.flatMap(({ address, leftOut }) => (leftOut ? [address] : []));
        for (const address of lost) before.set(address, after.get(address));
        expect(await stateOf(gateway)).toEqual(new Map([...before].filter(([, one]) => one !== undefined)));
      }),
      { ...runs, examples: [swap, commented] },
    ));

  it('is carried out without a refusal, and planned again it needs nothing', () =>
    fc.assert(
      fc.asyncProperty(state, state, fc.integer({ min: 1, max: 9 }), async (wanted, there, parallelism) => {
        const { desired, gateway, plan } = await possible(wanted, there)();
        const { entries } = await applied(plan.changes, gateway, { parallelism });
        expect(entries.filter(({ outcome }) => outcome !== 'done')).toEqual([]);
        const { value: again } = await planFor(desired, gateway, { prune: everything });
        expect(again.changes).toEqual([]);
        expect(again.unmanaged).toEqual([]);
      }),
      runs,
    ));

  it('without prune deletes nothing, leaves alone what no file mentions, and needs nothing the second time', () =>
    fc.assert(
      fc.asyncProperty(state, state, async (wanted, there) => {
        const desired = desiredOf(wanted);
        const gateway = await gatewayWith(there);
        const { value: plan, problems } = await planFor(desired, gateway);
        fc.pre(!hasErrors(problems));
        const { entries } = await applied(plan.changes, gateway);
        expect(entries.filter(({ outcome }) => outcome !== 'done')).toEqual([]);
        // What a run itself creates for a while, it removes again.
        const deleted = plan.changes.filter(({ action }) => action === 'delete');
        expect(deleted.filter((change) => !('step' in change && change.step === 'unbridge'))).toEqual([]);
        const { value: again } = await planFor(desired, gateway);
        expect(again.changes).toEqual([]);
        expect(again.unmanaged).toEqual(plan.unmanaged);
      }),
      { ...runs, examples: [swap] },
    ));

  it('stopped anywhere is not stale, and a new one gets the rest done', () =>
    fc.assert(
      fc.asyncProperty(state, state, fc.nat(), async (wanted, there, at) => {
        const { desired, gateway, plan } = await possible(wanted, there)();
        const part = plan.changes.slice(0, at % (plan.changes.length + 1));
        await applied(part, gateway);
        const planned = bindPlan(plan, kinds);
        const live = await readLive(gateway, [...kinds.values()]);
        expect(checkPlan(planned, live, kinds).stale).toEqual([]);
        const { value: rest, problems } = await planFor(desired, gateway, { prune: everything });
        const errors = problems.filter(({ severity }) => severity === 'error');
        expect(errors.filter(({ code }) => code !== 'exposure')).toEqual([]);
        // What a client has only since the first part, no order of the rest may be able to keep, or only instead of what it had.
        const made = new Set(part.map(({ address }) => address));
        const hides = new Set(part.map(({ address }) => address.split('@')[0]));
        const told = (rest.exposures ?? []).filter(({ lasting }) => !lasting);
        const isOfPart = ({ lost, until }: (typeof told)[number]): boolean =>
          lost.some((address) => made.has(address)) || hides.has(until?.split('@')[0]);
        expect(told.filter((one) => !isOfPart(one))).toEqual([]);
        expect(errors.length === 0 || told.length > 0).toBe(true);
        await applied(rest.changes, gateway);
        expect((await planFor(desired, gateway, { prune: everything })).value.changes).toEqual([]);
      }),
      {
        ...runs,
        examples: [gainedInBetween, hiddenInBetween].flatMap((states) =>
          [0, 1, 2, 3].map((at) => [...states, at] as const),
        ),
      },
    ));

  it('that looks at a part of the addresses is carried out without a refusal, and touches nothing else', () =>
    fc.assert(
      fc.asyncProperty(
        standardState,
        standardState,
        fc.subarray([
          'Virtual*',
          'Alias*',
          '*@vCluster=alpha*',
          '*app-one*',
          'GatewayGroup/*',
          '!*beta*',
          'Interceptor/*',
        ]),
        async (wanted, there, target) => {
          const gateway = await gatewayWith(there);
          const selection = { target, exclude: ['*gamma*'] };
          const { value: plan, problems } = await planFor(desiredOf(wanted), gateway, {
            prune: everything,
            selection,
          });
          fc.pre(!hasErrors(problems));
          expect(plan.changes.filter(({ address }) => plan.unselected.includes(address))).toEqual([]);
          const { entries } = await applied(plan.changes, gateway);
          expect(entries.filter(({ outcome }) => outcome !== 'done')).toEqual([]);
        },
      ),
      runs,
    ));
});

describe('the order of a plan', () => {
  it('puts every change after what it depends on, after what it refers to, and every delete before what it leaned on', () =>
    fc.assert(
      fc.asyncProperty(state, state, async (wanted, there) => {
        const { plan } = await possible(wanted, there)();
        const place = new Map(plan.changes.map((change, at) => [idOf(change), at]));
        const own = new Map(
          plan.changes.filter((change) => !('step' in change)).map((change) => [change.address, change]),
        );
        plan.changes.forEach((change, at) => {
          for (const id of change.dependsOn) expect(place.get(id)).toBeLessThan(at);
          const kind = kindOf(kindNameOf(change.address));
          const after = afterOf(change);
          for (const { to } of after === undefined ? [] : referencesOf(after, kind)) {
            const target = own.get(to);
            // An update of what is there already is no need, and gives way where it would close a ring.
            if (target?.action === 'create' || target?.action === 'replace')
              expect(place.get(idOf(target))).toBeLessThan(at);
          }
          const before = beforeOf(change);
          for (const { to } of before === undefined ? [] : referencesOf(before, kind)) {
            const target = own.get(to);
            if (target?.action !== 'delete') continue;
            const freed = plan.changes
              .filter(({ address }) => address === change.address)
              .map((one) => place.get(idOf(one)) ?? 0);
            expect(place.get(idOf(target))).toBeGreaterThan(Math.min(...freed));
          }
          if (change.stage === 2) expect(plan.changes.slice(at).every(({ stage }) => stage === 2)).toBe(true);
        });
      }),
      runs,
    ));

  it('is the same whatever the order of files and documents', () =>
    fc.assert(
      fc.asyncProperty(
        state.chain((wanted) =>
          fc.tuple(fc.constant(wanted), fc.shuffledSubarray([...wanted], { minLength: wanted.length })),
        ),
        state,
        fc.nat(8),
        async ([wanted, shuffled], there, cut) => {
          const files = (resources: Resources, first: string, second: string) => [
            { path: first, text: written(resources.slice(0, cut)), named: true },
            { path: second, text: written(resources.slice(cut)), named: true },
          ];
          const gateway = await gatewayWith(there);
          const plans = await Promise.all(
            [files(wanted, 'a.yaml', 'b.yaml'), files(shuffled, 'z.yaml', 'b.yaml')].map(async (sources) => {
              const { value } = await planFor(load(sources, catalog, NO_VARIABLES).value, gateway, {
                prune: everything,
              });
              return { ...value, changes: value.changes.map((change) => ({ ...change, at: undefined })) };
            }),
          );
          expect(plans[0]).toEqual(plans[1]);
        },
      ),
      runs,
    ));
});

const ABOUT = { tool: 'gwconf test', createdAt: '2026-03-01T12:00:00Z', salt: SALT };

describe('a saved plan', () => {
  it('is what it was when it is read again', () =>
    fc.assert(
      fc.asyncProperty(state, state, async (wanted, there) => {
        const { desired, plan } = await possible(wanted, there)();
        const saved = sign(sealPlan(plan, desired, kinds, ABOUT, quickDigester));
        const text = textOf(saved);
        const { value, problems } = decodePlan(text, 'plan.json', kinds);
        expect(problems).toEqual([]);
        expect(value).toEqual(JSON.parse(JSON.stringify(saved)));
        expect(value === undefined ? '' : textOf(value)).toBe(text);
      }),
      runs,
    ));

  it('shows no secret, and neither does any rendering of a plan', () =>
    fc.assert(
      fc.asyncProperty(state, state, async (wanted, there) => {
        const { desired, plan } = await possible(wanted, there)();
        const shown = redact(plan, kinds);
        const report = makePlanReport(shown, plan.gateway, []);
        const saved = sign(sealPlan(plan, desired, kinds, ABOUT, quickDigester));
        const renderings = [
          planText(shown),
          JSON.stringify(report),
          [...renderNdjson(report, 'gwconf test')].join(''),
          textOf(saved),
        ];
        for (const text of renderings) {
          expect(text).not.toContain(SECRET);
          expect(text).not.toContain(Buffer.from(SECRET).toString('base64'));
        }
        for (const { address } of plan.changes) expect(renderings[1]).toContain(address);
      }),
      runs,
    ));
});

describe('an address', () => {
  it('belongs to one resource of a state only', () =>
    fc.assert(
      fc.property(state, (resources) => {
        const desired = desiredOf(resources);
        expect(desired.size).toBe(resources.length);
        for (const { address, resource } of desired.values()) {
          expect(identify(kindOf(kindNameOf(address)), resource)).toBe(address);
        }
      }),
      runs,
    ));
});
