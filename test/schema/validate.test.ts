import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { catalog } from '../../src/schema/kinds/index.ts';
import { plugins } from '../../src/schema/plugins/index.ts';
import { projectSchema } from '../../src/schema/project/project-schema.ts';
import { holds, violationsOf } from '../../src/schema/validate.ts';

const ajv = new Ajv({ strict: false });

describe('a schema that is compiled without a look at it', () => {
  const forms = [...catalog.kinds.values(), ...catalog.ownKinds.values()];

  it.each([
    ...forms.map(({ name, schema }): [string, object] => [name, { properties: schema }]),
    ...plugins.map(({ name, schema }): [string, object] => [name, schema]),
    ['gwconf.yaml', projectSchema],
  ])('is a JSON Schema: %s', (_, schema) => {
    expect(ajv.validateSchema(schema)).toBe(true);
  });
});

it('equal items of a list whose items are unique are found however long it is, and the first pair is told', () => {
  const schema = {
    properties: { members: { type: 'array', uniqueItems: true, items: { type: 'object' } }, free: {} },
  };
  // Were each compared with each other, this would take a quarter of a minute.
  const members = Array.from({ length: 20_000 }, (_, at) => ({ name: `app-${at}`, vCluster: 'v' }));
  expect(holds(schema, { members, free: [1, 1] })).toBe(true);
  const repeated = [...members, { vCluster: 'v', name: 'app-7' }, { name: 'app-8', vCluster: 'v' }];
  expect(holds(schema, { members: repeated })).toBe(false);
  expect(violationsOf(schema, { members: repeated })).toMatchObject([
    { keyword: 'uniqueItems', path: '/members', params: { i: 20_000, j: 7 } },
  ]);
});
