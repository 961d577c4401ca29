import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeWorld, type World } from '../support/cli.ts';
import { resource } from '../support/kinds.ts';
import { serve, worldBeside } from '../support/served.ts';
import { isSoak } from '../support/soak.ts';

// What could move a cursor, hide a line, turn text around, end one, or give an order to who reads the log.
const HOSTILE: readonly (readonly [string, string])[] = [
  ['an ANSI escape', 'a\u001b[2J\u001b[1;1Hb'],
  ['a newline', 'a\nb'],
  ['a carriage return', 'a\rb'],
  ['a tab', 'a\tb'],
  ['a mark that turns text around', 'a\u202eb'],
  ['an isolate', 'a\u2066b\u2069'],
  ['a space of no width', 'a\u200bb'],
  ['letters that nobody sees', 'a\u{e0041}b'],
  ['a control of the second row', 'a\u009b2Jb'],
  ['blanks and letters that nobody sees', '\u3000a\u00a0\ufe0f\u034f\u3164\u{e0100}b'],
  ['a backspace', 'safe\b\b\b\bevil'],
  ['a line separator', 'a\u2028b'],
  ['an order to GitHub', '::set-output name=a::b'],
  ['one on a line of its own', 'a\n  ::stop-commands::b'],
  ['an older one', 'a##[set-env name=a]b'],
  ['an order to Azure', '##vso[task.setvariable variable=a]b'],
  ['HTML and Markdown', '<img src=x>[a](http://x)`b`|c'],
];

/** Whatever it is, and whoever reads it: a terminal, or a build server that looks for orders. */
function expectHarmless(text: string): void {
  expect(text).not.toMatch(/[^\P{C}\n]|[^\P{Z} ]|\p{Default_Ignorable_Code_Point}/u);
  expect(text).not.toMatch(/##\w*\[/);
  expect(text).not.toMatch(/^\s*::(?!(error|warning|notice) (file=[^,]*,line=\d+,col=\d+,)?title=gwconf )/m);
}

const interceptor = (name: string): ReturnType<typeof resource> =>
  resource(
    'Interceptor',
    { name },
    { pluginClass: 'com.example.Own', priority: 1, config: { [name]: name } },
  );

it.each(HOSTILE)('%s in the name of a file, a folder, a glob and a URL is spelled out', async (_, name) => {
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

/** The runs that have a journal, newest first. */
function runsIn(world: World): readonly string[] {
  const names = readdirSync(join(world.folder, '.gwconf', 'journal'));
  return names
    .flatMap((name) => (name.endsWith('.ndjson') ? [name.slice(0, -'.ndjson'.length)] : []))
    .reverse();
}

/** Makes a run that ended well one that has not ended. */
function cutOff(world: World, run: string): void {
  const path = `.gwconf/journal/${run}.ndjson`;
  const lines = world.read(path).split('\n');
  world.write(path, `${lines.slice(0, -3).join('\n')}\n`);
}

/** A report in each format, beside what stdout gets. */
const EVERY_FORMAT = ['json', 'ndjson', 'sarif', 'junit', 'github', 'markdown', 'html'].flatMap((format) => [
  '-o',
  `${format}=r.${format}`,
]);

/** Every command that prints something of files, of the gateway or of the project, and how it ends; a new one is a line more. */
const COMMANDS: readonly (readonly [code: number, ...args: readonly string[]])[] = [
  [0, 'validate', 'good'],
  [1, 'validate', 'bad', ...EVERY_FORMAT],
  [1, 'validate', 'bad', '-o', 'json'],
  [1, 'validate', 'bad', '-o', 'ndjson'],
  [1, 'validate', 'bad', '-o', 'sarif'],
  [1, 'validate', 'bad', '-o', 'junit'],
  [1, 'validate', 'bad', '-o', 'github'],
  [0, 'render', 'good'],
  [0, 'render', 'good', '-o', 'json'],
  [0, 'fmt', '--check', 'good', 'bad'],
  [0, 'doctor'],
  [0, 'doctor', '--env', 'NAME'],
  [1, 'plan', 'bad'],
  [0, 'plan', 'good', '--out', 'p.plan'],
  [0, 'plan', 'good', '--explain', 'ADDRESS'],
  [0, 'plan', 'good', '-o', 'json'],
  [0, 'plan', 'good', '-o', 'ndjson'],
  [0, 'plan', 'good', '-o', 'sarif'],
  [0, 'plan', 'good', '-o', 'junit'],
  [0, 'plan', 'good', '-o', 'github'],
  [1, 'plan', 'good', '--target', 'NAME', '--exclude', 'NAME', '--manages', '*NAME', '--prune'],
  [64, 'plan', 'good', '--manages', 'AliasTopic/NAME', '--prune'],
  [0, 'show', 'p.plan', ...EVERY_FORMAT],
  [0, 'show', 'p.plan', '-o', 'json'],
  [4, 'apply', 'p.plan', '--url', 'embedded:'],
  [0, 'apply', 'p.plan', ...EVERY_FORMAT],
  [0, 'journal'],
  [0, 'journal', '-o', 'json'],
  [0, 'journal', 'NEWEST'],
  [0, 'journal', 'NEWEST', '-o', 'json'],
  [64, 'journal', 'NAME'],
  [0, 'apply', '--resume', 'NEWEST'],
  [64, 'apply', '--resume', 'NAME', '-o', 'json'],
  [0, 'get', 'interceptors'],
  [0, 'get', 'ADDRESS', '-f', 'good', '-o', 'yaml'],
  [1, 'get', 'ADDRESS ', '-f', 'good', '-o', 'json'],
  [0, 'get', '-o', 'name'],
  [0, 'effective', 'good', '--why', '-o', 'markdown', '-o', 'json=r.json', '-o', 'html=r.html'],
  [0, 'effective', 'good', '--compare', '-o', 'markdown'],
  [0, 'effective', '--live', '--as', 'app', '--group', 'NAME'],
  [0, 'effective', 'good', '--as', 'app'],
  [0, 'snapshot', '--out', 'live.json', '-f', 'good'],
  [0, 'plan', 'good', '--snapshot', 'live.json', ...EVERY_FORMAT],
  [1, 'plan', 'bad', '--snapshot', 'live.json'],
  [0, 'drift', 'good', ...EVERY_FORMAT],
  [1, 'drift', 'bad', '-o', 'json'],
  [0, 'doctor', '--deep', ...EVERY_FORMAT],
  [3, 'plan', 'changed', ...EVERY_FORMAT],
  [3, 'apply', '-f', 'changed', '--prune', '--auto-approve', '-o', 'ndjson'],
  [64, 'undo', 'NAME', '--auto-approve'],
  [3, 'undo', 'NEWEST', '--auto-approve', ...EVERY_FORMAT],
  [0, 'apply', '-f', 'less', '--prune', '--auto-approve', '-o', 'json'],
  [0, 'undo', '--auto-approve', '-o', 'json'],
  [64, 'explain', 'NAME'],
  [64, 'template', 'NAME'],
];

/**
 * What can only do harm at the start of a name starts one, and half of the others follow: all of them are too long for the name of
 * a file. A soak takes each alone, too.
 */
const STARTS = HOSTILE.filter(([, text]) => /^(::|##)/.test(text));
const TOGETHER: readonly (readonly [string, string])[] = STARTS.map(([what, text], at) => [
  `${what} before others`,
  [text, ...HOSTILE.filter((_, other) => other % STARTS.length === at).map(([, other]) => other)].join('-'),
]);

describe.each([...TOGETHER, ...(isSoak() ? HOSTILE.map(([what, text]) => [what, text] as const) : [])])(
  '%s, wherever a name can stand,',
  (_, name) => {
    const file = name.replaceAll('/', '-');
    const projectWith = (rules: object): string =>
      JSON.stringify({
        apiVersion: 'gwconf/v1',
        kind: 'Project',
        environments: {
          [name]: { gateway: { url: `embedded:${file}.state`, user: name }, files: [name], ...rules },
        },
      });
    const address = `Interceptor/${name}@vCluster=passthrough`;
    const group = resource(
      'GatewayGroup',
      { name: 'g' },
      { members: [{ name: 'app', vCluster: 'passthrough' }], externalGroups: [name] },
    );
    const account = resource(
      'GatewayServiceAccount',
      { name: 'app', vCluster: 'passthrough' },
      { type: 'EXTERNAL', externalNames: [name] },
    );
    const good = [
      interceptor(name),
      account,
      group,
      resource('VirtualCluster', { name: 'v' }, { superUsers: [name] }),
    ];
    const other = (one: ReturnType<typeof resource>): object => ({
      ...one,
      spec: { ...one.spec, comment: name },
    });

    function worldOf(rules: object): World {
      const world = makeWorld({ 'gwconf.yaml': projectWith(rules) });
      for (const [at, resource] of good.entries())
        world.write(`good/${file}${at}.json`, JSON.stringify(resource));
      world.write(
        'changed/a.json',
        JSON.stringify({ ...group, spec: { members: [], externalGroups: [`${name}x`] } }),
      );
      world.write('less/a.json', JSON.stringify(other(interceptor(name))));
      world.write('less/b.json', JSON.stringify(group));
      world.write('less/c.json', JSON.stringify(account));
      world.write(
        `bad/${file}.json`,
        JSON.stringify({ ...interceptor(name), [name]: name, spec: { priority: name } }),
      );
      world.write(`bad/${file}.yaml`, `"a": {{ ${name}`);
      return world;
    }

    async function expectNoHarm(world: World, args: readonly string[]): Promise<number> {
      const { code, out, err } = await world.run(...args);
      expect(code, err).not.toBe(70);
      expectHarmless(out);
      expectHarmless(err);
      if (args.at(-1) === 'json' && out !== '') expect(JSON.parse(out)).toBeDefined();
      return code;
    }

    it('does no harm, by any command', async () => {
      const world = worldOf({
        manages: ['*'],
        protect: [{ kind: 'GatewayGroup', reason: name }],
        external: [`AliasTopic/${name}@*`],
        ignore: [{ address: 'ConcentrationRule/*', reason: name }],
      });
      for (const [expected, ...command] of COMMANDS) {
        const [newest = ''] = world.has('.gwconf') ? runsIn(world) : [];
        const args = command.map((arg) =>
          arg
            .replace('NAME', () => name)
            .replace('NEWEST', newest)
            .replace('ADDRESS', () => address),
        );
        if (args.includes('--resume')) cutOff(world, newest);
        expect(await expectNoHarm(world, args), args.join(' ')).toBe(expected);
      }
    });

    it.each([
      ['2999-01-01', 2],
      ['2001-01-01', 1],
    ])('does no harm in what is ignored until %s', async (until, code) => {
      const rule = { address: '*passthrough', reason: name, owner: name, until };
      const world = worldOf({ manages: ['*'], ignore: [rule] });
      await world.run('apply', '-f', 'good', '--auto-approve');
      const args = ['drift', 'changed', '--detailed-exitcode', ...EVERY_FORMAT];
      expect(await expectNoHarm(world, args)).toBe(code);
    });

    it('does no harm as a rule of the project that is wrong', async () => {
      const world = worldOf({
        manages: [name],
        protect: [{ kind: name }],
        limits: { kinds: { [name]: {} } },
      });
      for (const args of [
        ['doctor'],
        ['plan', 'good'],
        ['validate', 'good', '-o', 'json'],
        ['drift', 'good'],
      ])
        expect(await expectNoHarm(world, args)).toBe(1);
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
  },
);

describe('what a gateway says', () => {
  it('is on one line and harmless, whatever it is', async () => {
    const there = await serve({ topics: new Map() });
    const mine = worldBeside(there, {
      'a.json': JSON.stringify(
        resource('ConcentrationRule', { name: 'r' }, { pattern: 'x', physicalTopics: { delete: 't' } }),
      ),
    });
    const { err } = await mine.run('apply', '-f', 'a.json', '--auto-approve');
    expectHarmless(err);
  });
});
