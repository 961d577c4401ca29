import { join } from 'node:path';
import { expect, it } from 'vitest';
import { claimsOf } from '../../src/effective/claims.ts';
import { isObject, type Json } from '../../src/model/json/json.ts';
import type { Strength } from '../../src/model/strength.ts';
import { list } from '../../src/model/text/list.ts';
import { plugins } from '../../src/schema/plugins/index.ts';
import { readDocument, withRows } from '../support/markdown.ts';
import { ROOT } from '../support/sandbox.ts';

type Declared = readonly [field: string, strength: Strength | undefined];

/** Each field of a config that has no fields of its own, with what is declared of it or of an object that it is in. */
function fieldsOf(schema: Json | undefined, strength: Strength | undefined, path = ''): readonly Declared[] {
  if (!isObject(schema)) return [];
  if (strength !== undefined && path !== '' && strength.type !== 'object' && strength.type !== 'list')
    return [[path, strength]];
  const at = (key: string): string => (path === '' ? key : `${path}.${key}`);
  const { properties, items } = schema;
  if (isObject(properties) && Object.keys(properties).length > 0) {
    return Object.entries(properties).flatMap(([key, child]) =>
      fieldsOf(child, strength?.type === 'object' ? strength.fields[key] : strength, at(key)),
    );
  }
  if (isObject(items) && isObject(items['properties']))
    return fieldsOf(items, strength?.type === 'list' ? strength.of : strength, `${path}[]`);
  return path === '' ? [] : [[path, strength]];
}

const code = (value: Json): string => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
const AXES = {
  topic: 'topics',
  virtualCluster: 'virtual clusters',
  username: 'users',
  consumerGroup: 'consumer groups',
  header: 'headers',
  partition: 'partitions',
};
const CANNOT_TELL = 'another value: cannot tell';

/** What protects less, in words. */
function describe(strength: Strength): string {
  const { when } = strength;
  const said = wordsOf(strength);
  return when === undefined ? said : `${said}, while ${code(when.field)} is ${code(when.is)}`;
}

function wordsOf(strength: Strength): string {
  switch (strength.type) {
    case 'none':
      return 'not judged';
    case 'unknown':
      return strength.absent === 'nothing'
        ? `${CANNOT_TELL}; an empty one: nothing is protected`
        : CANNOT_TELL;
    case 'reach':
      return strength.by === 'undocumented' ? CANNOT_TELL : `fewer ${AXES[strength.axis]}`;
    case 'order':
      return strength.values
        .filter((same) => same.length > 0)
        .map((same) => same.map(code).join(' or '))
        .join(', then ')
        .replace(/^/, 'from weak to strong: ');
    case 'amount':
      return 'a lower number';
    case 'least':
      return 'a lower number, or none';
    case 'most':
      return 'a higher number, or none';
    case 'mask':
      return 'fewer or other characters; `maskingChar` is not judged';
    case 'name':
      return 'the name of what is protected: without it, nothing is';
    case 'each':
      return `fewer ${strength.what}s${strength.absent === 'nothing' ? '' : '; an empty list: cannot tell'}`;
    case 'allows':
      return strength.values.length === 1
        ? strength.values.map(code).join('')
        : `one more of ${list(strength.values.map(code))}`;
    case 'matches':
      return 'a pattern that matches more';
    default:
      return 'no field';
  }
}

const declared = plugins.map((plugin) => ({ plugin, fields: fieldsOf(plugin.schema, plugin.strength) }));

it('every field of every class says what protects less, or that it does not protect', () => {
  expect(plugins).toHaveLength(43);
  const missing = declared.flatMap(({ plugin, fields }) =>
    fields.flatMap(([field, strength]) => (strength === undefined ? [`${plugin.title} ${field}`] : [])),
  );
  expect(missing).toEqual([]);
});

it('an empty value is as good as none in every rule of every class', () => {
  const rules = declared.flatMap(({ plugin, fields }) =>
    fields.flatMap(([field, strength]) =>
      strength?.type === 'allows' || strength?.type === 'matches' ? [{ plugin, path: field.split('.') }] : [],
    ),
  );
  expect(rules.length).toBeGreaterThan(20);
  for (const { plugin, path } of rules)
    for (const empty of [null, '', []]) {
      const config = path.reduceRight<Json>((inner, key) => ({ [key]: inner }), empty);
      expect([plugin.title, ...path, claimsOf(plugin.strength, config)]).toEqual([plugin.title, ...path, []]);
    }
});

it('docs/reference/judged.md has the table', async () => {
  // Classes of which the same is said have their rows together; what is not judged has none.
  const titles = new Map<string, string[]>();
  for (const { plugin, fields } of declared) {
    const groups = new Map<string, string[]>();
    for (const [field, strength] of fields) {
      if (strength === undefined || strength.type === 'none') continue;
      const words = describe(strength);
      groups.set(words, [...(groups.get(words) ?? []), field]);
    }
    if (fields.length === 0) groups.set('its end', []);
    const cells = Array.from(groups, ([words, names]) => `${shorten(names).map(code).join(', ')} | ${words}`);
    const said = cells.join('\n');
    titles.set(said, [...(titles.get(said) ?? []), plugin.title]);
  }
  const rows = Array.from(titles, ([said, names]) => {
    const heads = names.map(code).join(', ');
    return said === ''
      ? [`| ${heads} | | not judged |`]
      : said.split('\n').map((cells, at) => `| ${at === 0 ? heads : ''} | ${cells} |`);
  });
  const page = withRows(
    readDocument('docs/reference/judged.md'),
    '| Class | Fields | What protects less |',
    rows.flat(),
  );
  await expect(page).toMatchFileSnapshot(join(ROOT, 'docs', 'reference', 'judged.md'));
});

/** Fields that many rules have are one. */
function shorten(fields: readonly string[]): readonly string[] {
  const lastOf = (field: string): string => field.slice(field.lastIndexOf('.'));
  const counts = new Map<string, number>();
  const inRule = (field: string): boolean => /^\w+\.\w+$/.test(field);
  for (const field of fields)
    if (inRule(field)) counts.set(lastOf(field), (counts.get(lastOf(field)) ?? 0) + 1);
  return [
    ...new Set(
      fields.map((field) =>
        inRule(field) && (counts.get(lastOf(field)) ?? 0) > 2 ? `*${lastOf(field)}` : field,
      ),
    ),
  ];
}
