import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { makeMasker } from '../../../src/plan/secrets/masker.ts';
import { SHORTEST_PIECE } from '../../../src/plan/secrets/piece-index.ts';
import { orAll } from '../../support/soak.ts';

// With characters that JSON and URLs each escape, and of a length that base64 pads.
const SECRET = 'hvs.CAESI"J9\\x/ä+ secret';

function masked(text: string, ...secrets: readonly string[]): string {
  const masker = makeMasker();
  for (const secret of secrets) masker.learn(secret);
  return masker.mask(text);
}

/** Without what pieces never go over. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"\\+=ä€';

/** A secret encoded behind so many other bytes, as far as it depends on the secret alone. */
function formsOf(secret: string, encode: (text: string) => string): readonly string[] {
  return [0, 1, 2].map((before) => {
    const [shorter, longer] = [encode('?'.repeat(before)), encode('?'.repeat(before) + secret)];
    const same = Array.from(longer).findIndex((char, at) => char !== shorter[at]);
    return longer.slice(same + 4, -4);
  });
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('a masker hides a secret', () => {
  it.each([
    ['as it is', SECRET],
    ['inside a word', `x${SECRET}x`],
    ['in a string of JSON', JSON.stringify({ token: SECRET })],
    ['in JSON in a string of JSON', JSON.stringify(JSON.stringify({ token: SECRET }))],
    ['in JSON in ASCII', JSON.stringify(SECRET).replace('ä', '\\u00e4')],
    ['in JSON in ASCII in upper case', JSON.stringify(SECRET).replace('ä', '\\u00E4')],
    ['in HTML', SECRET.replace('"', '&quot;')],
    ['in a URL', `?token=${encodeURIComponent(SECRET)}`],
    ['in a URL in lower case', encodeURIComponent(SECRET).replace(/%../g, (code) => code.toLowerCase())],
    ['in a form', `token=${encodeURIComponent(SECRET).replaceAll('%20', '+')}`],
    ['in hex', Buffer.from(SECRET).toString('hex')],
    ['in base64', base64(SECRET)],
    ['in base64 for URLs', Buffer.from(SECRET).toString('base64url')],
    ['in the base64 of more', base64(`u:${SECRET}`)],
    ['in the base64 of still more', base64(`us:${SECRET}, and more`)],
    ['in the base64 of much more', base64(`use:${SECRET}\n`)],
  ])('%s', (_, text) => {
    const shown = masked(`before ${text} after`, SECRET);
    expect(shown).toContain('(hidden)');
    expect(shown).toMatch(/^before .* after$/);
    for (const part of ['CAESI', 'secret', base64(SECRET).slice(4, -4), 'Q0FFU0'])
      expect(shown).not.toContain(part);
  });

  it.each([
    ['as a program for JavaScript escapes it', (code: string) => `\\u${code.padStart(4, '0')}`],
    ['in upper case', (code: string) => `\\u${code.padStart(4, '0').toUpperCase()}`],
    ['in braces', (code: string) => `\\u{${code}}`],
    ['in HTML, in hex', (code: string) => `&#x${code};`],
    ['in HTML, in decimals', (code: string) => `&#${Number.parseInt(code, 16)};`],
  ])('each character of which is escaped %s', (_, escape) => {
    const codes = Array.from(SECRET, (char) => [char, escape(char.charCodeAt(0).toString(16))] as const);
    for (const isEscaped of [/./, /\W/, /[^<"'&/@+=.]/, /[aeiou]/]) {
      const text = codes.map(([char, escaped]) => (isEscaped.test(char) ? escaped : char)).join('');
      for (const shown of [text, JSON.stringify(text), encodeURIComponent(text)])
        expect(masked(`before ${shown} after`, SECRET)).toMatch(/^before "?\(hidden\)"? after$/);
    }
  });

  it.each([
    [
      'each byte of which is escaped for a URL',
      SECRET.replace(
        /./g,
        (char) =>
          `%${Buffer.from(char)
            .toString('hex')
            .replace(/(?<=^..)(?=.)/, '%')}`,
      ),
    ],
    [
      'each byte of which is escaped in a program',
      'hvs.CAESI"J9\\x/'.replace(/./g, (char) => `\\x${Buffer.from(char).toString('hex')}`),
    ],
    ['escaped for a shell', SECRET.replace(/[^\w\s]/g, '\\$&')],
  ])('%s', (_, text) => {
    const shown = masked(`before ${text} after`, SECRET, 'hvs.CAESI"J9\\x/');
    expect(shown).toMatch(/^before \(hidden\) after$/);
  });

  it('and leaves the escapes of other texts as they are', () => {
    for (const text of ['100%25', '\\u0041 &lt; %20', '\\u001b[2J %0a &#10; \\x1b', '%ff%zz &#99999999;'])
      expect(masked(text, SECRET)).toBe(text);
    expect(masked('%0a::x %1b \\u202e hvs%2eCAESI%22J9\\\\x/%c3%a4%2B secret', SECRET)).toBe(
      '%0a::x %1b \\u202e (hidden)',
    );
  });

  it('of many lines, as a whole, in one line and line by line', () => {
    const key = 'first-line-of-it\n  second-line-of-it\n';
    expect(masked('a first-line-of-it second-line-of-it b', key)).toBe('a (hidden) b');
    expect(masked('the second-line-of-it is bad', key)).toBe('the (hidden) is bad');
    expect(masked(JSON.stringify(key.trim()), key)).toBe('"(hidden)"');
  });

  it('that a text breaks off in', () => {
    expect(masked('the token hvs.CAES…', SECRET)).toBe('the token (hidden)…');
    expect(masked(`the body ${base64(SECRET).slice(0, 9)}…`, SECRET)).toBe('the body (hidden)…');
    expect(masked('the token hv…', SECRET)).toBe('the token hv…');
  });

  it('that a text begins in, ends in, or has a piece of', () => {
    const secret = 'gw_live_51HxTZ0qLr8VnPd3KcYw';
    for (const piece of ['HxTZ0qLr8VnPd3KcYw', 'gw_live_51HxTZ0qL', 'e_51HxTZ0qLr8VnPd'])
      expect(masked(`it says: ${piece} is bad`, secret)).toBe('it says: (hidden) is bad');
    expect(masked('it says: Pd3KcYw is bad', secret)).toBe('it says: Pd3KcYw is bad');
  });

  it('in another case', () => {
    const masker = makeMasker();
    masker.learn('Zq9pLmm7KxWt2-rest');
    for (const text of ['zq9plmm7kxwt2-rest', 'ZQ9PLMM7KXWT2-REST', 'zq9Plmm7kxwt'])
      expect(masker.mask(`no host ${text} there`)).toBe('no host (hidden) there');
  });

  it('but not what a host, a class or a sentence has in common with it', () => {
    expect(masked('gateway.prod.example.com answers', 'broker-1.prod.example.com:9092')).toBe(
      'gateway.prod.example.com answers',
    );
    const jaas = `org.apache.kafka.common.security.plain.PlainLoginModule required password="9fK2mQ7xLw4Zt8Rb";`;
    expect(masked('org.apache.kafka.common.security.plain.PlainLoginModule is not there', jaas)).toBe(
      'org.apache.kafka.common.security.plain.PlainLoginModule is not there',
    );
    expect(masked('of 9fK2mQ7xLw4Zt8 no more', jaas)).toBe('of (hidden) no more');
    expect(masked('a horse and a battery', 'correct horse and a battery staple')).toBe(
      'a horse and a battery',
    );
  });

  it('wherever a text is cut, in whatever encoding', () => {
    const secrets = fc.string({
      minLength: 16,
      maxLength: 60,
      unit: fc.constantFrom(...Array.from(ALPHABET)),
    });
    const encodings = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => JSON.stringify(text),
      (text) => JSON.stringify(JSON.stringify(text)),
      encodeURIComponent,
      (text) => Buffer.from(text).toString('hex'),
      (text) => Buffer.from(text).toString('hex').toUpperCase(),
      (text) => Buffer.from(text).toString('base64'),
      (text) => Buffer.from(text).toString('base64url'),
    );
    const cuts = fc.tuple(fc.nat(80), fc.nat(80));
    fc.assert(
      fc.property(secrets, encodings, cuts, fc.nat(2), (whole, encode, [from, to], before) => {
        fc.pre(whole.trim() === whole);
        const encoded = encode('?'.repeat(before) + whole);
        const [start, end] = [from % encoded.length, encoded.length - (to % encoded.length)];
        const shown = masked(`a ${encoded.slice(start, end)} b`, whole);
        for (const form of formsOf(whole, encode))
          for (let at = 0; at + SHORTEST_PIECE <= form.length; at += 1) {
            const piece = form.slice(at, at + SHORTEST_PIECE);
            if (!piece.includes('/')) expect(shown).not.toContain(piece);
          }
      }),
    );
  });

  it('the longest first, where one begins with another', () => {
    expect(masked('it is password-of-ann', 'password', 'password-of-ann')).toBe('it is (hidden)');
  });

  it('that is shorter than eight characters only where it stands alone', () => {
    expect(masked('user: blue; bluebird, blue_1, übluer', 'blue')).toBe(
      'user: (hidden); bluebird, blue_1, übluer',
    );
  });

  it('but not one of three characters, which any text may have', () => {
    expect(masked('key 123 and abc', '123', 'abc', '')).toBe('key 123 and abc');
  });

  it('but not the password that every gateway has at first', () => {
    expect(masked('io.conduktor.gateway', 'conduktor')).toBe('io.conduktor.gateway');
  });

  it('that nobody told it of, where it cannot be anything else', () => {
    const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJ1c2VybmFtZSI6ImFubiJ9.c2lnbmF0dXJl';
    expect(masked(`bad token ${jwt}!`)).toBe('bad token (hidden)!');
    expect(masked('no proxy at http://me:pass@proxy:1/x')).toBe('no proxy at http://(hidden)@proxy:1/x');
    const pem = '-----BEGIN PRIVATE KEY-----\nMIIE-vQ\n-----END PRIVATE KEY-----';
    expect(masked(`bad key ${pem}!`)).toBe('bad key (hidden)!');
  });
});

describe('a masker', () => {
  it('learns when it is asked, and what it is told later too', () => {
    const masker = makeMasker();
    let asked = 0;
    masker.learn(() => {
      asked += 1;
      return ['secret-one'];
    });
    expect(asked).toBe(0);
    expect(masker.mask('secret-one, secret-two')).toBe('(hidden), secret-two');
    masker.learn('secret-two');
    expect(masker.mask('secret-one, secret-two')).toBe('(hidden), (hidden)');
    expect(asked).toBe(1);
  });

  it('takes many secrets of one beginning, and long texts that have it', () => {
    const masker = makeMasker();
    const many = orAll(500, 5000);
    masker.learn(Array.from({ length: many }, (_, at) => `hvs.CAESI-${at}-of-many`).join('\n'));
    const shown = masker.mask('hvs.CAESI-7777777-of-many, hvs.CAESI-321-of-many. '.repeat(many));
    expect(shown).toBe('hvs.CAESI-7777777-of-many, (hidden). '.repeat(many));
  });

  it('takes a secret of many kilobytes', () => {
    const text = 'ä'.repeat(orAll(10_000, 150_000));
    expect(masked(`a ${text} b`, text)).toBe('a (hidden) b');
  });
});

describe('the net under all output', () => {
  const masker = makeMasker();
  masker.learn('hvs.a-long-token');
  masker.learn('short');
  masker.learn(() => ['learnt-from-a-resource']);

  it.each(['hvs.a-long-token', 'x=hvs.a-long-token;', 'aHZzLmEtbG9uZy10b2tlb'])(
    'hides a long secret in text of our own: %s',
    (text) => {
      expect(masker.net(text)).toContain('(hidden)');
      expect(masker.net(text)).not.toContain(text);
    },
  );

  it.each(['a short text', 'learnt-from-a-resource', ''])('leaves the rest as it is: %j', (text) => {
    expect(masker.net(text)).toBe(text);
  });
});

it('takes no name of a variable for a secret, whatever stands around it', () => {
  const hint = 'use a default, ${VAULT_TOKEN:-…}; or write $${VAULT_TOKEN}';
  expect(masked(hint, '${VAULT_TOKEN}', 'hvs.${VAULT_TOKEN}')).toBe(hint);
  const secret = 'hvs.CAESIJ9xyzCAESIJ9xyz${VAULT_TOKEN}hvs.CAESIJ9abcCAESIJ9abc';
  expect(masked(`no: ${secret}, xyzCAESIJ9xyz`, secret)).toBe('no: (hidden), (hidden)');
  expect(masked('set it, like http://USER:PASSWORD@proxy.example:3128')).toContain('USER:PASSWORD@');
  expect(masked('http://USER:PASSWORD1@proxy.example')).toBe('http://(hidden)@proxy.example');
});
