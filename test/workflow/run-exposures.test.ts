import fc from '../support/fast-check.ts';
import { expect, it } from 'vitest';
import { GatewayError, type Gateway } from '../../src/gateway/gateway.ts';
import { readLive } from '../../src/gateway/read-live.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { openWorkspace } from '../../src/workflow/project/open-workspace.ts';
import { applyProject } from '../../src/workflow/run/apply.ts';
import { clientsOf, printClient, protectionOf, toClient, type State } from '../support/exposure-oracle.ts';
import { goneWithProtection, someState } from '../support/exposure-states.ts';
import { written } from '../support/generate.ts';
import { memoryHost } from '../support/memory-host.ts';
import { orderGateway } from '../support/order-states.ts';
import { PAIRS, time } from '../support/order-pairs.ts';

const kinds = [...catalog.kinds.values()];
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
        const lacking = clientsOf(before, now).flatMap((client) => {
          const [was, is] = [before, now].map((state) => protectionOf(client, state).sorts);
          return [...(was ?? [])].flatMap((sort) =>
            is?.has(sort) === true ? [] : printClient(client, sort),
          );
        });
        expect(unprotected.map((one) => printClient(toClient(one), one.protection)).sort()).toEqual(
          lacking.sort(),
        );
        if (lacking.length > 0) seen += 1;
      }),
      { numRuns: PAIRS, examples: [[...goneWithProtection, fc.stream(['made', 'refused'].values()), false]] },
    );
    expect(seen).toBeGreaterThan(PAIRS / 20);
  },
);
