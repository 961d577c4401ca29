import { describe, expect, it } from 'vitest';
import { valueAt, type Json, type Pointer } from '../../src/model/json/json.ts';
import { secretPlaces } from '../../src/model/secrets/secrets.ts';
import { readDescription } from '../../src/schema/described/read-description.ts';
import { isLinear } from '../../src/schema/described/reduce-schema.ts';
import { holds } from '../../src/schema/validate.ts';
import { makeWorld } from '../support/cli.ts';
import { resource } from '../support/kinds.ts';

type Parts = {
  readonly word?: string;
  readonly collection?: string;
  readonly remove?: string;
  readonly body?: Json;
  readonly metadata?: Json;
  readonly spec?: Json;
  readonly schemas?: Json;
};

const NAMED = { type: 'object', properties: { name: { type: 'string' }, vCluster: { type: 'string' } } };

/** The description of one kind by the conventions, but for what is given. */
function describing({
  word = 'thing',
  collection = '/gateway/v2/thing',
  remove = `${collection}/{name}`,
  body,
  metadata = NAMED,
  spec = { type: 'object' },
  schemas = {},
}: Parts): string {
  const tags = [`cli_${word}_gateway_v2_20`];
  const content = (schema: Json): Json => ({ content: { 'application/json': { schema } } });
  const object = { type: 'object', properties: { metadata, spec } };
  const deleting = { delete: { tags, ...(body === undefined ? {} : { requestBody: content(body) }) } };
  const own = { get: { tags }, put: { tags, requestBody: content(object) } };
  const paths =
    remove === collection
      ? { [collection]: { ...own, ...deleting } }
      : { [collection]: own, [remove]: deleting };
  return JSON.stringify({ openapi: '3.1.0', paths, components: { schemas } });
}

/** The kinds that come of it, and why others do not. */
function read(text: string): { readonly kinds: readonly string[]; readonly refused: string } {
  const found = readDescription(text);
  if ('fault' in found) return { kinds: [], refused: found.fault };
  return { kinds: found.kinds.map(({ name }) => name), refused: [...found.refused.values()].join() };
}

it('the example that the others change is a kind', () =>
  expect(read(describing({}))).toEqual({ kinds: ['Thing'], refused: '' }));

describe('a description cannot send a write elsewhere', () => {
  it.each([
    ['/gateway/v2/../../admin'],
    ['/gateway/v2/%2e%2e/admin'],
    ['/admin/interceptors'],
    ['/gateway/v2/thing?x=1'],
    ['/gateway/v2/thing/{name}'],
    ['//evil.test/gateway/v2/thing'],
    ['/gateway/v2'],
  ])('its collection is not below the API: %s', (collection) => {
    expect(read(describing({ collection }))).toEqual({
      kinds: [],
      refused: 'its path is not one word or several below /gateway/v2/',
    });
  });

  it.each([
    '/gateway/v2/interceptor',
    '/gateway/v2/interceptor/resolve',
    '/gateway/v2/token',
    '/gateway/v2/plugin',
  ])('its collection is something else: %s', (collection) => {
    expect(read(describing({ collection })).refused).toContain('belongs to something else');
  });

  it.each([
    ['/gateway/v2/thing/{vCluster}', 'names vCluster, not the object'],
    ['/gateway/v2/thing/{vCluster}/{name}', 'is not /gateway/v2/thing with a name'],
    ['/gateway/v2/interceptor/{name}', 'is not /gateway/v2/thing with a name'],
  ])('it deletes by what is not its identity: %s', (remove, why) => {
    expect(read(describing({ remove })).refused).toContain(why);
  });

  it('it deletes by a field that objects do not have', () => {
    const body = { type: 'object', properties: { name: {}, tenant: { type: 'string' } } };
    expect(read(describing({ remove: '/gateway/v2/thing', body })).refused).toContain('names tenant');
  });

  it.each([...['interceptor', 'virtual-cluster', 'plugin', 'user-mapping', 'removal', 'project', 'list']])(
    'it is named as one of our own: %s',
    (word) => expect(read(describing({ word })).kinds).toEqual([]),
  );
});

it.each([
  ['interceptors', 'Interceptor'],
  ['group', 'GatewayGroup'],
  ['service-accounts', 'GatewayServiceAccount'],
])('a kind of a description has no name that people type for another: %s', (word, name) =>
  expect(read(describing({ word }))).toEqual({
    kinds: [],
    refused: `its name is one that people type for ${name}`,
  }),
);

describe('a description cannot take more than its share', () => {
  it('in size, kinds, parts and levels', () => {
    expect(read(' '.repeat(9_000_000)).refused).toContain('longer than 2 MB');
    const paths = Object.fromEntries(
      Array.from({ length: 101 }, (_, at) => [
        `/gateway/v2/a${at}`,
        { put: { tags: [`cli_a${at}_gateway_v2_1`] } },
      ]),
    );
    expect(read(JSON.stringify({ paths })).refused).toContain('more than 100 kinds');
    const properties = Object.fromEntries(Array.from({ length: 4000 }, (_, at) => [`a${at}`, {}]));
    expect(read(describing({ spec: { type: 'object', properties } })).refused).toContain(
      'more than 3000 parts',
    );
  });

  it('by references that double at each level', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => {
        const $ref = `#/components/schemas/S${at + 1}`;
        return [`S${at}`, { type: 'object', properties: { a: { $ref }, b: { $ref } } }];
      }),
    );
    expect(read(describing({ spec: { $ref: '#/components/schemas/S0' }, schemas })).refused).toContain(
      'parts',
    );
  });

  it('by references in circles to very much, where secrets are looked for', () => {
    const $ref = '#/components/schemas/Node';
    const properties = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`a${at}`, { $ref }]));
    const Node = { properties, 'x-more': Array.from({ length: 10_000 }, () => [{}]) };
    expect(read(describing({ spec: { $ref }, schemas: { Node } })).refused).toContain('not understood');
  });

  it('by references in circles, which allow everything', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } };
    const text = describing({ spec: { $ref: '#/components/schemas/Node' }, schemas: { Node: node } });
    const found = readDescription(text);
    const [kind] = 'kinds' in found ? found.kinds : [];
    expect(kind && holds(kind.schema.spec, { next: { next: { anything: 1 } } })).toBe(true);
  });

  it.each([
    '^(a+)+$',
    '^a*a*$',
    '(a|a)*b',
    '^[a-z]+[a-z]+$',
    'a+',
    '^(?=a)b$',
    String.raw`^(a)\1$`,
    '^[z-a]$',
  ])('by a pattern that may take long, or is none: %s is left to the gateway', (pattern) => {
    expect(isLinear(pattern)).toBe(false);
    expect(
      read(describing({ spec: { type: 'object', properties: { a: { type: 'string', pattern } } } })).kinds,
    ).toEqual(['Thing']);
  });

  it.each(['^[a-zA-Z0-9._-]+$', '^[a-z]{3,64}$', '^v1$'])(
    'a pattern without such parts is checked: %s',
    (pattern) => expect(isLinear(pattern)).toBe(true),
  );

  it('by looking at a pattern', () => {
    expect(isLinear(`^${'[a-z]'.repeat(39)}(`)).toBe(false);
    expect(isLinear(`^${String.raw`\.`.repeat(98)}(`)).toBe(false);
  });
});

it.each([
  ['no YAML', '{'],
  ['two documents', '{}\n---\n{}'],
  ['a list', '[]'],
  ['paths that are a list', '{"paths": []}'],
  ['a page', '<html></html>'],
])('%s is no description', (_, text) => expect(read(text).refused).not.toBe(''));

it.each<Json>([
  {},
  { type: 'integer' },
  { type: 'array', items: {} },
  { type: 'object' },
  { anyOf: [{ type: 'string' }] },
])('it cannot show the value of a secret by another type: %j', (schema) => {
  const keys = ['password', 'apiToken', 'credentials', 'jwt', 'api-key', 'basic.auth.user.info'];
  const properties = Object.fromEntries(keys.map((key) => [key, schema]));
  const found = readDescription(describing({ spec: { type: 'object', properties } }));
  const [kind] = 'kinds' in found ? found.kinds : [];
  const spec = Object.fromEntries(keys.map((key) => [key, ['secret-1', { of: 'secret-2' }]]));
  const thing = resource('Thing', { name: 'a' }, spec);
  const places = kind === undefined ? [] : [...secretPlaces(kind, thing)].sort();
  expect(places).toEqual(keys.flatMap((key) => [`/spec/${key}/0`, `/spec/${key}/1/of`]).sort());
});

const PIN = { type: 'string', format: 'password' };
const CARD = { type: 'object', properties: { pin: PIN, name: { type: 'string' } } };
const OTHER = { type: 'object', properties: { id: { type: 'string' } } };

const deep = (levels: number, schema: Json): Json =>
  levels === 0 ? schema : { type: 'object', properties: { x: deep(levels - 1, schema) } };
const within = (levels: number, value: Json): Json =>
  levels === 0 ? value : { x: within(levels - 1, value) };
const $ref = '#/components/schemas/Node';

it.each<[string, Json, Json]>([
  ['deeper than kinds are', deep(40, PIN), within(40, '1234')],
  ['where it refers to itself', { $ref }, { next: { next: { pin: '1234' } } }],
  ['beside a reference', { $ref: '#/components/schemas/Card', ...CARD, writeOnly: true }, { id: '1234' }],
  [
    'in what a reference has beside it',
    { $ref: '#/components/schemas/Other', properties: { pin: PIN } },
    { pin: '1234' },
  ],
  ['beside all of several shapes', { allOf: [OTHER], properties: { pin: PIN } }, { pin: '1234' }],
  [
    'in one of all of several shapes',
    { allOf: [CARD, { properties: { pin: { type: 'string' } } }] },
    { pin: '1234' },
  ],
  ['in items of all of several shapes', { allOf: [{ items: CARD }, { items: OTHER }] }, [{ pin: '1234' }]],
  [
    'in a map of all of several shapes',
    { allOf: [{ additionalProperties: CARD }, { additionalProperties: true }] },
    { a: { pin: '1234' } },
  ],
  [
    'beside one of several shapes',
    { oneOf: [OTHER, { type: 'object' }], properties: { pin: PIN } },
    { pin: '1234' },
  ],
  ['in any of several shapes beside others', { oneOf: [OTHER], anyOf: [CARD] }, { pin: '1234' }],
  [
    'by its name in one of several shapes',
    { oneOf: [OTHER, { properties: { credentials: { type: 'string' } } }] },
    { credentials: '1234' },
  ],
  [
    'in the last of very many shapes',
    { oneOf: [...Array.from({ length: 500 }, () => OTHER), CARD] },
    { pin: '1234' },
  ],
  ['in a field whose name is no word', { properties: { 'my pin': PIN } }, { 'my pin': '1234' }],
  ['in fields by a pattern', { patternProperties: { '^p': PIN } }, { pin: '1234' }],
  ['in a place of a list', { prefixItems: [PIN] }, ['1234']],
  ['in the items of a list, each with its own', { items: [PIN] }, ['1234']],
  ['in a condition', { if: {}, then: CARD }, { pin: '1234' }],
  ['in a shape that depends on a field', { dependentSchemas: { a: CARD } }, { pin: '1234' }],
])('the value of a secret is hidden where a description is not understood: %s', (_, schema, value) => {
  const spec = { type: 'object', properties: { a: schema } };
  const Node = { type: 'object', properties: { pin: PIN, next: { $ref } } };
  const found = readDescription(describing({ spec, schemas: { Node, Card: CARD, Other: OTHER } }));
  const [kind] = 'kinds' in found ? found.kinds : [];
  const places =
    kind === undefined ? [] : [...secretPlaces(kind, resource('Thing', { name: 'a' }, { a: value }))];
  expect(places.map((place) => valueAt(value, place.slice('/spec/a'.length) as Pointer))).toEqual(['1234']);
  const again = 'description' in found ? readDescription(JSON.stringify(found.description)) : found;
  expect('description' in again && again.description).toEqual('description' in found && found.description);
});

it('words and values of a description make nothing secret', () => {
  const a = { type: 'object', example: { properties: { password: {} } }, title: 'a', 'x-order': 1 };
  const found = readDescription(describing({ spec: { type: 'object', properties: { a } } }));
  const [kind] = 'kinds' in found ? found.kinds : [];
  expect(kind && [...secretPlaces(kind, resource('Thing', { name: 'a' }, { a: { b: 'c' } }))]).toEqual([]);
});

it.each<[string, Json, Json, string]>([
  ['a field', PIN, '1234', '/spec/a'],
  ['an item of a list', { type: 'array', items: PIN }, ['1234'], '/spec/a/0'],
  ['a value of a map', { type: 'object', additionalProperties: PIN }, { x: '1234' }, '/spec/a/x'],
  ['in the maps of a map', { additionalProperties: CARD }, { x: { pin: '1234' } }, '/spec/a/x/pin'],
  ['in one of several shapes', { oneOf: [CARD, OTHER] }, { pin: '1234' }, '/spec/a/pin'],
  ['in one of several types', { anyOf: [{ type: 'number' }, CARD] }, { pin: '1234' }, '/spec/a/pin'],
  ['as one of several types', { anyOf: [{ type: 'number' }, PIN] }, '1234', '/spec/a'],
  [
    'below several shapes',
    { oneOf: [OTHER, { type: 'object', properties: { cards: { type: 'array', items: CARD } } }] },
    { cards: [{ pin: '1234' }] },
    '/spec/a/cards/0/pin',
  ],
])('the value of a secret is hidden wherever it is described: %s', (_, schema, value, place) => {
  const found = readDescription(describing({ spec: { type: 'object', properties: { a: schema } } }));
  const [kind] = 'kinds' in found ? found.kinds : [];
  expect(kind && holds(kind.schema.spec, { a: value })).toBe(true);
  expect(kind && [...secretPlaces(kind, resource('Thing', { name: 'a' }, { a: value }))]).toEqual([place]);
  // What a plan carries of a description says the same.
  const again = 'description' in found ? readDescription(JSON.stringify(found.description)) : found;
  expect('description' in again && again.description).toEqual('description' in found && found.description);
});

it('values that it allows are on one line', () => {
  const spec = { type: 'object', properties: { a: { type: 'string', enum: ['b\n::error::c'] } } };
  expect(JSON.stringify(readDescription(describing({ spec })))).not.toContain('::error::');
});

it('keys of the language are no fields, and change nothing', () => {
  const properties = JSON.parse(
    '{"__proto__": {"type": "string"}, "constructor": {"type": "string"}, "valueOf": {"type": "string"}, "a": {"type": "string"}}',
  ) as Json;
  const found = readDescription(
    describing({ spec: { type: 'object', properties, additionalProperties: false } }),
  );
  const [kind] = 'kinds' in found ? found.kinds : [];
  expect(Object.keys((kind?.schema.spec['properties'] ?? {}) as object)).toEqual(['a']);
  expect(({} as Record<string, unknown>)['type']).toBeUndefined();
});

it.each([
  null,
  1,
  'text',
  [],
  [[]],
  { get: null },
  { put: { tags: 'cli_a_gateway_v2_1' } },
  { put: { tags: [1, null] } },
])('values of any type are passed over: %j', (methods) =>
  expect(read(JSON.stringify({ paths: { '/gateway/v2/a': methods } }))).toEqual({ kinds: [], refused: '' }),
);

it('a template of a described kind names no variable of whoever fills it in', async () => {
  const properties = {
    a: { type: 'string', default: '${CI_JOB_TOKEN}' },
    b: { type: 'string', enum: ['${exec:x}'] },
    c: { type: 'string', const: '${file:/etc/passwd}' },
  };
  const spec = { type: 'object', required: ['a', 'b', 'c'], properties };
  const example = { metadata: { name: 'a' }, spec: { a: '${CI_JOB_TOKEN}', b: '${exec:x}', c: '${file:x}' } };
  const docs = describing({ spec }).replace('"requestBody":{"content":{"application/json":{', (start) => {
    return `${start}"example":${JSON.stringify(example)},`;
  });
  const world = makeWorld({
    'gwconf.yaml': 'apiVersion: gwconf/v1\nkind: Project\nkinds: docs.json\n',
    'docs.json': docs,
  });
  const { code, out } = await world.run('template', 'Thing');
  expect([code, out]).toEqual([0, expect.stringContaining('kind: Thing')]);
  expect(out).not.toContain('${');
});
