import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ValidateReport } from '../../src/outcome/files.ts';
import { makeWorld, type Ran, type World } from '../support/cli.ts';

/** An interceptor of a class that nobody knows, whose config is carried as it is. */
const own = (config: string, name = 'own'): string =>
  `apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: ${name}, scope: { vCluster: passthrough } }\nspec:\n  pluginClass: com.example.Own\n  priority: 1\n  config: ${config}\n`;
const alias = (name: string): string =>
  `apiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: ${name} }\nspec: { physicalName: x }\n`;

/** A world with one file that is written as it is, byte by byte. */
function worldOf(content: string | Uint8Array, path = 'in.yaml'): World {
  const world = makeWorld();
  writeFileSync(join(world.folder, path), content);
  return world;
}

async function errorsOf(world: World, ...paths: readonly string[]): Promise<readonly string[]> {
  const { out, code } = await world.run(
    'validate',
    ...(paths.length === 0 ? ['in.yaml'] : paths),
    '-o',
    'json',
  );
  const { problems } = JSON.parse(out) as ValidateReport;
  const errors = problems.filter(({ severity }) => severity === 'error');
  expect(code).toBe(errors.length > 0 ? 1 : 0);
  return errors.map(
    ({ code: problem, line, column, message }) =>
      `${problem}${line === undefined ? '' : ` ${line}:${column ?? 0}`} ${message}`,
  );
}

/** The config as render prints it. */
async function rendered(config: string): Promise<unknown> {
  const { out, err } = await worldOf(own(config)).run('render', 'in.yaml', '-o', 'json');
  if (out === '') throw new Error(err);
  return (JSON.parse(out) as readonly { readonly spec: { readonly config: unknown } }[])[0]?.spec.config;
}

/** The config as the gateway keeps it once it is applied; as text, in which no key can hide. */
async function applied(config: string): Promise<string> {
  const world = worldOf(own(config));
  const { code, err } = await world.run(
    'apply',
    '-f',
    'in.yaml',
    '--auto-approve',
    '--url',
    'embedded:state.json',
  );
  if (code !== 0) throw new Error(err);
  expect((await world.run('plan', 'in.yaml', '--url', 'embedded:state.json')).out).toContain('No changes.');
  return world.read('state.json');
}

/** No stack trace, no word of a bug. */
function expectNoCrash({ code, err }: Ran): void {
  expect(code).not.toBe(70);
  expect(err).not.toMatch(/bug in gwconf|\n\s+at /);
}

describe('a file that is built to hurt', () => {
  const nested = (levels: number): Readonly<Record<string, string>> => ({
    'maps in flow': '{ a: '.repeat(levels) + '1' + ' }'.repeat(levels),
    'lists in flow': '['.repeat(levels) + ']'.repeat(levels),
    'maps in block': Array.from({ length: levels }, (_, at) => `\n${' '.repeat(at + 6)}a:`).join('') + ' 1',
    'lists in block': `\n      ${'- '.repeat(levels)}x`,
  });

  it.each(Object.entries(nested(1000)))('is 1,000 levels deep: %s', async (_, config) => {
    const world = worldOf(own(`\n    deep: ${config}`));
    const [error, ...more] = await errorsOf(world);
    expect(error).toMatch(/^invalid-yaml .*the nesting is deeper than 200 levels/);
    expect(more).toEqual([]);
    for (const command of ['render', 'plan']) {
      const ran = await world.run(command, 'in.yaml', ...(command === 'plan' ? ['--url', 'embedded:'] : []));
      expectNoCrash(ran);
      expect(ran.code).toBe(1);
    }
  });

  it.each(Object.entries(nested(150)))(
    'is 150 levels deep, which is odd and no mistake: %s',
    async (_, config) => {
      const world = worldOf(own(`\n    deep: ${config}`));
      for (const args of [
        ['validate', 'in.yaml'],
        ['render', 'in.yaml'],
        ['apply', '-f', 'in.yaml', '--auto-approve', '--url', 'embedded:state.json'],
        ['plan', 'in.yaml', '--url', 'embedded:state.json', '--out', 'plan.json', '--detailed-exitcode'],
      ]) {
        const ran = await world.run(...args);
        expect([args[0], ran.code, ran.err]).toEqual([args[0], 0, ran.err]);
      }
    },
  );

  it.each(Object.entries(nested(20_000)).filter(([shape]) => shape !== 'maps in block'))(
    'is 20,000 levels deep: %s',
    async (_, config) => {
      const errors = await errorsOf(worldOf(own(`\n    deep: ${config}`)));
      expect(errors).toHaveLength(1);
      expect(errors[0]).toMatch(/^invalid-yaml .*the nesting is deeper than 200 levels/);
    },
  );

  it('is JSON that is deep', async () => {
    const world = worldOf('['.repeat(50_000), 'in.json');
    expect(await errorsOf(world, 'in.json')).toHaveLength(1);
  });

  it('is larger than any configuration', async () => {
    const world = worldOf(alias('orders'));
    truncateSync(join(world.folder, 'in.yaml'), 300_000_000); // sparse: it takes no room
    expect(await errorsOf(world)).toEqual(['unreadable-file the files are larger than 256 MB together']);
  });

  it('is binary', async () => {
    expect(await errorsOf(worldOf(new Uint8Array([0, 1, 2, 3])))).toHaveLength(1);
    expect(await errorsOf(worldOf(new Uint8Array([0x1f, 0x8b, 0x08, 0xff])))).toEqual([
      'unreadable-file in.yaml cannot be read: it is not UTF-8 text',
    ]);
  });
});

describe('a file that is odd', () => {
  it.each([
    ['empty', ''],
    ['of spaces and lines', ' \n\n  \n'],
    ['of comments', '# nothing\n# here\n'],
    ['of separators', '---\n---\n...\n---\n'],
    ['of a byte order mark', '\uFEFF'],
  ])('is %s, and declares nothing', async (_, text) => {
    expect(await errorsOf(worldOf(text))).toEqual(['no-resources no resource is declared in in.yaml']);
    const { code, out } = await worldOf(text).run('validate', 'in.yaml', '--allow-empty');
    expect([code, out]).toEqual([0, 'Valid: 0 resources, 0 errors, 0 warnings.\n']);
  });

  it('has a tag that asks for more than data', async () => {
    for (const tag of ['!!js/function', '!python/object', '!!binary', '!!set', '!include']) {
      const ran = await worldOf(own(`{ a: ${tag} x }`)).run('render', 'in.yaml');
      expectNoCrash(ran);
    }
  });
});

describe('keys that other programs trip over', () => {
  const KEYS = [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'valueOf',
    '__defineGetter__',
  ];

  it.each(KEYS)('%s is plain data through render and apply', async (key) => {
    const config = `{ ${key}: { polluted: yes }, list: [{ ${key}: 1 }] }`;
    expect(JSON.stringify(await rendered(config))).toBe(
      `{"${key}":{"polluted":"yes"},"list":[{"${key}":1}]}`,
    );
    const state = JSON.parse(await applied(config)) as unknown;
    expect(JSON.stringify(state)).toContain(`"${key}":{"polluted":"yes"}`);
    expect(JSON.stringify(state)).toContain(`"list":[{"${key}":1}]`);
    expect(({} as Readonly<Record<string, unknown>>)['polluted']).toBeUndefined();
  });

  it.each(KEYS)('%s shows in a plan when it changes, and survives a saved one', async (key) => {
    const world = worldOf(own(`{ ${key}: { a: 1 } }`));
    const gateway = ['--url', 'embedded:state.json'];
    await world.run('apply', '-f', 'in.yaml', '--auto-approve', ...gateway);
    writeFileSync(join(world.folder, 'in.yaml'), own(`{ ${key}: { a: 2 } }`));
    const { out } = await world.run('plan', 'in.yaml', ...gateway, '--out', 'plan.json');
    expect(out).toContain(`~ /spec/config/${key}/a: 1 → 2`);
    expect((await world.run('apply', 'plan.json', ...gateway)).code).toBe(0);
    expect((await world.run('plan', 'in.yaml', ...gateway)).out).toContain('No changes.');
  });

  it.each(KEYS)('%s is an unknown field where the fields are known', async (key) => {
    const [error, ...more] = await errorsOf(worldOf(`${alias('orders')}${key}: 1\n`));
    expect(error).toBe(`unknown-field 5:1 AliasTopic/orders@vCluster=passthrough has no field ${key}`);
    expect(more).toEqual([]);
  });

  it.each(KEYS.slice(0, 3))('%s is no kind, no plugin class, no environment variable', async (key) => {
    expect((await errorsOf(worldOf(alias('orders').replace('AliasTopic', key))))[0]).toMatch(/^unknown-kind/);
    expect(await errorsOf(worldOf(own('{}').replace('com.example.Own', key)))).toEqual([]);
    expect((await errorsOf(worldOf(alias(`"\${${key}}"`))))[0]).toMatch(/^missing-variable/);
  });
});

describe('files and folders that are odd', () => {
  it('loop by symlinks, and each file is read once', async () => {
    const world = makeWorld({ 'd/a.yaml': alias('orders'), 'd/e/b.yaml': alias('other') });
    symlinkSync('..', join(world.folder, 'd/e/up'));
    symlinkSync('.', join(world.folder, 'd/self'));
    symlinkSync('a.yaml', join(world.folder, 'd/again.yaml'));
    expect(await errorsOf(world, 'd')).toEqual([]);
    expect((await world.run('validate', 'd')).out).toBe('Valid: 2 resources, 0 errors, 0 warnings.\n');
  });

  it('end lines with carriage returns alone, which hide documents behind a comment', async () => {
    const hidden = alias('other').replaceAll('\n', '\r');
    const texts = [`${alias('orders')}# more:\r---\r${hidden}`, `# all\r${hidden}`];
    for (const text of texts)
      expect(await errorsOf(makeWorld({ 'd/a.yaml': text, 'd/b.yaml': alias('third') }), 'd')).toEqual([
        expect.stringMatching(/^invalid-yaml .*a carriage return without a line feed .*; it was not read$/),
      ]);
  });

  it('is a link that goes round in a circle', async () => {
    const world = makeWorld({ 'd/a.yaml': alias('orders') });
    symlinkSync('round.yaml', join(world.folder, 'd/round.yaml'));
    symlinkSync('nowhere.yaml', join(world.folder, 'd/gone.yaml'));
    expect(await errorsOf(world, 'd')).toEqual([
      'unreadable-file d/gone.yaml cannot be read: no such file or folder',
      'unreadable-file d/round.yaml cannot be read: its links form a loop',
    ]);
  });

  it.skipIf(process.getuid?.() === 0)('cannot be read, as nobody but root may', async () => {
    const world = makeWorld({
      'd/a.yaml': alias('orders'),
      'd/b.yaml': alias('other'),
      'd/e/c.yaml': alias('c'),
    });
    chmodSync(join(world.folder, 'd/b.yaml'), 0);
    chmodSync(join(world.folder, 'd/e'), 0);
    const errors = await errorsOf(world, 'd');
    chmodSync(join(world.folder, 'd/e'), 0o755);
    expect(errors).toEqual([
      'unreadable-file d/b.yaml cannot be read: permission denied',
      'unreadable-file d/e cannot be read: permission denied',
    ]);
  });

  it('is a folder with the name of a file', async () => {
    const world = makeWorld({ 'd/a.yaml': alias('orders') });
    mkdirSync(join(world.folder, 'd/folder.yaml'));
    expect(await errorsOf(world, 'd')).toEqual([]);
    expect(await errorsOf(makeWorld({ 'a.yaml': alias('orders') }), 'a.yaml/b')).toEqual([
      'unreadable-file a.yaml/b cannot be read: a file is where a folder is expected',
    ]);
  });

  it('has a twin that differs in case, and both are read', async () => {
    const world = makeWorld({ 'd/Orders.yaml': alias('one'), 'd/orders.yaml': alias('two') });
    const both = world.read('d/Orders.yaml') !== world.read('d/orders.yaml'); // not so where case means nothing
    const { out } = await world.run('validate', 'd');
    expect(out).toBe(`Valid: ${both ? '2 resources' : '1 resource'}, 0 errors, 0 warnings.\n`);
    const same = makeWorld({ 'd/A.yaml': alias('one'), 'd/a.yaml': alias('one') });
    expect((await errorsOf(same, 'd')).length).toBe(both ? 1 : 0);
  });

  it.each([
    'with space.yaml',
    '-dash.yaml',
    'new\nline.yaml',
    '\u001b[31mred.yaml',
    'caf\u00e9.yaml',
    "quote'.yaml",
  ])('is called %j', async (name) => {
    const world = makeWorld();
    mkdirSync(join(world.folder, 'd'));
    writeFileSync(join(world.folder, 'd', name), alias('"a b"'));
    const { err, code } = await world.run('validate', 'd');
    expect(code).toBe(1);
    expect(err).not.toContain('\u001b');
    expect(err).not.toMatch(/^line\.yaml/m);
  });
});
