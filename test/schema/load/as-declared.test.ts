import { describe, expect, it } from 'vitest';
import type { Template } from '../../../src/model/state.ts';
import { readTemplate, readValue } from '../../../src/schema/load/as-declared.ts';
import { variablesFrom, type Variables } from '../../../src/schema/yaml/interpolate.ts';

describe('a template', () => {
  const template = (text: string, plain: boolean): Template => ({ text, plain, variables: ['X'] });
  const given = (value: string): Variables => variablesFrom((name) => (name === 'X' ? value : undefined));

  it('is filled in as it was in the file', () => {
    expect(readTemplate(template('${X}', true), given('42'))).toBe(42);
    expect(readTemplate(template('${X}', false), given('42'))).toBe('42');
    expect(readTemplate(template('Bearer ${X}', false), given('abc'))).toBe('Bearer abc');
  });

  it('is nothing without its variable', () => {
    expect(readTemplate(template('${Y}', true), given('42'))).toBeUndefined();
  });
});

describe('a value of a file', () => {
  const file = { path: 'a.yaml', text: '---\n---\na: { b: "${X}" }\n---\nb: 2\n' };
  const variables = variablesFrom((name) => (name === 'X' ? 'x' : undefined));

  it('is found by document and place', () => {
    expect(readValue(file, 1, '/a/b', variables)).toBe('x');
    expect(readValue(file, 2, '/b', variables)).toBe(2);
  });

  it('is nothing where the file has changed', () => {
    expect(readValue(file, 0, '/a/b', variables)).toBeUndefined();
    expect(readValue(file, 1, '/a/c', variables)).toBeUndefined();
    expect(readValue(file, 9, '/a', variables)).toBeUndefined();
  });
});
