import { describe, expect, it } from 'vitest';
import { digest, isMac, seal, slowDigester } from '../../../src/plan/saved/digest.ts';

describe('a digest', () => {
  it('is SHA-256 in hex', () => {
    expect(digest('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('of a secret is salted, and the same for the same', () => {
    const one = slowDigester('salt');
    expect(one('secret')).toBe(one('secret'));
    expect(slowDigester('salt')('secret')).toBe(one('secret'));
    expect(slowDigester('other')('secret')).not.toBe(one('secret'));
    expect(one('secret')).not.toBe(one('secreu'));
  });

  it('with a key is HMAC-SHA256 in hex, and is known again', () => {
    const { mac: made = '' } = seal(['what do ya want ', 'for nothing?'], 'Jefe'); // RFC 4231, test case 2
    expect(made).toBe('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843');
    expect(isMac(made, made)).toBe(true);
    for (const other of [made.slice(1), `${made}0`, made.replace('5', '6'), '', 42, null, {}, undefined]) {
      expect(isMac(other, made)).toBe(false);
    }
  });

  it('is the same of a text and of its pieces', () => {
    expect(seal(['a', '', 'bc'])).toEqual({ digest: digest('abc') });
    expect(seal(['a', 'bc'], 'key')).toEqual(seal(['abc'], 'key'));
  });
});
