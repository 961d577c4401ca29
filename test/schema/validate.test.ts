import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { catalog } from '../../src/schema/kinds/index.ts';
import { plugins } from '../../src/schema/plugins/index.ts';
import { projectSchema } from '../../src/schema/project/project-schema.ts';

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
