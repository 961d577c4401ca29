import { describe, expect, it } from 'vitest';
import { applyPlan, type ApplyOptions } from '../../src/apply/apply.ts';
import type { ApplyEvent, Ledger } from '../../src/apply/events.ts';
import type { EmbeddedGateway } from '../../src/emulator/memory.ts';
import { GatewayError, type Gateway } from '../../src/gateway/gateway.ts';
import { readLive } from '../../src/gateway/read-live.ts';
import { hasErrors } from '../../src/model/problem.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { Resource } from '../../src/model/resource.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import { idOf, type Change } from '../../src/plan/change/change.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { virtualClock } from '../support/clock.ts';
import { stateOf } from '../support/expect-problems.ts';
import { kindOf, resource } from '../support/kinds.ts';
import { fileOf } from '../support/plans.ts';
import { account, alias, cluster, group, interceptor } from '../support/resources.ts';
import { door, gatewayWith, watched } from '../support/watched.ts';

const { kinds } = catalog;

describe('an apply', () => {
  it('makes a plan come true, and tells of each step', async () => {
    const gateway = watched(await gatewayWith([]));
    const changes = await changesFor([alias('orders', 'prod'), cluster('prod')], gateway.inner);
    const { events, ledger } = await run(changes, gateway);
    expect(events).toEqual([
      'started 2',
      'applying VirtualCluster/prod',
      'ended VirtualCluster/prod done',
      'applying AliasTopic/orders@vCluster=prod',
      'ended AliasTopic/orders@vCluster=prod done',
      'verifying VirtualCluster',
      'verifying AliasTopic',
      'finished applied',
    ]);
    expect(gateway.writes).toEqual(['put VirtualCluster/prod', 'put AliasTopic/orders@vCluster=prod']);
    expect(ledger.entries.map(({ id, action, outcome }) => [id, action, outcome])).toEqual([
      ['VirtualCluster/prod', 'create', 'done'],
      ['AliasTopic/orders@vCluster=prod', 'create', 'done'],
    ]);
    expect(await changesFor([alias('orders', 'prod'), cluster('prod')], gateway.inner)).toEqual([]);
  });

  it('of nothing is no change', async () => {
    const { events } = await run([], await gatewayWith([]));
    expect(events).toEqual(['started 0', 'finished no-changes']);
  });

  it('deletes what refers before what it referred to, and after all else', async () => {
    const gateway = watched(await gatewayWith([cluster('old'), alias('orders', 'old')]));
    const changes = await changesFor([cluster('new')], gateway.inner);
    await run(changes, gateway);
    expect(gateway.writes).toEqual([
      'put VirtualCluster/new',
      'remove AliasTopic/orders@vCluster=old',
      'remove VirtualCluster/old',
    ]);
  });

  it('replaces by deleting and making anew', async () => {
    const partner = cluster('prod', { type: 'Partner', aclEnabled: true, superUsers: ['admin'] });
    const before = [partner, alias('orders', 'prod', { physicalCluster: 'main' })];
    const gateway = watched(await gatewayWith(before, { physicalClusters: ['main', 'second'] }));
    const changes = await changesFor(
      [partner, alias('orders', 'prod', { physicalCluster: 'second' })],
      gateway.inner,
    );
    expect(changes.map(({ action }) => action)).toEqual(['replace']);
    const { ledger } = await run(changes, gateway);
    expect(ledger.result).toBe('applied');
    expect(gateway.writes).toEqual([
      'remove AliasTopic/orders@vCluster=prod',
      'put AliasTopic/orders@vCluster=prod',
    ]);
  });

  it('hands a unique name on by letting go of its holder first', async () => {
    const gateway = watched(await gatewayWith([account('old-name', 'sub-1'), group('team', 'old-name')]));
    const changes = await changesFor(
      [account('new-name', 'sub-1'), group('team', 'new-name')],
      gateway.inner,
    );
    const { ledger } = await run(changes, gateway);
    expect(ledger.result).toBe('applied');
    expect(gateway.writes).toEqual([
      'put GatewayGroup/team',
      'remove GatewayServiceAccount/old-name@vCluster=passthrough',
      'put GatewayServiceAccount/new-name@vCluster=passthrough',
      'put GatewayGroup/team',
    ]);
    expect(ledger.entries[0]).toMatchObject({
      id: 'GatewayGroup/team (release)',
      step: 'release',
      reason: expect.stringContaining('drops') as string,
    });
  });

  it('calls already so what the gateway finds unchanged or gone', async () => {
    const inner = await gatewayWith([cluster('gone')]);
    const changes = await changesFor([cluster('prod')], inner);
    await run(changes, inner);
    const { ledger } = await run(changes, inner);
    expect(ledger).toMatchObject({
      result: 'no-changes',
      entries: [{ outcome: 'already' }, { outcome: 'already' }],
    });
  });

  it('does not make what it is told is already so, but what waits for it', async () => {
    const gateway = watched(await gatewayWith([]));
    const changes = await changesFor([cluster('prod'), alias('orders', 'prod')], gateway.inner);
    await gateway.inner.put(kindOf('VirtualCluster'), cluster('prod'));
    const already = new Set(changes.slice(0, 1).map(idOf));
    const { events, ledger } = await run(changes, gateway, { already });
    expect(gateway.writes).toEqual(['put AliasTopic/orders@vCluster=prod']);
    expect(events).toContain('ended VirtualCluster/prod already');
    expect(events).not.toContain('applying VirtualCluster/prod');
    expect(ledger.result).toBe('applied');
  });
});

describe('changes that do not depend on each other', () => {
  const many = Array.from({ length: 200 }, (_, at) => cluster(`c${at}`));

  it.each([
    [1, 1],
    [3, 3],
    [20, 20],
    [64, undefined],
  ])('are in flight together, %i at most', async (most, parallelism) => {
    let seen = 0;
    const gateway = watched(await gatewayWith([]), (_, inFlight) => {
      seen = Math.max(seen, inFlight.size);
      return othersHaveStarted();
    });
    const changes = await changesFor(many, gateway.inner);
    await run(changes, gateway, parallelism === undefined ? {} : { parallelism });
    expect(seen).toBe(most);
    expect(gateway.writes).toHaveLength(200);
  });

  it('are not held back by one that takes long', async () => {
    const { opened, open } = door();
    const gateway = watched(await gatewayWith([]), (write) =>
      write === 'put VirtualCluster/c0' ? opened : Promise.resolve(),
    );
    const changes = await changesFor(many, gateway.inner);
    const ended: string[] = [];
    for await (const event of applyPlan(changes, gateway, kinds, { clock: virtualClock(), parallelism: 2 })) {
      if (event.type !== 'ended') continue;
      ended.push(event.change.address);
      if (ended.length === 199) open();
    }
    expect(ended.at(-1)).toBe('VirtualCluster/c0');
  });

  it('are kept apart where the gateway cannot take them together', async () => {
    const together: string[] = [];
    const gateway = watched(await gatewayWith([cluster('prod')]), (write, inFlight) => {
      for (const other of inFlight) if (other !== write) together.push([write, other].sort().join(' + '));
      return othersHaveStarted();
    });
    const scoped = (name: string, scope: JsonObject): Resource =>
      resource('Interceptor', { name, scope }, interceptor(name, {}).spec);
    const wanted = [
      cluster('prod'),
      scoped('mask', { vCluster: null }),
      scoped('mask', { vCluster: 'prod' }),
      scoped('mask', { username: 'ann' }),
      scoped('other', {}),
    ];
    const changes = await changesFor(wanted, gateway.inner);
    const { ledger } = await run(changes, gateway);
    expect(ledger).toMatchObject({ result: 'applied' });
    expect(gateway.writes).toHaveLength(4);
    expect(together.length).toBeGreaterThan(0);
    expect(together.filter((pair) => pair.split('Interceptor/mask').length > 2)).toEqual([]);
  });

  it('of the second stage start when all of the first are done', async () => {
    const { opened, open } = door();
    const gateway = watched(await gatewayWith([cluster('old-1'), cluster('old-2')]), (write) =>
      write === 'put VirtualCluster/new-2' ? opened : Promise.resolve(),
    );
    const changes = await changesFor([cluster('new-1'), cluster('new-2')], gateway.inner);
    for await (const event of applyPlan(changes, gateway, kinds, { clock: virtualClock() })) {
      if (event.type !== 'ended') continue;
      if (event.change.address === 'VirtualCluster/new-1') {
        expect(gateway.writes).toEqual(['put VirtualCluster/new-1', 'put VirtualCluster/new-2']);
        open();
      }
    }
    expect(gateway.writes.slice(2).sort()).toEqual([
      'remove VirtualCluster/old-1',
      'remove VirtualCluster/old-2',
    ]);
  });
});

describe('after a refusal', () => {
  // The gateway has lost the virtual cluster since the plan was made.
  const wanted = [cluster('prod'), alias('orders', 'prod'), group('team', 'ann'), account('ann', 'sub-1')];

  async function brokenRun(
    options: Partial<ApplyOptions> = {},
    live: readonly Resource[] = [],
    planned?: readonly Change[],
  ) {
    const gateway = watched(await gatewayWith(live), (write) =>
      write === 'put GatewayServiceAccount/ann@vCluster=passthrough'
        ? Promise.reject(new GatewayError('conflict', 'taken', { status: 409, hint: 'choose another' }))
        : Promise.resolve(),
    );
    const changes = planned ?? (await changesFor(wanted, gateway.inner));
    return { gateway, ...(await run(changes, gateway, { parallelism: 1, ...options })) };
  }

  it('nothing new starts, and the ledger has every change', async () => {
    const { gateway, ledger } = await brokenRun();
    expect(gateway.writes).toEqual(['put GatewayServiceAccount/ann@vCluster=passthrough']);
    expect(ledger).toEqual({
      result: 'failed',
      entries: [
        {
          id: 'GatewayServiceAccount/ann@vCluster=passthrough',
          address: 'GatewayServiceAccount/ann@vCluster=passthrough',
          action: 'create',
          at: { file: 'in.yaml', line: 23, column: 1 },
          outcome: 'failed',
          problem: {
            code: 'gateway-error',
            severity: 'error',
            message:
              'the gateway refused to create GatewayServiceAccount/ann@vCluster=passthrough (409): taken',
            address: 'GatewayServiceAccount/ann@vCluster=passthrough',
            hint: 'choose another',
            at: { file: 'in.yaml', line: 23, column: 1 },
          },
        },
        {
          id: 'VirtualCluster/prod',
          address: 'VirtualCluster/prod',
          action: 'create',
          at: { file: 'in.yaml', line: 1, column: 1 },
          outcome: 'not-attempted',
        },
        {
          id: 'AliasTopic/orders@vCluster=prod',
          address: 'AliasTopic/orders@vCluster=prod',
          action: 'create',
          at: { file: 'in.yaml', line: 7, column: 1 },
          outcome: 'not-attempted',
        },
        {
          id: 'GatewayGroup/team',
          address: 'GatewayGroup/team',
          action: 'create',
          at: { file: 'in.yaml', line: 15, column: 1 },
          outcome: 'blocked',
          by: ['GatewayServiceAccount/ann@vCluster=passthrough'],
        },
      ],
    });
  });

  it('all that does not depend on it is made when it is told to keep going', async () => {
    const { ledger } = await brokenRun({ keepGoing: true });
    expect(ledger.result).toBe('partial');
    expect(ledger.entries.map(({ id, outcome }) => `${outcome} ${id}`)).toEqual([
      'failed GatewayServiceAccount/ann@vCluster=passthrough',
      'done VirtualCluster/prod',
      'done AliasTopic/orders@vCluster=prod',
      'blocked GatewayGroup/team',
    ]);
  });

  it('what is blocked blocks in turn', async () => {
    const inner = await gatewayWith([]);
    const mask = interceptor('mask', {});
    const scoped = { ...mask, metadata: { name: 'mask', scope: { group: 'team' } } };
    const changes = await changesFor([...wanted, scoped], inner);
    const gateway = watched(inner, (write) =>
      write.includes('ServiceAccount') ? Promise.reject(new GatewayError('failed', 'no')) : Promise.resolve(),
    );
    const { ledger } = await run(changes, gateway, { keepGoing: true });
    expect(ledger.entries.at(-1)).toMatchObject({ outcome: 'blocked', by: ['GatewayGroup/team'] });
  });

  it.each([
    ['stops', {}],
    ['goes on', { keepGoing: true }],
  ])('what is in effect already is called so, and is no obstacle, where the run %s', async (_, options) => {
    const mask = { ...interceptor('mask', {}), metadata: { name: 'mask', scope: { group: 'team' } } };
    const changes = await changesFor([...wanted, mask], await gatewayWith([]));
    const already = new Set(changes.slice(1, -1).map(idOf));
    const { ledger } = await brokenRun(
      { ...options, already },
      [account('ann', 'other'), ...wanted.slice(0, 3)],
      changes,
    );
    expect(ledger.result).toBe('partial');
    expect(ledger.entries.map(({ id, outcome }) => `${outcome} ${id}`)).toEqual([
      'failed GatewayServiceAccount/ann@vCluster=passthrough',
      'already VirtualCluster/prod',
      'already AliasTopic/orders@vCluster=prod',
      'already GatewayGroup/team',
      'blocked Interceptor/mask@vCluster=passthrough,group=team',
    ]);
    expect(ledger.entries.at(-1)).toMatchObject({ by: [changes[0]?.address] });
  });

  it('nothing is deleted, even when it is told to keep going', async () => {
    const inner = await gatewayWith([cluster('old')]);
    const changes = await changesFor([cluster('new')], inner);
    const gateway = watched(inner, (write) =>
      write.startsWith('put') ? Promise.reject(new GatewayError('failed', 'no')) : Promise.resolve(),
    );
    const { ledger } = await run(changes, gateway, { keepGoing: true });
    expect(gateway.writes).toEqual(['put VirtualCluster/new']);
    expect(ledger.entries[0]?.outcome).toBe('failed');
    expect(ledger.entries[1]).toMatchObject({ outcome: 'blocked', by: ['VirtualCluster/new'] });
  });

  it('what is in flight is waited for, and told', async () => {
    const { opened, open } = door();
    const gateway = watched(await gatewayWith([]), (write) =>
      write === 'put VirtualCluster/a' ? Promise.reject(new GatewayError('failed', 'no')) : opened,
    );
    const changes = await changesFor(
      ['a', 'b', 'c'].map((name) => cluster(name)),
      gateway.inner,
    );
    const outcomes: string[] = [];
    for await (const event of applyPlan(changes, gateway, kinds, { clock: virtualClock(), parallelism: 2 })) {
      if (event.type !== 'ended') continue;
      outcomes.push(`${event.change.address} ${event.entry.outcome}`);
      open();
    }
    expect(outcomes).toEqual(['VirtualCluster/a failed', 'VirtualCluster/b done']);
    expect(gateway.writes).not.toContain('put VirtualCluster/c');
  });

  it('the gateway’s own words are told', async () => {
    const inner = await gatewayWith([]);
    const changes = await changesFor([cluster('prod'), alias('orders', 'prod')], inner);
    const { ledger } = await run(changes.slice(1), inner);
    const [entry] = ledger.entries;
    expect(entry).toMatchObject({ outcome: 'failed' });
    if (entry?.outcome !== 'failed') throw new Error('expected a failure');
    expect(entry.problem.message).toMatch(
      /^the gateway refused to create AliasTopic\/orders@vCluster=prod \(404\): ./,
    );
  });

  it('of ours, not the gateway’s, it throws when all in flight has ended', async () => {
    const { opened, open } = door();
    const gateway = watched(await gatewayWith([]), (write) =>
      write === 'put VirtualCluster/a' ? Promise.reject(new TypeError('a bug')) : opened,
    );
    const changes = await changesFor([cluster('a'), cluster('b')], gateway.inner);
    const running = run(changes, gateway);
    open();
    await expect(running).rejects.toThrow('a bug');
    expect(gateway.inFlight.size).toBe(0);
  });
});

describe('an apply that is interrupted', () => {
  const names = ['a', 'b', 'c', 'd'];

  it('starts nothing new, waits for what is in flight, and says so', async () => {
    const controller = new AbortController();
    const gateway = watched(await gatewayWith([]));
    const changes = await changesFor(
      names.map((name) => cluster(name)),
      gateway.inner,
    );
    const { events, ledger } = await run(
      changes,
      gateway,
      { parallelism: 2, signal: controller.signal },
      (event) => {
        if (event.type === 'ended') controller.abort();
      },
    );
    expect(gateway.writes).toEqual(['put VirtualCluster/a', 'put VirtualCluster/b']);
    expect(events.at(-1)).toBe('finished interrupted');
    expect(ledger.entries.map(({ outcome }) => outcome)).toEqual([
      'done',
      'done',
      'not-attempted',
      'not-attempted',
    ]);
  });

  it('starts nothing of what was about to start', async () => {
    const controller = new AbortController();
    const gateway = watched(await gatewayWith([]));
    const changes = await changesFor(
      names.map((name) => cluster(name)),
      gateway.inner,
    );
    const { ledger } = await run(changes, gateway, { signal: controller.signal }, (event) => {
      if (event.type === 'applying' && event.change.address === 'VirtualCluster/b') controller.abort();
    });
    expect(gateway.writes.length).toBeLessThanOrEqual(2);
    expect(ledger.result).toBe('interrupted');
  });

  it('before it began does nothing', async () => {
    const gateway = watched(await gatewayWith([]));
    const changes = await changesFor([cluster('a')], gateway.inner);
    const { events } = await run(changes, gateway, { signal: AbortSignal.abort() });
    expect(gateway.writes).toEqual([]);
    expect(events).toEqual(['started 1', 'finished interrupted']);
  });

  it('after all was done is an apply like any other', async () => {
    const controller = new AbortController();
    const gateway = watched(await gatewayWith([]));
    const changes = await changesFor([cluster('a')], gateway.inner);
    const { ledger } = await run(changes, gateway, { signal: controller.signal }, (event) => {
      if (event.type === 'ended') controller.abort();
    });
    expect(ledger.result).toBe('applied');
  });

  it('by its reader, who turns away, leaves nothing in flight', async () => {
    const gateway = watched(await gatewayWith([]), (write) =>
      write === 'put VirtualCluster/a' ? Promise.resolve() : othersHaveStarted(),
    );
    const changes = await changesFor(
      names.map((name) => cluster(name)),
      gateway.inner,
    );
    for await (const event of applyPlan(changes, gateway, kinds, { clock: virtualClock() })) {
      if (event.type === 'ended') break;
    }
    expect(gateway.inFlight.size).toBe(0);
  });
});

/** After all that was ready has been done, and before anything new comes. */
function othersHaveStarted(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The plan from what the gateway has to just these. */
async function changesFor(wanted: readonly Resource[], gateway: EmbeddedGateway): Promise<readonly Change[]> {
  const live = await readLive(gateway, [...kinds.values()]);
  const { value, problems } = makePlan(stateOf(fileOf(...wanted)), live, kinds, {
    gateway: gateway.url,
    prune: ['*'],
  });
  if (hasErrors(problems)) throw new Error(problems.map(({ message }) => message).join('\n'));
  return value.changes;
}

async function run(
  changes: readonly Change[],
  gateway: Gateway,
  options: Partial<ApplyOptions> = {},
  onEvent: (event: ApplyEvent) => void = () => undefined,
): Promise<{ readonly events: readonly string[]; readonly ledger: Ledger }> {
  const events: string[] = [];
  let ledger: Ledger | undefined;
  for await (const event of applyPlan(changes, gateway, kinds, { clock: virtualClock(), ...options })) {
    events.push(print(event));
    onEvent(event);
    if (event.type === 'finished') ledger = event.ledger;
  }
  if (ledger === undefined) throw new Error('it never finished');
  return { events, ledger };
}

function print(event: ApplyEvent): string {
  switch (event.type) {
    case 'started':
      return `started ${event.total}`;
    case 'applying':
      return `applying ${idOf(event.change)}`;
    case 'ended':
      return `ended ${idOf(event.change)} ${event.entry.outcome}`;
    case 'retrying':
      return `retrying ${idOf(event.change)}`;
    case 'verifying':
      return `verifying ${event.kind}`;
    case 'unverified':
      return `unverified ${event.kind}`;
    case 'unsettled':
      return `unsettled ${event.changes}`;
    case 'finished':
      return `finished ${event.ledger.result}`;
    default:
      return event satisfies never;
  }
}
