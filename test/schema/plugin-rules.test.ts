import { describe, expect, it } from 'vitest';
import { memoryGateway } from '../../src/emulator/memory.ts';
import { printPointer, type Json, type JsonObject } from '../../src/model/json/json.ts';
import type { Context } from '../../src/model/kind.ts';
import type { Problem } from '../../src/model/problem.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { load } from '../../src/schema/load/load.ts';
import { plugins } from '../../src/schema/plugins/index.ts';
import { checkPattern } from '../../src/schema/plugins/pattern-fields.ts';
import { PLUGIN_PREFIX } from '../../src/schema/plugins/plugin.ts';
import { NO_VARIABLES } from '../../src/schema/yaml/interpolate.ts';
import { problemsOf, sentencesOf } from '../support/expect-problems.ts';

const CREATE_TOPIC = 'safeguard.CreateTopicPolicyPlugin';
const ENCRYPT = 'EncryptPlugin';
const PRODUCE = 'safeguard.ProducePolicyPlugin';

describe('a rule that overrides', () => {
  it.each(['numPartition', 'retentionMs', 'minCleanableDirtyRatio'])('needs a value for %s', (key) => {
    const rule = { min: 0, max: 1, action: 'OVERRIDE' };
    const path = `/spec/config/${key}/action`;
    expect(told(CREATE_TOPIC, { [key]: rule })).toEqual([`error override-without-value ${path}`]);
    expect(told(CREATE_TOPIC, { [key]: { ...rule, overrideValue: null } })).toContain(
      `error override-without-value ${path}`,
    );
    expect(told(CREATE_TOPIC, { [key]: { ...rule, overrideValue: 1 } })).toEqual([]);
    expect(told(CREATE_TOPIC, { [key]: { ...rule, overrideValue: '$${PARTITIONS}' } })).toEqual([]);
    expect(told(CREATE_TOPIC, { [key]: { ...rule, action: 'INFO' } })).toEqual([]);
  });

  it('had better have one for a set of texts', () => {
    const rule = { values: ['delete'], action: 'OVERRIDE' };
    expect(told(CREATE_TOPIC, { cleanupPolicy: rule, compressionType: { action: 'OVERRIDE' } })).toEqual([
      'warning override-without-value /spec/config/cleanupPolicy/action',
      'warning override-without-value /spec/config/compressionType/action',
    ]);
    expect(told(CREATE_TOPIC, { cleanupPolicy: { ...rule, overrideValue: 'delete' } })).toEqual([]);
  });

  it('needs none where there is no place for one', () => {
    const config = {
      namingConvention: { value: 'a.*', action: 'OVERRIDE' },
      blacklist: { action: 'OVERRIDE' },
    };
    expect(told(CREATE_TOPIC, config)).toEqual([]);
  });

  it('had better have a template for client ids', () => {
    const plugin = 'safeguard.ClientIdRequiredPolicyPlugin';
    expect(told(plugin, { action: 'OVERRIDE' })).toEqual([
      'warning override-without-value /spec/config/action',
    ]);
    expect(told(plugin, { action: 'OVERRIDE', clientIdTemplate: 'team-{{userIp}}' })).toEqual([]);
    expect(told(plugin, { action: 'BLOCK' })).toEqual([]);
  });

  it('is told once when its plugin cannot override at all', () => {
    expect(told('safeguard.FetchPolicyPlugin', { maxWaitMs: { min: 1, action: 'OVERRIDE' } })).toEqual([
      'error invalid-value /spec/config/maxWaitMs/action',
    ]);
  });
});

describe('a mask', () => {
  const mask = (rule: Json): JsonObject => ({ policies: [{ fields: ['name'], rule }] });

  it.each(['MASK_FIRST_N', 'MASK_LAST_N'])('needs a length with %s', (type) => {
    expect(told('FieldLevelDataMaskingPlugin', mask({ type }))).toEqual([
      'error mask-without-length /spec/config/policies/0/rule/type',
    ]);
    expect(told('FieldLevelDataMaskingPlugin', mask({ type, numberOfChars: 4 }))).toEqual([]);
  });

  it.each([{ type: 'MASK_ALL' }, {}, 'none'])('needs none else: %j', (rule) => {
    expect(told('FieldLevelDataMaskingPlugin', mask(rule)).filter((line) => line.includes('mask'))).toEqual(
      [],
    );
  });
});

describe('two bounds', () => {
  it.each<[string, string, string]>([
    [CREATE_TOPIC, 'numPartition', 'an Int'],
    [CREATE_TOPIC, 'retentionMs', 'a Long'],
    [CREATE_TOPIC, 'minCleanableDirtyRatio', 'a Double'],
    ['safeguard.ProducePolicyPlugin', 'version', 'a Version'],
    ['safeguard.FetchPolicyPlugin', 'version', 'a Version'],
  ])('are in order: %s of %s, %s', (plugin, key) => {
    expect(told(plugin, { [key]: { min: 1, max: 0 } })).toEqual([
      `error min-above-max /spec/config/${key}/min`,
    ]);
    for (const bounds of [{ min: 0, max: 1 }, { min: 1, max: 1 }, { min: 1 }, { max: 0 }]) {
      expect(told(plugin, { [key]: bounds })).toEqual([]);
    }
  });

  it.each(['chaos.SimulateSlowBrokerPlugin', 'chaos.SimulateSlowProducersConsumersPlugin'])(
    'are in order: latencies of %s',
    (plugin) => {
      const latencies = { minLatencyMs: 200, maxLatencyMs: 100 };
      expect(told(plugin, latencies)).toEqual(['error min-above-max /spec/config/minLatencyMs']);
      expect(told(plugin, { ...latencies, maxLatencyMs: 200 })).toEqual([]);
    },
  );

  it('are compared as numbers where they are written as text, and not at all when they are none', () => {
    const plugin = 'safeguard.ProducePolicyPlugin';
    expect(told(plugin, { version: { min: '10', max: '9' } })).toEqual([
      'error min-above-max /spec/config/version/min',
    ]);
    expect(told(plugin, { version: { min: '9', max: 10 } })).toEqual([]);
    expect(told(plugin, { version: { min: '$${MIN}', max: 1 } })).toEqual([]);
  });
});

describe('a regular expression', () => {
  const topicOf = (topic: string): readonly string[] =>
    told('safeguard.ReadOnlyTopicPolicyPlugin', { topic });
  const found = (topic: string): readonly Problem[] =>
    problems('safeguard.ReadOnlyTopicPolicyPlugin', { topic }).filter(
      ({ code }) => code !== 'incomplete-config',
    );

  // Each answer is that of java.util.regex of Java 17.
  it.each([
    '(',
    'a(b',
    '(?:a',
    ')',
    'a)b',
    '[',
    '[a',
    '[]',
    '[^]',
    'a[b[c]',
    '*',
    '*.log',
    '+a',
    '?',
    '(*a)',
    'a|*',
    'a**',
    'a{2}*',
    'a\\',
    '[z-a]',
    'a{',
    'orders-{region}',
    'a{,3}',
    'a{2,1}',
    'a{1',
    '\\y',
    '\\E',
    '\\x1',
    '\\u12',
    '(?',
    '(?P<a>b)',
    '(?#a)',
    '(?<a',
    '(?<1>a)',
    '(?<a>b)(?<a>c)',
    '(?i)*',
    '(?i)(',
    '\\Qa\\E(',
    '(?>a',
    'a++)',
    '[\\',
    '[\\]',
    '\\A(',
    '[a&&b',
    '(?<=a+',
    '\\p',
  ])('cannot be %s', (text) => {
    expect(topicOf(text)).toEqual(['error invalid-pattern /spec/config/topic']);
  });

  it.each([
    '.*',
    'audit-.*',
    '^[A-Za-z]*_masked$',
    'a|b|',
    '(a|b)+?',
    'a{2}',
    'a{2,}',
    'a{2,3}?',
    ']',
    '}',
    'a]',
    '[]a]',
    '[^]a]',
    '[a-]',
    '[-a]',
    '[a-z-9]',
    '[](]',
    '\\(',
    '\\_',
    '\\.',
    '\\d+\\w\\s',
    '\\bword\\b',
    '^*',
    '(?=a)b',
    '(?!a)b',
    '(?<=a)b',
    '(?<!ab{1,3})c',
    '(?<name>a)\\k<name>',
    '\\1',
    '\\u0041\\x41',
    '[\\]]',
    '[(]',
    '😀',
    '[😀-😂]',
    'a b#(c)',
    '(?<=a*)b',
    '(?<a_b>c)',
    '\\k<a>(?<a>b)',
  ])('may be %s', (text) => {
    expect(topicOf(text)).toEqual([]);
  });

  it.each([
    'a++',
    'a{2}+',
    '(?i)orders',
    '(?i:orders)',
    '(?x) ( # (',
    '(?>a|b)',
    '\\Q(\\E.*',
    '\\Q(',
    '\\Aa\\Z',
    'a\\z',
    '\\p{Alpha}+',
    '[\\p{Upper}]',
    '[a-z&&[^b]]',
    '[a-z&&b]',
    '{2}',
    '\\x{41}',
    '[\\b]',
  ])('in Java only is not checked: %s', (text) => {
    expect(topicOf(text)).toEqual(['info unjudged-pattern /spec/config/topic']);
  });

  it.each([
    ['customers-*', '-* is any number of -', 'customers-.*'],
    ['customers*', 's* is any number of s', 'customers.*'],
    ['orders_*_eu', '_* is any number of _', 'orders_.*_eu'],
    ['orders\\.*', '\\.* is any number of \\.', 'orders\\..*'],
    ['^(customers|orders)-*$', '-* is any number of -', '^(customers|orders)-.*$'],
    ['a-*|b-*', '-* is any number of -', 'a-.*|b-.*'],
    ['shard-?', '-? is an optional -', 'shard-.'],
    ['shard-??$', '-?? is an optional -', 'shard-..$'],
    ['shard_+', '_+ is one or more _', 'shard_.+'],
  ])('that looks like a glob is told with the expression that was meant: %s', (text, means, meant) => {
    const [problem, ...others] = found(text);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ code: 'unlikely-pattern', severity: 'warning' });
    expect(problem?.message).toContain(`${text} looks like a glob, but is a regular expression: ${means}`);
    expect(problem?.hint).toContain(`write ${meant};`);
    expect(topicOf(meant)).toEqual([]);
  });

  it.each([
    ['*-audit', '.*-audit'],
    ['*', '.*'],
    ['?hard', '.hard'],
    ['customers-{eu,us}', 'customers-(eu|us)'],
    ['{eu,us}-*', '(eu|us)-.*'],
  ])('that is a glob and no regular expression is told with the one that was meant: %s', (text, meant) => {
    expect(found(text).map(({ code, hint }) => [code, hint])).toEqual([
      ['invalid-pattern', `write ${meant}`],
    ]);
    expect(topicOf(meant)).toEqual([]);
  });

  it.each([
    'customers?',
    'a-?b',
    'orders?-v\\d+',
    'ab+',
    '-*.*',
    'x{2}',
    '[a-z]*',
    '(a-)*',
    '\\w*',
    '(?!a*)b.*',
  ])('that repeats or allows what names have is no glob: %s', (text) => {
    expect(topicOf(text)).toEqual([]);
  });

  it.each(['$${PREFIX}(', '{{topic}}[', 'a$${X}*('])(
    'that the gateway fills in is not judged: %s',
    (text) => {
      expect(topicOf(text)).toEqual([]);
    },
  );

  it.each<[string, JsonObject, string]>([
    [CREATE_TOPIC, { topic: '(' }, 'topic'],
    [CREATE_TOPIC, { namingConvention: { value: '(' } }, 'namingConvention/value'],
    ['safeguard.AlterTopicConfigPolicyPlugin', { topic: '(' }, 'topic'],
    ['safeguard.ConsumerGroupPolicyPlugin', { groupId: { value: '(' } }, 'groupId/value'],
    ['safeguard.ConsumerGroupPolicyPlugin', { memberId: { value: '(' } }, 'memberId/value'],
    ['safeguard.ClientIdRequiredPolicyPlugin', { namingConvention: '(' }, 'namingConvention'],
    ['safeguard.LimitJoinGroupPolicyPlugin', { groupId: '(' }, 'groupId'],
    ['safeguard.MessageHeaderRemovalPlugin', { headerKeyRegex: '(' }, 'headerKeyRegex'],
    ['AuditPlugin', { vcluster: '(' }, 'vcluster'],
    ['AuditPlugin', { username: '(' }, 'username'],
    ['AuditPlugin', { consumerGroupId: '(' }, 'consumerGroupId'],
    ['chaos.DuplicateMessagesPlugin', { topic: '(' }, 'topic'],
  ])('stands in %s %j', (plugin, config, path) => {
    expect(told(plugin, config)).toEqual([`error invalid-pattern /spec/config/${path}`]);
  });

  it('may be a glob by mistake in each field of each class', () => {
    const fields = plugins.flatMap(({ title, checks }) =>
      checks.filter(({ it: check }) => check === checkPattern).map(({ at }) => [title, at] as const),
    );
    expect(fields.length).toBeGreaterThan(30);
    for (const [title, at] of fields) {
      const config = at.reduceRight<Json>(
        (value, key) => (key === '*' ? [value] : { [key]: value }),
        'shop-*',
      );
      const path = printPointer(['spec', 'config', ...at.map((key) => (key === '*' ? '0' : key))]);
      expect(told(title, config as JsonObject), title).toContain(`warning unlikely-pattern ${path}`);
    }
  });

  it('is not what stands for the name of a topic', () => {
    expect(told('CelTopicPlugin', { topic: 'a.*' })).toEqual([
      'warning deprecated-class /spec/pluginClass',
      'error invalid-value /spec/config/topic',
    ]);
    expect(told('observability.ObservabilityPlugin', { topicName: 'a.*' })).toEqual([
      'error invalid-value /spec/config/topicName',
    ]);
  });

  it('is also the pattern of a concentration rule', () => {
    const rule = (pattern: string) => `
      apiVersion: gateway/v2
      kind: ConcentrationRule
      metadata: { name: events }
      spec:
        pattern: ${pattern}
        physicalTopics: { delete: events }
    `;
    const at = { at: '5:12', path: '/spec/pattern' };
    expect(problemsOf(rule('events-('), { advice: true })).toEqual([{ code: 'invalid-pattern', ...at }]);
    expect(problemsOf(rule('"(?i)events"'), { advice: true })).toEqual([
      { code: 'unjudged-pattern', severity: 'info', ...at },
    ]);
    expect(problemsOf(rule('events-*'), { advice: true })).toEqual([
      { code: 'unlikely-pattern', severity: 'warning', ...at },
    ]);
    expect(problemsOf(rule('events-.*'), { advice: true })).toEqual([]);
  });

  it('is gone over in time that grows with its length', () => {
    const hostile = [
      '('.repeat(1e5),
      '\\p{'.repeat(1e5),
      '(?<'.repeat(1e5),
      '['.repeat(1e5),
      '(?<=a'.repeat(1e5),
    ];
    for (const text of hostile) expect(topicOf(text)).toEqual(['error invalid-pattern /spec/config/topic']);
  });
});

describe('a key', () => {
  const NEEDED = { vault: {}, azure: {}, aws: {}, gcp: {}, gateway: {} };
  const keyAt = (keySecretId: string, kmsConfig?: Json): readonly string[] =>
    told(ENCRYPT, {
      recordValue: { fields: [{ fieldName: 'ok' }, { fieldName: 'pin', keySecretId }] },
      ...(kmsConfig === undefined ? {} : { kmsConfig }),
    });
  const missing = ['error unknown-kms /spec/config/recordValue/fields/1/keySecretId'];

  it.each(Object.keys(NEEDED))('of %s needs it in kmsConfig', (kms) => {
    const key = `${kms}-kms://host/{{record.key}}`;
    const { [kms as 'vault']: _, ...others } = NEEDED;
    expect(keyAt(key)).toEqual(missing);
    expect(keyAt(key, {})).toEqual(missing);
    expect(keyAt(key, others)).toEqual(missing);
    expect(keyAt(key, { [kms]: {} })).toEqual([]);
  });

  it.each(['in-memory-kms://key', '{{record.header.h}}-key', '$${KMS}://key', '$${KEY}'])(
    'needs nothing else: %s',
    (key) => {
      expect(keyAt(key)).toEqual([]);
    },
  );

  it('needs the prefix of a service', () => {
    expect(keyAt('other://key')).toEqual(missing);
    expect(keyAt('vault-kms:/key', { vault: {} })).toEqual(missing.map(asWarning));
    expect(keyAt('my-key')).toEqual(missing.map(asWarning)); // before gateway 3.5
    expect(problems(ENCRYPT, { recordKey: { payload: { keySecretId: 'valt-kms://key' } } })[0]?.hint).toBe(
      'did you mean vault-kms://?',
    );
  });

  it('is looked for in every part of a record, and as the default of schemas', () => {
    const payload = { keySecretId: 'aws-kms://key' };
    expect(
      told(ENCRYPT, { recordKey: { payload }, recordHeader: { payload }, recordValue: { payload } }),
    ).toEqual([
      'error unknown-kms /spec/config/recordKey/payload/keySecretId',
      'error unknown-kms /spec/config/recordHeader/payload/keySecretId',
      'error unknown-kms /spec/config/recordValue/payload/keySecretId',
    ]);
    expect(told('EncryptSchemaBasedPlugin', { defaultKeySecretId: 'gcp-kms://key' })).toEqual([
      'error unknown-kms /spec/config/defaultKeySecretId',
    ]);
  });
});

describe('value for values', () => {
  it.each([
    [CREATE_TOPIC, 'cleanupPolicy', 'delete'],
    [CREATE_TOPIC, 'compressionType', 'gzip'],
    ['safeguard.ProducePolicyPlugin', 'compressions', 'GZIP'],
  ])('is a warning in %s %s, and an error beside values', (plugin, key, item) => {
    const path = `/spec/config/${key}/value`;
    expect(told(plugin, { [key]: { value: [item] } })).toEqual([`warning unsettled-spelling ${path}`]);
    expect(told(plugin, { [key]: { value: [item], values: [item] } })).toEqual([
      `error unsettled-spelling ${path}`,
    ]);
    expect(told(plugin, { [key]: { values: [item] } })).toEqual([]);
  });

  it('is as it should be for what is not a list, and for acks', () => {
    expect(told(PRODUCE, { acks: { value: [1] } })).toEqual([]);
    expect(told(CREATE_TOPIC, { messageTimestampType: { value: 'CreateTime' } })).toEqual([]);
  });
});

it('what is encrypted may stand where gateway 3.0 had it, with a warning', () => {
  const key = { keySecretId: 'in-memory-kms://k' };
  const fields = [{ fieldName: 'a', ...key }];
  const old = (field: string): string => `warning unsettled-spelling /spec/config/${field}`;
  expect(problems(ENCRYPT, { fields }).map(line)).toEqual([old('fields')]);
  expect(problems(ENCRYPT, { payload: key }).map(line)).toEqual([old('payload')]);
  expect(problems(ENCRYPT, { recordValue: { fields } })).toEqual([]);
  expect(told(ENCRYPT, { fields: [{ fieldName: 'a', keySecretId: 'vault-kms://v/k' }] })).toEqual([
    'error unknown-kms /spec/config/fields/0/keySecretId',
    old('fields'),
  ]);
});

it('the action OVERRIDE of a producer is a warning: the vendor has it in an example alone', () => {
  expect(told(PRODUCE, { acks: { value: [-1], action: 'OVERRIDE' }, version: { min: 3 } })).toEqual([
    'warning unusual-value /spec/config/acks/action',
  ]);
  expect(told(PRODUCE, { acks: { value: [-1], action: 'THROTTLE' } })).toEqual([]);
});

describe('a plugin class', () => {
  const classes = (name: string, version?: string): readonly string[] =>
    problems(name, {}, version === undefined ? {} : { version }).map(
      ({ severity, code, hint }) => `${severity} ${code}; ${hint}`,
    );

  it.each([
    [
      'FieldLevelDataMaskingPlugn',
      'did you mean io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin?',
    ],
    [
      'CreateTopicPolicyPlugin',
      'did you mean io.conduktor.gateway.interceptor.safeguard.CreateTopicPolicyPlugin?',
    ],
    ['FetchIntegrityPolicyPlugin', 'check the config, and that the gateway has the class'],
    ['ConsumeJsonataPlugin', 'check the name, and that the gateway has the class'],
    ['Whatever', 'check the name, and that the gateway has the class'],
  ])('of the vendor that is not known: %s', (name, hint) => {
    expect(classes(name)).toEqual([`warning unknown-class; ${hint}`]);
  });

  it.each([
    [
      'io.conduktor.interceptor.EncryptPlugin',
      'did you mean io.conduktor.gateway.interceptor.EncryptPlugin?',
    ],
    ['com.acme.EncryptPlugin', 'check the config, and that the gateway has the class'],
  ])('that is written whole, and is not known: %s', (name, hint) => {
    const [first, ...more] = problemsIn(interceptor(name, { any: ['thing'] }));
    expect([first?.severity, first?.code, first?.hint, more]).toEqual(['warning', 'unknown-class', hint, []]);
  });

  it.each([
    ['EncryptPlugin', 'write io.conduktor.gateway.interceptor.EncryptPlugin'],
    [
      'safeguard.ReadOnlyTopicPolicyPlugin',
      'write io.conduktor.gateway.interceptor.safeguard.ReadOnlyTopicPolicyPlugin',
    ],
  ])('that is not written whole is an error: %s', (name, hint) => {
    const [first] = problemsIn(interceptor(name, { any: ['thing'] }));
    expect([first?.severity, first?.code, first?.hint]).toEqual(['error', 'invalid-value', hint]);
  });

  it('that the gateway fills in is not looked at', () => {
    expect(problemsIn(interceptor('$${PLUGIN}', {}))).toEqual([]);
  });

  it.each([
    ['MaskingPlugin', 'did you mean io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin?'],
    [
      'safeguard.FieldLevelMaskingPlugin',
      'did you mean io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin?',
    ],
    ['FieldLevelEncryptionPlugin', 'did you mean io.conduktor.gateway.interceptor.EncryptPlugin?'],
    ['AnotherPluginClassName', 'use a class that the gateway has'],
  ])('that never existed: %s', (name, hint) => {
    expect(classes(name)).toEqual([`warning imaginary-class; ${hint}`]);
  });

  it.each([
    ['DataQualityProducerPlugin', 'safeguard.DataQualityProducerPlugin'],
    ['BrokenBrokerChaosPlugin', 'chaos.SimulateBrokenBrokersPlugin'],
    ['safeguard.AlterBrokerConfigsSafeGuardPlugin', 'safeguard.AlterBrokerConfigPolicyPlugin'],
    ['AlterTopicConfigsSafeGuardPlugin', 'safeguard.AlterTopicConfigPolicyPlugin'],
  ])('that has another name now: %s', (name, now) => {
    expect(classes(name)).toEqual([`error renamed-class; write ${PLUGIN_PREFIX}${now}`]);
    expect(told(now, {})).toEqual([]);
  });

  it.each([
    ['AclsInterceptorPlugin', '3.0.9', '3.1.0'],
    ['FetchEncryptPlugin', undefined, '3.19.0'],
    ['FetchEncryptSchemaBasedPlugin', undefined, '3.19.0'],
  ])('that was removed is an error only where it is known to be gone: %s', (name, before, from) => {
    expect(told(name, {})).toEqual(['warning removed-class /spec/pluginClass']);
    expect(told(name, {}, { version: from })).toEqual(['error removed-class /spec/pluginClass']);
    expect(told(name, {}, { version: '4' })).toEqual(['error removed-class /spec/pluginClass']);
    if (before !== undefined) expect(told(name, {}, { version: before })).toEqual([]);
  });

  it.each([
    ['FetchEncryptPlugin', '3.15.0', '3.16.0'],
    ['FetchEncryptPlugin', '3.15.0', '3.18.2'],
    ['VirtualSqlTopicPlugin', '3.19.0', '3.20.0'],
    ['VirtualSqlTopicPlugin', '3.19.0', undefined],
    ['CelTopicPlugin', undefined, '3.3.0'],
    ['CelTopicPlugin', undefined, undefined],
  ])('that is on its way out is a warning: %s, not at %s, and at %s', (name, before, from) => {
    const version: Context = from === undefined ? {} : { version: from };
    expect(told(name, {}, version)).toEqual(['warning deprecated-class /spec/pluginClass']);
    if (before !== undefined) expect(told(name, {}, { version: before })).toEqual([]);
  });

  it('of today is nothing to talk about', () => {
    expect(told(ENCRYPT, {})).toEqual([]);
    expect(told(ENCRYPT, {}, { version: '3.3.0' })).toEqual([]);
  });
});

describe('what the vendor advises against', () => {
  it('is a value of a config', () => {
    const at = 'warning deprecated-value /spec/config/schemaDataMode';
    expect(told(ENCRYPT, { schemaDataMode: 'convert_json' })).toEqual([at]);
    expect(told(ENCRYPT, { schemaDataMode: 'convert_json' }, { version: '3.21.0' })).toEqual([at]);
    expect(told(ENCRYPT, { schemaDataMode: 'convert_json' }, { version: '3.20.0' })).toEqual([]);
    expect(told(ENCRYPT, { schemaDataMode: 'preserve_avro' })).toEqual([]);
  });

  it('is offset correctness', () => {
    const path = '/spec/offsetCorrectness';
    const at = `warning deprecated-value ${path}`;
    expect(toldOf(concentration({ offsetCorrectness: true }))).toEqual([at]);
    expect(toldOf(concentration({ offsetCorrectness: true }), { version: '3.21.1' })).toEqual([at]);
    expect(toldOf(concentration({ offsetCorrectness: true }), { version: '3.20.0' })).toEqual([]);
    expect(toldOf(concentration({ offsetCorrectness: false }))).toEqual([]);
    expect(toldOf(concentration({ offsetCorrectness: false }), { version: '3.3.0' })).toEqual([
      `error newer-field ${path}`,
    ]);
  });
});

describe('a field that came later', () => {
  const registry = (type: string): JsonObject => ({ schemaRegistryConfig: { type } });
  it.each<[string, JsonObject, string, string, string]>([
    [ENCRYPT, { throttleTimeMs: 5 }, 'throttleTimeMs', '3.11.9', '3.12.0'],
    ['DecryptPlugin', { throttleTimeMs: 5 }, 'throttleTimeMs', '3.11.9', '3.12.0'],
    ['DecryptPlugin', { errorPolicy: 'fail_fetch' }, 'errorPolicy', '3.5.0', '3.6.0'],
    ['DecryptPlugin', { kmsConfig: { gateway: {} } }, 'kmsConfig/gateway', '3.6.0', '3.7.0'],
    [ENCRYPT, registry('AWS'), 'schemaRegistryConfig/type', '3.6.0', '3.7.0'],
    ['DynamicHeaderInjectionPlugin', registry('CONFLUENT'), 'schemaRegistryConfig', '3.8.0', '3.9.0'],
  ])('of %s: %j', (plugin, config, path, before, from) => {
    expect(told(plugin, config, { version: before })).toEqual([`error newer-field /spec/config/${path}`]);
    expect(told(plugin, config, { version: from })).toEqual([]);
    expect(told(plugin, config)).toEqual([]);
  });

  it('is not the value that was always there, nor the key of that name elsewhere', () => {
    expect(told(ENCRYPT, registry('CONFLUENT'), { version: '3.3.0' })).toEqual([]);
    const config = { errorPolicy: 'fail_on_encrypted' };
    expect(told(ENCRYPT, config, { version: '3.3.0' })).toEqual([]);
  });

  const rest = { aclEnabled: true, aclMode: 'REST_API', acls: [] };
  it.each<[string, JsonObject, readonly string[], string, string]>([
    ['type', cluster('prod', { type: 'Standard' }), ['/spec/type'], '3.4.0', '3.5.0'],
    ['aclMode and acls', cluster('prod', rest), ['/spec/aclMode', '/spec/acls'], '3.10.0', '3.11.0'],
    ['a dot in the name', cluster('eu.prod', {}), ['/metadata/name'], '3.6.0', '3.7.0'],
    [
      'physicalCluster',
      { kind: 'AliasTopic', metadata: { name: 'a' }, spec: { physicalName: 'a', physicalCluster: 'main' } },
      ['/spec/physicalCluster'],
      '3.4.0',
      '3.5.0',
    ],
    [
      'offsetCorrectness',
      concentration({ offsetCorrectness: false }),
      ['/spec/offsetCorrectness'],
      '3.3.2',
      '3.4.0',
    ],
  ])('of a resource: %s', (_, resource, paths, before, from) => {
    expect(toldOf(resource, { version: before })).toEqual(paths.map((path) => `error newer-field ${path}`));
    expect(toldOf(resource, { version: from })).toEqual([]);
    expect(toldOf(resource)).toEqual([]);
  });
});

describe('the sentences', () => {
  it.each<[string, JsonObject, Context, string]>([
    [
      CREATE_TOPIC,
      { retentionMs: { min: 1, action: 'OVERRIDE' } },
      {},
      'retentionMs has action OVERRIDE, but no overrideValue; add overrideValue, or use another action',
    ],
    [
      CREATE_TOPIC,
      { retentionMs: { min: 9, max: 5 } },
      {},
      'expected min of retentionMs to be at most its max; found 9; swap them, or correct one of them',
    ],
    [
      CREATE_TOPIC,
      { cleanupPolicy: { value: ['delete'] } },
      {},
      'the vendor documents both value and values in cleanupPolicy; found value; ' +
        'use values, unless your gateway rejects it',
    ],
    [
      CREATE_TOPIC,
      { cleanupPolicy: { value: ['delete'], values: [] } },
      {},
      'cleanupPolicy has both value and values, which are the same setting; move everything to values',
    ],
    [
      CREATE_TOPIC,
      { topic: '*.log' },
      {},
      'invalid regular expression: a * with nothing to repeat at character 1; write .*.log',
    ],
    [
      CREATE_TOPIC,
      { topic: 'logs-(a|b' },
      {},
      'invalid regular expression: an unclosed ( at character 6; ' +
        'correct it, or escape special characters with \\',
    ],
    [
      CREATE_TOPIC,
      { topic: '(?i)logs++' },
      {},
      'the regular expression has Java syntax that gwconf cannot check; ' +
        'test it on a gateway, or avoid this syntax',
    ],
    [
      ENCRYPT,
      { recordValue: { payload: { keySecretId: 'vault-kms://v/k' } } },
      {},
      'keySecretId starts with vault-kms://, but kmsConfig has no vault; ' +
        'add vault to kmsConfig, or use a key of a configured service',
    ],
    [
      'FieldLevelDataMaskingPlugin',
      { policies: [{ rule: { type: 'MASK_LAST_N' } }] },
      {},
      'rule has type MASK_LAST_N, but no numberOfChars; add numberOfChars, or use MASK_ALL',
    ],
    [
      'FetchEncryptPlugin',
      {},
      { version: '3.21.0' },
      'FetchEncryptPlugin was removed in gateway 3.19.0; the environment has 3.21.0; ' +
        'encrypt records when they are produced, with io.conduktor.gateway.interceptor.EncryptPlugin',
    ],
    [
      'FetchEncryptPlugin',
      {},
      { version: '3.16.0' },
      'FetchEncryptPlugin is deprecated since gateway 3.16.0, and removed in 3.19.0; ' +
        'encrypt records when they are produced, with io.conduktor.gateway.interceptor.EncryptPlugin',
    ],
    ['CelTopicPlugin', {}, {}, 'CelTopicPlugin is deprecated; stop using it'],
    [
      'MaskingPlugin',
      {},
      {},
      'MaskingPlugin does not exist, although some examples mention it; ' +
        'did you mean io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin?',
    ],
    [
      'BrokenBrokerChaosPlugin',
      {},
      {},
      'BrokenBrokerChaosPlugin is the name before gateway 3.0 of chaos.SimulateBrokenBrokersPlugin; ' +
        'write io.conduktor.gateway.interceptor.chaos.SimulateBrokenBrokersPlugin',
    ],
    [
      'Whatever',
      {},
      {},
      'unknown plugin class; its config is sent unchanged; ' +
        'found "io.conduktor.gateway.interceptor.Whatever"; check the name, and that the gateway has the class',
    ],
    [
      ENCRYPT,
      { schemaDataMode: 'convert_json' },
      {},
      'schemaDataMode: convert_json is deprecated since gateway 3.21.0 and will be removed in 3.24.0; ' +
        'use preserve_avro once consumers can read it',
    ],
    [
      ENCRYPT,
      { throttleTimeMs: 1 },
      { version: '3.10.0' },
      'throttleTimeMs needs gateway 3.12.0 or later; the environment has 3.10.0; ' +
        'remove it, or upgrade the gateway and change its version in gwconf.yaml',
    ],
  ])('of %s %j at %j', (plugin, config, context, sentence) => {
    const about = 'Interceptor/i@vCluster=passthrough: ';
    const found = problems(plugin, config, context).filter(({ code }) => code !== 'incomplete-config');
    expect(found.map(({ message, hint }) => `${message}; ${hint}`)).toEqual([about + sentence]);
  });

  it('hold no text that the environment gave', () => {
    const file = (plugin: string, topic: string) => `
      apiVersion: gateway/v2
      kind: Interceptor
      metadata: { name: i, scope: { vCluster: passthrough } }
      spec: { pluginClass: "${plugin}", priority: 1, config: { ${topic} } }
    `;
    const variables = { X: 'hunter2(' };
    const sentences = [
      ...sentencesOf(file('${X}', ''), { variables, advice: true }),
      ...sentencesOf(file('com.example.${X}', ''), { variables, advice: true }),
      ...sentencesOf(file(PLUGIN_PREFIX + ENCRYPT, 'topic: "${X}"'), { variables, advice: true }),
      ...sentencesOf(
        file(PLUGIN_PREFIX + ENCRYPT, 'recordKey: { payload: { keySecretId: "aws-kms://${X}" } }'),
        {
          variables,
          advice: true,
        },
      ),
    ];
    // Fields of a config that the environment fills in are not checked: an EncryptPlugin with a topic encrypts nothing.
    expect(sentences).toHaveLength(3);
    expect(sentences.join('\n')).not.toContain('hunter2');
    expect(sentences[1]).toContain('the value of X may be secret');
  });
});

it('the rules look at a config whose types are wrong without falling over it', () => {
  const odd: readonly Json[] = [null, 1, 'text', [], [1], { value: null }, { min: {}, max: [] }];
  for (const plugin of [
    CREATE_TOPIC,
    ENCRYPT,
    'EncryptSchemaBasedPlugin',
    'FieldLevelDataMaskingPlugin',
    'AuditPlugin',
  ]) {
    const keys = [
      'topic',
      'numPartition',
      'cleanupPolicy',
      'kmsConfig',
      'recordValue',
      'policies',
      'vcluster',
    ];
    for (const value of odd) {
      const codes = problems(plugin, Object.fromEntries(keys.map((key) => [key, value]))).map(
        ({ code }) => code,
      );
      expect(codes).not.toContain('min-above-max');
    }
  }
});

it('the embedded gateway refuses the same errors, and looks at none of them in a dry run', () => {
  const put = (query: string, resource: JsonObject): number =>
    memoryGateway(catalog.kinds).handle('PUT', `/gateway/v2/interceptor${query}`, resource).status;
  const statuses = (plugin: string, config: JsonObject): readonly number[] => {
    const body = { apiVersion: 'gateway/v2', ...interceptor(PLUGIN_PREFIX + plugin, config) };
    return [put('', body), put('?dryMode=true', body)];
  };
  expect(statuses(CREATE_TOPIC, { retentionMs: { min: 1, action: 'OVERRIDE' } })).toEqual([400, 200]);
  expect(statuses(CREATE_TOPIC, { cleanupPolicy: { action: 'OVERRIDE' } })).toEqual([200, 200]);
  expect(statuses(CREATE_TOPIC, { topic: '(' })).toEqual([400, 200]);
  expect(statuses(CREATE_TOPIC, { topic: '(?i)a' })).toEqual([200, 200]);
  expect(statuses('BrokenBrokerChaosPlugin', {})).toEqual([400, 200]);
});

it('the places are those in the file', () => {
  const file = `
    apiVersion: gateway/v2
    kind: Interceptor
    metadata: { name: i, scope: { vCluster: prod } }
    spec:
      pluginClass: io.conduktor.gateway.interceptor.safeguard.CreateTopicPolicyPlugin
      priority: 1
      config:
        topic: "audit-["
        numPartition:
          min: 6
          max: 3
          action: OVERRIDE
        cleanupPolicy:
          value: [delete]
  `;
  expect(problemsOf(file, { advice: true })).toEqual([
    { code: 'invalid-pattern', at: '8:12', path: '/spec/config/topic' },
    { code: 'min-above-max', at: '10:12', path: '/spec/config/numPartition/min' },
    { code: 'override-without-value', at: '12:15', path: '/spec/config/numPartition/action' },
    { code: 'unsettled-spelling', at: '14:7', path: '/spec/config/cleanupPolicy/value', severity: 'warning' },
  ]);
});

/** What is said of a config: how badly, what and where. */
function asWarning(text: string): string {
  return text.replace('error', 'warning');
}

function told(plugin: string, config: JsonObject, context?: Context): readonly string[] {
  return problems(plugin, config, context)
    .filter(({ code }) => code !== 'incomplete-config')
    .map(line);
}

function toldOf(resource: JsonObject, context?: Context): readonly string[] {
  return problemsIn(resource, context).map(line);
}

function line({ severity, code, path = '' }: Problem): string {
  return `${severity} ${code} ${path}`;
}

function problems(plugin: string, config: JsonObject, context?: Context): readonly Problem[] {
  return problemsIn(interceptor(PLUGIN_PREFIX + plugin, config), context);
}

function problemsIn(resource: JsonObject, context: Context = {}): readonly Problem[] {
  const text = JSON.stringify({ apiVersion: 'gateway/v2', ...resource });
  return load([{ path: 'in.json', text, named: true }], catalog, NO_VARIABLES, context).problems;
}

function interceptor(pluginClass: string, config: JsonObject): JsonObject {
  const scope = { vCluster: 'passthrough' };
  return { kind: 'Interceptor', metadata: { name: 'i', scope }, spec: { pluginClass, priority: 1, config } };
}

function cluster(name: string, spec: JsonObject): JsonObject {
  return { kind: 'VirtualCluster', metadata: { name }, spec };
}

function concentration(spec: JsonObject): JsonObject {
  const physicalTopics = { delete: 'events' };
  return {
    kind: 'ConcentrationRule',
    metadata: { name: 'events' },
    spec: { pattern: '.*', physicalTopics, ...spec },
  };
}
