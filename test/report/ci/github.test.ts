import { describe, expect, it } from 'vitest';
import type { LocatedProblem } from '../../../src/model/problem.ts';
import { renderGithub } from '../../../src/report/ci/github.ts';
import { TOOL, FULL, HOSTILE, INFO, PLACELESS } from '../hostile.ts';

describe('github', () => {
  it('has a command for each problem, one on a line', () => {
    expect(renderGithub([FULL, { ...INFO, severity: 'warning' }, INFO, PLACELESS], TOOL).split('\n')).toEqual(
      [
        '::error file=topics/orders.yaml,line=9,col=3,title=gwconf duplicate-resource::AliasTopic/orders is declared twice; keep one of the two',
        '::error title=gwconf connection-error::the gateway cannot be reached',
        '::warning file=../up/a.yaml,line=4,col=1,title=gwconf unusual-value::that is unusual',
        '::notice file=../up/a.yaml,line=4,col=1,title=gwconf unusual-value::that is unusual',
        '',
      ],
    );
  });

  it.each([
    ['keeps the order of the files among few', 2, [1, 2, 3]],
    ['shows one of each sort first among many', 10, [1, 11, 2]],
  ] as const)('%s', (_, alike, first) => {
    const problemAt = (line: number, code: LocatedProblem['code']): LocatedProblem => ({
      ...{ ...INFO, code, at: { file: 'a.yaml', line, column: 1 } },
    });
    const problems = Array.from({ length: alike }, (__, at) => problemAt(at + 1, 'unusual-value'));
    const text = renderGithub([...problems, problemAt(alike + 1, 'invalid-value')], TOOL);
    const lines = Array.from(text.matchAll(/line=(\d+)/g), ([, line]) => Number(line));
    expect(lines.slice(0, 3)).toEqual(first);
  });

  it('is empty without problems', () => {
    expect(renderGithub([], TOOL)).toBe('');
  });

  it('escapes what it prints', () => {
    const text = renderGithub([HOSTILE], TOOL);
    const [line = '', ...more] = text.split(/[\r\n]/);
    expect(more).toEqual(['']);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]/);
    const [, properties = '', message = ''] = /^::warning ([^:]*)::(.*)$/.exec(line) ?? [];
    expect(properties.split(',').map((property) => property.split('=', 1)[0])).toEqual([
      'file',
      'line',
      'col',
      'title',
    ]);
    expect(properties).toContain('file=C%3A/a b/');
    expect(properties).toContain('\\u003a%3Aerror%3A%3Ax%2Cy%250A');
    expect(message).toContain('x,y%250A<&>');
  });
});
