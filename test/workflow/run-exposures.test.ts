import fc from '../support/fast-check.ts';
import { expect, it } from 'vitest';
import { GatewayError, type Gateway } from '../../src/gateway/gateway.ts';
import { readLive } from '../../src/gateway/read-live.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import type { Resource } from '../../src/model/resource.ts';
import { encodePlan } from '../../src/plan/saved/decode-plan.ts';
import { gatewaySource } from '../../src/workflow/live/live-source.ts';
import { planProject } from '../../src/workflow/plan/plan.ts';
import { savePlan } from '../../src/workflow/plan/saved-plan.ts';
import { openWorkspace } from '../../src/workflow/project/open-workspace.ts';
import { applyProject } from '../../src/workflow/run/apply.ts';
import { applySavedPlan } from '../../src/workflow/run/apply-saved.ts';
import { applyChange, lossesOf, printClient, toClient, type State } from '../support/exposure-oracle.ts';
import { goneWithProtection, own, someState, swappedNames } from '../support/exposure-states.ts';
import { written } from '../support/generate.ts';
import { kindOf } from '../support/kinds.ts';
import { mask, WORLD } from '../support/masks.ts';
import { memoryHost } from '../support/memory-host.ts';
import { orderGateway } from '../support/order-states.ts';
import { PAIRS, time } from '../support/order-pairs.ts';

const kinds = [...catalog.kinds.values()];
/** Interceptors of another project. */
const OTHERS = [
  own('other-1', { vCluster: 'prod' }, 'AuditPlugin'),
  own('other-2', { vCluster: 'prod' }, 'FieldLevelDataMaskingPlugin'),
  own('other-3', { vCluster: 'passthrough' }, 'FieldLevelDataMaskingPlugin'),
];
const fates = fc.infiniteStream(fc.constantFrom('made', 'made', 'made', 'refused', 'lost', 'broken'));

it(
  'a run that made a part of its changes tells who lacks a protection now, and nobody else',
  time,
  async () => {
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(someState, someState, fates, fc.boolean(), async (there, wanted, fate, keepGoing) => {
        const gateway = await orderGateway(there);
        const stateNow = async (): Promise<State> => (await readLive(gateway, kinds)).resources;
        const before = await stateNow();
        const write = async <T>(work: () => Promise<T>): Promise<T> => {
          const now: unknown = fate.next().value;
          if (now === 'refused')
            throw new GatewayError('refused', 'the gateway answered 400', { status: 400 });
          if (now === 'broken') throw new GatewayError('unreachable', 'the connection was closed');
          const result = await work();
          if (now === 'lost') throw new GatewayError('unreachable', 'the connection was closed');
          return result;
        };
        const port: Gateway = {
          ...{ url: gateway.url, list: (kind) => gateway.list(kind), close: () => gateway.close() },
          put: (kind, resource) => write(() => gateway.put(kind, resource)),
          remove: (kind, resource) => write(() => gateway.remove(kind, resource)),
        };
        const host = memoryHost(new Map([['state.yaml', written(wanted)]]));
        const { unprotected = [], result } = await applyProject(host, await openWorkspace(host), port, {
          ...{ paths: ['state.yaml'], prune: true, manages: ['*'], allowEmpty: true, acceptExposure: ['*'] },
          ...{ limits: { deletes: { objects: 1000 }, updates: { objects: 1000 } }, keepGoing },
        });
        if (result !== 'partial' && result !== 'failed') return;
        const now = await stateNow();
        const lacking = lossesOf(before, now);
        expect(unprotected.map((one) => printClient(toClient(one), one.protection)).sort()).toEqual(lacking);
        if (lacking.length > 0) seen += 1;
      }),
      { numRuns: PAIRS, examples: [[...goneWithProtection, fc.stream(['made', 'refused'].values()), false]] },
    );
    expect(seen).toBeGreaterThan(PAIRS / 20);
  },
);

it('a run that made a part of its changes tells whose protection is weaker now than the plan makes it', async () => {
  const there = [...WORLD, mask('a', '.*', ['card']), mask('b', '.*', ['iban'])];
  const wanted = [...WORLD, mask('a', '.*', ['iban']), mask('b', '.*', ['card'])];
  const tellFrom = async (
    live: readonly Resource[],
    refused: number,
    ...files: readonly Resource[]
  ): Promise<readonly string[]> => {
    const gateway = await orderGateway([...live]);
    let writes = 0;
    const port: Gateway = {
      ...{ url: gateway.url, list: (kind) => gateway.list(kind), close: () => gateway.close() },
      put: (kind, resource) => {
        writes += 1;
        if (writes === refused)
          throw new GatewayError('refused', 'the gateway answered 400', { status: 400 });
        return gateway.put(kind, resource);
      },
      remove: (kind, resource) => gateway.remove(kind, resource),
    };
    const host = memoryHost(new Map([['state.yaml', written(files)]]));
    const options = { paths: ['state.yaml'], acceptExposure: ['*'] };
    const { problems } = await applyProject(host, await openWorkspace(host), port, options);
    return problems.flatMap(({ message }) => (message.startsWith('as a part') ? [message] : []));
  };
  const tellAt = (refused: number, ...files: readonly Resource[]) => tellFrom(there, refused, ...files);
  expect(await tellAt(2, ...wanted)).toEqual([
    'as a part of the changes is not made, clients of prod (all other clients, bob and eve) have weaker masking: iban is shown in clear (fields)',
  ]);
  expect([await tellAt(1, ...wanted), await tellAt(3, ...wanted)]).toEqual([[], []]);
  const weaker = [...WORLD, mask('a', '.*', ['other']), mask('b', '.*', ['iban', 'more'])];
  expect(await tellAt(2, ...weaker)).toEqual([]); // which the plan said
  const both = [...WORLD, mask('a', '.*', ['card', 'pan']), mask('b', '.*', ['pan'])];
  const neither = [...WORLD, mask('a', '.*', ['iban']), mask('b', '.*', ['iban'])];
  expect(await tellFrom(both, 2, ...neither)).toEqual([]); // more of which the plan said
  const audit = {
    pluginClass: 'io.conduktor.gateway.interceptor.AuditPlugin',
    priority: 1,
    config: { topic: '.*' },
  };
  const audits = [...WORLD, ...both.slice(WORLD.length).map((one) => ({ ...one, spec: audit }))];
  expect(await tellFrom(both, 2, ...audits)).toEqual([]); // all of which the plan said
});

const others = fc.record({
  before: fc.subarray(OTHERS),
  /** Those that have gone when the plan is applied. */
  gone: fc.subarray(OTHERS, { minLength: 1 }),
});

it('a saved plan is stale if somebody loses a protection now of which it does not say so', time, async () => {
  const seen: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(someState, someState, others, async (there, wanted, { before: beside, gone }) => {
      const gateway = await orderGateway([...there, ...beside]);
      const stateNow = async (): Promise<State> => (await readLive(gateway, kinds)).resources;
      const host = memoryHost(new Map([['state.yaml', written(wanted)]]));
      const workspace = await openWorkspace(host);
      const planned = await planProject(host, workspace, gatewaySource(workspace, gateway), {
        ...{ paths: ['state.yaml'], prune: true, manages: ['*', '!Interceptor/other-*'], allowEmpty: true },
        ...{
          limits: { deletes: { objects: 1000 }, updates: { objects: 1000 } },
          acceptExposure: ['Interceptor/*'],
        },
      });
      const { plan } = planned;
      if (plan === undefined || plan.changes.length === 0) return;
      const saved = await savePlan(host, workspace, planned, plan);
      await host.writePrivately('p.plan', [...encodePlan(saved)].join(''));
      for (const one of beside) if (gone.includes(one)) await gateway.remove(kindOf(one.kind), one);

      const before = await stateNow();
      const after = plan.changes.reduce(applyChange, before);
      const told = (plan.exposures ?? [])
        .filter(({ lasting }) => lasting)
        .map((one) => printClient(toClient(one), one.protection));
      const isUnseen = lossesOf(before, after).some((one) => !told.includes(one));
      const { result, problems } = await applySavedPlan(host, workspace, gateway, 'p.plan', {
        limits: { deletes: { objects: 1000 }, updates: { objects: 1000 } },
      });
      const stale = problems.filter(({ code }) => code === 'stale-plan');
      expect(stale.some(({ message }) => message.includes('permanently'))).toBe(isUnseen);
      if (result === 'stale') expect(await stateNow()).toEqual(before);
      else if (result === 'applied') expect(isUnseen).toBe(false);
      const kind = result === 'stale' && isUnseen ? 'lost' : result;
      seen[kind] = (seen[kind] ?? 0) + 1;
    }),
    {
      numRuns: Math.ceil(PAIRS / 2),
      examples: [[...swappedNames, { before: OTHERS.slice(0, 1), gone: OTHERS.slice(0, 1) }]],
    },
  );
  expect(Math.min(seen['lost'] ?? 0, seen['applied'] ?? 0), JSON.stringify(seen)).toBeGreaterThan(0);
});
