import { expect, it } from 'vitest';
import { FORMATS_OF } from '../../src/cli/table/command.ts';
import { entryOf, NAMES } from '../../src/cli/table/commands.ts';
import { FORMATS } from '../../src/report/formats.ts';

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
