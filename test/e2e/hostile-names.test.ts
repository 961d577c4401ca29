import { describe, expect, it } from 'vitest';
import { makeWorld } from '../support/cli.ts';
import { LOGIN, make, serve } from '../support/served.ts';

// What could move a cursor, hide a line, turn text around, or end one.
const HOSTILE: readonly (readonly [string, string, string])[] = [
  ['an ANSI escape', 'a\u001b[2J\u001b[1;1Hb', 'a\\u001b[2J\\u001b[1;1Hb'],
  ['a newline', 'a\nb', 'a\\nb'],
  ['a carriage return', 'a\rb', 'a\\u000db'],
  ['a tab', 'a\tb', 'a\\tb'],
  ['a mark that turns text around', 'a\u202eb', 'a\\u202eb'],
  ['an isolate', 'a\u2066b\u2069', 'a\\u2066b\\u2069'],
  ['a space of no width', 'a\u200bb', 'a\\u200bb'],
  ['a control of the second row', 'a\u009b2Jb', 'a\\u009b2Jb'],
  ['a backspace', 'safe\b\b\b\bevil', 'safe\\u0008\\u0008\\u0008\\u0008evil'],
  ['a line separator', 'a\u2028b', 'a\\u2028b'],
];

function expectHarmless(text: string): void {
  expect(text).not.toMatch(
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/,
  );
}

const interceptor = (name: string): ReturnType<typeof make> =>
  make('Interceptor', { name }, { pluginClass: 'com.example.Own', priority: 1, config: { [name]: name } });

describe.each(HOSTILE)('%s in a name', (_, name, shown) => {
  it('from the gateway is spelled out, in plan, saved plan and apply', async () => {
    const there = await serve();
    await there.put(interceptor(name));
    const mine = makeWorld({ 'd/x.txt': '' });
    Object.assign(mine.env, LOGIN, { GWCONF_URL: there.url });
    const prune = ['-f', 'd', '--prune', '--manages', '*', '--allow-empty'];
    for (const args of [
      ['plan', ...prune, '--out', 'p.plan'],
      ['show', 'p.plan'],
      ['apply', ...prune, '--auto-approve'],
    ]) {
      const { code, out, err } = await mine.run(...args);
      expect(code).toBe(0);
      expect(out).toContain(`- Interceptor/${shown.replaceAll('@', '%40')}@vCluster=passthrough`);
      expectHarmless(out);
      expectHarmless(err);
    }
  });

  it('from a file is spelled out, in problems too, and is exact for machines', async () => {
    const there = await serve();
    const mine = makeWorld({ 'a.json': JSON.stringify(interceptor(name)) });
    Object.assign(mine.env, LOGIN, { GWCONF_URL: there.url });
    const plan = await mine.run('plan', 'a.json', '-o', 'json=r.json');
    expect(plan.out).toContain(`+ Interceptor/${shown}@vCluster=passthrough`);
    expectHarmless(plan.out);
    expect(mine.json('r.json')).toMatchObject({
      changes: [{ address: `Interceptor/${name}@vCluster=passthrough` }],
    });

    const wrong = { ...interceptor(name), [name]: name, spec: { priority: name } };
    mine.write('b.json', JSON.stringify(wrong));
    const { code, err } = await mine.run('validate', 'b.json');
    expect(code).toBe(1);
    expectHarmless(err);
  });

  it('of a file, of a folder, a glob and a URL is spelled out', async () => {
    const mine = makeWorld({});
    for (const args of [
      ['validate', `${name}.yaml`],
      ['plan', `${name}.yaml`, '--url', 'embedded:'],
      ['plan', '-f', 'x', '--url', `embedded:${name}`],
      ['plan', '-f', 'x', '--url', name],
      ['apply', `${name}.plan`, '--url', 'embedded:'],
      ['show', name],
      ['schema', name],
      ['completion', name],
      ['plan', '-o', name],
      ['plan', '-f', 'x', '--url', 'http://127.0.0.1:1', '--timeout', name],
      ['plan', `--${name}`],
      [name],
    ]) {
      const { out, err } = await mine.run(...args);
      expectHarmless(out);
      expectHarmless(err);
    }
  });
});

describe('what a gateway says', () => {
  it('is on one line and harmless, whatever it is', async () => {
    const there = await serve({ topics: new Map() });
    const mine = makeWorld({
      'a.json': JSON.stringify(
        make('ConcentrationRule', { name: 'r' }, { pattern: 'x', physicalTopics: { delete: 't' } }),
      ),
    });
    Object.assign(mine.env, LOGIN, { GWCONF_URL: there.url });
    const { err } = await mine.run('apply', '-f', 'a.json', '--auto-approve');
    expectHarmless(err);
  });
});
