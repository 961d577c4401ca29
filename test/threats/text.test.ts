import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { forOutput, forTerminal, onOneLine } from '../../src/report/escape.ts';
import { FORMATS } from '../../src/report/formats.ts';
import { anyText } from '../support/arbitraries.ts';
import { makeWorld, type Ran, type World } from '../support/cli.ts';
import { resource } from '../support/kinds.ts';
import { projectOf } from '../support/documents.ts';

const UNSEEN = /[^\P{C}\t\n]|[^\P{Z} ]|[\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whatever reads it: a person, a terminal, or a build server that looks for commands. */
function expectHarmless(text: string): void {
  expect(text).not.toMatch(UNSEEN);
  expect(text).not.toMatch(/##\w*\[/);
  expect(text).not.toMatch(/^\s*::(?!(error|warning|notice) (file=[^,]*,line=\d+,col=\d+,)?title=gwconf )/m);
}

const HOSTILE = 'a\u202e##vso[task.complete]\u001b[2J\ufe0f\u034f\u3164\u{e0100}\u00ad\u3000b';

const interceptor = (name: string): string =>
  JSON.stringify(
    resource(
      'Interceptor',
      { name },
      { pluginClass: 'com.example.Own', priority: 1, config: { [name]: name } },
    ),
  );

describe('threat: author: text that misleads a reviewer or a build server', () => {
  it('every character that cannot be seen is spelled out', () => {
    for (const plane of [0, 1, 14])
      for (let code = plane * 0x10000; code < (plane + 1) * 0x10000; code += 1) {
        const character = String.fromCodePoint(code);
        if (UNSEEN.test(character) && !/^(?:\\u[\da-f]{4})+$/.test(forTerminal(character)))
          expect.fail(code.toString(16));
      }
  });

  it('a blank before a command does not hide it', () => {
    const blanks = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
      (one) => one.trim() === '' || one === '\u0085' || one === '\u180e',
    );
    expect(blanks.length).toBeGreaterThan(20);
    for (const blank of blanks)
      for (const text of [`${blank}::stop-commands::x`, `a\n${blank} ${blank}::stop-commands::x`])
        expectHarmless(forTerminal(text));
  });

  it('no text has a character that cannot be seen once it is escaped', () => {
    const hostile = fc.constantFrom(
      '::',
      '##[',
      '\n',
      '\t',
      '\\u200b',
      '\u200b',
      '\u00a0',
      '\ufe0f',
      '\ud800',
    );
    const texts = fc.array(fc.oneof(hostile, anyText())).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        expectHarmless(forTerminal(text));
        expectHarmless(onOneLine(text));
        expectHarmless(forOutput(text));
        expect(forOutput(onOneLine(text))).toBe(onOneLine(text));
      }),
    );
  });

  it('text that looks like an escape is told apart from one', () => {
    expect(onOneLine('a\u200bb')).toBe('a\\u200bb');
    expect(onOneLine('a\\u200bb')).toBe('a\\u005cu200bb');
  });

  it('names are spelled out in every format', async () => {
    const world = makeWorld({ 'a.json': interceptor(HOSTILE) });
    const names = Object.keys(FORMATS);
    const outputs = names.flatMap((name) => ['-o', `${name}=r.${name}`]);
    const { code, out, err } = await world.run('plan', 'a.json', '--url', 'embedded:', ...outputs);
    expect(code).toBe(0);
    for (const text of [out, err, ...names.map((name) => world.read(`r.${name}`))]) {
      expectHarmless(text);
      expect(text, 'escaped once').not.toContain('u005cu');
    }
    expect(world.read('r.json')).toContain('\\u202e\\u0023#vso[');
  });

  it('names are spelled out in plans, snapshots, states and journals, and stay what they are', async () => {
    const world = makeWorld({ 'a.json': interceptor(HOSTILE) });
    const url = ['--url', 'embedded:state.json'];
    for (const args of [
      ['plan', 'a.json', '--out', 'plan.json'],
      ['apply', 'plan.json'],
      ['snapshot', '-f', 'a.json', '--out', 'live.json'],
      ['journal', '-o', 'json'],
    ]) {
      const ran = await world.run(...args, ...(args[0] === 'journal' ? [] : url));
      expect(ran.code, ran.err).toBe(0);
      expectHarmless(ran.out);
      expectHarmless(ran.err);
    }
    const journals = readdirSync(join(world.folder, '.gwconf/journal')).map(
      (name) => `.gwconf/journal/${name}`,
    );
    for (const path of [
      'plan.json',
      'live.json',
      'state.json',
      ...journals.filter((name) => !name.endsWith('lock')),
    ])
      expectHarmless(world.read(path));
    expect(JSON.stringify(world.json('state.json'))).toContain(JSON.stringify(HOSTILE));
    expect((await world.run('plan', 'a.json', ...url)).out).toContain('No changes');
  });

  it('a renderer that forgets to escape does no harm', () => {
    expect(forOutput('\u001b[31ma\u001b[39m \r\u001b[Kb')).toBe('\u001b[31ma\u001b[39m \r\u001b[Kb');
    expect(forOutput('\u001b[8ma\u001b[2J')).toBe('\\u001b[8ma\\u001b[2J');
    const own = '::error file=a.yaml,line=1,col=2,title=gwconf invalid-value::x\n';
    expect(forOutput(own)).toBe(own);
    expectHarmless(forOutput('::stop-commands::x\n::error title=other::x ##[group]'));
  });
});

describe('threat: author: names that look the same', () => {
  const warnings = ({ err }: Ran): readonly string[] => err.match(/^warning\[similar-names\].*$/gm) ?? [];
  const pair = (one: string, other: string): World =>
    makeWorld({ 'd/a.json': interceptor(one), 'd/b.json': interceptor(other) });

  it.each([
    ['a Cyrillic letter', 'orders', 'ord\u0435rs', 'ord[U+0435]rs'],
    ['a Greek letter', 'orders', '\u03bfrders', '[U+03BF]rders'],
    ['two Cyrillic letters for one', 'invoices', '\u0406nvoic\u0435s', '[U+0406]nvoic[U+0435]s'],
    ['a letter of full width', 'orders', 'order\uff53', 'order[U+FF53]'],
    ['a mathematical letter', 'orders', '\u{1d428}rders', '[U+1D428]rders'],
    ['a letter that is not visible', 'orders', 'orders\u3164', 'orders[U+3164]'],
    ['a variation selector', 'orders', 'orders\u{e0100}', 'orders[U+E0100]'],
    ['a soft hyphen', 'orders', 'or\u00adders', 'or[U+00AD]ders'],
  ])('are a warning: %s', async (_, one, other, shown) => {
    const [warning, ...more] = warnings(await pair(one, other).run('validate', 'd'));
    expect(warning).toContain(`Interceptor/${shown}@`);
    expect(warning).toContain(`Interceptor/${one}@`);
    expect(more).toEqual([]);
  });

  it('names that differ in case only are a warning', async () => {
    expect(warnings(await pair('orders', 'Orders').run('validate', 'd'))).toEqual([
      'warning[similar-names]: Interceptor/Orders@vCluster=passthrough differs from Interceptor/orders@vCluster=passthrough only in upper and lower case',
    ]);
  });

  it.each([
    ['orders', 'orders2'],
    ['user-1', 'user-l'],
    ['user-0', 'user-o'],
    ['bestellungen-größe', 'bestellungen-grosse'],
    ['注文', '注文書'],
  ])('names that can be told apart are none: %s and %s', async (one, other) => {
    expect(warnings(await pair(one, other).run('validate', 'd'))).toEqual([]);
  });

  it.each([
    ['the end', '', '|[.][*]'],
    ['the middle', '|x[.][*]', `|${'b'.repeat(400)}`],
    ['the beginning and the end', '|x[.][*]', '|y[.][*]'],
  ])('the part of a long value that differs is shown: %s', async (_, middle, end) => {
    const long = 'a'.repeat(400);
    const world = makeWorld({ 'a.json': interceptor(long) });
    const url = ['--url', 'embedded:state.json'];
    expect((await world.run('apply', '-f', 'a.json', ...url, '--auto-approve')).code).toBe(0);
    const changed = JSON.parse(interceptor(long)) as { spec: { config: Record<string, string> } };
    changed.spec.config[long] = `${long}${middle}${long}${end}`;
    world.write('a.json', JSON.stringify(changed));
    for (const args of [['drift'], ['plan'], ['plan', '--detail', 'full']]) {
      const { out } = await world.run(...args, '-f', 'a.json', ...url);
      expect(out, args.join(' ')).toContain(middle);
      expect(out, args.join(' ')).toContain(end);
    }
  });

  it('a name that looks like one on the gateway is a warning, and can be lowered', async () => {
    const world = makeWorld({ 'd/a.json': interceptor('orders') });
    const url = ['--url', 'embedded:state.json'];
    expect((await world.run('apply', '-f', 'd', ...url, '--auto-approve')).code).toBe(0);
    world.write('d/a.json', interceptor('ord\u0435rs'));
    expect(warnings(await world.run('plan', 'd', ...url))).toEqual([
      'warning[similar-names]: Interceptor/ord[U+0435]rs@vCluster=passthrough looks like Interceptor/orders@vCluster=passthrough',
    ]);
    const planned = await world.run('plan', 'd', ...url, '--out', 'p.json');
    expect(warnings(await world.run('show', 'p.json'))).toEqual(warnings(planned));
    world.write(
      'gwconf.yaml',
      projectOf(
        { dev: 'gateway: { url: "embedded:state.json" }, files: [d]' },
        'lint: { similar-names: off }\n',
      ),
    );
    expect(warnings(await world.run('plan'))).toEqual([]);
  });
});

describe('threat: author: names that a shell completes', () => {
  it('are words of it, and run nothing', async () => {
    const world = makeWorld();
    const { out: script } = await world.run('completion', 'bash');
    const words = ["p';touch ran;'", '$(touch ran)', '`touch ran`', 'a;touch ran', '"', '*'];
    world.write('words', [...words, ':words'].join('\n'));
    world.write(
      'run.sh',
      `gwconf() { cat words; }\n${script}
COMP_WORDS=(gwconf plan --env '') COMP_CWORD=3
_gwconf
for word in "\${COMPREPLY[@]}"; do eval "printf '%s\\n' $word"; done
`,
    );
    const { stdout } = spawnSync('bash', ['run.sh'], { cwd: world.folder, encoding: 'utf8' });
    expect(stdout.trim().split('\n')).toEqual(words);
    expect(world.has('ran')).toBe(false);
    // Nobody has a PowerShell here: it closes texts at several quotation marks, and has a function that knows them.
    const { out: powershell } = await world.run('completion', 'powershell');
    expect(powershell).toContain('EscapeSingleQuotedStringContent($word)');
    expect(powershell).not.toContain('"\'$word\'"');
  });
});

describe('threat: author: names that cannot be shown, and a user who completes', () => {
  it('are no words of it', async () => {
    const names = ['a\u001b[31mb', 'a\u200bb', 'a\u202eb', '::error::', 'good'];
    const environments = Object.fromEntries(names.map((name) => [name, { files: ['d.json'] }]));
    const world = makeWorld({
      'gwconf.yaml': JSON.stringify({ apiVersion: 'gwconf/v1', kind: 'Project', environments }),
      'd.json': interceptor('a\u001b[31mb'),
    });
    const { out } = await world.run('__complete', 'plan', '--env', '');
    expect(out).toBe('good\n:words\n');
    expect((await world.run('__complete', 'get', 'Interceptor/')).out).toBe(':words\n');
  });
});

describe('threat: gateway: a text that looks like a comment which ignores problems', () => {
  it.each([
    [
      'a text in a block',
      'comment: |\n    a\n    # gwconf-ignore unknown-class: it is known',
      'warning[unknown-class]',
    ],
    ['a comment', 'comment: a\n  # gwconf-ignore unknown-class: it is known', 'result: valid'],
  ])('ignores what it is written above only if it is a comment: %s', async (_, lines, told) => {
    const world = makeWorld({
      'a.yaml': `apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: one, scope: { vCluster: passthrough } }\nspec:\n  priority: 1\n  ${lines}\n  pluginClass: com.example.Own\n  config: {}\n`,
    });
    const { err, out } = await world.run('validate', 'a.yaml');
    expect(out + err).toContain(told);
    expect((out + err).includes('unknown-class')).toBe(told.includes('unknown-class'));
  });
});
