import { describe, expect, it } from 'vitest';
import { FORMATS_OF } from '../../src/cli/table/command.ts';
import { entryOf, NAMES } from '../../src/cli/table/commands.ts';
import { flagOf } from '../../src/cli/table/flag.ts';
import { GLOBAL } from '../../src/cli/table/flags.ts';
import { FORMATS } from '../../src/report/formats.ts';
import { makeWorld } from '../support/cli.ts';

it('plans are printed in every format that there is', () => {
  expect([...FORMATS_OF.plan.names].sort()).toEqual(Object.keys(FORMATS).sort());
});

it('other formats are asked for with a flag of the command', () => {
  const flags = NAMES.flatMap((name) => {
    const { formats, flags: own = {} } = entryOf(name);
    return formats?.with === undefined ? [] : [formats.with.flag in own];
  });
  expect(flags).toEqual([true, true]);
});

it('only these commands are given a gateway that can be written to', () => {
  const writing = NAMES.filter((name) => entryOf(name).gateway === 'write');
  expect(writing).toEqual(['apply', 'undo', 'token issue', 'cluster switch']);
});

describe('the help of a command', () => {
  const helpOf = async (...args: readonly string[]): Promise<string> => (await makeWorld().run(...args)).out;
  const named = (help: string): readonly string[] => help.match(/--[a-z-]+/g) ?? [];

  it.each(NAMES)('fits on a page, and names every option: %s', async (name) => {
    const help = await helpOf(...name.split(' '), '--help');
    const connection = help.includes('gwconf help connection') ? await helpOf('help', 'connection') : '';
    const shown = Object.entries({ ...entryOf(name).flags, ...GLOBAL }).filter(
      ([, { isHidden }]) => isHidden !== true,
    );
    for (const [key] of shown) expect(named(help + connection)).toContain(flagOf(key));
    expect(help.split('\n').length).toBeLessThan(60);
  });

  it.each(NAMES)('explains every option with --all: %s', async (name) => {
    const help = await helpOf(...name.split(' '), '--help', '--all');
    const shown = Object.entries({ ...entryOf(name).flags, ...GLOBAL }).filter(
      ([, { isHidden }]) => isHidden !== true,
    );
    for (const [key] of shown) expect(help).toMatch(new RegExp(`^  (-\\w, )?${flagOf(key)}\\b`, 'm'));
    expect(help).not.toContain('More options');
  });

  it('is the same after help', async () => {
    expect(await helpOf('help', 'plan')).toBe(await helpOf('plan', '--help'));
    expect(await helpOf('help', 'plan', '--all')).toBe(await helpOf('plan', '--help', '--all'));
    expect(await helpOf('connection')).toBe(await helpOf('help', 'connection'));
  });

  it('is guessed for an option that it only names', async () => {
    expect((await makeWorld().run('plan', '--ur', 'x')).err).toContain('Did you mean --url?');
    expect((await makeWorld().run('plan', '--strickt')).err).toContain('Did you mean --strict?');
  });
});
