import { describe, expect, it } from 'vitest';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { loadText, problemsOf, resourceOf, sentencesOf } from '../../support/expect-problems.ts';
import { writableKinds } from '../../support/kinds.ts';

describe('a document', () => {
  it('that is right has no problems', () => {
    expect(
      problemsOf(`
        apiVersion: gateway/v2
        kind: AliasTopic
        metadata: { name: orders }
        spec: { physicalName: orders-v3 }
      `),
    ).toEqual([]);
  });

  it('has all its mistakes told at once, each at its place', () => {
    expect(
      problemsOf(`
        apiVersion: gateway/v2
        kind: ConcentrationRule
        metadata: { name: "a b", vcluster: prod }
        spec:
          pattern: 7
          physicalTopics:
            compact: x y
            deleteCompac: z
          autoManaged: "yes"
      `),
    ).toEqual([
      { code: 'unknown-field', at: '3:26', path: '/metadata/vcluster' },
      { code: 'invalid-value', at: '3:19', path: '/metadata/name' },
      { code: 'invalid-value', at: '5:12', path: '/spec/pattern' },
      { code: 'missing-field', at: '6:3', path: '/spec/physicalTopics/delete' },
      { code: 'unknown-field', at: '8:5', path: '/spec/physicalTopics/deleteCompac' },
      { code: 'invalid-value', at: '7:14', path: '/spec/physicalTopics/compact' },
      { code: 'invalid-value', at: '9:16', path: '/spec/autoManaged' },
    ]);
  });

  it('has a suggestion for a field that is near to one', () => {
    expect(
      sentencesOf(`
        apiVersion: gateway/v2
        kind: AliasTopic
        metadata: { name: orders, vcluster: prod }
        spec: { physicalName: t, retention: 1 }
      `),
    ).toEqual([
      'AliasTopic/orders@vCluster=passthrough has no field vcluster in /metadata; did you mean vCluster?',
      'AliasTopic/orders@vCluster=passthrough has no field retention in /spec; remove it; known fields are physicalName, physicalCluster',
    ]);
  });

  it('has a suggestion for a field inside a plugin’s config', () => {
    const file = interceptor(
      'io.conduktor.gateway.interceptor.safeguard.CreateTopicPolicyPlugin',
      'config: { topic: .*, numPartitions: { min: 1 }, retentionMs: { min: a } }',
    );
    expect(problemsOf(file)).toEqual([
      { code: 'unknown-field', at: '7:24', path: '/spec/config/numPartitions' },
      { code: 'invalid-value', at: '7:71', path: '/spec/config/retentionMs/min' },
    ]);
    expect(sentencesOf(file)[0]).toBe(
      'safeguard.CreateTopicPolicyPlugin has no field numPartitions; did you mean numPartition?',
    );
  });

  it('is not called incomplete where a field is misspelt', () => {
    const plugin = 'io.conduktor.gateway.interceptor.safeguard.CreateTopicPolicyPlugin';
    expect(problemsOf(interceptor(plugin, 'config: { topic: .*, numPartitions: { min: 1 } }'))).toEqual([
      { code: 'unknown-field', at: '7:24', path: '/spec/config/numPartitions' },
    ]);
  });

  it('is not held to a schema in the config of a plugin that is not known', () => {
    expect(problemsOf(interceptor('com.example.Own', 'config: { any: [thing] }'))).toEqual([]);
  });

  it('may leave to the gateway what the gateway fills in, whatever its type', () => {
    const plugin = 'io.conduktor.gateway.interceptor.safeguard.CreateTopicPolicyPlugin';
    expect(problemsOf(interceptor(plugin, 'config: { numPartition: { min: "$${MIN}" } }'))).toEqual([]);
    expect(problemsOf(interceptor(plugin, 'config: { numPartition: { min: "{{min}}" } }'))).toEqual([]);
    expect(problemsOf(interceptor(plugin, 'config: { numPartition: { min: "$MIN" } }'))).toEqual([
      { code: 'invalid-value', at: '7:34', path: '/spec/config/numPartition/min' },
    ]);
  });

  it.each([
    ['nothing', '{ apiVersion: gateway/v2, kind: AliasTopic }', ['/metadata', '/spec'], '1:1'],
    [
      'no name',
      '{ apiVersion: gateway/v2, kind: GatewayGroup, metadata: {}, spec: {} }',
      ['/metadata/name'],
      '1:47',
    ],
  ])('that has %s misses it, at the nearest thing above', (_, file, paths, at) => {
    expect(problemsOf(file)).toEqual(paths.map((path) => ({ code: 'missing-field', at, path })));
  });

  it.each([
    ['metadata: [a]', '/metadata', '1:55'],
    ['metadata: 4', '/metadata', '1:55'],
    ['metadata: null', '/metadata', '1:55'],
    ['metadata: { name: 7 }', '/metadata/name', '1:63'],
    ['metadata: { name: null }', '/metadata/name', '1:63'],
  ])('with %s has a wrong type there', (metadata, path, at) => {
    const file = `{ apiVersion: gateway/v2, kind: AliasTopic, ${metadata}, spec: { physicalName: t } }`;
    expect(problemsOf(file)).toEqual([{ code: 'invalid-value', at, path }]);
  });

  it('says which type is expected, and to quote what looks like another', () => {
    expect(
      sentencesOf(
        '{ apiVersion: gateway/v2, kind: GatewayGroup, metadata: { name: 7 }, spec: { externalGroups: true } }',
      ),
    ).toEqual([
      '/metadata/name of GatewayGroup/?: expected text; found 7; put quotes around it',
      '/spec/externalGroups of GatewayGroup/?: expected a list; found true; write it as a list: [ … ]',
    ]);
  });

  it('says which values are allowed, and which was meant', () => {
    const file =
      '{ apiVersion: gateway/v2, kind: VirtualCluster, metadata: { name: vc }, spec: { type: standard } }';
    expect(sentencesOf(file)).toEqual([
      '/spec/type of VirtualCluster/vc: expected one of Standard, Partner; found "standard"; did you mean Standard?',
    ]);
  });

  it('with two values beyond their bounds says the bounds', () => {
    expect(
      sentencesOf(`
        apiVersion: gateway/v2
        kind: GatewayServiceAccount
        metadata: { name: ab }
        spec: { type: EXTERNAL, externalNames: [x, y] }
      `),
    ).toEqual([
      '/metadata/name of GatewayServiceAccount/ab@vCluster=passthrough: expected 3 to 64 letters, digits, - or _; found "ab"; write a value of this form',
      '/spec/externalNames of GatewayServiceAccount/ab@vCluster=passthrough: expected at most 1 item; found 2 items; keep one item',
    ]);
  });
});

describe('the kind', () => {
  it.each([
    ['Interceptr', 'did you mean Interceptor?'],
    ['interceptor', 'did you mean Interceptor?'],
    ['UserMaping', 'did you mean UserMapping?'],
    [
      'Deployment',
      `use one of ${[...writableKinds.map(({ name }) => name), ...catalog.ownKinds.keys()].join(', ')}; for one that only the gateway knows, run gwconf schema --gateway > gateway-docs.json, and add kinds: gateway-docs.json to gwconf.yaml`,
    ],
  ])('%s is not known', (kind, hint) => {
    const file = `apiVersion: gateway/v2\nkind: ${kind}\nmetadata: { name: a }\nspec: {}\n`;
    expect(problemsOf(file)).toEqual([{ code: 'unknown-kind', at: '2:7', path: '/kind' }]);
    expect(sentencesOf(file)).toEqual([`unknown kind "${kind}"; ${hint}`]);
  });

  it.each(['ConcentratedTopic', 'Plugin'])('%s can only be read', (kind) => {
    const file = `apiVersion: gateway/v2\nkind: ${kind}\nmetadata: { name: a }\nspec: {}\n`;
    expect(problemsOf(file)).toEqual([{ code: 'read-only-kind', at: '2:7', path: '/kind' }]);
    expect(loadText(file).value.size).toBe(0);
  });

  it('GatewayInterceptor is another name for Interceptor', () => {
    const file = interceptor('com.example.Own', 'config: {}').replace(
      'kind: Interceptor',
      'kind: GatewayInterceptor',
    );
    expect(problemsOf(file)).toEqual([]);
    expect(resourceOf(file).kind).toBe('Interceptor');
  });

  it('must be there', () => {
    expect(problemsOf('apiVersion: gateway/v2\nmetadata: { name: a }\n')).toEqual([
      { code: 'missing-field', at: '1:1', path: '/kind' },
    ]);
    expect(problemsOf('kind: [AliasTopic]\n')).toEqual([{ code: 'missing-field', at: '1:7', path: '/kind' }]);
  });

  it.each([
    ['AliasTopic', 'gateway/v1', 'gateway/v2'],
    ['AliasTopic', 'v2', 'gateway/v2'],
    ['AliasTopic', '2', 'gateway/v2'],
    ['UserMapping', 'gateway/v2', 'gwconf/v1'],
    ['Interceptor', 'gwconf/v1', 'gateway/v2'],
  ])('%s of apiVersion %s is not known; it is of %s', (kind, version, expected) => {
    const file = `kind: ${kind}\napiVersion: ${version}\nmetadata: { name: abc, misspelt: x }\n`;
    const [first, ...others] = problemsOf(file);
    expect(first).toEqual({ code: 'unknown-kind', at: '2:13', path: '/apiVersion' });
    expect(sentencesOf(file)[0]).toBe(
      `expected apiVersion ${expected} for kind ${kind}; found ${version === '2' ? '2' : `"${version}"`}; write apiVersion: ${expected}`,
    );
    expect(others.map(({ path }) => path)).toEqual(['/spec', '/metadata/misspelt']);
  });

  it('without an apiVersion is not known either', () => {
    expect(problemsOf('kind: AliasTopic\nmetadata: { name: a }\nspec: { physicalName: t }\n')).toEqual([
      { code: 'unknown-kind', at: '1:1', path: '/apiVersion' },
    ]);
  });

  it.each([
    ['text', 'hello\n', 'write apiVersion, kind, metadata and spec'],
    ['null', 'null\n', 'write apiVersion, kind, metadata and spec'],
    [
      'a list',
      '- a\n',
      'put --- between the resources, instead of a list; gwconf fmt --to yaml does so with JSON',
    ],
  ])('is not looked for in %s', (what, file, cure) => {
    expect(sentencesOf(file)).toEqual([`expected a resource; found ${what}; ${cure}`]);
    expect(problemsOf(file)).toEqual([{ code: 'invalid-value', at: '1:1', path: '' }]);
  });
});

describe('what the gateway manages', () => {
  it('is a warning in a file, and never sent', () => {
    expect(
      problemsOf(`
        apiVersion: gateway/v2
        kind: VirtualCluster
        metadata: { name: vc }
        spec:
          bootstrapServers: host:6969
          clientProperties: { PLAIN: { sasl.mechanism: PLAIN } }
      `),
    ).toEqual([
      { code: 'server-managed', at: '5:3', path: '/spec/bootstrapServers', severity: 'warning' },
      { code: 'server-managed', at: '6:3', path: '/spec/clientProperties', severity: 'warning' },
    ]);
  });
});

describe('a secret is in no sentence', () => {
  const SECRET = 'hunter2-hunter2';

  it.each([
    ['where the plugin marks it', '{ kmsConfig: { vault: { token: [hunter2-hunter2] } } }'],
    [
      'where its key gives it away',
      '{ schemaRegistryConfig: { additionalConfigs: { ssl.key.password: [hunter2-hunter2] } } }',
    ],
    ['beside a value that is wrong', '{ kmsConfig: { vault: { type: TOKN, token: hunter2-hunter2 } } }'],
    ['under a key that is misspelt', '{ kmsConfig: { vault: { tokn: hunter2-hunter2 } } }'],
  ])('%s', (_, config) => {
    const file = interceptor('io.conduktor.gateway.interceptor.EncryptPlugin', `config: ${config}`);
    expect(sentencesOf(file)).toHaveLength(1);
    expect(sentencesOf(file).join()).not.toContain(SECRET);
  });

  it('given as a number where text is expected', () => {
    const file = interceptor(
      'io.conduktor.gateway.interceptor.EncryptPlugin',
      'config: { schemaRegistryConfig: { additionalConfigs: { ssl.key.password: 12345 } } }',
    );
    expect(problemsOf(file)).toEqual([
      {
        code: 'invalid-value',
        at: '7:76',
        path: '/spec/config/schemaRegistryConfig/additionalConfigs/ssl.key.password',
      },
    ]);
    expect(sentencesOf(file)).toEqual([
      '/schemaRegistryConfig/additionalConfigs/ssl.key.password of EncryptPlugin: expected text; found a hidden value; put quotes around it',
    ]);
  });

  it('given as a number where the plugin takes anything', () => {
    const file = interceptor(
      'io.conduktor.gateway.interceptor.EncryptPlugin',
      'config: { kmsConfig: { vault: { token: 12345 } } }',
    );
    expect(problemsOf(file)).toEqual([]);
  });

  it.each([
    ['in a spec', 'kind: VirtualCluster\nmetadata: { name: vc }\nspec: { type: "${X}" }'],
    ['in a document without a name', 'kind: VirtualCluster\nmetadata: {}\nspec: { type: "x${X}" }'],
    ['in one without a spec that is a map', 'kind: VirtualCluster\nmetadata: { name: vc }\nspec: "${X}"'],
    [
      'in a config',
      'kind: Interceptor\nmetadata: { name: i }\nspec: { priority: 1, pluginClass: io.conduktor.gateway.interceptor.EncryptPlugin, config: { topic: t, schemaRegistryConfig: "${X}" } }',
    ],
    [
      'through a merged anchor',
      'kind: Interceptor\nmetadata: { name: i }\nspec: { priority: 1, pluginClass: io.conduktor.gateway.interceptor.EncryptPlugin, config: { <<: [{ schemaRegistryConfig: "${X}" }] } }',
    ],
    [
      'that is a principal',
      'kind: UserMapping\nmetadata: { name: ann }\nspec: { principal: p, groups: "${X}" }',
    ],
  ])('that came from the environment %s', (_, text) => {
    const version = text.includes('UserMapping') ? 'gwconf/v1' : 'gateway/v2';
    const sentences = sentencesOf(`apiVersion: ${version}\n${text}\n`, { variables: { X: `${SECRET} !` } });
    expect(sentences.length).toBeGreaterThan(0);
    expect(sentences.join('\n')).not.toContain(SECRET);
  });

  it('that two accounts share', () => {
    const account = (name: string): string =>
      `{ apiVersion: gateway/v2, kind: GatewayServiceAccount, metadata: { name: ${name} }, spec: { type: EXTERNAL, externalNames: ["\${X}"] } }\n`;
    const sentences = sentencesOf(`${account('one')}---\n${account('two')}`, { variables: { X: SECRET } });
    expect(sentences).toHaveLength(1);
    expect(sentences.join('\n')).not.toContain(SECRET);
  });
});

function interceptor(pluginClass: string, config: string): string {
  return `apiVersion: gateway/v2
kind: Interceptor
metadata: { name: i }
spec:
  pluginClass: ${pluginClass}
  priority: 1
  ${config}
`;
}
