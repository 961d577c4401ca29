import { describe, expect, it } from 'vitest';
import { GatewayError, type Gateway } from '../../src/gateway/gateway.ts';
import { readLive } from '../../src/gateway/read-live.ts';
import type { Kind } from '../../src/model/kind.ts';
import type { Resource } from '../../src/model/resource.ts';
import { author, book, rule, shelf } from './toy-kinds.ts';

const kinds = [shelf, book, author, rule];

/** A gateway that can only list: what is given for the kind, or nothing. */
function listing(
  answers: Readonly<Record<string, readonly Resource[] | Error>>,
  asked: string[] = [],
): Gateway {
  const unused = (): never => expect.fail('only lists are read');
  return {
    url: 'http://gateway.example',
    list: (kind: Kind) => {
      asked.push(kind.name);
      const answer = answers[kind.name] ?? [];
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    put: unused,
    remove: unused,
    close: unused,
  };
}

const refused = (words: string): GatewayError => new GatewayError('refused', words, { status: 400 });

describe('the live state', () => {
  it('holds each resource under its whole identity', async () => {
    const global = { ...rule.example, metadata: { name: 'silence', scope: { vCluster: null } } };
    const live = await readLive(
      listing({ Shelf: [shelf.example], Book: [book.example], Rule: [rule.example, global] }),
      kinds,
    );
    expect([...live.resources]).toEqual([
      ['Shelf/top', shelf.example],
      ['Book/ulysses@vCluster=passthrough', book.example],
      ['Rule/silence@vCluster=passthrough', rule.example],
      ['Rule/silence@global', global],
    ]);
    expect(live.unavailable.size).toBe(0);
  });

  it('takes one call for each kind that can be written', async () => {
    const asked: string[] = [];
    await readLive(listing({}, asked), kinds);
    expect(asked).toEqual(['Shelf', 'Book', 'Rule']);
  });

  it('does without a kind that the gateway refuses to list, and keeps its words', async () => {
    const live = await readLive(
      listing({ Shelf: refused('no shelves with PLAINTEXT'), Book: [book.example] }),
      kinds,
    );
    expect([...live.unavailable]).toEqual([['Shelf', 'no shelves with PLAINTEXT']]);
    expect([...live.resources.keys()]).toEqual(['Book/ulysses@vCluster=passthrough']);
  });

  it('is not read when every kind is refused', async () => {
    const gateway = listing({ Shelf: refused('one'), Book: refused('two'), Rule: refused('three') });
    await expect(readLive(gateway, kinds)).rejects.toThrow('one');
  });

  it('is not read when a list fails otherwise', async () => {
    const busy = new GatewayError('busy', 'later', { status: 503 });
    await expect(readLive(listing({ Shelf: refused('no'), Rule: busy }), kinds)).rejects.toMatchObject({
      code: 'busy',
      status: 503,
      message: 'Rule cannot be listed: later',
    });
    await expect(readLive(listing({ Shelf: busy, Book: busy, Rule: busy }), kinds)).rejects.toBe(busy);
  });

  it('is empty when there is nothing to read', async () => {
    expect((await readLive(listing({}), [])).resources.size).toBe(0);
  });

  it('takes the same resource listed twice once', async () => {
    const live = await readLive(listing({ Shelf: [shelf.example, { ...shelf.example }] }), kinds);
    expect(live.resources.size).toBe(1);
  });

  it('is not read when two resources cannot be told apart', async () => {
    const other = { ...shelf.example, spec: { wide: true } };
    await expect(readLive(listing({ Shelf: [shelf.example, other] }), kinds)).rejects.toThrow(
      'the gateway lists two resources with the address Shelf/top',
    );
  });
});
