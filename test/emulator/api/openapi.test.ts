import { describe, expect, it } from 'vitest';
import { memoryGateway } from '../../../src/emulator/memory.ts';
import {
  entriesOf,
  printPointer,
  valueAt,
  type JsonObject,
  type Pointer,
} from '../../../src/model/json/json.ts';
import { atLeast } from '../../../src/model/text/version.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { resource, writableKinds } from '../../support/kinds.ts';
import { checkExchange, danglingRefs } from '../../support/openapi-check.ts';

const document = memoryGateway(catalog.kinds).handle('GET', '/gateway/v2/docs').body as JsonObject;
const at = (pointer: Pointer) => valueAt(document, pointer);

describe('the description that the gateway serves', () => {
  it('has no reference to nothing', () => {
    expect(danglingRefs(document)).toEqual([]);
    expect(danglingRefs({ a: { $ref: '#/b' } })).toEqual(['#/b']);
  });

  it('has an id for every operation, and no id twice', () => {
    const ids = Object.values(
      document['paths'] as Record<string, Record<string, { operationId: string }>>,
    ).flatMap((operations) => Object.values(operations).map(({ operationId }) => operationId));
    expect(ids.length).toBeGreaterThan(25);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('declares every refusal with its title', () => {
    const example = '/content/application~1json/example/title';
    const put = '/paths/~1gateway~1v2~1group/put/responses';
    expect(at(`${put}/404${example}`)).toBe('The group contains a service account that does not exist');
    expect(at(`${put}/401${example}`)).toBe('The given credentials are not valid');
    expect(Object.keys(at(put) as JsonObject)).toEqual(['200', '400', '401', '403', '404', '413', '500']);
  });

  it('has the tags from which the official command line learns kinds and their order', () => {
    const tags = Object.entries(document['paths'] as Record<string, Record<string, { tags: string[] }>>)
      .flatMap(([, operations]) => Object.values(operations).flatMap((operation) => operation.tags))
      .filter((tag) => tag.startsWith('cli_'));
    expect([...new Set(tags)]).toEqual([
      'cli_virtual-cluster_gateway_v2_7',
      'cli_alias-topic_gateway_v2_8',
      'cli_concentration-rule_gateway_v2_9',
      'cli_gateway-service-account_gateway_v2_10',
      'cli_gateway-group_gateway_v2_11',
      'cli_interceptor_gateway_v2_12',
      'cli_concentrated-topic_gateway_v2_0',
      'cli_analytics_gateway_v2_13',
    ]);
    expect(at('/paths/~1gateway~1v2~1interceptor~1resolve/post/tags')).toEqual([
      'cli_interceptor_gateway_v2_12',
    ]);
  });

  it.each(['3.3.0', '3.4.0', '3.10.0', '3.21.0'])(
    'has the fields of version %s, in schemas and examples',
    (version) => {
      const described =
        memoryGateway(catalog.kinds, { version }).handle('GET', '/gateway/v2/docs').body ?? null;
      const keysAt = (...tokens: readonly string[]) =>
        entriesOf(valueAt(described, printPointer(tokens)) ?? {}).map(([key]) => key);
      for (const { name, collection, ages } of writableKinds) {
        const fields = keysAt('components', 'schemas', `${name}Spec`, 'properties');
        for (const {
          at: [part, field = ''],
          it: { since, value },
        } of ages)
          if (part === 'spec' && value === undefined && since !== undefined)
            expect(fields.includes(field), `${name}.${field}`).toBe(atLeast(version, since));
        const body = ['paths', collection, 'put', 'requestBody', 'content', 'application/json'];
        expect(fields, name).toEqual(expect.arrayContaining(keysAt(...body, 'example', 'spec')));
      }
    },
  );

  it('closes no schema, for newer fields are carried', () => {
    expect(JSON.stringify(document)).not.toContain('"additionalProperties":false');
  });

  it('describes the parameters of a list', () => {
    const { parameters } = at('/paths/~1gateway~1v2~1interceptor/get') as { parameters: { name: string }[] };
    expect(parameters.map(({ name }) => name)).toEqual(['name', 'global', 'vcluster', 'group', 'username']);
  });
});

describe('the check that tests hold exchanges to', () => {
  const check = checkExchange(document);
  const put = (status: number, body: JsonObject) =>
    check({
      request: { method: 'PUT', url: '/gateway/v2/alias-topic?dryMode=true' },
      response: { status, body },
    });
  const alias = resource('AliasTopic', { name: 'orders' }, { physicalName: 'x' });

  it('passes what is described', () => {
    expect(put(200, { resource: alias, upsertResult: 'Created' })).toEqual([]);
    expect(put(404, { title: 'The given virtual cluster does not exist' })).toEqual([]);
  });

  it('finds a word, a field, a status, a type and a path that are not', () => {
    expect(put(200, { resource: alias, upsertResult: 'Made' })).toHaveLength(1);
    expect(put(200, { resource: { ...alias, spec: {} }, upsertResult: 'Created' })).toHaveLength(1);
    expect(put(404, { msg: 'no title' })).toHaveLength(1);
    expect(put(418, {})).toHaveLength(1);
    const list = { method: 'GET', url: '/gateway/v2/alias-topic' };
    expect(check({ request: list, response: { status: 200, text: 'hello' } })).toHaveLength(1);
    expect(check({ request: list, response: { status: 200 } })).toHaveLength(1);
    const nowhere = { method: 'GET', url: '/gateway/v2/nowhere' };
    expect(check({ request: nowhere, response: { status: 200, body: [] } })).toHaveLength(1);
    expect(check({ request: nowhere, response: { status: 404, text: '' } })).toEqual([]);
  });
});
