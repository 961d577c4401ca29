import { describe, expect, it } from 'vitest';
import { valueAt, type Pointer } from '../../src/model/json/json.ts';
import { normalForm } from '../../src/model/normal/normal-form.ts';
import type { Problem } from '../../src/model/problem.ts';
import type { Resource } from '../../src/model/resource.ts';
import { checkReferences } from '../../src/plan/checks/name-checks.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { load } from '../../src/schema/load/load.ts';
import { NO_VARIABLES, variablesFrom } from '../../src/schema/yaml/interpolate.ts';
import { parseYaml } from '../../src/schema/yaml/parse.ts';
import { accepted, CORPUS, corpus, recorded, type CorpusFile } from '../support/corpus.ts';
import { seen } from '../support/expect-problems.ts';
import { kindOf } from '../support/kinds.ts';

const VARIABLE = /(?<!\$)\$\{(\w+)\}/g;
const withVariables = variablesFrom((name) => `a-${name}`, {
  isPublic: (name) => name === 'SHOP_NAME',
});

describe(`the files of ${CORPUS}`, () => {
  it('are refused at the lines that are recorded, and only there', () => {
    const errors = corpus.map((file) => [file.name, printed(file, ({ severity }) => severity === 'error')]);
    expect(errors).toEqual(corpus.map(({ name, refused }) => [name, [...refused].sort()]));
  });

  it('have the warnings that are recorded, and no other on single fields', () => {
    const codes =
      /^(server-managed|unusual-value|override-.*|mask-.*|.*-pattern|.*-kms|.*-spelling|.*-class|deprecated-.*|newer-field)$/;
    const warnings = accepted.map((file) => [
      file.name,
      printed(file, ({ severity, code }) => severity === 'warning' && codes.test(code)),
    ]);
    expect(warnings).toEqual(accepted.map(({ name, warned }) => [name, [...warned].sort()]));
  });

  it('miss each variable that is not set, on its line', () => {
    for (const { name, text } of accepted) {
      const { problems } = load([{ path: name, text, named: true }], catalog, NO_VARIABLES);
      const missing = problems.filter(({ code }) => code === 'missing-variable');
      const lines = missing.map((problem) => Number(seen(problem).at?.split(':')[0]));
      const expected = text
        .split('\n')
        .flatMap((line, at) => ([...line.matchAll(VARIABLE)].length > 0 && at > 0 ? [at + 1] : []));
      expect([...new Set(lines)].sort(), name).toEqual(expected.sort());
    }
  });

  it('declare something each, and lean on others with no more than a warning', () => {
    for (const { name, text } of accepted) {
      const { value } = load([{ path: name, text }], catalog, withVariables);
      expect(value.size, name).toBeGreaterThan(0);
      const world = { desired: value, removals: [], rules: {}, kinds: catalog.kinds };
      for (const { severity } of checkReferences(world)) expect(severity).toBe('warning');
    }
  });

  it('are in one normal form when sent and when answered by a gateway', () => {
    const puts = recorded.filter(({ name }) => name.includes('-put'));
    const interceptor = kindOf('Interceptor');
    expect(puts.length).toBeGreaterThan(0);
    for (const { name, text } of puts) {
      const exchange = parseYaml({ path: name, text }, NO_VARIABLES)[0]?.value;
      const formOf = (pointer: Pointer): Resource =>
        normalForm(interceptor, interceptor.read(valueAt(exchange, pointer) ?? null));
      expect(formOf('/response/body/resource'), name).toEqual(formOf('/request/body'));
    }
  });
});

function printed({ name, text }: CorpusFile, which: (problem: Problem) => boolean): readonly string[] {
  const { problems } = load([{ path: name, text, named: true }], catalog, withVariables);
  const found = problems.filter(which).map((problem) => {
    const { at = '', code, path = '' } = seen(problem);
    return `${at} ${code} ${path}`;
  });
  return found.sort();
}
