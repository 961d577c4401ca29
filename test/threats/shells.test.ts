import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeWorld, type World } from '../support/cli.ts';

const PLAIN = ['prod', 'AliasTopic/orders@vCluster=prod', 'x,y', 'co:lon', '=ls'];
/** Names that a shell takes for something else. */
const NAMES = [
  ...PLAIN,
  'a b',
  '$(touch ran)',
  '`touch ran`',
  'a;touch ran',
  'a|touch ran',
  '<(touch ran)',
  '*(e:touch ran:)',
  '${x:=$(touch ran)}',
  'x\\$(touch ran)',
  "q'u",
  "x'$(touch ran)",
  'd"q',
  'b\\s',
  'b\\:s',
  'a\\',
  "$'\\n'",
  '日$(touch ran)',
  'st*r',
  '!!',
  '#h',
  '%F{red}x',
];

/** A `gwconf` that answers with these names, and the script of a shell. */
async function withAnswer(shell: string, names: readonly string[]): Promise<World> {
  const world = makeWorld({ 'bin/gwconf': '' });
  const lines = names.map((name, at) => (at % 2 === 0 ? name : `${name}\t$(touch ran): what it is`));
  writeFileSync(join(world.folder, 'answer'), `${lines.join('\n')}\n:words\n`);
  const gwconf = join(world.folder, 'bin', 'gwconf');
  writeFileSync(gwconf, `#!/bin/sh\nprintf '[%s]' "$@" >> asked\ncat answer\n`);
  chmodSync(gwconf, 0o755);
  const { out } = await world.run('completion', shell);
  writeFileSync(join(world.folder, 'script'), out);
  mkdirSync(join(world.folder, 'home'));
  return world;
}

function runIn(world: World, shell: string, args: readonly string[], commands: string): readonly string[] {
  const { stdout, stderr } = spawnSync(shell, [...args, commands], {
    cwd: world.folder,
    encoding: 'utf8',
    env: {
      PATH: `${join(world.folder, 'bin')}:${process.env['PATH'] ?? ''}`,
      HOME: join(world.folder, 'home'),
      LC_ALL: 'C.UTF-8',
    },
  });
  expect(stderr).toBe('');
  expect(world.has('ran')).toBe(false);
  return stdout.split('\n').filter((line) => line !== '');
}

const onPath = (shell: string): boolean =>
  (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, shell)));

describe('threat: author: a name that a shell obeys once it is completed', () => {
  it('is no word where a line cannot hold it or it would be a flag, and a plan with such a name is a path', async () => {
    const world = makeWorld({
      'gwconf.yaml':
        'apiVersion: gwconf/v1\nkind: Project\nenvironments: { prod: {}, --yes: {}, ":files": {}, ~root: {} }\n',
      ...Object.fromEntries(
        ['a.plan.json', '--out=plan.json', '~plan.json', 'x\nrm.plan.json', 'x\u001b[31m.plan.json'].map(
          (name) => [name, '{}'],
        ),
      ),
      '.gwconf/journal/0002-a\nb.ndjson': '',
      '.gwconf/journal/0001-a.ndjson': '',
    });
    const words = async (...line: readonly string[]): Promise<readonly string[]> =>
      (await world.run('__complete', ...line)).out.trimEnd().split('\n');
    expect(await words('plan', '--env', '')).toEqual(['prod', ':words']);
    expect(await words('apply', '')).toEqual(['./--out=plan.json', 'a.plan.json', './~plan.json', ':words']);
    expect(await words('undo', '')).toEqual(['0001-a', ':words']);
  });

  it.skipIf(!onPath('bash'))('is one word of bash, and none within quotes', async () => {
    const world = await withAnswer('bash', NAMES);
    const ask = (typed: string, word: string): readonly string[] =>
      runIn(
        world,
        'bash',
        ['--norc', '-c'],
        `source ./script; COMP_WORDS=(gwconf undo '${typed}'); COMP_CWORD=2; _gwconf
for one in "\${COMPREPLY[@]}"; do eval "set -- ${word}"; printf '%s\\n' "$#:$1"; done`,
      );
    expect(ask('', '$one')).toEqual(NAMES.map((name) => `1:${name}`));
    expect(ask('"', '\\"$one\\"')).toEqual(PLAIN.map((name) => `1:${name}`));
  });

  // `_describe` takes what is before the first colon without a backslash; a backslash keeps the next character.
  it.skipIf(!onPath('zsh'))('is one word of zsh, which knows what was typed before it', async () => {
    const world = await withAnswer('zsh', NAMES);
    const found = runIn(
      world,
      'zsh',
      ['-f', '-c'],
      `compdef() { }; _describe() { print -rl -- $found }; source ./script
words=(gwconf undo '"a b"' '$(touch ran)' '"p'); CURRENT=5; PREFIX='p\\ q'; _gwconf`,
    );
    const taken = found.map((line) => /^(?:\\.|[^\\:])*/.exec(line)?.[0].replaceAll(/\\(.)/g, '$1'));
    expect(taken).toEqual(NAMES);
    expect(world.read('asked')).toBe('[__complete][undo][a b][$(touch ran)][p q]');
  });

  it.skipIf(!onPath('fish'))('is one word of fish, which knows what was typed before it', async () => {
    const world = await withAnswer('fish', NAMES);
    const found = runIn(
      world,
      'fish',
      ['--no-config', '-c'],
      `source ./script; complete -C 'gwconf undo "a b" \\$\\(touch\\ ran\\) '`,
    );
    expect(new Set(found.map((line) => line.split('\t')[0]))).toEqual(new Set(NAMES));
    expect(world.read('asked')).toBe('[__complete][undo][a b][$(touch ran)][]');
  });
});
