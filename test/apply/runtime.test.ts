import { describe, expect, it } from 'vitest';
import { applyPlan, type ApplyOptions } from '../../src/apply/apply.ts';
import type { ApplyEvent, Entry, Ledger } from '../../src/apply/events.ts';
import type { EmbeddedGateway } from '../../src/emulator/memory.ts';
import { GatewayError, type Gateway } from '../../src/gateway/gateway.ts';
import { readLive } from '../../src/gateway/read-live.ts';
import type { Resource } from '../../src/model/resource.ts';
import { makeApplyReport } from '../../src/outcome/apply.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import type { Change } from '../../src/plan/change/change.ts';
import { pageOf } from '../../src/report/page/page-of.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { virtualClock } from '../support/clock.ts';
import { stateOf } from '../support/expect-problems.ts';
import { kindOf, resource } from '../support/kinds.ts';
import { fileOf } from '../support/plans.ts';
import { account, alias, cluster, interceptor } from '../support/resources.ts';
import { gatewayWith, watched } from '../support/watched.ts';

const { kinds } = catalog;
const clusters = (count: number): readonly Resource[] =>
  Array.from({ length: count }, (_, at) => cluster(`c${at + 1}`));

const busy = (status: number, retryAfterMs?: number): GatewayError =>
  new GatewayError('busy', `busy ${status}`, {
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
const broken = (): GatewayError => new GatewayError('unreachable', 'the connection broke');
const conflict = (): GatewayError => new GatewayError('conflict', 'no', { status: 409 });
const missing = (): GatewayError => new GatewayError('not-found', 'no', { status: 404 });

describe('the concurrency of a run', () => {
  it('goes down with the gateway and up again', async () => {
    let most = 0;
    let calls = 0;
    const gateway = watched(await gatewayWith([]), (_, inFlight) => {
      calls += 1;
      if (calls <= 8) return Promise.reject(busy(503));
      if (calls <= 16) most = Math.max(most, inFlight.size);
      return new Promise((resolve) => setImmediate(resolve));
    });
    const { ledger } = await run(clusters(24), gateway, { parallelism: 8 });
    expect(ledger.result).toBe('applied');
    expect(most).toBeLessThanOrEqual(6);
  });

  it('is nothing for as long as the gateway asks', async () => {
    const clock = virtualClock();
    const times: number[] = [];
    const gateway = watched(await gatewayWith([]), () => {
      times.push(clock.now());
      return times.length === 1 ? Promise.reject(busy(429, 20_000)) : Promise.resolve();
    });
    const { ledger } = await run(clusters(4), gateway, { clock, parallelism: 1 });
    expect(ledger.result).toBe('applied');
    expect(times.slice(1).every((time) => time >= 20_000)).toBe(true);
  });
});

describe('a write is tried again', () => {
  it.each([
    ['429', () => busy(429)],
    ['502', () => busy(502)],
    ['503', () => busy(503)],
    ['504', () => busy(504)],
    ['a connection that broke', broken],
    ['a timeout', () => new GatewayError('timeout', 'no answer')],
    ['no connection', () => new GatewayError('unreachable', 'refused', { unsent: true })],
  ])('after %s', async (_, error) => {
    const { admit, tries } = failing(3, error);
    const { ledger, events } = await run(clusters(1), watched(await gatewayWith([]), admit));
    expect(ledger.result).toBe('applied');
    expect(tries()).toBe(4);
    expect(events.filter((event) => event.startsWith('retrying'))).toHaveLength(3);
  });

  it.each([
    ['refused', 400],
    ['unauthorized', 401],
    ['forbidden', 403],
    ['not-found', 404],
    ['conflict', 409],
    ['failed', 500],
  ] as const)('never after %s (%i) that nothing explains', async (code, status) => {
    const { admit, tries } = failing(99, () => new GatewayError(code, 'no', { status }));
    const { ledger } = await run(clusters(1), watched(await gatewayWith([]), admit));
    expect(ledger.result).toBe('failed');
    expect(tries()).toBe(1);
  });

  it('within the settle timeout, at growing distances that chance shortens', async () => {
    const clock = virtualClock(() => 0.5);
    const { admit } = failing(999, () => busy(503));
    const { ledger } = await run(clusters(1), watched(await gatewayWith([]), admit), {
      clock,
      settleTimeoutMs: 10_000,
    });
    expect(clock.waits.slice(0, 6)).toEqual([100, 200, 400, 800, 1600, 2500]);
    expect(clock.now()).toBe(10_000);
    expect(messagesOf(ledger)).toEqual(['the gateway did not create VirtualCluster/c1: busy 503']);
  });

  it('not at all with a settle timeout of nothing', async () => {
    const { admit, tries } = failing(999, () => busy(503));
    await run(clusters(1), watched(await gatewayWith([]), admit), { settleTimeoutMs: 0 });
    expect(tries()).toBe(1);
  });

  it('after a 404 for what this run has just written', async () => {
    const { admit, tries } = failing(3, missing, /AliasTopic/);
    const { ledger } = await run(
      [cluster('prod'), alias('a', 'prod')],
      watched(await gatewayWith([]), admit),
    );
    expect(ledger.result).toBe('applied');
    expect(tries()).toBe(4);
  });

  it('after a 409 for a value that this run has just freed', async () => {
    const { admit } = failing(3, conflict, /put .*new-name/);
    const gateway = watched(await gatewayWith([account('old-name', 'sub')]), admit);
    const { ledger } = await run([account('new-name', 'sub')], gateway);
    expect(ledger.result).toBe('applied');
  });

  it('after a 409 for users that this run has just deleted', async () => {
    const { admit, tries } = failing(3, conflict, /remove VirtualCluster/);
    const gateway = watched(await gatewayWith([cluster('prod'), alias('a', 'prod')]), admit);
    const { ledger } = await run([], gateway);
    expect(ledger.result).toBe('applied');
    expect(tries()).toBe(4);
  });

  it('alone when others of the kind were in flight, before a refusal counts', async () => {
    const together: number[] = [];
    const gateway = watched(await gatewayWith([]), async (write, inFlight) => {
      const accounts = [...inFlight].filter((other) => other.includes('ServiceAccount')).length;
      await new Promise((resolve) => setImmediate(resolve));
      if (!write.endsWith('/one@vCluster=passthrough')) return;
      together.push(Math.max(accounts, inFlight.size));
      if (inFlight.size > 1) throw conflict();
    });
    const wanted = ['one', 'two', 'three', 'four'].map((name) => account(name, `${name}-sub`));
    const { ledger } = await run(wanted, gateway);
    expect(ledger.result).toBe('applied');
    expect(together[0]).toBeGreaterThan(1);
    expect(together.slice(1)).toEqual([1]);
  });
});

it('a gateway that takes one connection gets one write at a time, after a few tries', async () => {
  let tries = 0;
  const gateway = watched(await gatewayWith([]), async (_, inFlight) => {
    tries += 1;
    const isRejected = inFlight.size > 1;
    await new Promise((resolve) => setImmediate(resolve));
    if (isRejected) throw new GatewayError('unreachable', 'refused', { unsent: true });
  });
  const { ledger } = await run(clusters(100), gateway);
  expect(ledger.result).toBe('applied');
  expect(tries).toBeLessThan(300);
});

describe('a lost answer', () => {
  it('is settled by one list for all that were lost together', async () => {
    const inner = await gatewayWith([]);
    const lists: string[] = [];
    const gateway: Gateway = {
      ...inner,
      list: (kind) => {
        lists.push(kind.name);
        return inner.list(kind);
      },
      put: async (kind, one) => {
        await inner.put(kind, one);
        await new Promise((resolve) => setImmediate(resolve)); // all are in flight before the first is lost
        throw broken();
      },
    };
    const { ledger, events } = await run(clusters(8), gateway, {}, inner);
    expect(ledger.entries.map(({ outcome }) => outcome)).toEqual(Array(8).fill('done'));
    expect(lists).toEqual(['VirtualCluster', 'VirtualCluster']); // and once after the writes
    expect(events).toContain('verifying VirtualCluster lost-responses 8');
  });

  it('of a delete that was made is done', async () => {
    const inner = await gatewayWith([cluster('prod')]);
    const gateway = losing(inner, 'remove');
    const { ledger } = await run([], gateway, {}, inner);
    expect(ledger.entries).toMatchObject([{ outcome: 'done' }]);
  });

  it('is not known when nothing can be read', async () => {
    const inner = await gatewayWith([]);
    const gateway: Gateway = { ...losing(inner, 'put'), list: () => Promise.reject(broken()) };
    const { ledger } = await run(clusters(1), gateway, {}, inner);
    expect(messagesOf(ledger)).toEqual([
      'unknown whether the create of VirtualCluster/c1 was made: the connection broke',
    ]);
  });

  it('is followed by what to do about it: a write that timed out may still take effect', async () => {
    const hintAfter = async (error: GatewayError, list?: Gateway['list']): Promise<string | undefined> => {
      const inner = await gatewayWith([]);
      const put = (): Promise<never> => Promise.reject(error);
      const { ledger } = await run(clusters(1), { ...inner, put, ...(list && { list }) }, {}, inner);
      const [entry] = ledger.entries;
      return entry?.outcome === 'failed' ? entry.problem.hint : undefined;
    };
    const late = new GatewayError('timeout', 'no response', { hint: 'increase --timeout' });
    const mayFollow =
      'increase --timeout; the write may still take effect, so plan again before the next apply';
    const cannotList = (): Promise<never> => Promise.reject(broken());
    expect(await hintAfter(late)).toBe(mayFollow);
    expect(await hintAfter(late, cannotList)).toBe(mayFollow);
    const cut = new GatewayError('unreachable', 'closed', { hint: 'check the port' });
    expect(await hintAfter(cut, cannotList)).toBe('plan again to see whether it was made');
  });

  it('is a failure when something else is there, and no secret is shown', async () => {
    const inner = await gatewayWith([interceptor('mask', { password: 'before-secret', note: 1 })]);
    const gateway: Gateway = {
      ...inner,
      put: async (kind) => {
        await inner.put(kind, interceptor('mask', { password: 'their-secret', note: 2 }));
        throw broken();
      },
    };
    const wanted = interceptor('mask', { password: 'after-secret', note: 3 });
    const { ledger } = await run([wanted], gateway, {}, inner);
    const [message = ''] = messagesOf(ledger);
    expect(message).toMatch(/it is now neither as before nor as planned: /);
    expect(message).toContain('/spec/config/note is 2');
    expect(toldOf(ledger)).toBe('Failed: 1 overtaken.');
    expect(message).not.toContain('secret"');
  });

  it('of the first half of a replace does not hide the second', async () => {
    const partner = cluster('prod', { type: 'Partner', aclEnabled: true, superUsers: ['admin'] });
    const at = (physicalCluster: string): Resource =>
      resource('AliasTopic', { name: 'a', vCluster: 'prod' }, { physicalName: 't', physicalCluster });
    const inner = await gatewayWith([partner, at('main')], { physicalClusters: ['main', 'second'] });
    const gateway: Gateway = {
      ...losing(inner, 'remove'),
      put: () => Promise.reject(new GatewayError('refused', 'bad', { status: 400 })),
    };
    const { ledger } = await run([partner, at('second')], gateway, {}, inner);
    expect(messagesOf(ledger)).toEqual([
      'the gateway refused to replace AliasTopic/a@vCluster=prod (400): deleted and not created again: bad',
    ]);
  });
});

describe('what was written is read again', () => {
  it('until it shows', async () => {
    const inner = await gatewayWith([]);
    let reads = 0;
    const gateway: Gateway = {
      ...inner,
      list: (kind) => {
        reads += 1;
        return reads < 4 ? Promise.resolve([]) : inner.list(kind);
      },
    };
    const { ledger } = await run(clusters(2), gateway, {}, inner);
    expect(ledger.result).toBe('applied');
    expect(reads).toBe(5); // the fourth shows it, and the last confirms that it is still so
  });

  it('and told of meanwhile, so that no wait of ten seconds is without a word', async () => {
    const clock = virtualClock();
    const inner = await gatewayWith([]);
    const gateway: Gateway = { ...inner, put: () => Promise.resolve('created') };
    const told: number[] = [];
    const { ledger, events } = await run(clusters(2), gateway, { clock }, inner, ({ type }) => {
      if (type !== 'verifying') told.push(clock.now()); // which only a terminal shows
    });
    expect(ledger.result).toBe('failed');
    expect(events).toContain('unsettled 2');
    expect(told.at(-1)).toBeGreaterThan(30_000);
    expect(Math.max(...told.map((at, index) => at - (told[index - 1] ?? 0)))).toBeLessThanOrEqual(10_000);
  });

  it('no longer than the settle timeout and one read where the gateway is gone, whose reads take long themselves', async () => {
    const clock = virtualClock();
    const inner = await gatewayWith([]);
    const list = async (): Promise<never> => {
      await clock.wait(30_000, new AbortController().signal);
      throw broken();
    };
    const waits: number[] = [];
    const { ledger, events } = await run(
      clusters(2),
      { ...inner, list },
      { clock, settleTimeoutMs: 2000 },
      inner,
      (event) => {
        if (event.type === 'unsettled') waits.push(event.forMs);
      },
    );
    expect(ledger.result).toBe('applied');
    expect(events.filter((event) => event.startsWith('unverified'))).toHaveLength(1);
    expect(clock.now()).toBeLessThan(32_000);
    expect(waits.filter((ms) => ms <= 0)).toEqual([]);
  });

  it('and written once more when confirmed but not in effect', async () => {
    const inner = await gatewayWith([]);
    let puts = 0;
    const gateway: Gateway = {
      ...inner,
      put: (kind, one) => {
        puts += 1;
        return puts === 1 ? Promise.resolve('created') : inner.put(kind, one);
      },
    };
    const { ledger, events } = await run(clusters(1), gateway, {}, inner);
    expect(ledger.result).toBe('applied');
    expect(puts).toBe(2);
    expect(events).toContain('retrying VirtualCluster/c1 confirmed but not in effect: it does not exist');
  });

  it('and counts as failed when it does not stick then either', async () => {
    const inner = await gatewayWith([cluster('prod'), alias('a', 'prod', { physicalName: 'old' })]);
    const gateway: Gateway = { ...inner, put: () => Promise.resolve('updated') };
    const { ledger } = await run(
      [cluster('prod'), alias('a', 'prod', { physicalName: 'new' })],
      gateway,
      {},
      inner,
    );
    expect(ledger.result).toBe('failed');
    expect(messagesOf(ledger)).toEqual([
      'the update of AliasTopic/a@vCluster=prod was confirmed but is not in effect: /spec/physicalName is "old"',
    ]);
  });

  it('and is overtaken where another client has changed it since: it is not written again', async () => {
    const inner = await gatewayWith([cluster('prod'), alias('a', 'prod', { physicalName: 'old' })]);
    const gateway: Gateway = {
      ...inner,
      put: async (kind, one) => {
        const result = await inner.put(kind, one);
        if (one.kind === 'AliasTopic') await inner.put(kind, alias('a', 'prod', { physicalName: 'theirs' }));
        return result;
      },
    };
    const wanted = [cluster('prod'), alias('a', 'prod', { physicalName: 'ours' })];
    const { ledger, events } = await run(wanted, gateway, {}, inner);
    expect(ledger.result).toBe('partial');
    expect(messagesOf(ledger)).toEqual([
      'AliasTopic/a@vCluster=prod was overtaken: this run wrote it, and something else is there now: /spec/physicalName is "theirs"',
    ]);
    expect(toldOf(ledger)).toBe('Partially applied: 1 overtaken.');
    expect(events.filter((event) => event.startsWith('retrying'))).toEqual([]);
    expect(await inner.list(kindOf('AliasTopic'))).toMatchObject([{ spec: { physicalName: 'theirs' } }]);
  });

  it.each([['theirs'], ['ours']])(
    'and is overtaken where another client has created it meanwhile, unless as planned: with %s',
    async (physicalName) => {
      const inner = await gatewayWith([cluster('prod')]);
      const gateway: Gateway = {
        ...inner,
        put: async (kind, one) => {
          await inner.put(kind, alias('a', 'prod', { physicalName }));
          return inner.put(kind, one);
        },
      };
      const wanted = [cluster('prod'), alias('a', 'prod', { physicalName: 'ours' })];
      const { ledger } = await run(wanted, gateway, {}, inner);
      const isTheirs = physicalName === 'theirs';
      expect(ledger.result).toBe(isTheirs ? 'partial' : 'no-changes');
      expect(messagesOf(ledger)).toEqual(
        isTheirs
          ? [
              'AliasTopic/a@vCluster=prod was overtaken: another client has created it since the plan was made, and this run wrote over it',
            ]
          : [],
      );
    },
  );

  it('once more at the end where it took several rounds, so that what was overtaken meanwhile is told', async () => {
    const inner = await gatewayWith([cluster('prod'), alias('a', 'prod', { physicalName: 'old' })]);
    let clusterReads = 0;
    const gateway: Gateway = {
      ...inner,
      list: async (kind) => {
        const items = await inner.list(kind);
        if (kind.name !== 'VirtualCluster') return items;
        clusterReads += 1;
        if (clusterReads > 1)
          await inner.put(kindOf('AliasTopic'), alias('a', 'prod', { physicalName: 'theirs' }));
        return clusterReads > 2 ? items : items.filter(({ metadata }) => metadata.name !== 'late');
      },
    };
    const wanted = [cluster('prod'), cluster('late'), alias('a', 'prod', { physicalName: 'ours' })];
    const { ledger } = await run(wanted, gateway, {}, inner);
    expect(ledger.result).toBe('partial');
    expect(messagesOf(ledger)).toEqual([expect.stringContaining('AliasTopic/a@vCluster=prod was overtaken')]);
  });

  it('and is not overtaken while the gateway still shows what it had, secrets and all', async () => {
    const before = interceptor('mask', { password: 'before-secret' });
    const inner = await gatewayWith([before]);
    const wanted = interceptor('mask', { password: 'after-secret' });
    const changes = (await changesFor([wanted], inner)).map((change) => ({
      ...change,
      before: interceptor('mask', { password: '(hidden)' }), // as a saved plan has it
    })) as readonly Change[];
    const found = new Map(changes.map(({ address }) => [address, before]));
    let reads = 0;
    const gateway: Gateway = {
      ...inner,
      list: (kind) => {
        reads += 1;
        return reads < 3 ? Promise.resolve([before]) : inner.list(kind);
      },
    };
    const { ledger } = await runChanges(changes, gateway, { found });
    expect(messagesOf(ledger)).toEqual([]);
    expect(ledger.result).toBe('applied');
  });

  it('with a word when it cannot be', async () => {
    const inner = await gatewayWith([]);
    const gateway: Gateway = { ...inner, list: () => Promise.reject(broken()) };
    const { ledger, events } = await run(clusters(1), gateway, {}, inner);
    expect(ledger.result).toBe('applied');
    expect(events).toContain('unverified VirtualCluster the connection broke');
  });
});

describe('a write that the gateway confirms and does not have', () => {
  /** Confirms the first `lost` writes of virtual clusters without making them. */
  function forgetting(
    inner: EmbeddedGateway,
    lost: number,
  ): { readonly gateway: Gateway; readonly puts: () => number } {
    let puts = 0;
    const put: Gateway['put'] = (kind, one) => {
      if (kind.name !== 'VirtualCluster') return inner.put(kind, one);
      puts += 1;
      return puts <= lost ? Promise.resolve('created') : inner.put(kind, one);
    };
    return { gateway: { ...inner, put }, puts: () => puts };
  }

  it('is written once more when what refers to it is refused', async () => {
    const inner = await gatewayWith([]);
    const { gateway, puts } = forgetting(inner, 1);
    const { ledger, events } = await run([cluster('prod'), alias('a', 'prod')], gateway, {}, inner);
    expect(ledger.result).toBe('applied');
    expect(puts()).toBe(2);
    expect(events).toContain('retrying VirtualCluster/prod confirmed but not there; writing it once more');
  });

  it('is written once for all that refer to it', async () => {
    const inner = await gatewayWith([]);
    const { gateway, puts } = forgetting(inner, 1);
    const aliases = Array.from({ length: 20 }, (_, at) => alias(`a${at}`, 'prod'));
    const { ledger } = await run([cluster('prod'), ...aliases], gateway, {}, inner);
    expect(ledger.result).toBe('applied');
    expect(puts()).toBe(2);
  });

  it('is named in the end, and what refers to it is not tried for the whole settle timeout', async () => {
    const inner = await gatewayWith([]);
    const { gateway } = forgetting(inner, Infinity);
    const clock = virtualClock();
    const { ledger } = await run([cluster('prod'), alias('a', 'prod')], gateway, { clock }, inner);
    const [message] = messagesOf(ledger).filter((text) => text.includes('AliasTopic/a'));
    expect(message).toContain('the gateway confirmed VirtualCluster/prod in this run and does not have it');
    expect(clock.now()).toBeLessThan(20_000);
  });
});

describe('the extra step of a change that failed later', () => {
  it('is neither verified nor written again over what is there now', async () => {
    const team = (...members: readonly string[]): Resource =>
      resource('GatewayGroup', { name: 'team' }, { members: members.map((name) => ({ name })) });
    const inner = await gatewayWith([account('old-name', 'sub'), account('boss', 'chief'), team('old-name')]);
    let puts = 0;
    const gateway: Gateway = {
      ...inner,
      put: async (kind, one) => {
        if (one.kind !== 'GatewayGroup') return inner.put(kind, one);
        puts += 1;
        if (puts === 1) return inner.put(kind, one);
        await inner.put(kind, team('boss')); // another client, while this write is lost
        throw broken();
      },
    };
    const wanted = [account('new-name', 'sub'), account('boss', 'chief'), team('new-name')];
    const { ledger } = await run(wanted, gateway, {}, inner);
    expect(ledger.entries.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual([
      'GatewayGroup/team (release) done',
      'GatewayServiceAccount/old-name@vCluster=passthrough done',
      'GatewayServiceAccount/new-name@vCluster=passthrough done',
      'GatewayGroup/team failed',
    ]);
    expect(puts).toBe(2);
    expect(await inner.list(kindOf('GatewayGroup'))).toMatchObject([
      { spec: { members: [{ name: 'boss' }] } },
    ]);
  });
});

describe('an interruption', () => {
  it('ends the wait for another try at once', async () => {
    const stop = new AbortController();
    const clock = virtualClock();
    const { admit, tries } = failing(99, () => busy(503, 30_000));
    const { ledger } = await run(
      clusters(3),
      watched(await gatewayWith([]), admit),
      { clock, signal: stop.signal, parallelism: 1 },
      undefined,
      (event) => {
        if (event.type === 'retrying') stop.abort();
      },
    );
    expect(ledger.result).toBe('interrupted');
    expect(outcomesOf(ledger)).toEqual(['failed', 'not-attempted', 'not-attempted']);
    expect(tries()).toBe(1);
    expect(clock.now()).toBe(0);
  });

  it('does not leave a replace in half', async () => {
    const stop = new AbortController();
    const partner = cluster('prod', { type: 'Partner', aclEnabled: true, superUsers: ['admin'] });
    const at = (physicalCluster: string): Resource =>
      resource('AliasTopic', { name: 'a', vCluster: 'prod' }, { physicalName: 't', physicalCluster });
    const inner = await gatewayWith([partner, at('main')], { physicalClusters: ['main', 'second'] });
    const gateway: Gateway = {
      ...inner,
      remove: (kind, one) => {
        stop.abort();
        return inner.remove(kind, one);
      },
    };
    const { ledger } = await run([partner, at('second')], gateway, { signal: stop.signal }, inner);
    expect(ledger.result).toBe('applied');
    expect(await inner.list(kindOf('AliasTopic'))).toMatchObject([{ spec: { physicalCluster: 'second' } }]);
  });

  it('leaves a lost answer unsettled, and says so', async () => {
    const stop = new AbortController();
    const inner = await gatewayWith([]);
    const gateway: Gateway = {
      ...inner,
      put: () => {
        stop.abort();
        return Promise.reject(broken());
      },
    };
    const { ledger } = await run(clusters(1), gateway, { signal: stop.signal }, inner);
    expect(ledger.result).toBe('interrupted');
    expect(messagesOf(ledger)[0]).toMatch(/^unknown whether the create of VirtualCluster\/c1 was made/);
  });
});

/** Refuses the first so many writes that match. */
function failing(
  times: number,
  error: () => GatewayError,
  which = /./,
): { readonly admit: (write: string) => Promise<void>; readonly tries: () => number } {
  let tries = 0;
  return {
    tries: () => tries,
    admit: (write) => {
      if (!which.test(write)) return Promise.resolve();
      tries += 1;
      return tries <= times ? Promise.reject(error()) : Promise.resolve();
    },
  };
}

/** Does what it is told, and never says so. */
function losing(inner: EmbeddedGateway, call: 'put' | 'remove'): Gateway {
  return {
    ...inner,
    [call]: async (...args: Parameters<Gateway['put']>) => {
      await inner[call](...args);
      throw broken();
    },
  };
}

async function changesFor(wanted: readonly Resource[], gateway: Gateway): Promise<readonly Change[]> {
  const live = await readLive(gateway, [...kinds.values()]);
  return makePlan(wanted.length === 0 ? new Map() : stateOf(fileOf(...wanted)), live, kinds, {
    gateway: gateway.url,
    prune: ['*'],
  }).value.changes;
}

/** Plans on `planned`, which is the gateway itself unless told, and applies. */
async function run(
  wanted: readonly Resource[],
  gateway: Gateway,
  options: Partial<ApplyOptions> = {},
  planned: Gateway = gateway,
  onEvent: (event: ApplyEvent) => void = () => undefined,
): Promise<{ readonly ledger: Ledger; readonly events: readonly string[] }> {
  return runChanges(await changesFor(wanted, planned), gateway, options, onEvent);
}

async function runChanges(
  changes: readonly Change[],
  gateway: Gateway,
  options: Partial<ApplyOptions> = {},
  onEvent: (event: ApplyEvent) => void = () => undefined,
): Promise<{ readonly ledger: Ledger; readonly events: readonly string[] }> {
  const events: string[] = [];
  for await (const event of applyPlan(changes, gateway, kinds, { clock: virtualClock(), ...options })) {
    onEvent(event);
    if (event.type === 'finished') return { ledger: event.ledger, events };
    events.push(print(event));
  }
  return expect.fail('the run ended without a ledger');
}

function print(event: Exclude<ApplyEvent, { type: 'finished' }>): string {
  switch (event.type) {
    case 'retrying':
      return `retrying ${event.change.address} ${event.why}`;
    case 'verifying':
      return `verifying ${event.kind} ${event.reason} ${event.changes}`;
    case 'unverified':
      return `unverified ${event.kind} ${event.why}`;
    case 'unsettled':
      return `unsettled ${event.changes}`;
    default:
      return event.type;
  }
}

/** The last line of the run. */
function toldOf({ result, entries }: Ledger): string | undefined {
  const refusals = entries.flatMap((entry) => (entry.outcome === 'failed' ? [entry.problem] : []));
  return pageOf(makeApplyReport(result, 'memory:', undefined, entries, refusals)).ending?.headline;
}

function messagesOf({ entries }: Ledger): readonly string[] {
  return entries.flatMap((entry) => (entry.outcome === 'failed' ? [entry.problem.message] : []));
}

function outcomesOf({ entries }: Ledger): readonly Entry['outcome'][] {
  return entries.map(({ outcome }) => outcome);
}
