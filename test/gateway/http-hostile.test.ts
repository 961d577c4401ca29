import { type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { excess } from '../../src/model/json/extent.ts';
import { always, closeAll, failureOf, gatewayAt, serve, speak, stopTime } from './opponent.ts';
import { book, rule, shelf } from './toy-kinds.ts';

afterEach(closeAll);

/** The head of an answer, and then this again and again, as fast as it is taken, until nobody takes it. */
function endless(head: string, more: string): (socket: Socket) => void {
  return (socket) => {
    const pour = (): void => {
      while (!socket.destroyed && socket.write(more));
    };
    socket.on('drain', pour).write(head);
    pour();
  };
}

/** The same, a little at a time. */
function dripping(head: string, more: string): (socket: Socket) => void {
  return (socket) => {
    const drip = (): void => {
      if (!socket.destroyed) socket.write(more, () => setImmediate(drip));
    };
    socket.write(head);
    drip();
  };
}

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKS = 'Transfer-Encoding: chunked\r\n\r\n';
const BAD = `HTTP/1.1 400 Bad Request\r\n${CHUNKS}`;
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const listed = (items: string): string =>
  `${OK}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(items)}\r\n\r\n${items}`;

describe('an answer without end', () => {
  it('is read up to the limit, which is said', async () => {
    const url = await speak(endless(`${OK}${CHUNKS}`, chunk('['.repeat(60_000))));
    const error = await failureOf(gatewayAt(url, { maxAnswerBytes: 1_000_000 }).list(shelf));
    expect(error.code).toBe('not-understood');
    expect(error.message).toMatch(/to GET \/gateway\/v2\/shelf is longer than 1 MB$/);
  });

  it('is a refusal all the same, of which the beginning is enough', async () => {
    const url = await speak(endless(BAD, chunk('no '.repeat(20_000))));
    const error = await failureOf(gatewayAt(url).list(shelf));
    expect(error).toMatchObject({ code: 'refused', status: 400 });
    expect(error.message).toMatch(/\(400\): no no .*…$/);
  });

  it.each([
    ['headers', endless(OK, `X-More: ${'x'.repeat(1000)}\r\n`)],
    ['one header', endless(`${OK}X-More: `, 'x'.repeat(10_000))],
  ])('may be one of %s', async (_, answer) => {
    const error = await failureOf(gatewayAt(await speak(answer)).list(shelf));
    expect(error.message).toMatch(/^127\.0\.0\.1:\d+ sends too many response headers$/);
  });
});

describe('an answer that comes drop by drop', () => {
  it.each([
    ['in its body', dripping(`${OK}${CHUNKS}`, chunk('[')), 'did not complete its response'],
    ['in the body of a refusal', dripping(BAD, chunk('[')), 'did not complete its response'],
    ['in its headers', dripping(OK, 'X: y\r\n'), 'did not respond'],
    ['in its first line', dripping('HTTP/1.1 200 ', 'O'), 'did not respond'],
    ['in the size of a chunk', dripping(`${OK}${CHUNKS}`, '0'), 'did not complete its response'],
    ['in promises', dripping('', 'HTTP/1.1 103 Early Hints\r\n\r\n'), 'did not respond'],
    ['in its trailers', dripping(`${OK}${CHUNKS}0\r\n`, 'X: y\r\n'), 'did not complete its response'],
  ])('%s has one time limit for all of it', async (_, answer, words) => {
    const time = stopTime();
    const url = await speak((socket) => {
      answer(socket);
      time.start();
    });
    const call = failureOf(gatewayAt(url, { timeoutMs: 60 }).list(shelf));
    await time.pass(60);
    const error = await call;
    expect(error.code).toBe('timeout');
    expect(error.message).toMatch(new RegExp(`${words} to GET \\S+ within 0\\.06 s$`));
  });
});

describe('an answer that is more than a process can hold', () => {
  const listing = async (text: string): Promise<string> =>
    (await failureOf(gatewayAt((await serve(always(200, text))).url).list(shelf))).message;

  it('because it is nested', async () => {
    const deep = 'is nested deeper than 1024 levels';
    expect(await listing('['.repeat(100_000))).toContain(deep);
    expect(await listing(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toContain(deep);
    expect(await listing(`${'[{"a":'.repeat(513)}1${'}]'.repeat(513)}`)).toContain(deep);
  });

  it('because of how many values it has', () => {
    expect(excess(`[${','.repeat(10_000_001)}`)).toBe('has more than 10 million values');
  });

  it('and is none for brackets and commas in a text', () => {
    const text = JSON.stringify(['['.repeat(2000), `\\"${'{'.repeat(2000)}`, { '[[[': '\\' }]);
    expect(excess(text)).toBeUndefined();
    expect(excess(`[${'[],'.repeat(1000)}[]]`)).toBeUndefined();
    expect(excess('"never ends')).toBeUndefined();
  });

  it('is refused where it refuses', async () => {
    for (const text of ['['.repeat(100_000), `${'{"cause":'.repeat(50_000)}1${'}'.repeat(50_000)}`]) {
      const { url } = await serve(always(400, text));
      expect((await failureOf(gatewayAt(url).put(book, book.example))).code).toBe('refused');
    }
  });

  it('because it is packed, which nobody asked for', async () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000, ' '));
    const { url } = await serve((response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );
    expect((await failureOf(gatewayAt(url).list(shelf))).message).toContain('is compressed');
  });

  it('and is told at the first that is wrong of a million', async () => {
    expect(await listing(`[${'{},'.repeat(999_999)}{}]`)).toContain('contains no resource at index 0');
  });
});

describe('an item that is not what was asked for', () => {
  const item = (more: object): string =>
    JSON.stringify([{ apiVersion: 'gateway/v2', kind: 'Rule', metadata: { name: 'r' }, spec: {}, ...more }]);

  it.each([
    ['nothing', '[null]', 'expected a map, found null'],
    ['a list', '[[{"password":"hunter2"}]]', 'expected a map, found a list'],
    ['another kind', item({ kind: 'Shelf' }), 'expected kind Rule, found "Shelf"'],
    ['no kind', item({ kind: 7 }), 'expected kind Rule, found 7'],
    ['without metadata', item({ metadata: null }), 'expected metadata.name and spec'],
    ['with a name that is none', item({ metadata: { name: {} } }), 'expected metadata.name and spec'],
    ['without spec', item({ spec: undefined }), 'expected metadata.name and spec'],
    [
      'of a scope that is none',
      item({ metadata: { name: 'r', scope: { vCluster: 7 } } }),
      'expected text or null in /metadata/scope/vCluster, found a number',
    ],
  ])('%s', async (_, text, words) => {
    const { url } = await serve(always(200, text));
    const error = await failureOf(gatewayAt(url).list(rule));
    expect(error.code).toBe('not-understood');
    expect(error.message).toMatch(
      new RegExp(`contains no resource at index 0: ${words.replaceAll('.', '\\.')}$`),
    );
  });

  it.each([
    '{"__proto__":{"polluted":1},"metadata":{"name":"r","__proto__":{"polluted":1}},"spec":{"__proto__":{"polluted":1}}}',
    '{"constructor":{"prototype":{"polluted":1}},"metadata":{"name":"r"},"spec":{"constructor":{"prototype":{"polluted":1}}}}',
  ])('but changes what it is to be an object: %s', async (text) => {
    const { url } = await serve(always(200, `[${text}]`));
    const [read] = await gatewayAt(url).list(rule);
    expect(Object.keys(read?.spec ?? {})).toHaveLength(1);
    expect(({} as Readonly<Record<string, unknown>>)['polluted']).toBeUndefined();
  });
});

describe('a redirect to something else', () => {
  it.each([
    ['file:///etc/passwd', 'file://'],
    ['javascript:alert(1)', 'javascript://'],
    ['//other.example/x?token=abc', 'http://other.example'],
    ['http://u:p@other.example', 'http://other.example'],
  ])('%s is shown and not followed', async (location, shown) => {
    const { url, received } = await serve(always(307, '', { location }));
    const error = await failureOf(gatewayAt(url, { user: 'a', password: 'hunter2' }).list(shelf));
    expect(error.message).toContain(`redirects to ${shown} (307), which gwconf does not follow`);
    expect(received).toHaveLength(1);
  });
});

describe('bytes that nobody waits for', () => {
  it('are not the answer to the next call', async () => {
    const evil = JSON.stringify([{ ...shelf.example, metadata: { name: 'evil' } }]);
    let calls = 0;
    const url = await speak((socket) => {
      calls += 1;
      socket.write(calls === 1 ? `${listed('[]')}${listed(evil)}` : listed('[]'));
    });
    const gateway = gatewayAt(url);
    expect(await gateway.list(shelf)).toEqual([]);
    expect(await gateway.list(shelf)).toEqual([]);
    expect(calls).toBe(2);
  });

  it('break the answer that they follow off', async () => {
    const url = await speak((socket) => socket.end(`${OK}Content-Length: 2\r\n\r\n[`));
    expect((await failureOf(gatewayAt(url).list(shelf))).code).toBe('unreachable');
  });

  it.each([
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n[]',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n[]',
    'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n[]',
    'HTTP/1.1 9999 OK\r\n\r\n',
    'HTTP/9.9 200 OK\r\n\r\n',
    '\u0000\u0000\u0000',
  ])('are an error as %j', async (text) => {
    const url = await speak((socket) => socket.end(text));
    expect((await failureOf(gatewayAt(url).list(shelf))).code).toMatch(/unreachable|not-understood/);
  });
});
