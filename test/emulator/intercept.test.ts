import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryGateway, type EmbeddedGateway } from '../../src/emulator/memory.ts';
import { serveGateway } from '../../src/emulator/server.ts';
import { GatewayError, type Gateway } from '../../src/gateway/gateway.ts';
import { httpGateway } from '../../src/gateway/http/http.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { makeFaultyGateway } from '../support/faults/faulty-gateway.ts';
import { interceptWith } from '../support/faults/intercept-with.ts';
import { makeLaggingStore } from '../support/faults/lagging-store.ts';
import type { FaultScript, ScriptedFault } from '../support/faults/script.ts';
import { kindOf, resource } from '../support/kinds.ts';

type Made = { readonly embedded: EmbeddedGateway; readonly gateway: Gateway };

/** A script is played alike wherever it is played. */
const stages: readonly (readonly [string, (script: FaultScript) => Promise<Made>])[] = [
  [
    'on the port',
    (script) => {
      const store = makeLaggingStore();
      const embedded = memoryGateway(catalog.kinds, { store });
      return Promise.resolve({ embedded, gateway: makeFaultyGateway(embedded, store, script) });
    },
  ],
  [
    'over HTTP',
    async (script) => {
      const store = makeLaggingStore();
      const embedded = memoryGateway(catalog.kinds, { store });
      const server = await serveGateway(embedded, { port: 0, intercept: interceptWith(script, store) });
      const connection = { url: server.url, user: 'admin', password: 'conduktor', userAgent: 'gwconf/1' };
      // Only a call that hangs should run out of time.
      const timeoutMs = script.some(({ fault }) => fault === 'hang') ? 100 : 60_000;
      const gateway = httpGateway({ ...connection, timeoutMs });
      onTestFinished(async () => {
        await gateway.close();
        await server.close();
      });
      return { embedded, gateway };
    },
  ],
];

const clusters = kindOf('VirtualCluster');
const aliases = kindOf('AliasTopic');
const prod = resource('VirtualCluster', { name: 'prod' }, {});
const orders = resource('AliasTopic', { name: 'orders', vCluster: 'prod' }, { physicalName: 't' });

describe.each(stages)('a fault of the script, %s,', (_, make) => {
  const faults: readonly (readonly [ScriptedFault, Partial<GatewayError>, number])[] = [
    [{ fault: 'status', status: 429, retryAfter: 2 }, { code: 'busy', status: 429, retryAfterMs: 2000 }, 0],
    [{ fault: 'status', status: 500 }, { code: 'failed', status: 500 }, 0],
    [{ fault: 'status', status: 401 }, { code: 'unauthorized', status: 401 }, 0],
    // Whether it was sent before the time was up is a matter of the machine.
    [{ fault: 'hang' }, { code: 'timeout', status: undefined }, 0],
    [{ fault: 'drop-before' }, { code: 'unreachable', status: undefined, unsent: false }, 0],
    [{ fault: 'drop-after' }, { code: 'unreachable', status: undefined, unsent: false }, 1],
    [{ fault: 'garbage' }, { code: 'not-understood', status: 200 }, 1],
  ];
  it.each(faults)('that is $fault fails the call as it should', async (scripted, error, there) => {
    const { embedded, gateway } = await make([{ at: 1, ...scripted }]);
    expect(await failureOf(gateway.put(clusters, prod))).toMatchObject(error);
    expect(await embedded.list(clusters)).toHaveLength(there);
  });

  it('that is a delay fails nothing', async () => {
    const { gateway } = await make([{ at: 1, fault: 'delay', ms: 1 }]);
    expect(await gateway.put(clusters, prod)).toBe('created');
  });

  it('that is a lag hides what was done from lists and checks for so many calls', async () => {
    const { gateway } = await make([{ at: 1, fault: 'lag', calls: 2 }]);
    expect(await gateway.put(clusters, prod)).toBe('created');
    expect(await gateway.list(clusters)).toEqual([]);
    expect(await failureOf(gateway.put(aliases, orders))).toMatchObject({ code: 'not-found' });
    expect(await gateway.list(clusters)).toHaveLength(1);
    expect(await gateway.put(aliases, orders)).toBe('created');
  });

  it('that is a lag does not undo what was written meanwhile', async () => {
    const { gateway } = await make([{ at: 1, fault: 'lag', calls: 1 }]);
    await gateway.put(clusters, prod);
    await gateway.put(clusters, prod);
    expect(await gateway.remove(clusters, prod)).toBe('removed');
    expect(await gateway.list(clusters)).toEqual([]);
  });

  it('counts writes, or all calls when it says so', async () => {
    const { gateway } = await make([
      { at: 2, fault: 'status', status: 500 },
      { at: 1, counting: 'calls', fault: 'status', status: 503 },
    ]);
    await expect(gateway.list(clusters)).rejects.toMatchObject({ status: 503 });
    expect(await gateway.put(clusters, prod)).toBe('created');
    await expect(gateway.remove(clusters, prod)).rejects.toMatchObject({ status: 500 });
  });
});

async function failureOf(call: Promise<unknown>): Promise<GatewayError> {
  const error: unknown = await call.then(
    () => expect.fail('expected a failure'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof GatewayError)) throw error;
  return error;
}
