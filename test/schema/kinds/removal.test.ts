import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { removal } from '../../../src/schema/kinds/removal.ts';
import { load } from '../../../src/schema/load/load.ts';
import { NO_VARIABLES, variablesFrom } from '../../../src/schema/yaml/interpolate.ts';
import { printYaml } from '../../../src/schema/yaml/print.ts';
import { problemsOf } from '../../support/expect-problems.ts';

const GONE = 'AliasTopic/old@vCluster=prod';
const NEW = 'AliasTopic/new@vCluster=prod';

describe('a removal', () => {
  it('is a kind of our own', () => {
    expect(catalog.ownKinds.get('Removal')).toBe(removal);
  });

  it('declares nothing, and names what is to go, each at its line', () => {
    const text = `apiVersion: gwconf/v1
kind: Removal
metadata: { name: a }
spec:
  reason: nobody reads it
  expires: 2027-01-31
  remove:
    - ${GONE}
  moved:
    - from: AliasTopic/older@vCluster=prod
      to: ${NEW}
`;
    const { value, removals, problems } = loaded(text);
    expect([value.size, problems]).toEqual([0, []]);
    expect(removals).toMatchObject([
      {
        address: GONE,
        reason: 'nobody reads it',
        expires: '2027-01-31',
        at: { file: 'a.yaml', line: 8, column: 7 },
      },
      { address: 'AliasTopic/older@vCluster=prod', to: { address: NEW }, at: { line: 10, column: 13 } },
    ]);
  });

  it.each<[string, JsonObject, readonly string[]]>([
    ['no reason', { remove: [GONE] }, ['missing-field /spec/reason']],
    ['an empty reason', { remove: [GONE], reason: '' }, ['invalid-value /spec/reason']],
    ['a reason of blanks', { remove: [GONE], reason: ' \t' }, ['invalid-value /spec/reason']],
    ['no day', { remove: [GONE], reason: 'r', expires: '2027-02-32' }, ['invalid-value /spec/expires']],
    ['a glob', { remove: ['AliasTopic/*'], reason: 'r' }, ['invalid-value /spec/remove/0']],
    ['an unknown kind', { remove: [GONE, 'Alias/a'], reason: 'r' }, ['unknown-kind /spec/remove/1']],
    ['half a move', { moved: [{ from: GONE }], reason: 'r' }, ['missing-field /spec/moved/0/to']],
    [
      'a move to nowhere',
      { moved: [{ from: GONE, to: 'here' }], reason: 'r' },
      ['invalid-value /spec/moved/0/to'],
    ],
    ['nothing', { reason: 'r' }, []],
  ])('with %s', (_, spec, problems) => {
    const document = { ...removal.example, spec };
    expect(problemsOf(printYaml([document])).map(({ code, path }) => `${code} ${path ?? ''}`)).toEqual(
      problems,
    );
  });

  it('refuses a variable in its reason, which is shown', () => {
    const document = { ...removal.example, spec: { remove: [GONE], reason: 'see ${TICKET}' } };
    const file = { path: 'a.yaml', text: printYaml([document]), named: true };
    const { removals, problems } = load(
      [file],
      catalog,
      variablesFrom(() => 'hunter2'),
    );
    expect(removals).toEqual([]);
    expect(problems).toMatchObject([{ code: 'exposed-secret', path: '/spec/reason' }]);
  });

  it('cannot be protected', () => {
    const text = printYaml([{ ...removal.example, protect: true }]);
    expect(problemsOf(text)).toMatchObject([{ code: 'unknown-field', path: '/protect' }]);
  });
});

function loaded(text: string): ReturnType<typeof load> {
  return load([{ path: 'a.yaml', text, named: true }], catalog, NO_VARIABLES);
}
