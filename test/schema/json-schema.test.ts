import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { valueAt, type Json, type JsonObject } from '../../src/model/json/json.ts';
import { editorSchema } from '../../src/schema/json-schema.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { resource } from '../support/kinds.ts';

const schema = editorSchema(catalog);
const ajv = new Ajv({ strict: false, allErrors: true });
const isValid = ajv.compile(schema ?? false);

const account = (spec: Json): Json => resource('GatewayServiceAccount', { name: 'abc' }, spec);
const interceptor = (spec: JsonObject): Json =>
  resource('Interceptor', { name: 'i' }, { pluginClass: 'P', priority: 1, config: {}, ...spec });

describe('the schema for editors', () => {
  const declarable = [...catalog.kinds.values()].filter(({ removal }) => removal !== undefined);

  it.each([...declarable, ...catalog.ownKinds.values()])('accepts the example of $name', ({ example }) => {
    expect(isValid(example)).toBe(true);
  });

  it.each<[string, Json]>([
    [
      'the other name of a kind',
      {
        ...resource('GatewayInterceptor', { name: 'i' }),
        spec: { pluginClass: 'P', priority: 1, config: {} },
      },
    ],
    ['a value in any case where case means nothing', account({ type: 'Local' })],
    [
      'a placeholder where text is held to a pattern',
      resource('AliasTopic', { name: '${X}' }, { physicalName: 'a-${Y}' }),
    ],
    ['a placeholder where a number is expected', interceptor({ priority: '${X}' })],
    [
      'a placeholder where a flag is expected',
      resource('VirtualCluster', { name: 'a' }, { aclEnabled: '${X}' }),
    ],
    ['a placeholder where one of several values is expected', account({ type: '${TYPE:-LOCAL}' })],
    [
      'the three nulls of a global scope',
      {
        ...resource('Interceptor', { name: 'i', scope: { vCluster: null, group: null, username: null } }),
        spec: { pluginClass: 'P', priority: 1, config: {} },
      },
    ],
  ])('accepts %s', (_, value) => {
    expect(isValid(value)).toBe(true);
  });

  it.each<[string, Json]>([
    ['an unknown kind', resource('Thing', { name: 'a' })],
    ['a kind that can only be read', resource('ConcentratedTopic', { name: 'a' }, { physicalName: 't' })],
    ['another apiVersion', resource('GatewayGroup', { name: 'a' }, {}, 'gateway/v1')],
    ['an unknown field', resource('GatewayGroup', { name: 'a' }, { member: [] })],
    ['an unknown field at the top', { ...resource('GatewayGroup', { name: 'a' }), status: {} }],
    ['a missing field', resource('AliasTopic', { name: 'a' })],
    ['a text where a number is expected', interceptor({ priority: 'high' })],
    ['a text that no pattern allows', resource('AliasTopic', { name: 'a b' }, { physicalName: 't' })],
    ['a number where a case means nothing', account({ type: 1 })],
    ['a placeholder that is not closed', interceptor({ priority: '${X' })],
    ['nothing', {}],
  ])('refuses %s', (_, value) => {
    expect(isValid(value)).toBe(false);
  });

  it('can be of one kind, by either of its names', () => {
    for (const name of ['Interceptor', 'GatewayInterceptor']) {
      expect(valueAt(editorSchema(catalog, name), '/properties/kind/enum')).toEqual([
        'Interceptor',
        'GatewayInterceptor',
      ]);
    }
    expect(valueAt(editorSchema(catalog, 'UserMapping'), '/properties/apiVersion/enum')).toEqual([
      'gwconf/v1',
    ]);
  });

  it('is none for a kind that cannot be declared', () => {
    expect(editorSchema(catalog, 'Plugin')).toBeUndefined();
    expect(editorSchema(catalog, 'Thing')).toBeUndefined();
  });

  it('describes kinds and fields', () => {
    expect(valueAt(schema, '/allOf/0/then/description')).toBe(catalog.kinds.get('VirtualCluster')?.summary);
    expect(valueAt(schema, '/allOf/1/then/properties/metadata/properties/name/description')).toBe(
      'The name that clients use.',
    );
  });
});
