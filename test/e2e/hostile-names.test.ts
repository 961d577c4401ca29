import { describe, expect, it } from 'vitest';
import { makeWorld } from '../support/cli.ts';
import { LOGIN, make, serve } from '../support/served.ts';

// What could move a cursor, hide a line, turn text around, end one, or give an order to who reads the log.
const HOSTILE: readonly (readonly [string, string, string])[] = [
  ['an ANSI escape', 'a\u001b[2J\u001b[1;1Hb', 'a\\u001b[2J\\u001b[1;1Hb'],
  ['a newline', 'a\nb', 'a\\nb'],
  ['a carriage return', 'a\rb', 'a\\u000db'],
  ['a tab', 'a\tb', 'a\\tb'],
  ['a mark that turns text around', 'a\u202eb', 'a\\u202eb'],
  ['an isolate', 'a\u2066b\u2069', 'a\\u2066b\\u2069'],
  ['a space of no width', 'a\u200bb', 'a\\u200bb'],
  ['letters that nobody sees', 'a\u{e0041}b', 'a\\udb40\\udc41b'],
  ['a control of the second row', 'a\u009b2Jb', 'a\\u009b2Jb'],
  ['a backspace', 'safe\b\b\b\bevil', 'safe\\u0008\\u0008\\u0008\\u0008evil'],
  ['a line separator', 'a\u2028b', 'a\\u2028b'],
  ['an order to GitHub', '::set-output name=a::b', '\\u003a:set-output name=a::b'],
  ['one on a line of its own', 'a\n  ::stop-commands::b', 'a\\n  \\u003a:stop-commands::b'],
  ['an older one', 'a##[set-env name=a]b', 'a\\u0023#[set-env name=a]b'],
  ['an order to Azure', '##vso[task.setvariable variable=a]b', '\\u0023#vso[task.setvariable variable=a]b'],
  ['HTML and Markdown', '<img src=x>[a](http://x)`b`|c', '<img src=x>[a](http://x)`b`|c'],
];

/** Whatever it is, and whoever reads it: a terminal, or a build server that looks for orders. */
function expectHarmless(text: string): void {
  expect(text).not.toMatch(
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u,
  );
  expect(text).not.toMatch(/##\w*\[/);
  expect(text).not.toMatch(/^\s*::(?!(error|warning|notice) (file=[^,]*,line=\d+,col=\d+,)?title=gwconf )/m);
}

/** An order that is not at the start of its line is none. */
function shownAfterSlash(shown: string): string {
  return shown.replace(/^\\u003a/, ':');
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
      expect(out).toContain(`Interceptor/${shownAfterSlash(shown)}@vCluster=passthrough`);
      expectHarmless(out);
      expectHarmless(err);
    }
  });

  it('from a file is spelled out, in problems too, and is exact for machines', async () => {
    const there = await serve();
    const mine = makeWorld({ 'a.json': JSON.stringify(interceptor(name)) });
    Object.assign(mine.env, LOGIN, { GWCONF_URL: there.url });
    const plan = await mine.run('plan', 'a.json', '-o', 'json=r.json');
    expect(plan.out).toContain(`+ Interceptor/${shownAfterSlash(shown)}@vCluster=passthrough`);
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

/** Every command that prints something of files, of the gateway or of the project; a new one is a line more. */
const COMMANDS: readonly (readonly string[])[] = [
  ['validate', 'good'],
  ['validate', 'bad'],
  ['validate', 'bad', '-o', 'json'],
  ['validate', 'bad', '-o', 'ndjson'],
  ['validate', 'bad', '-o', 'sarif'],
  ['validate', 'bad', '-o', 'junit'],
  ['validate', 'bad', '-o', 'github'],
  ['render', 'good'],
  ['render', 'good', '-o', 'json'],
  ['fmt', '--check', 'good', 'bad'],
  ['doctor'],
  ['doctor', '--env', 'NAME'],
  ['plan', 'bad'],
  ['plan', 'good', '--out', 'p.plan'],
  ['plan', 'good', '--explain', 'ADDRESS'],
  ['plan', 'good', '-o', 'json'],
  ['plan', 'good', '-o', 'ndjson'],
  ['plan', 'good', '-o', 'sarif'],
  ['plan', 'good', '-o', 'junit'],
  ['plan', 'good', '-o', 'github'],
  ['plan', 'good', '--target', 'NAME', '--exclude', 'NAME', '--manages', 'NAME', '--prune'],
  ['show', 'p.plan'],
  ['show', 'p.plan', '-o', 'json'],
  ['apply', 'p.plan', '--url', 'embedded:'],
  ['apply', '-f', 'good', '--auto-approve'],
  ['apply', '-f', 'good', '--auto-approve', '--prune', '--manages', '*', '-o', 'json'],
  ['apply', '-f', 'good', '--auto-approve', '-o', 'ndjson'],
  ['explain', 'NAME'],
  ['template', 'NAME'],
];

describe.each(HOSTILE)('%s, wherever a name can stand,', (_, name) => {
  const file = name.replaceAll('/', '-');
  const environment = JSON.stringify({
    gateway: { url: `embedded:${file}.state`, user: name },
    files: [name],
    manages: [name],
  });
  const project = `{"apiVersion":"gwconf/v1","kind":"Project","environments":{${JSON.stringify(name)}:${environment}}}`;
  const good = JSON.stringify([
    interceptor(name),
    make(
      'GatewayGroup',
      { name: 'g' },
      { members: [{ name, vCluster: 'passthrough' }], externalGroups: [name] },
    ),
    make('VirtualCluster', { name: 'v' }, { superUsers: [name] }),
  ]);

  it('does no harm, by any command', async () => {
    const world = makeWorld({});
    world.write('gwconf.yaml', project);
    for (const [at, resource] of (JSON.parse(good) as readonly object[]).entries())
      world.write(`good/${file}${at}.json`, JSON.stringify(resource));
    world.write(
      `bad/${file}.json`,
      JSON.stringify({ ...interceptor(name), [name]: name, spec: { priority: name } }),
    );
    world.write(`bad/${file}.yaml`, `"a": {{ ${name}`);
    for (const command of COMMANDS) {
      const args = command.map((arg) =>
        arg.replace('NAME', name).replace('ADDRESS', `Interceptor/${name}@vCluster=passthrough`),
      );
      const { code, out, err } = await world.run(...args);
      expect(code, err).not.toBe(70);
      expectHarmless(out);
      expectHarmless(err);
      if (args.includes('json') && out !== '') expect(JSON.parse(out)).toBeDefined();
    }
  });

  it('is printed by render as it is written', async () => {
    const world = makeWorld({ 'a.json': JSON.stringify(interceptor(name)) });
    for (const format of ['yaml', 'json']) {
      const { out } = await world.run('render', 'a.json', '-o', format);
      world.write(`b.${format}`, out.replaceAll(/^\[|\]$/gm, ''));
      const again = await world.run('render', `b.${format}`, '-o', 'json');
      expect(JSON.parse(again.out)).toMatchObject([
        { metadata: { name }, spec: { config: { [name]: name } } },
      ]);
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
