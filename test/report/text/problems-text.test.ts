import { describe, expect, it } from 'vitest';
import type { Address } from '../../../src/model/resource.ts';
import type { LocatedProblem } from '../../../src/model/problem.ts';
import { NO_PAINT } from '../../../src/report/text/layout.ts';
import { renderProblems } from '../../../src/report/text/problems-text.ts';

const problem: LocatedProblem = { code: 'unknown-field', severity: 'error', message: 'A/b has no field c' };
const at = { file: 'a.yaml', line: 12, column: 5 };

describe('problems as text', () => {
  it('are empty when there are none', () => {
    expect(renderProblems([], NO_PAINT)).toBe('');
  });

  it('show the message, the place, the lines and the hint', () => {
    const frame = {
      lines: [
        { number: 9, text: 'spec:' },
        { number: 12, text: '  c: 1 # twelve' },
      ],
      column: 3,
      length: 1,
    };
    expect(renderProblems([{ ...problem, at, frame, hint: 'take it out' }], NO_PAINT)).toBe(
      [
        'error[unknown-field]: A/b has no field c',
        '   --> a.yaml:12:5',
        '   |',
        ' 9 | spec:',
        '12 |   c: 1 # twelve',
        '   |   ^',
        '   = take it out',
        '',
      ].join('\n'),
    );
  });

  it('show both places', () => {
    const text = renderProblems([{ ...problem, at, also: { file: 'b.yaml', line: 1, column: 2 } }], NO_PAINT);
    expect(text).toContain('= see also b.yaml:1:2\n');
  });

  it('are shown without a place', () => {
    expect(renderProblems([problem], NO_PAINT)).toBe('error[unknown-field]: A/b has no field c\n');
  });

  it('is wrapped at the width of the terminal', () => {
    const hint = 'take it out; or write it in another way, as the documentation of the field says';
    const text = renderProblems([{ ...problem, at, hint, message: hint }], NO_PAINT, 40);
    expect(text.split('\n').filter((line) => line.length > 40)).toEqual([]);
    expect(text.replaceAll(/\n +(?=\w)/g, ' ')).toContain(` = ${hint}\n`);
    expect(text.replaceAll(/\n +(?=\w)/g, ' ')).toContain(`]: ${hint}\n`);
  });

  it('are separated by an empty line', () => {
    expect(renderProblems([problem, { ...problem, severity: 'warning' }], NO_PAINT)).toBe(
      'error[unknown-field]: A/b has no field c\n\nwarning[unknown-field]: A/b has no field c\n',
    );
  });

  it('underline no more than the line', () => {
    const frame = { lines: [{ number: 1, text: 'kind: X' }], column: 7, length: 500 };
    expect(renderProblems([{ ...problem, at, frame }], NO_PAINT)).toContain('|       ^\n');
  });

  it('are all shown when they are errors; of many warnings with one code the rest is counted', () => {
    const many = (severity: LocatedProblem['severity']): readonly LocatedProblem[] =>
      Array.from({ length: 60 }, (_, number) => ({ ...problem, severity, message: `number ${number}` }));
    expect(renderProblems(many('error'), NO_PAINT).match(/error\[/g)).toHaveLength(60);
    const warnings = renderProblems(many('warning'), NO_PAINT);
    expect(warnings.match(/number \d+$/gm)).toHaveLength(50);
    expect(warnings).toContain('\n10 more of unknown-field\n');
  });

  it('are a list of places below the first, where warnings have its code and its cure', () => {
    const warning: LocatedProblem = { ...problem, severity: 'warning', hint: 'rename it', at };
    const on = (line: number, file = at.file): LocatedProblem => ({
      ...warning,
      message: `on ${line}`,
      at: { ...at, file, line },
    });
    const shown = renderProblems(
      [
        warning,
        { ...warning, hint: 'another cure' },
        on(13),
        on(14),
        on(3, 'b.yaml'),
        { ...warning, message: 'another at the same place\u001b[2J' },
        { ...warning, code: 'priority-tie' },
      ],
      NO_PAINT,
    );
    expect(shown).toContain(
      '= rename it\n  = also at a.yaml:13:5, 14:5\n  = also at b.yaml:3:5\n  = also: another at the same place\\u001b[2J\n\nwarning',
    );
    expect(shown.match(/warning\[/g)).toHaveLength(3);
  });

  it('are each told by what they say where they are risks, as a loss beside another one is', () => {
    const loss = (message: string, line: number): LocatedProblem => ({
      ...{ code: 'taken-over-loss', severity: 'warning', hint: 'accept it', message },
      at: { ...at, line },
    });
    const shown = renderProblems(
      [
        loss('alice has weaker masking', 12),
        loss('all other clients have weaker access control', 17),
        loss('alice has weaker masking', 20),
      ],
      NO_PAINT,
    );
    expect(shown).toBe(
      'warning[taken-over-loss]: alice has weaker masking\n --> a.yaml:12:5\n = accept it\n' +
        '  = also at a.yaml:20:5\n  = also at a.yaml:17:5: all other clients have weaker access control\n',
    );
  });

  it('are told once with all their places, where errors say the same of each object', () => {
    const error = (name: string, line: number, message = 'has no field c'): LocatedProblem => ({
      ...{ ...problem, address: name as Address, at: { ...at, line } },
      message: `${name} ${message}`,
    });
    const shown = renderProblems(
      [error('A/b', 12), error('A/c', 30), error('A/d', 31, 'has no field d'), error('A/e', 32)],
      NO_PAINT,
    );
    expect(shown.match(/error\[/g)).toHaveLength(2);
    expect(shown).toContain('A/b has no field c\n --> a.yaml:12:5\n  = also at a.yaml:30:5, 32:5\n\nerror');
    const late = ['b', 'c'].map((name, at) =>
      error(`A/${name}`, at, `got no answer to DELETE /gateway/v2/a/${name}`),
    );
    expect(renderProblems(late, NO_PAINT).match(/error\[/g)).toHaveLength(1);
  });

  it('are one for each variable that is not set, and last the lines that set them all', () => {
    const unset = (variable: string, line: number): LocatedProblem => ({
      ...{ code: 'missing-variable', severity: 'error', at: { ...at, line }, variable },
      message: `the environment variable ${variable} is not set`,
      hint: `set ${variable}; or use a default, \${${variable}:-…}`,
    });
    const two = unset('TWO', 2);
    const placeholder = {
      ...two,
      hint: `${two.hint ?? ''}; or write $\${TWO} for a placeholder of the gateway`,
    };
    const all = [unset('ONE', 1), placeholder, unset('ONE', 3), { ...problem, at }];
    expect(renderProblems(all, NO_PAINT)).toBe(
      [
        'error[unknown-field]: A/b has no field c',
        ' --> a.yaml:12:5',
        '',
        'error[missing-variable]: the environment variable ONE is not set',
        '  --> a.yaml:1:5, 3:5',
        'error[missing-variable]: the environment variable TWO is not set',
        '  --> a.yaml:2:5',
        '',
        'Set them, then run this again:',
        '  export ONE=…',
        '  export TWO=…',
        'Or use a default, ${TWO:-…}, or write $${TWO} for a placeholder of the gateway.',
        '',
      ].join('\n'),
    );
    // A setting of gwconf has no placeholders.
    expect(renderProblems([unset('ONE', 1)], NO_PAINT)).toMatch(
      /\n\nSet it, then run this again:\n {2}export ONE=…\nOr use a default, \$\{ONE:-…\}\.\n$/,
    );
    expect(renderProblems(all, NO_PAINT, undefined, 'github')).toContain(
      '  env:\n    ONE: ${{ secrets.ONE }}\n    TWO: ${{ secrets.TWO }}\n',
    );
    expect(renderProblems(all, NO_PAINT, undefined, 'job')).toContain('job, masked:\n  ONE\n  TWO\n');
  });

  it('are escaped for a terminal', () => {
    const nasty = 'a\u001b[2J\nb';
    const frame = { lines: [{ number: 1, text: nasty }], column: 1, length: 1 };
    const text = renderProblems(
      [{ ...problem, message: nasty, hint: nasty, at: { ...at, file: nasty }, frame }],
      NO_PAINT,
    );
    expect(text).not.toContain('\u001b');
    expect(text).toContain('error[unknown-field]: a\\u001b[2J\\nb\n');
  });
});
