import { describe, expect, it } from 'vitest';
import {
  digest,
  type Digester,
  makeFinder,
  MOST_DIGESTS,
  TooManyDigests,
  isMac,
  isRandom,
  markOf,
  digestPieces,
  slowDigester,
  withDigests,
} from '../../../src/plan/saved/digest.ts';
import { quickKey } from '../../support/quick-key.ts';

describe('a digest', () => {
  it('is SHA-256 in hex', () => {
    expect(digest('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  const slow = slowDigester('salt');
  const all = (make: Digester): readonly string[] => ['secret', 'other', 'secret'].map((one) => make(one));
  const [one = '', other = '', again] = all(slow);

  it('of a secret is salted, and the same for the same', () => {
    expect(again).toBe(one);
    expect(slowDigester('salt')('secret')).toBe(one);
    expect(slowDigester('pepper')('secret')).not.toBe(one);
  });

  it('of each secret has a salt of its own, which its mark finds again', () => {
    expect([markOf(one), markOf(other)]).toEqual(['0', '1']);
    const later = slowDigester('salt');
    expect(later('other', markOf(other))).toBe(other);
    const moved = later('secret', markOf(other));
    expect(moved).not.toBe(other);
    expect(moved.split('.')[1]).not.toBe(one.split('.')[1]);
  });

  it('is the same when it is computed in parallel with others', async () => {
    expect(await withDigests('salt', all)).toEqual([one, other, one]);
  });

  it('is computed for none of too many secrets', async () => {
    const started: string[] = [];
    const derive = (text: string): Promise<string> => {
      started.push(text);
      return Promise.resolve(text);
    };
    const secrets = Array.from({ length: MOST_DIGESTS + 1 }, (_, at) => `secret ${at}`);
    const each = (make: Digester): readonly string[] => secrets.map((secret) => make(secret));
    await expect(withDigests('salt', each, derive)).rejects.toThrow(TooManyDigests);
    expect(started).toEqual([]);
  });

  it('finds its value, slow ones one after the other, and random ones at once', async () => {
    const random = 'hvs.CbEsIJ8mQ2xP0aV7kY4tR9zW1uE6nL3b';
    const wanted = ['one', random, 'two'];
    const values = [...wanted, 'of no digest'];
    const kept = await withDigests(
      'salt',
      (make) => wanted.map((value) => make(value, value === random ? 'r' : '0')),
      quickKey,
    );
    const started: string[] = [];
    const derive = (text: string, salt: string): Promise<string> => {
      started.push(text);
      return quickKey(text, salt);
    };
    const found = await withDigests(
      'salt',
      (make) => kept.map((digested, at) => makeFinder(values, String, make)(digested, values[at])),
      derive,
    );
    expect(found).toEqual(wanted);
    expect(started).toEqual(['one', 'two']);
  });

  it.each([
    'hvs.CbEsIJ8mQ2xP0aV7kY4tR9zW1uE6nL3b',
    '3f9c2a7be41d8065c7f2019ab3d4e58f6a7b1c0d',
    'b3b7a2d1-4c5e-4f60-9a8b-7c6d5e4f3a2b',
    'd41d8cd98f00b204e9800998ecf8427e12345678',
  ])('of random text is not slow: %s', (secret) => {
    expect(isRandom(secret)).toBe(true);
    expect(markOf(slowDigester('salt')(JSON.stringify(secret)))).toBe('r');
  });

  it('of nearly all hex tokens is not slow', () => {
    const tokens = Array.from({ length: 1000 }, (_, at) => digest(String(at)).slice(0, 40));
    expect(tokens.filter(isRandom).length).toBeGreaterThan(950);
  });

  it.each([
    '',
    'hunter2',
    'deadbeefdeadbeefdeadbeefdeadbeefdeadbeef',
    '0000000000000000000000000000000000000001',
    '2024010120240102202401032024010420240105',
    '12345678901234567890123456789012345',
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    'correct-horse-battery-staple-and-some-more',
    'P4ssw0rd1!P4ssw0rd1!P4ssw0rd1!P4ssw0rd1!',
    'Summer2024-Summer2025-Summer2026-Summer27',
    'ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12',
    'a 1 b 2 c 3 d 4 e 5 f 6 g 7 h 8 i 9 j 0 k',
  ])('of text that people make up is slow: %s', (secret) => {
    expect(isRandom(secret)).toBe(false);
  });

  it('with a key is HMAC-SHA256 in hex, and is known again', () => {
    const { mac: made = '' } = digestPieces(['what do ya want ', 'for nothing?'], 'Jefe'); // RFC 4231, test case 2
    expect(made).toBe('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843');
    expect(isMac(made, made)).toBe(true);
    for (const other of [made.slice(1), `${made}0`, made.replace('5', '6'), '', 42, null, {}, undefined]) {
      expect(isMac(other, made)).toBe(false);
    }
  });

  it('is the same of a text and of its pieces', () => {
    expect(digestPieces(['a', '', 'bc'])).toEqual({ digest: digest('abc') });
    expect(digestPieces(['a', 'bc'], 'key')).toEqual(digestPieces(['abc'], 'key'));
  });
});
