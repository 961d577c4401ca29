import { Ajv, type ValidateFunction } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import {
  entriesOf,
  isObject,
  parsePointer,
  placesOf,
  valueOf,
  type Json,
  type JsonObject,
  type Pattern,
  type Pointer,
} from '../../src/model/json/json.ts';
import { pluginOf, plugins } from '../../src/schema/plugins/index.ts';
import { PLUGIN_PREFIX, type Plugin } from '../../src/schema/plugins/plugin.ts';
import { CORPUS, corpus, recorded } from '../support/corpus.ts';

const ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true });
const validators = new Map(plugins.map((plugin) => [plugin.title, ajv.compile(plugin.schema)]));

describe('the plugin catalogue', () => {
  it('has the 43 classes of the vendor, each once', () => {
    expect(plugins).toHaveLength(43);
    expect(new Set(plugins.map(({ name }) => name)).size).toBe(43);
  });

  it('finds a class by its full name and knows nothing of others', () => {
    expect(pluginOf(`${PLUGIN_PREFIX}chaos.SimulateLatencyPlugin`)?.title).toBe(
      'chaos.SimulateLatencyPlugin',
    );
    expect(pluginOf('SimulateLatencyPlugin')).toBeUndefined();
    expect(pluginOf('com.example.OurOwnPlugin')).toBeUndefined();
    expect(pluginOf(undefined)).toBeUndefined();
  });

  it('says which classes are on their way out', () => {
    const leaving = plugins.filter(({ deprecated, removed }) => (deprecated ?? removed) !== undefined);
    expect(leaving.map(({ title, deprecated, removed }) => [title, deprecated, removed])).toEqual([
      ['FetchEncryptPlugin', '3.16.0', '3.19.0'],
      ['FetchEncryptSchemaBasedPlugin', '3.16.0', '3.19.0'],
      ['AclsInterceptorPlugin', undefined, '3.1.0'],
      ['ProduceJsonataPlugin', '3.16.0', '3.19.0'],
      ['VirtualSqlTopicPlugin', '3.20.0', undefined],
      ['CelTopicPlugin', true, undefined],
    ]);
  });
});

describe.each(plugins)('the config of $title', ({ title: name, schema: config, sets }) => {
  const schemas = placesOf(config, ['**'])
    .map(({ value }) => value)
    .filter(isObject);

  it('may be empty, and has no unknown key', () => {
    expect(problemsOf(name, {})).toEqual([]);
    expect(problemsOf(name, { noSuchKey: 1 })).toEqual(['unknown /noSuchKey']);
  });

  it('is closed all the way down, but for maps of texts', () => {
    const open = schemas.filter((schema) => schema['type'] === 'object' && !isClosed(schema));
    expect(open.map((schema) => schema['additionalProperties'])).toEqual(
      open.map(() => ({ type: 'string' })),
    );
  });

  it('describes every key, and says what the default is', () => {
    for (const [key, schema] of schemas.flatMap((schema) => entriesOf(schema['properties'] ?? null))) {
      const description = valueOf(schema, 'description');
      const fallback = valueOf(schema, 'default');
      expect(description, key).toMatch(/^.+\.$/s);
      if (fallback === undefined) continue;
      const shown = typeof fallback === 'string' ? fallback : JSON.stringify(fallback);
      expect(description, key).toContain(`Default: ${shown}.`);
      expect(ajv.validate(schema as JsonObject, fallback), key).toBe(true); // an entry of properties is a schema
    }
  });

  it('has a list wherever the order is said to mean nothing', () => {
    for (const pattern of sets) expect(schemaAt(config, pattern)?.['type'], pattern).toBe('array');
  });
});

describe('the types of a config', () => {
  it('hold a rule to the actions of its class', () => {
    const rule = { min: 1, action: 'OVERRIDE', overrideValue: 2 };
    expect(problemsOf('safeguard.CreateTopicPolicyPlugin', { numPartition: rule })).toEqual([]);
    expect(problemsOf('safeguard.FetchPolicyPlugin', { maxWaitMs: rule })).toEqual([
      'enum /maxWaitMs/action',
    ]);
    expect(problemsOf('safeguard.ReadOnlyTopicPolicyPlugin', { action: 'THROTTLE' })).toEqual([
      'enum /action',
    ]);
  });

  it('let a rule that can throttle say for how long, and no other', () => {
    const rule = { value: true, throttleTimeMs: 5 };
    expect(problemsOf('safeguard.ProducePolicyPlugin', { idempotenceRequired: rule })).toEqual([]);
    expect(problemsOf('safeguard.FetchPolicyPlugin', { rackIdRequired: rule })).toEqual([
      'unknown /rackIdRequired/throttleTimeMs',
    ]);
  });

  it('take fractions only where the rule is on a ratio', () => {
    const config = { minCleanableDirtyRatio: { min: 0.5 }, segmentMs: { min: 0.5 } };
    expect(problemsOf('safeguard.CreateTopicPolicyPlugin', config)).toEqual(['type /segmentMs/min']);
  });

  it('take both value and values for a set', () => {
    const topic = { cleanupPolicy: { value: ['delete'] }, compressionType: { values: ['gzip'] } };
    expect(problemsOf('safeguard.CreateTopicPolicyPlugin', topic)).toEqual([]);
    expect(problemsOf('safeguard.ProducePolicyPlugin', { compressions: { values: ['ZSTD'] } })).toEqual([]);
    expect(problemsOf('safeguard.ProducePolicyPlugin', { compressions: { value: ['zstd'] } })).toEqual([
      'enum /compressions/value/0',
    ]);
  });

  it.each([
    [
      'safeguard.CreateTopicPolicyPlugin',
      [
        'cleanupPolicy/value',
        'cleanupPolicy/values',
        'compressionType/value',
        'compressionType/values',
        'blacklist/values',
      ],
    ],
    ['safeguard.ProducePolicyPlugin', ['acks/value', 'compressions/value', 'compressions/values']],
    ['EncryptSchemaBasedPlugin', ['tags']],
    ['AuditPlugin', ['apiKeys', 'topicPartitions']],
    ['EncryptPlugin', []],
    ['FieldLevelDataMaskingPlugin', []],
  ])('know which lists of %s are sets', (name, sets) => {
    expect(named(name).sets).toEqual(sets.map((path) => `/${path}`));
  });
});

// gateway-api E.7: SECRET stands where a secret does, and nowhere else.
const SAMPLES: JsonObject = {
  kmsConfig: {
    vault: {
      uri: 'http://vault:8200',
      token: 'SECRET',
      username: 'me',
      password: 'SECRET',
      roleId: 'role',
      secretId: 'SECRET',
      jwt: 'SECRET',
      provider: 'name',
      ldapAuthMount: 'path',
      iamRequestUrl: 'aHR0cHM6Ly9zdHM=',
      iamRequestHeaders: 'SECRET',
      pkcs7: 'SECRET',
      identity: 'aWRlbnRpdHk=',
      signature: 'SECRET',
      nonce: 'SECRET',
    },
    azure: {
      tokenCredential: { clientId: 'id', tenantId: 'id', clientSecret: 'SECRET' },
      usernamePasswordCredential: { clientId: 'id', tenantId: 'id', username: 'me', password: 'SECRET' },
    },
    aws: {
      basicCredentials: { accessKey: 'id', secretKey: 'SECRET' },
      sessionCredentials: { accessKey: 'id', secretKey: 'SECRET', sessionToken: 'SECRET' },
    },
    gateway: { masterKeyId: 'vault-kms://vault:8200/transit/keys/master', maxKeys: 10 },
  },
  schemaRegistryConfig: registry(),
  policies: [{ name: 'one', schemaRegistryConfig: registry() }],
  s3Config: { accessKey: 'id', secretKey: 'SECRET', sessionToken: 'SECRET', bucketName: 'large' },
  azureConfig: { tenantId: 'id', clientId: 'id', secret: 'SECRET', bucketName: 'large' },
};

function registry(): JsonObject {
  return {
    host: 'http://registry:8081',
    additionalConfigs: { 'basic.auth.credentials.source': 'USER_INFO' },
    basicCredentials: { accessKey: 'id', secretKey: 'SECRET', accountId: 'id' },
  };
}

describe('the secrets of a config', () => {
  const samples = plugins.map((plugin) => ({ plugin, name: plugin.title, config: sampleOf(plugin) }));

  it.each(samples)('are all marked in $name, and nothing else is', ({ plugin, name, config }) => {
    const written = placesOf(config, ['**']).filter(({ value }) => value === 'SECRET');
    expect(problemsOf(name, config)).toEqual([]);
    expect(secretPlaces(plugin, config)).toEqual(written.map(({ pointer }) => pointer).sort());
  });

  it('are those of the API facts, and of the logins to Vault that the vendor documents', () => {
    const found = samples.flatMap(({ plugin, config }) => secretPlaces(plugin, config));
    expect([...new Set(found)].sort()).toEqual([
      '/azureConfig/secret',
      '/kmsConfig/aws/basicCredentials/secretKey',
      '/kmsConfig/aws/sessionCredentials/secretKey',
      '/kmsConfig/aws/sessionCredentials/sessionToken',
      '/kmsConfig/azure/tokenCredential/clientSecret',
      '/kmsConfig/azure/usernamePasswordCredential/password',
      '/kmsConfig/vault/iamRequestHeaders',
      '/kmsConfig/vault/jwt',
      '/kmsConfig/vault/nonce',
      '/kmsConfig/vault/password',
      '/kmsConfig/vault/pkcs7',
      '/kmsConfig/vault/secretId',
      '/kmsConfig/vault/signature',
      '/kmsConfig/vault/token',
      '/policies/0/schemaRegistryConfig/basicCredentials/secretKey',
      '/s3Config/secretKey',
      '/s3Config/sessionToken',
      '/schemaRegistryConfig/basicCredentials/secretKey',
    ]);
  });
});

describe(`the interceptors of ${CORPUS}`, () => {
  const specs = [...corpus, ...recorded].flatMap((file) =>
    parseAllDocuments(file.text)
      .map((document) => document.toJS() as Json) // no file has dates or anchors to itself
      .flatMap(interceptorsIn)
      .map((spec) => ({ file, ...spec })),
  );

  it('use every class', () => {
    const used = new Set(specs.map(({ name }) => name));
    expect(plugins.filter(({ title, removed }) => removed === undefined && !used.has(title))).toEqual([]);
  });

  it('hold to the schema of their class, but for those that are recorded as refused', () => {
    const problems = specs.flatMap(({ file, name, config }) =>
      problemsOf(name, config).map((problem) => [file.name, problem.replace(/^\w+ /, '')]),
    );
    const refused = corpus.flatMap((file) =>
      file.refused.flatMap((problem) => {
        // Whether a key is in a service that is configured is a rule beside the schema.
        const [, path] = / (?!unknown-kms)[\w-]+ \/spec\/config(\/.*)/.exec(problem) ?? [];
        return path === undefined ? [] : [[file.name, path]];
      }),
    );
    expect(problems).toEqual(refused);
  });
});

/** The specs of known classes, in resources and in recorded answers. */
function interceptorsIn(document: Json): readonly { readonly name: string; readonly config: Json }[] {
  return placesOf(document, ['**']).flatMap(({ value }) => {
    const plugin = pluginOf(valueOf(value, 'pluginClass'));
    const config = valueOf(value, 'config');
    return plugin === undefined || config === undefined ? [] : [{ name: plugin.title, config }];
  });
}

function problemsOf(name: string, config: Json): readonly string[] {
  const validate = validators.get(name) as ValidateFunction; // every plugin has one
  if (validate(config)) return [];
  return (validate.errors ?? []).map(({ keyword, instancePath, params }) =>
    keyword === 'additionalProperties'
      ? `unknown ${instancePath}/${String(params['additionalProperty'])}`
      : `${keyword} ${instancePath}`,
  );
}

function named(name: string): Plugin {
  const plugin = pluginOf(PLUGIN_PREFIX + name);
  if (plugin === undefined) throw new Error(`no plugin is named ${name}`);
  return plugin;
}

function isClosed(schema: JsonObject): boolean {
  return schema['additionalProperties'] === false && isObject(schema['properties']);
}

/** The schema of what a pattern meets. */
function schemaAt(config: JsonObject, pattern: Pattern): JsonObject | undefined {
  return parsePointer(pattern).reduce<JsonObject | undefined>((schema, token) => {
    const inner = token === '*' ? schema?.['items'] : valueOf(schema?.['properties'], token);
    return isObject(inner) ? inner : undefined;
  }, config);
}

function sampleOf({ schema: config }: Plugin): JsonObject {
  const known = Object.keys(isObject(config['properties']) ? config['properties'] : {});
  return Object.fromEntries(Object.entries(SAMPLES).filter(([key]) => known.includes(key)));
}

function secretPlaces({ secrets }: Plugin, config: JsonObject): readonly Pointer[] {
  return secrets
    .flatMap((pattern) => placesOf(config, parsePointer(pattern)).map(({ pointer }) => pointer))
    .sort();
}
