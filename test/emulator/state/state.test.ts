import { describe, expect, it } from 'vitest';
import { memoryGateway } from '../../../src/emulator/memory.ts';
import { persistentGateway } from '../../../src/emulator/persistent.ts';
import { encodeSnapshot, readSnapshot } from '../../../src/emulator/saved-state.ts';
import { defineKind } from '../../../src/schema/define-kind.ts';
import type { Resource } from '../../../src/model/resource.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { kindOf, resource } from '../../support/kinds.ts';
import { orAll } from '../../support/soak.ts';

const virtualCluster = kindOf('VirtualCluster');
const prod = resource('VirtualCluster', { name: 'prod' });

describe('a snapshot', () => {
  it('is plain JSON from which a gateway goes on as it was', async () => {
    const one = memoryGateway(catalog.kinds, { version: '3.15.0' });
    const orders = resource(
      'AliasTopic',
      { name: 'orders', vCluster: 'prod' },
      { physicalName: 'v3', newer: true },
    );
    await one.put(virtualCluster, prod);
    await one.put(kindOf('AliasTopic'), orders);

    const text = encodeSnapshot(one.snapshot());
    expect(JSON.parse(text)).toMatchObject({ format: 'gwconf/gateway-state@1', version: '3.15.0' });
    const other = memoryGateway(catalog.kinds, { state: JSON.parse(text) });
    expect(other.version).toBe('3.15.0');
    expect(other.snapshot()).toEqual(one.snapshot());
    expect(await other.put(kindOf('AliasTopic'), orders)).toBe('unchanged');
    await expect(other.remove(virtualCluster, prod)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('may hold what nobody can write', async () => {
    const topic = resource('ConcentratedTopic', { name: 'clicks' }, { physicalName: 'all' });
    const state = { format: 'gwconf/gateway-state@1', version: '3.21.0', resources: [topic] };
    const gateway = memoryGateway(catalog.kinds, { state });
    expect(await gateway.list(kindOf('ConcentratedTopic'))).toEqual([topic]);
  });

  it.each([
    ['[]', 'the gateway state is not a JSON object'],
    [
      '{"format":"gwconf/plan@1"}',
      'expected gateway state of format gwconf/gateway-state@1; found "gwconf/plan@1"',
    ],
    ['{"format":"gwconf/gateway-state@1"}', 'the gateway state has no version'],
    ['{"format":"gwconf/gateway-state@1","version":"3.21.0"}', 'the gateway state has no list of resources'],
    [
      '{"format":"gwconf/gateway-state@1","version":"3.21.0","resources":[{"kind":"AliasTopic"}]}',
      'resource 0 of the gateway state has no kind or metadata.name',
    ],
  ])('is not read from %s', (text, message) => {
    expect(() => readSnapshot(JSON.parse(text))).toThrow(
      expect.objectContaining({ code: 'not-understood', message }),
    );
  });

  it.each([
    [[resource('NoSuchKind', { name: 'a' })], 'the gateway state has a resource of unknown kind NoSuchKind'],
    [[prod, prod], 'the gateway state has VirtualCluster/prod twice'],
    [
      [resource('GatewayGroup', { name: 'a' }, { members: ['alice'] })],
      'resource 0 of the gateway state is invalid: spec.members.0 must be object',
    ],
  ])('is not started from with resources that cannot be', (resources, message) => {
    const state = { format: 'gwconf/gateway-state@1', version: '3.21.0', resources };
    expect(() => memoryGateway(catalog.kinds, { state })).toThrow(message);
  });
});

describe('a gateway that is saved', () => {
  /** Saves that end when the test says so. */
  function saves() {
    const begun: { readonly text: string; readonly end: (error?: Error) => void }[] = [];
    let open = 0;
    const save = (text: string): Promise<void> => {
      open += 1;
      expect(open).toBe(1);
      return new Promise((resolve, reject) => {
        begun.push({
          text,
          end: (error) => {
            open -= 1;
            if (error === undefined) resolve();
            else reject(error);
          },
        });
      });
    };
    return { begun, save };
  }
  const cluster = (name: string): Resource => resource('VirtualCluster', { name });
  // One turn of the event loop for a save to wait for others, one for it to begin.
  const turn = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
  };

  it('answers a write after a save that has it, and saves many writes at once', async () => {
    const { begun, save } = saves();
    const gateway = persistentGateway(memoryGateway(catalog.kinds), save);
    const done: string[] = [];
    const put = (name: string) => gateway.put(virtualCluster, cluster(name)).then(() => done.push(name));

    const first = put('one');
    await turn();
    const others = [put('two'), put('three')];
    await turn();
    expect(begun).toHaveLength(1);
    expect(done).toEqual([]);

    begun[0]?.end();
    await first;
    await turn();
    expect(done).toEqual(['one']);
    expect(begun).toHaveLength(2);
    expect(readSnapshot(JSON.parse(begun[1]?.text ?? '')).resources).toHaveLength(3);

    begun[1]?.end();
    await Promise.all(others);
    await turn();
    expect(begun).toHaveLength(2);
  });

  it('saves nothing where nothing changed', async () => {
    const { begun, save } = saves();
    const embedded = memoryGateway(catalog.kinds);
    await embedded.put(virtualCluster, prod);
    const gateway = persistentGateway(embedded, save);
    expect(await gateway.put(virtualCluster, prod)).toBe('unchanged');
    expect(await gateway.remove(virtualCluster, cluster('ghost'))).toBe('absent');
    expect(await gateway.list(virtualCluster)).toHaveLength(1);
    await gateway.close();
    expect(begun).toEqual([]);
  });

  it('fails a write that is not saved, and tries again with the next call', async () => {
    const { begun, save } = saves();
    const gateway = persistentGateway(memoryGateway(catalog.kinds), save);
    const lost = gateway.put(virtualCluster, prod);
    await turn();
    begun[0]?.end(new Error('disk full'));
    await expect(lost).rejects.toThrow('disk full');

    const again = gateway.put(virtualCluster, prod);
    await turn();
    expect(begun).toHaveLength(2);
    begun[1]?.end();
    expect(await again).toBe('unchanged');
  });
});

describe('a gateway of other kinds', () => {
  type Shelf = Resource<'Shelf', { readonly name: string; readonly in?: string }, { readonly code: string }>;
  const room = defineKind<Resource<'Room'>>({
    name: 'Room',
    summary: 'A room.',
    apiVersion: 'gateway/v2',
    collection: '/gateway/v2/room',
    removal: 'path',
    schema: { metadata: { type: 'object' }, spec: { type: 'object' } },
    example: resource('Room', { name: 'attic' }) as Resource<'Room'>,
    builtIn: ['hall'],
  });
  const shelf = defineKind<Shelf>({
    name: 'Shelf',
    summary: 'A shelf.',
    apiVersion: 'gateway/v2',
    collection: '/gateway/v2/shelf',
    removal: 'body',
    schema: { metadata: { type: 'object' }, spec: { type: 'object', required: ['code'] } },
    example: resource('Shelf', { name: 'top' }, { code: 'A' }) as Shelf,
    defaults: { '/metadata/in': 'hall' },
    unique: ['/spec/code'],
    immutable: ['/spec/colour'],
    references: { '/metadata/in': 'Room' },
  });
  const gateway = () => memoryGateway(new Map([room, shelf].map((kind) => [kind.name, kind])));

  it('goes by their forms', async () => {
    const library = gateway();
    await library.put(shelf, resource('Shelf', { name: 'top' }, { code: 'A', colour: 'red' }));
    await expect(library.put(room, resource('Room', { name: 'hall' }))).rejects.toMatchObject({
      status: 400,
    });
    await expect(library.put(shelf, resource('Shelf', { name: 'low' }, { code: 'A' }))).rejects.toMatchObject(
      {
        status: 409,
      },
    );
    await expect(library.put(shelf, resource('Shelf', { name: 'low' }))).rejects.toMatchObject({
      status: 400,
    });
    await expect(
      library.put(shelf, resource('Shelf', { name: 'low', in: 'attic' }, { code: 'B' })),
    ).rejects.toMatchObject({ status: 404, message: 'The Room attic does not exist' });
    await expect(
      library.put(shelf, resource('Shelf', { name: 'top' }, { code: 'A', colour: 'blue' })),
    ).rejects.toMatchObject({ status: 409 });
    await expect(library.remove(room, resource('Room', { name: 'hall' }))).rejects.toMatchObject({
      status: 400,
    });
    expect(await library.list(shelf)).toHaveLength(1);
  });

  it('is described as well', () => {
    expect(gateway().handle('GET', '/gateway/v2/docs').body).toMatchObject({
      paths: { '/gateway/v2/room/{name}': { delete: { responses: { 409: {} } } } },
    });
  });
});

it('holds any number of resources', async () => {
  const many = orAll(2_000, 150_000);
  const gateway = memoryGateway(catalog.kinds);
  await gateway.put(virtualCluster, prod);
  const alias = kindOf('AliasTopic');
  for (let at = 0; at < many; at += 1) {
    await gateway.put(
      alias,
      resource('AliasTopic', { name: `t${at}`, vCluster: 'prod' }, { physicalName: 'x' }),
    );
  }
  expect(await gateway.list(alias)).toHaveLength(many);
  await expect(gateway.remove(virtualCluster, prod)).rejects.toMatchObject({ code: 'conflict' });
});
