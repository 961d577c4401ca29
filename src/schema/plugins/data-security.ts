import { kmsIsThere, maskNeedsLength } from './checks.ts';
import {
  aged,
  checked,
  choice,
  flag,
  list,
  object,
  regex,
  setOf,
  text,
  textMap,
  untyped,
  type Field,
  type Fields,
} from './field.ts';
import { definePlugin, PLUGIN_PREFIX, type Plugin } from './plugin.ts';
import { throttleTimeMs } from './rules.ts';
import { anyTopic, kmsConfig, schemaRegistryConfig, topic } from './shared.ts';

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

const encryption: Fields = {
  topic: anyTopic,
  schemaRegistryConfig,
  schemaDataMode: aged(
    choice(
      ['preserve_avro', 'convert_json'],
      'What becomes of Avro records; convert_json is deprecated since 3.21.',
    ),
    {
      value: 'convert_json',
      deprecated: '3.21.0',
      removed: '3.24.0',
      instead: 'write preserve_avro, once consumers can read it',
    },
  ),
  externalStorage: flag('Whether the gateway keeps what decryption needs, rather than the headers.', false),
  kmsConfig,
  enableAuditLogOnError: flag('Whether errors go to the audit log.', true),
  compressionType: choice(
    ['none', 'gzip', 'snappy', 'lz4', 'zstd'],
    'How data is compressed before it is encrypted.',
    'none',
  ),
  errorPolicy: choice(
    ['fail_on_encrypted', 'skip_already_encrypted'],
    'What happens to data that is encrypted already.',
  ),
  throttleTimeMs: aged(throttleTimeMs(0), { since: '3.12.0' }),
};

const key: Fields = {
  keySecretId: untyped(
    'The key, for example vault-kms://host:8200/transit/keys/name; may hold {{record.key}}.',
  ),
  algorithm: choice(ALGORITHMS, 'How it is encrypted.'),
};

function record(part: string, more: Fields = {}): Field {
  return object(
    {
      ...more,
      payload: object(key, 'Encrypt the whole, with this key.'),
      fields: list(
        object({ fieldName: untyped('The field, with dots for what is nested.'), ...key }),
        'Encrypt these fields, each with its own key.',
      ),
    },
    `What to encrypt in the ${part} of a record.`,
  );
}

const encrypt: Fields = {
  ...encryption,
  recordValue: record('value'),
  recordKey: record('key'),
  recordHeader: record('headers', { header: untyped('The name of the header, or a regular expression.') }),
};

const encryptSchemaBased: Fields = {
  ...encryption,
  defaultKeySecretId: untyped('The key of fields whose schema names none.'),
  defaultAlgorithm: choice(ALGORITHMS, 'The algorithm of fields whose schema names none.', 'AES128_GCM'),
  tags: setOf(text(), 'Fields that carry one of these tags in the schema are encrypted.'),
  namespace: text('What the settings in a schema start with.', 'conduktor.'),
};

const maskingPolicy = object({
  name: untyped('What the policy is for.'),
  fields: list(text(), 'The fields to mask, with dots for what is nested.'),
  rule: checked(
    object(
      {
        type: choice(['MASK_ALL', 'MASK_FIRST_N', 'MASK_LAST_N'], 'How much is masked.', 'MASK_ALL'),
        maskingChar: text('What the mask is made of.', '*'),
        numberOfChars: untyped('How many characters are masked, unless it is MASK_ALL.'),
      },
      'How the fields are masked.',
    ),
    maskNeedsLength,
  ),
  schemaRegistryConfig,
});

// gateway-api E.3
export const dataSecurity: readonly Plugin[] = [
  definePlugin({
    name: 'EncryptPlugin',
    summary: 'Encrypts records, or fields of them, when they are produced.',
    config: encrypt,
    checks: [kmsIsThere],
  }),
  definePlugin({
    name: 'EncryptSchemaBasedPlugin',
    summary: 'Encrypts the fields that the schema marks, when records are produced.',
    config: encryptSchemaBased,
    checks: [kmsIsThere],
  }),
  definePlugin({
    name: 'DecryptPlugin',
    summary: 'Decrypts records when they are consumed.',
    config: {
      topic,
      schemaRegistryConfig,
      kmsConfig,
      recordValueFields: list(text(), 'The fields of the value to decrypt.'),
      recordKeyFields: list(text(), 'The fields of the key to decrypt.'),
      recordHeaderFields: list(text(), 'The fields of the headers to decrypt.'),
      enableAuditLogOnError: flag('Whether errors go to the audit log.'),
      errorPolicy: aged(
        choice(
          ['return_encrypted', 'fail_fetch'],
          'What happens to data that cannot be decrypted; since 3.6.',
        ),
        { since: '3.6.0' },
      ),
    },
  }),
  definePlugin({
    name: 'FetchEncryptPlugin',
    summary: 'Encrypts records, or fields of them, when they are consumed.',
    config: encrypt,
    checks: [kmsIsThere],
    deprecated: '3.16.0',
    removed: '3.19.0',
    instead: `encrypt when records are produced, with ${PLUGIN_PREFIX}EncryptPlugin`,
  }),
  definePlugin({
    name: 'FetchEncryptSchemaBasedPlugin',
    summary: 'Encrypts the fields that the schema marks, when records are consumed.',
    config: encryptSchemaBased,
    checks: [kmsIsThere],
    deprecated: '3.16.0',
    removed: '3.19.0',
    instead: `encrypt when records are produced, with ${PLUGIN_PREFIX}EncryptSchemaBasedPlugin`,
  }),
  definePlugin({
    name: 'FieldLevelDataMaskingPlugin',
    summary: 'Masks fields of records when they are consumed.',
    config: {
      topic: anyTopic,
      policies: list(maskingPolicy, 'Which fields are masked, and how.'),
      errorPolicy: choice(
        ['fail_fetch', 'skip_masking'],
        'What happens to data that cannot be masked.',
        'fail_fetch',
      ),
      schemaRegistryConfig,
    },
  }),
  definePlugin({
    name: 'DynamicHeaderInjectionPlugin',
    summary: 'Adds headers to records.',
    config: {
      topic,
      headers: textMap('The headers to add; values may hold placeholders such as {{userIp}}.'),
      overrideIfExists: flag('Whether a header that is there already is replaced.', false),
      schemaRegistryConfig: aged(schemaRegistryConfig, { since: '3.9.0' }),
    },
  }),
  definePlugin({
    name: 'AuditPlugin',
    summary: 'Writes requests to the audit log.',
    config: {
      topic: anyTopic,
      apiKeys: setOf(untyped(), 'The Kafka requests it covers.'),
      vcluster: regex('A regular expression on the virtual clusters it covers.', '.*'),
      username: regex('A regular expression on the users it covers.', '.*'),
      consumerGroupId: regex('A regular expression on the consumer groups it covers.', '.*'),
      topicPartitions: setOf(untyped(), 'The partitions it covers.'),
    },
  }),
  definePlugin({
    name: 'AclsInterceptorPlugin',
    summary: 'Enforced ACLs, before virtual clusters did.',
    config: {},
    removed: '3.1.0',
    instead: 'set aclEnabled of the virtual cluster',
  }),
];
