import { afterEach, describe, expect, it } from 'vitest';
import { closeAll } from '../gateway/opponent.ts';
import { verdictOf } from '../support/cli.ts';
import { ODD_NAMES, oddInterceptor, oddWorld } from '../support/odd-gateway.ts';

afterEach(closeAll);

/** What no terminal may be given as it is. */
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u200b\u202e]/;

describe('a gateway with odd names', () => {
  it.each(['human', 'json', 'yaml', 'name'])('is listed as it is: %s', async (format) => {
    const world = await oddWorld({ Interceptor: ODD_NAMES.map((name) => oddInterceptor(name)) });
    const ran = await world.run('get', 'interceptors', '-o', format);
    expect([ran.code, verdictOf(ran)], ran.err).toEqual([0, 'result: ok']);
    expect(ran.out).not.toMatch(UNSAFE);
    if (format === 'name') expect(ran.out.trimEnd().split('\n')).toHaveLength(ODD_NAMES.length);
    if (format !== 'json') return;
    const { resources } = JSON.parse(ran.out) as {
      readonly resources: readonly { metadata: { name: string } }[];
    };
    expect(new Set(resources.map(({ metadata }) => metadata.name))).toEqual(new Set(ODD_NAMES));
  });
});

describe('a gateway with a number that is too large for JavaScript', () => {
  it.each([
    ['plan', 'a.yaml'],
    ['drift', 'a.yaml'],
  ])('is compared with it: %s %s', async (...args) => {
    const item = JSON.stringify(oddInterceptor('i', { n: 0 })).replace('"n":0', '"n":1e400');
    const world = await oddWorld(
      { Interceptor: `[${item}]` },
      { 'a.yaml': JSON.stringify(oddInterceptor('i', { n: null })) },
    );
    const { code, out, err } = await world.run(...args);
    expect(code, err).toBe(0);
    expect(out).toContain('1.7976931348623157e+308');
  });
});
