import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { isObject, valueAt, valueOf, type Json, type JsonObject } from '../../../src/model/json/json.ts';
import { PROBLEM_CODES } from '../../../src/model/problem-codes.ts';
import { checkLimits, DEFAULT_LIMITS } from '../../../src/plan/checks/limits.ts';
import { makeMatcher } from '../../../src/plan/change/select.ts';
import { policySchema } from '../../../src/schema/project/policy-schema.ts';
import { limitOf } from '../../../src/schema/project/project-rules.ts';
import { projectSchema } from '../../../src/schema/project/project-schema.ts';
import { compareRules, type Rule } from '../../../src/workflow/base/compare-rules.ts';
import { NO_RULES, RULES } from '../../../src/workflow/base/branch-rules.ts';
import { toyKinds } from '../../support/toy-kinds.ts';
import { orAll } from '../../support/soak.ts';

/** The fields of a schema that have no fields of their own; `*` is any key, `[]` any item. */
function leavesOf(schema: Json | undefined, at: readonly string[] = []): readonly string[] {
  const [properties, more, items] = ['properties', 'additionalProperties', 'items'].map((key) =>
    valueOf(schema, key),
  );
  const inner = [
    ...Object.entries(isObject(properties) ? properties : {}),
    ...(isObject(more) ? [['*', more] as const] : []),
    ...(isObject(items) && isObject(items['properties']) ? [['[]', items] as const] : []),
  ];
  if (inner.length === 0) return [at.join(' ')];
  return inner.flatMap(([key, one]) => leavesOf(one, [...at, key]));
}

/** The fields that a rule of the table is about. */
function fieldsOf({ at, by }: Rule): readonly (readonly string[])[] {
  if (by === undefined || by === 'values') return [at];
  const { names, fields } = by;
  const own = [...(names ?? []), ...Object.keys(fields)];
  return own.map((field) => (names === undefined ? [...at, field] : [...at, '[]', field]));
}

/** What is not in gwconf.yaml as it is compared: policies by name, tests and comments of files. */
const ELSEWHERE = ['policies', 'tests', 'comments'];

it('each field of gwconf.yaml is a rule of the table, or there is a reason why not', () => {
  const leaves = leavesOf(projectSchema).filter((leaf) => !leaf.startsWith('policies '));
  const known = [
    ...RULES.filter(({ at: [root = ''] }) => !ELSEWHERE.includes(root)).flatMap(fieldsOf),
    ...NO_RULES.map(([at]) => at),
  ].map((at) => at.join(' '));
  const meets = (leaf: string, field: string): boolean => leaf === field || leaf.startsWith(`${field} `);
  expect(leaves.filter((leaf) => known.filter((field) => meets(leaf, field)).length !== 1)).toEqual([]);
  expect(known.filter((field) => !leaves.some((leaf) => meets(leaf, field)))).toEqual([]);
});

it('so is each field of a policy', () => {
  const fields = Object.keys(valueAt(policySchema, '/properties/spec/properties') as JsonObject);
  const rule = RULES.find(({ at }) => at[0] === 'policies');
  expect(
    rule === undefined
      ? []
      : fieldsOf(rule)
          .map((at) => at.at(-1))
          .sort(),
  ).toEqual(fields.sort());
});

/** Whether a project loosens a rule of its environment. */
function loosens(before: JsonObject, after: JsonObject): boolean {
  return differences(before, after).some((one) => one.loosens);
}
function differences(before: JsonObject, after: JsonObject): ReturnType<typeof compareRules> {
  const projectOf = (rules: JsonObject): Json => ({ environments: { prod: rules } });
  return compareRules(RULES, projectOf(before), projectOf(after));
}

const names = ['Thing/a', 'Thing/ab', 'Thing/b', 'Room/a', 'Room/b'];
const glob = fc.constantFrom(
  '*',
  'Thing/*',
  'Thing/a',
  'Thing/a*',
  'Room/*',
  '*/b',
  '!Thing/a',
  '!Room/*',
  '!*b',
);
const globs = fc.option(fc.array(glob, { minLength: 1, maxLength: 4 }), { nil: undefined });
const rulesWith = (key: string, value: Json | undefined): JsonObject =>
  value === undefined ? {} : { [key]: value };

describe('what allows more is told as such, whatever a naive judge tries:', () => {
  it('addresses that are managed', () => {
    let told = 0;
    fc.assert(
      fc.property(globs, globs, (before, after) => {
        const isManaged = (list: readonly string[] | undefined, name: string): boolean =>
          list === undefined || makeMatcher(list, toyKinds)(name as never);
        const wider = names.some((name) => isManaged(after, name) && !isManaged(before, name));
        const said = loosens(rulesWith('manages', before), rulesWith('manages', after));
        if (said) told += 1;
        if (wider) expect(said).toBe(true);
      }),
      { numRuns: orAll(1000, 3000) },
    );
    expect(told).toBeGreaterThan(500);
  });

  const limit = fc.option(
    fc.oneof(
      fc.nat(12),
      fc.nat(100).map((percent) => `${percent}%`),
    ),
    { nil: undefined },
  );
  it('deletes of a run, exactly', () => {
    fc.assert(
      fc.property(limit, limit, (before, after) => {
        const blocked = (written: number | string | undefined, count: number, all: number): boolean => {
          const changes = new Map(
            Array.from({ length: count }, (_, at) => [
              `Thing/${at}`,
              { action: 'delete', address: `Thing/${at}` },
            ]),
          );
          const deletes = limitOf(written) ?? DEFAULT_LIMITS.deletes;
          const world = { changes, managed: { Thing: all }, rules: { limits: { deletes } } };
          return [...checkLimits(world as never)].length > 0;
        };
        const tries = [1, 4, 5, 6, 7, 10, 13].flatMap((count) =>
          [count, 20, 40, 60, 100, 1000].map((all) => [count, all] as const),
        );
        const more = tries.some(([count, all]) => blocked(before, count, all) && !blocked(after, count, all));
        const said = loosens(
          { limits: rulesWith('deletes', before) },
          { limits: rulesWith('deletes', after) },
        );
        if (more) expect(said).toBe(true);
        if (before === after) expect(said).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});

const item = { address: 'Thing/a', reason: 'because' };
const CASES: readonly (readonly [what: string, stricter: JsonObject, looser: JsonObject])[] = [
  ['protect', { protect: [{ kind: 'Thing' }, { kind: 'Room' }] }, { protect: [{ kind: 'Room' }] }],
  ['protect of secrets', { protect: [{ kind: 'Thing', secrets: true }] }, { protect: [{ kind: 'Thing' }] }],
  ['manages', { manages: ['Thing/*'] }, { manages: ['*'] }],
  [
    'manages in the form of maps',
    { manages: [{ kind: 'Thing', name: 'a' }] },
    { manages: [{ kind: 'Thing' }, { kind: 'Thing', name: 'a' }] },
  ],
  ['manages at all', { manages: ['Thing/*'] }, {}],
  ['manages of nothing', { manages: [] }, { manages: ['Thing/*'] }],
  ['overlays', { overlays: ['base'] }, { overlays: ['base', 'team'] }],
  ['overlays at all', { overlays: [] }, {}],
  ['exclusions', { manages: ['*', '!Thing/a'] }, { manages: ['*'] }],
  ['exclusions alone', { manages: ['!Thing/a'] }, { manages: ['*'] }],
  ['limits', { limits: { deletes: 3 } }, { limits: { deletes: 4 } }],
  ['limits that are gone', { limits: { deletes: 3 } }, {}],
  ['limits of a kind', { limits: { kinds: { Thing: { deletes: 0 } } } }, { limits: { kinds: {} } }],
  ['lifetimes', { token: { maxLifetime: '1d' } }, { token: { maxLifetime: '30d' } }],
  [
    'lifetimes of accounts',
    { token: { accounts: [{ address: '*', maxLifetime: '1d' }] } },
    { token: { accounts: [{ address: '*', maxLifetime: '2d' }] } },
  ],
  ['protection', { protection: { pci: ['a', 'b'] } }, {}],
  ['exposures', {}, { exposures: [{ ...item, until: '2030-01-01' }] }],
  [
    'the days of exposures',
    { exposures: [{ ...item, until: '2030-01-01' }] },
    { exposures: [{ ...item, until: '2031-01-01' }] },
  ],
  ['external', {}, { external: ['Thing/*'] }],
  ['ignore', { ignore: [] }, { ignore: [item] }],
  ['ignore without a day', { ignore: [{ ...item, until: '2030-01-01' }] }, { ignore: [item] }],
  ['publicVariables', {}, { publicVariables: ['TOKEN'] }],
  ['its exclusions', { publicVariables: ['*', '!TOKEN'] }, { publicVariables: ['*'] }],
  ['pin', { pin: { host: 'a' } }, {}],
  ['version', { version: '3.20' }, {}],
];

describe('a branch loosens a rule', () => {
  it.each(CASES)('%s, and makes it stricter the other way', (_, stricter, looser) => {
    expect(loosens(stricter, looser)).toBe(true);
    expect(new Set(differences(looser, stricter).map((one) => one.loosens))).toEqual(new Set([false]));
  });

  it.each(CASES)('%s, and not by another order or another reason', (_, stricter, looser) => {
    for (const rules of [stricter, looser]) {
      const other = JSON.parse(
        JSON.stringify(rules, (key, value: unknown) =>
          Array.isArray(value) ? value.toReversed() : key === 'reason' ? 'another' : value,
        ),
      ) as JsonObject;
      expect(loosens(rules, other)).toBe(false);
    }
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['a class less', { pci: ['a', 'b'] }, { pci: ['a'] }],
    ['a class more, which hides that another is lost', { pci: ['a'] }, { pci: ['a', 'b'] }],
    ['a class that is counted as one of a known sort', {}, { masking: ['AuditPlugin'] }],
  ])('by another meaning of a sort of protection: %s', (_, before, after) => {
    expect(loosens({ protection: before }, { protection: after })).toBe(true);
  });

  it('by a lower level in lint, of all codes', () => {
    const levels = ['off', 'info', 'warning', 'error'] as const;
    for (const [code, { severity }] of Object.entries(PROBLEM_CODES))
      for (const [at, level] of levels.entries()) {
        const found = compareRules(RULES, {}, { lint: { [code]: level } }).some((one) => one.loosens);
        expect(found, `${code} ${level}`).toBe(at < levels.indexOf(severity));
      }
  });

  it('by whatever changes the connection, programs, policies or tests', () => {
    const changed: readonly (readonly [Json, Json])[] = [
      [
        { environments: { prod: { gateway: { url: 'a' } } } },
        { environments: { prod: { gateway: { url: 'b' } } } },
      ],
      [{}, { environments: { prod: { exec: { x: { command: ['a'] } } } } }],
      [{ policies: { p: { expression: 'a' } } }, { policies: { p: { expression: 'true' } } }],
      [{ policies: { p: { severity: 'mandatory' } } }, { policies: { p: { severity: 'advisory' } } }],
      [
        { policies: { p: { waivers: [] } } },
        { policies: { p: { waivers: [{ reason: 'soon', until: '2030-01-01' }] } } },
      ],
      [{ comments: { a: ['x'] } }, { comments: { a: ['x', 'y'] } }],
      [{ comments: { a: ['x', 'y'] } }, { comments: { a: ['z'] } }],
      [{ policies: { p: {} } }, {}],
      [{ tests: { t: { expect: 1 } } }, {}],
      [{ tests: { t: { expect: 1 } } }, { tests: { t: { expect: 2 } } }],
    ];
    for (const [before, after] of changed)
      expect(compareRules(RULES, before, after).map((one) => one.loosens)).toEqual([true]);
  });
});

it('another file of topics may know fewer; the first one of a project does not', () => {
  const told = (before: JsonObject, after: JsonObject): readonly boolean[] =>
    compareRules(RULES, before, after).map(({ loosens }) => loosens);
  const own = (topics: string): JsonObject => ({ environments: { prod: { topics } } });
  expect(told({ topics: 'a.txt' }, {})).toEqual([true]);
  expect(told({ topics: 'a.txt' }, { topics: 'b.txt' })).toEqual([true]);
  expect(told({}, { topics: 'a.txt' })).toEqual([false]);
  expect(told({}, own('a.txt'))).toEqual([true]);
});
