import { afterEach, expect, it } from 'vitest';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { makeMasker } from '../../../src/plan/secrets/masker.ts';
import { connectGateway } from '../../../src/workflow/live/connection.ts';
import { MemoryBudget } from '../../../src/workflow/project/memory-budget.ts';
import { Secrets } from '../../../src/workflow/project/secrets.ts';
import { closeAll, serve } from '../../gateway/opponent.ts';
import { kindOf } from '../../support/kinds.ts';
import { memoryHost } from '../../support/memory-host.ts';

afterEach(closeAll);

const LIMITS = { heapLimitBytes: () => 1e9, maxInputBytes: 1e9, expectMuch: () => undefined };

type Looking = { readonly secrets: Secrets; readonly memory: MemoryBudget };

function workspaceWith(secret: string, limits = LIMITS): Looking {
  const secrets = new Secrets(makeMasker(), catalog);
  secrets.note(secret);
  return { secrets, memory: new MemoryBudget(limits) };
}

it('one connection serves many workspaces, over the sockets that are open', async () => {
  const sockets = new Set<unknown>();
  const { url, received } = await serve((response) => {
    sockets.add(response.socket?.remotePort);
    response.writeHead(200).end('[]');
  });
  const connection = await connectGateway(memoryHost(), { url });
  for (let tick = 0; tick < 9; tick += 1)
    await connection.gatewayFor(workspaceWith(`secret-${tick}`)).list(kindOf('AliasTopic'));
  await connection.close();
  expect(received).toHaveLength(9);
  expect(sockets.size).toBeLessThan(3);
});

it('a workspace hides what it has met, and nothing that another has', async () => {
  const { url } = await serve((response) =>
    response.writeHead(400).end(JSON.stringify({ message: 'Kanarienvogel and Rotkehlchen' })),
  );
  const connection = await connectGateway(memoryHost(), { url });
  const [first, second] = ['Kanarienvogel', 'Rotkehlchen'].map((secret) =>
    connection.gatewayFor(workspaceWith(secret)),
  );
  await expect(first?.list(kindOf('AliasTopic'))).rejects.toThrow('(hidden) and Rotkehlchen');
  await expect(second?.list(kindOf('AliasTopic'))).rejects.toThrow('Kanarienvogel and (hidden)');
  await connection.close();
});

it('responses to writes count for memory where they are large', async () => {
  let padding = 0;
  const { url } = await serve((response) =>
    response.writeHead(200).end(JSON.stringify({ upsertResult: 'CREATED', padding: ' '.repeat(padding) })),
  );
  const connection = await connectGateway(memoryHost(), { url });
  const full = connection.gatewayFor(workspaceWith('one', { ...LIMITS, heapLimitBytes: () => 1 }));
  const put = (): Promise<unknown> => full.put(kindOf('AliasTopic'), kindOf('AliasTopic').example);
  expect(await put()).toBe('created');
  padding = 200_000;
  await expect(put()).rejects.toThrow('need at least');
  await connection.close();
});

it('lists count for the memory of the workspace that they are made for', async () => {
  const { url } = await serve((response) => response.writeHead(200).end('[]'));
  const connection = await connectGateway(memoryHost(), { url });
  const full = connection.gatewayFor(workspaceWith('one', { ...LIMITS, heapLimitBytes: () => 1 }));
  await expect(full.list(kindOf('AliasTopic'))).rejects.toThrow('need at least');
  expect(await connection.gatewayFor(workspaceWith('two')).list(kindOf('AliasTopic'))).toEqual([]);
  await connection.close();
});
