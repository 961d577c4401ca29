import { type Check, formerPlaces, kmsIsThere, maskNeedsLength, needs, needsOneOf } from './config-checks.ts';
import {
  aged,
  alias,
  checked,
  choice,
  each,
  essential,
  flag,
  harmless,
  list,
  named,
  narrowing,
  numeric,
  object,
  ordered,
  part,
  regex,
  scalar,
  setOf,
  strengthOf,
  text,
  textMap,
  unordered,
  untyped,
  type Field,
  type Fields,
} from './field.ts';
import { definePlugins, PLUGIN_PREFIX } from './plugin.ts';
import { throttleTimeMs } from './rule-fields.ts';
import { kafkaRequest } from './kafka-requests.ts';
import { anyTopic, kmsConfig, registryWithRules, schemaRegistryConfig, topic } from './shared.ts';
import { oneCharacter, oneField } from './values.ts';

const ALGORITHMS = [
  'AES128_GCM',
  'AES256_GCM',
  'AES128_EAX',
  'AES256_EAX',
  'AES128_CTR_HMAC_SHA256',
  'AES256_CTR_HMAC_SHA256',
  'CHACHA20_POLY1305',
  'XCHACHA20_POLY1305',
] as const;

const fieldPath = (): Field => checked(text(), oneField);

const encryption = (): Fields => ({
  topic: anyTopic,
  schemaRegistryConfig: registryWithRules(),
  schemaDataMode: harmless(
    aged(
      choice(
        ['preserve_avro', 'convert_json'],
        'Whether Avro records stay Avro or become JSON; convert_json is deprecated since 3.21.',
      ),
      {
        value: 'convert_json',
        deprecated: '3.21.0',
        removed: '3.24.0',
        instead: 'use preserve_avro once consumers can read it',
      },
    ),
  ),
  externalStorage: harmless(
    flag('Whether encryption metadata is stored in the gateway instead of record headers.', false),
  ),
  kmsConfig: kmsConfig(),
  enableAuditLogOnError: ordered(
    [[false], [true]],
    flag('Whether errors are written to the audit log.', true),
  ),
  compressionType: harmless(
    choice(['none', 'gzip', 'snappy', 'lz4', 'zstd'], 'Compression of data before encryption.', 'none'),
  ),
  errorPolicy: unordered(
    choice(
      ['fail_on_encrypted', 'skip_already_encrypted'],
      'What to do with data that is already encrypted.',
    ),
  ),
  throttleTimeMs: unordered(aged(throttleTimeMs(0), { since: '3.12.0' })),
});

const key = (): Fields => ({
  keySecretId: unordered(
    scalar('The key, for example vault-kms://host:8200/transit/keys/name; it can contain {{record.key}}.'),
  ),
  algorithm: unordered(choice(ALGORITHMS, 'The encryption algorithm.')),
});

const parts = (): Fields => ({
  payload: part(
    'payload',
    checked(object(key(), 'Encrypts the whole payload with this key.'), needs('keySecretId')),
  ),
  fields: list(
    part(
      'field',
      checked(
        object({
          fieldName: named(checked(scalar('The field; nested fields with dots.'), oneField)),
          ...key(),
        }),
        needs('fieldName', 'keySecretId'),
      ),
    ),
    'Encrypts these fields, each with its own key.',
  ),
});

function record(section: string, more: Fields = {}): Field {
  return checked(
    object({ ...more, ...parts() }, `Encryption of the ${section} of records.`),
    needsOneOf(['payload', 'fields'], 'it encrypts nothing'),
  );
}

const encrypt = (): Fields => ({
  ...encryption(),
  recordValue: record('value'),
  recordKey: record('key'),
  recordHeader: part(
    'payload',
    checked(
      record('headers', {
        header: essential(
          strengthOf(
            { type: 'reach', axis: 'header', by: 'pattern' },
            scalar('The name of the header, or a regular expression.'),
          ),
        ),
      }),
      needsOneOf(['header'], 'it encrypts nothing'),
    ),
  ),
  // Where gateway 3.0 had them, and 3.6.1 still takes them (gateway-api E.3).
  ...Object.fromEntries(
    Object.entries(parts()).map(([name, field]) => [name, alias(`recordValue/${name}`, field)]),
  ),
});

const encrypts = (): readonly Check[] => [
  kmsIsThere,
  formerPlaces('recordValue', ['payload', 'fields']),
  needsOneOf(['recordValue', 'recordKey', 'recordHeader', 'payload', 'fields'], 'it encrypts nothing', {
    words: 'recordValue, recordKey or recordHeader',
  }),
];

const encryptSchemaBased = (): Fields => ({
  ...encryption(),
  defaultKeySecretId: unordered(scalar('The key for fields whose schema has none.')),
  defaultAlgorithm: unordered(
    choice(ALGORITHMS, 'The algorithm for fields whose schema has none.', 'AES128_GCM'),
  ),
  tags: each('tag', setOf(text(), 'Encrypts fields that have one of these tags in the schema.')),
  namespace: unordered(text('The prefix of settings in a schema.', 'conduktor.')),
});

const maskingPolicy = (): Field =>
  checked(
    object({
      name: harmless(scalar('The name of the policy.')),
      fields: essential(each('field', list(fieldPath(), 'The fields to mask; nested fields with dots.'))),
      rule: strengthOf(
        { type: 'mask' },
        checked(
          object(
            {
              type: choice(
                ['MASK_ALL', 'MASK_FIRST_N', 'MASK_LAST_N'],
                'Which characters are masked.',
                'MASK_ALL',
              ),
              maskingChar: checked(text('The character that replaces others.', '*'), oneCharacter),
              numberOfChars: numeric('Number of masked characters, for MASK_FIRST_N and MASK_LAST_N.', 1),
            },
            'How the fields are masked.',
          ),
          maskNeedsLength,
        ),
      ),
      schemaRegistryConfig: registryWithRules(),
    }),
    needsOneOf(['fields'], 'it masks nothing'),
  );

// gateway-api E.3
export const dataSecurity = definePlugins({
  EncryptPlugin: {
    summary: 'Encrypts records or their fields when they are produced.',
    example: {
      topic: 'customers-.*',
      kmsConfig: {
        vault: {
          uri: 'https://vault.example.com:8200',
          version: 1,
          type: 'KUBERNETES',
          role: 'gateway',
          path: 'kubernetes',
        },
      },
      recordValue: {
        fields: [
          { fieldName: 'card.number', keySecretId: 'vault-kms://vault.example.com:8200/transit/keys/card' },
        ],
      },
    },
    protects: ['encryption'],
    config: encrypt,
    checks: encrypts,
  },
  EncryptSchemaBasedPlugin: {
    summary: 'Encrypts fields that are marked in the schema when records are produced.',
    protects: ['encryption'],
    config: encryptSchemaBased,
    checks: () => [kmsIsThere],
  },
  DecryptPlugin: {
    summary: 'Decrypts records when they are consumed.',
    undoes: {
      protection: 'encryption',
      after: 'masking',
      only: {
        recordValue: 'recordValueFields',
        recordKey: 'recordKeyFields',
        recordHeader: 'recordHeaderFields',
      },
    },
    config: () => ({
      topic,
      schemaRegistryConfig: schemaRegistryConfig(),
      kmsConfig: kmsConfig(),
      recordValueFields: unordered(list(fieldPath(), 'The fields of the value to decrypt.')),
      recordKeyFields: unordered(list(fieldPath(), 'The fields of the key to decrypt.')),
      recordHeaderFields: unordered(list(text(), 'The fields of the headers to decrypt.')),
      enableAuditLogOnError: ordered([[false], [true]], flag('Whether errors are written to the audit log.')),
      throttleTimeMs: harmless(aged(throttleTimeMs(0), { since: '3.12.0' })),
      errorPolicy: unordered(
        aged(
          choice(
            ['return_encrypted', 'fail_fetch'],
            'What to do with data that cannot be decrypted; since 3.6.',
          ),
          { since: '3.6.0' },
        ),
      ),
    }),
  },
  FetchEncryptPlugin: {
    summary: 'Encrypts records or their fields when they are consumed.',
    protects: ['encryption'],
    config: encrypt,
    checks: encrypts,
    deprecated: '3.16.0',
    removed: '3.19.0',
    instead: `encrypt records when they are produced, with ${PLUGIN_PREFIX}EncryptPlugin`,
  },
  FetchEncryptSchemaBasedPlugin: {
    summary: 'Encrypts fields that are marked in the schema when records are consumed.',
    protects: ['encryption'],
    config: encryptSchemaBased,
    checks: () => [kmsIsThere],
    deprecated: '3.16.0',
    removed: '3.19.0',
    instead: `encrypt records when they are produced, with ${PLUGIN_PREFIX}EncryptSchemaBasedPlugin`,
  },
  FieldLevelDataMaskingPlugin: {
    summary: 'Masks fields of records when they are consumed.',
    example: {
      topic: 'customers-.*',
      policies: [{ name: 'cards', fields: ['card.number'], rule: { type: 'MASK_ALL' } }],
    },
    protects: ['masking'],
    config: () => ({
      topic: anyTopic,
      policies: list(part('field', maskingPolicy()), 'Which fields are masked, and how.'),
      errorPolicy: ordered(
        [['skip_masking'], ['fail_fetch']],
        choice(['fail_fetch', 'skip_masking'], 'What to do with data that cannot be masked.', 'fail_fetch'),
      ),
      schemaRegistryConfig: registryWithRules(),
    }),
    checks: () => [needsOneOf(['policies'], 'it masks nothing')],
  },
  DynamicHeaderInjectionPlugin: {
    summary: 'Adds headers to records.',
    config: () => ({
      topic,
      headers: unordered(textMap('The headers to add; values can contain placeholders such as {{userIp}}.')),
      overrideIfExists: unordered(flag('Whether existing headers are replaced.', false)),
      schemaRegistryConfig: aged(schemaRegistryConfig(), { since: '3.9.0' }),
    }),
    checks: () => [needsOneOf(['headers'], 'it adds no header')],
  },
  AuditPlugin: {
    summary: 'Writes requests to the audit log.',
    protects: ['audit'],
    config: () => ({
      topic: anyTopic,
      apiKeys: each('request', setOf(checked(scalar(), kafkaRequest), 'The Kafka requests to audit.')),
      vcluster: narrowing(
        'virtualCluster',
        'pattern',
        regex('Regular expression for virtual clusters.', '.*'),
      ),
      username: narrowing('username', 'pattern', regex('Regular expression for users.', '.*')),
      consumerGroupId: narrowing(
        'consumerGroup',
        'pattern',
        regex('Regular expression for consumer groups.', '.*'),
      ),
      topicPartitions: narrowing('topic', 'undocumented', setOf(untyped(), 'The partitions to audit.')),
    }),
  },
  AclsInterceptorPlugin: {
    summary: 'Enforced ACLs before virtual clusters supported them.',
    protects: ['access'],
    config: () => ({}),
    removed: '3.1.0',
    instead: 'set aclEnabled of the virtual cluster',
  },
});
