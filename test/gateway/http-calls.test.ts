import { afterEach, describe, expect, it } from 'vitest';
import { asValid, type Resource } from '../../src/model/resource.ts';
import { always, closeAll, gatewayAt, serve } from './opponent.ts';
import { author, book, rule, shelf } from './toy-kinds.ts';

afterEach(closeAll);

function named(name: string, metadata: object = {}): Resource {
  return asValid({
    apiVersion: 'gateway/v2',
    kind: 'Shelf',
    metadata: { name, ...metadata },
    spec: { a: 1 },
  });
}

const parsed = (text: string): unknown => JSON.parse(text);

describe('a list', () => {
  it('is one GET on the collection, without a query', async () => {
    const server = await serve(always(200, [named('top'), named('low')]));
    expect(await gatewayAt(server.url).list(shelf)).toEqual([named('top'), named('low')]);
    expect(server.received).toMatchObject([{ method: 'GET', path: '/gateway/v2/shelf', body: '' }]);
  });

  it('is read as the kind reads its items', async () => {
    const server = await serve(always(200, [{ author: 'joyce', born: 1882 }]));
    const found = await gatewayAt(server.url).list(author);
    expect(found).toMatchObject([{ kind: 'Author', metadata: { name: 'joyce' }, spec: { born: 1882 } }]);
  });

  it('keeps every character', async () => {
    const odd = named('größe 🦉 \u2028');
    const server = await serve(always(200, [odd]));
    expect(await gatewayAt(server.url).list(shelf)).toEqual([odd]);
  });
});

describe('a put', () => {
  it('sends the resource as it is to the collection', async () => {
    const server = await serve(always(200, { upsertResult: 'Created' }));
    await gatewayAt(server.url).put(book, named('größe'));
    const [sent] = server.received;
    expect(sent).toMatchObject({ method: 'PUT', path: '/gateway/v2/book' });
    expect(sent?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(sent?.body ?? '')).toEqual(named('größe'));
  });

  it.each([
    ['Created', 'created'],
    ['CREATED', 'created'],
    ['created', 'created'],
    ['Updated', 'updated'],
    ['UPDATED', 'updated'],
    ['NotChanged', 'unchanged'],
    ['NOT_CHANGED', 'unchanged'],
    ['notChanged', 'unchanged'],
  ])('that is answered %s has %s', async (said, result) => {
    const server = await serve((response, request) => {
      const bare = request.path === '/bare/gateway/v2/shelf';
      always(200, bare ? JSON.stringify(said) : { upsertResult: said })(response, request);
    });
    expect(await gatewayAt(server.url).put(shelf, named('top'))).toBe(result);
    expect(await gatewayAt(`${server.url}/bare`).put(shelf, named('top'))).toBe(result);
  });
});

describe('a removal', () => {
  it('names in the path what is known by its name', async () => {
    const server = await serve(always(204));
    expect(await gatewayAt(server.url).remove(shelf, named('top'))).toBe('removed');
    expect(server.received).toMatchObject([{ method: 'DELETE', path: '/gateway/v2/shelf/top', body: '' }]);
  });

  it('escapes what would be read as part of the address', async () => {
    const server = await serve(always(204));
    await gatewayAt(server.url).remove(shelf, named('a/b?c#d %é'));
    expect(server.received[0]?.path).toBe('/gateway/v2/shelf/a%2Fb%3Fc%23d%20%25%C3%A9');
  });

  it('names in the body what is known by name and virtual cluster', async () => {
    const server = await serve(always(204));
    const gateway = gatewayAt(server.url);
    await gateway.remove(book, named('ulysses', { vCluster: 'prod' }));
    await gateway.remove(book, named('ulysses'));
    expect(server.received.map(({ path, body }) => [path, parsed(body)])).toEqual([
      ['/gateway/v2/book', { name: 'ulysses', vCluster: 'prod' }],
      ['/gateway/v2/book', { name: 'ulysses', vCluster: 'passthrough' }],
    ]);
  });

  it('spells out the whole scope, nulls included, of what is known by name and scope', async () => {
    const server = await serve(always(204));
    const gateway = gatewayAt(server.url);
    await gateway.remove(rule, named('silence'));
    await gateway.remove(rule, named('silence', { scope: { vCluster: 'prod', username: 'bob' } }));
    expect(server.received.map(({ path, body }) => [path, parsed(body)])).toEqual([
      ['/gateway/v2/rule/silence', { vCluster: 'passthrough', group: null, username: null }],
      ['/gateway/v2/rule/silence', { vCluster: 'prod', group: null, username: 'bob' }],
    ]);
  });

  it.each([{ kind: book }, { kind: rule }])(
    'with a body leaves its connection to later calls: $kind.name',
    async ({ kind }) => {
      const sockets = new Set<unknown>();
      const server = await serve((response) => {
        sockets.add(response.socket);
        response.writeHead(204).end();
      });
      const gateway = gatewayAt(server.url);
      for (let call = 1; call <= 8; call += 1) await gateway.remove(kind, named(`number-${call}`));
      expect(sockets.size).toBeLessThan(4);
    },
  );

  it.each([200, 202, 204])('that is answered %i is done', async (status) => {
    const server = await serve(always(status));
    expect(await gatewayAt(server.url).remove(shelf, named('top'))).toBe('removed');
  });

  it('of something that the gateway does not know finds it absent', async () => {
    const server = await serve(always(404, { title: 'Not found', msg: 'no shelf top' }));
    expect(await gatewayAt(server.url).remove(shelf, named('top'))).toBe('absent');
  });

  it('of a name that is a step up in a path is refused before it is sent', async () => {
    const server = await serve(always(204));
    await expect(gatewayAt(server.url).remove(shelf, named('..'))).rejects.toThrow(
      'the name .. cannot be part of a path',
    );
    expect(server.received).toEqual([]);
  });

  it('of a kind that can only be read is a bug', async () => {
    await expect(gatewayAt('http://127.0.0.1').remove(author, named('joyce'))).rejects.toThrow(
      'only be read',
    );
  });
});

describe('every call', () => {
  async function headersOf(
    more: Parameters<typeof gatewayAt>[1],
    userInfo = '',
  ): Promise<object | undefined> {
    const server = await serve(always(200, []));
    await gatewayAt(server.url.replace('//', `//${userInfo}`), more).list(shelf);
    return server.received[0]?.headers;
  }
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

  it('says who is calling, and asks for JSON that is not compressed', async () => {
    const headers = await headersOf({});
    expect(headers).toMatchObject({
      'user-agent': 'gwconf/1.2.3',
      accept: 'application/json',
      'accept-encoding': 'identity',
    });
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('x-cdk-client');
  });

  it('carries user and password, in UTF-8', async () => {
    const headers = await headersOf({ user: 'admin', password: 'pä:ss' });
    expect(headers).toHaveProperty('authorization', basic('admin:pä:ss'));
  });

  it('takes user and password from the address when there are no others', async () => {
    expect(await headersOf({}, 'bob:p%40ss@')).toHaveProperty('authorization', basic('bob:p@ss'));
    expect(await headersOf({ password: 'x' }, 'bob@')).toHaveProperty('authorization', basic('bob:x'));
    expect(await headersOf({ user: 'al', password: 'x' }, 'bob:p@')).toHaveProperty(
      'authorization',
      basic('al:x'),
    );
  });

  it('does not give one user the password of another', async () => {
    expect(await headersOf({ user: 'al' }, 'bob:p@')).toHaveProperty('authorization', basic('al:'));
  });

  it('carries the headers it was given, which win', async () => {
    const headers = await headersOf({ user: 'al', headers: { Authorization: 'Bearer t', 'X-Env': 'prod' } });
    expect(headers).toMatchObject({ authorization: 'Bearer t', 'x-env': 'prod' });
  });

  it('keeps the path of the address in front', async () => {
    const server = await serve(always(200, []));
    const gateway = gatewayAt(`${server.url}/team/a//`);
    await gateway.list(shelf);
    expect(server.received[0]?.path).toBe('/team/a/gateway/v2/shelf');
    expect(gateway.url).toBe(`${server.url}/team/a`);
  });

  it('may be under way together with others', async () => {
    const waiting: (() => void)[] = [];
    const server = await serve((response) => {
      waiting.push(() => response.writeHead(200).end('[]'));
      if (waiting.length === 20) waiting.forEach((answer) => answer());
    });
    const gateway = gatewayAt(server.url);
    const lists = await Promise.all(Array.from({ length: 20 }, () => gateway.list(shelf)));
    expect(lists).toHaveLength(20);
  });
});

describe('the address that is shown', () => {
  it.each([
    ['http://admin:secret@gateway.example:8888/', 'http://gateway.example:8888'],
    ['https://Gateway.Example:443', 'https://gateway.example'],
    ['https://gateway.example/a/', 'https://gateway.example/a'],
  ])('of %s is %s', (given, shown) => {
    expect(gatewayAt(given).url).toBe(shown);
  });
});
