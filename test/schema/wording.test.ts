import { describe, expect, it } from 'vitest';
import { entriesOf, isObject, type Json } from '../../src/model/json/json.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { plugins } from '../../src/schema/plugins/index.ts';
import { projectSchema } from '../../src/schema/project/project-schema.ts';
import { resourceOf, sentencesOf } from '../support/expect-problems.ts';

function* patternsIn(schema: Json): Generator<Json> {
  if (isObject(schema) && typeof schema['pattern'] === 'string') yield schema;
  for (const [, child] of entriesOf(schema)) yield* patternsIn(child);
}

it('every pattern of a schema has words', () => {
  const forms = [...catalog.kinds.values(), ...catalog.ownKinds.values()].map(({ schema }) => schema);
  const patterns = [...patternsIn([...forms, ...plugins.map(({ schema }) => schema), projectSchema])];
  expect(patterns.length).toBeGreaterThan(10);
  for (const schema of patterns) expect(schema).toHaveProperty('patternErrorMessage');
});

const hintOf = (text: string): string => sentencesOf(text)[0]?.split('; ').slice(2).join('; ') ?? '';
const alias = (name: string, spec = '{ physicalName: t }'): string =>
  `apiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: ${name} }\nspec: ${spec}\n`;
const cluster = (spec: string): string =>
  `apiVersion: gateway/v2\nkind: VirtualCluster\nmetadata: { name: vc }\nspec: ${spec}\n`;

describe('the hint of a wrong value', () => {
  it.each([
    [alias('my orders'), 'write for example my-orders'],
    [alias('für'), 'write for example fur'],
    [alias('発注'), 'write a value of this form'],
    [alias('$NAME'), 'write ${NAME} for the variable'],
    [alias('a', '{ physicalName: "${NAME" }'), 'add the } that is missing'],
    [alias('7'), 'put quotes around it'],
    [alias('a', '[t]'), 'write it as a map, without a dash before the key'],
    [alias('a', 'null'), 'write it as a map: { physicalName: … }'],
    [cluster('{ superUsers: ann }'), 'write it as a list: ["ann"]'],
    [cluster('{ superUsers: "ann, bob" }'), 'write it as a list: ["ann", "bob"]'],
    [cluster('{ superUsers: -ann }'), 'put a space after the dash'],
    [cluster('{ aclEnabled: yes }'), 'write true or false, without quotes'],
    [cluster('{ aclMode: 1 }'), 'use one of these values'],
    [
      'apiVersion: gateway/v2\nkind: GatewayGroup\nmetadata: { name: g }\nspec: { members: ann }\n',
      'write it as a list: [{ name: … }]',
    ],
  ])('says what to write: %j', (text, hint) => expect(hintOf(text)).toBe(hint));
});

describe('the hint of an unknown field', () => {
  it.each([
    [
      'metadata: { name: a }\nvCluster: b\nspec: { physicalName: t }',
      'move it into metadata: indent it below that key',
    ],
    [
      'metadata: { name: a }\nspec: { physicalName: t, vCluster: b }',
      'move it into metadata: indent it below that key',
    ],
    ['metadata: { name: a, spec: { physicalName: t } }', 'indent it less: spec is not part of metadata'],
    ['metadata: { name: a, vCluster:b }\nspec: { physicalName: t }', 'put a space after the colon'],
    [
      'metadata: { name: a }\nspec: { physicalNam: s, physicalName: t }',
      'remove it; known fields are physicalName, physicalCluster',
    ],
  ])('says where it belongs: %j', (text, hint) => {
    const sentences = sentencesOf(`apiVersion: gateway/v2\nkind: AliasTopic\n${text}\n`);
    expect(sentences.join('\n')).toContain(hint);
  });

  it('says in which map of metadata it belongs', () => {
    const text = 'apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: a, vCluster: b }\n';
    expect(sentencesOf(text).join('\n')).toContain('move it into scope: indent it below that key');
  });
});

describe('a variable', () => {
  const policy = (max: string): string => `
    apiVersion: gateway/v2
    kind: Interceptor
    metadata: { name: policy, scope: { vCluster: passthrough } }
    spec:
      pluginClass: io.conduktor.gateway.interceptor.safeguard.CreateTopicPolicyPlugin
      priority: "\${PRIORITY}"
      config: { topic: .*, numPartition: { max: ${max} } }
  `;

  it('in quotes is a number where a field takes only numbers', () => {
    const { spec } = resourceOf(policy('"${MAX}"'), { variables: { PRIORITY: '7', MAX: '12' } });
    expect(spec).toMatchObject({ priority: 7, config: { numPartition: { max: 12 } } });
  });

  it.each([
    [
      { PRIORITY: '7', MAX: 'many' },
      'expected an integer; found the hidden value of MAX; set MAX to a value that fits',
    ],
    [
      { PRIORITY: '', MAX: '1' },
      'expected an integer; found nothing, because PRIORITY is empty; set PRIORITY to a value',
    ],
  ])('that does not fit is named: %j', (variables, words) => {
    expect(sentencesOf(policy('"${MAX}"'), { variables }).join('\n')).toContain(words);
  });

  it('that is empty is found where text must not be', () => {
    const text = alias('a', '{ physicalName: "${EMPTY}" }');
    expect(sentencesOf(text, { variables: { EMPTY: '' } })[0]).toContain(
      'found nothing, because EMPTY is empty',
    );
  });
});
