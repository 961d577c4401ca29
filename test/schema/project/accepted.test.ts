import { describe, expect, it } from 'vitest';
import { parseAccepted } from '../../../src/schema/project/accepted.ts';
import { dedent, seen } from '../../support/expect-problems.ts';

const read = (text: string): ReturnType<typeof parseAccepted> =>
  parseAccepted({ path: 'accepted-drift.yaml', text: dedent(text) });
const told = (text: string): readonly unknown[] => read(text).problems.map((problem) => seen(problem));

const GOOD = '{ address: Thing/a, path: /spec/x, reason: why, owner: who, expires: 2027-01-31 }';

describe('accepted-drift.yaml', () => {
  it('is a list of entries, each with its place', () => {
    const { value, problems } = read(`- ${GOOD}\n- ${GOOD.replace('path: /spec/x, ', '')}\n`);
    expect(problems).toEqual([]);
    expect(value).toMatchObject([
      { address: 'Thing/a', path: '/spec/x', reason: 'why', owner: 'who', expires: '2027-01-31' },
      { address: 'Thing/a' },
    ]);
    expect(value[1]).not.toHaveProperty('path');
  });

  it('may be empty', () => {
    expect(read('')).toEqual({ value: [], problems: [] });
    expect(read('[]')).toEqual({ value: [], problems: [] });
  });

  it.each([
    ['an unknown key', `- ${GOOD.replace('owner', 'ower')}`, ['unknown-field', 'missing-field']],
    ['no reason', `- ${GOOD.replace('reason: why, ', '')}`, ['missing-field']],
    ['no day', `- ${GOOD.replace('2027-01-31', 'never')}`, ['invalid-value']],
    ['a day that no month has', `- ${GOOD.replace('2027-01-31', '2027-13-01')}`, ['invalid-value']],
    ['a path that is no pointer', `- ${GOOD.replace('/spec/x', 'spec.x')}`, ['invalid-value']],
    ['a map in place of the list', GOOD, ['invalid-value']],
    ['two documents', `- ${GOOD}\n---\n- ${GOOD}`, ['invalid-value']],
    ['no YAML', '- {', ['invalid-yaml']],
  ])('with %s accepts nothing and says so', (_, text, codes) => {
    const { value, problems } = read(text);
    expect(value).toEqual([]);
    expect(problems.map(({ code }) => code).sort()).toEqual([...codes].sort());
  });

  it('says which entry has it', () => {
    const { problems } = read(`- ${GOOD}\n- ${GOOD.replace('reason: why, ', '')}`);
    expect(problems.map(({ message, path }) => [message, path])).toEqual([
      ['entry 2 has no /reason', '/1/reason'],
    ]);
  });

  it('says where a mistake stands', () => {
    expect(told(`- ${GOOD}\n- ${GOOD.replace('2027-01-31', 'soon')}`)).toEqual([
      { code: 'invalid-value', at: '2:72', path: '/1/expires' },
    ]);
  });
});
