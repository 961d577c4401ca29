import { describe, expect, it } from 'vitest';
import { parsePointer, type Json, type Pointer } from '../../../src/model/json/json.ts';
import { isSecretText, isSecretKey } from '../../../src/model/secrets/secret-texts.ts';
import { secretPlaces, suspectPlaces } from '../../../src/model/secrets/secrets.ts';
import type { Template } from '../../../src/model/state.ts';
import { plugins } from '../../../src/schema/plugins/index.ts';
import { kindOf, resource } from '../../support/kinds.ts';

const PLUGINS = 'io.conduktor.gateway.interceptor.';
const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJ1c2VybmFtZSI6ImFubiJ9.c2lnbmF0dXJl';

describe('the secret places of an interceptor', () => {
  it('are those that its plugin class marks, whatever their type', () => {
    const vault = { uri: 'http://vault', token: 12345, password: 'p', roleId: 'r' };
    expect(placesIn(`${PLUGINS}EncryptPlugin`, { kmsConfig: { vault } })).toEqual([
      '/spec/config/kmsConfig/vault/password',
      '/spec/config/kmsConfig/vault/token',
    ]);
  });

  it('are the leaves of a map that stands where a secret should', () => {
    const token = { nested: ['a', { deeper: 'b' }] };
    expect(placesIn(`${PLUGINS}EncryptPlugin`, { kmsConfig: { vault: { token } } })).toEqual([
      '/spec/config/kmsConfig/vault/token/nested/0',
      '/spec/config/kmsConfig/vault/token/nested/1/deeper',
    ]);
  });

  it('are told by their keys where keys are free', () => {
    const additionalConfigs = {
      'basic.auth.user.info': 'me:secret',
      'schema.registry.ssl.truststore.password': 'p',
      'sasl.jaas.config': 'j',
      'schema.registry.ssl.truststore.type': 'JKS',
    };
    const config = { schemaRegistryConfig: { host: 'h', additionalConfigs } };
    expect(placesIn(`${PLUGINS}EncryptPlugin`, config)).toEqual([
      '/spec/config/schemaRegistryConfig/additionalConfigs/basic.auth.user.info',
      '/spec/config/schemaRegistryConfig/additionalConfigs/sasl.jaas.config',
      '/spec/config/schemaRegistryConfig/additionalConfigs/schema.registry.ssl.truststore.password',
    ]);
  });

  it('are told by their keys in a plugin that is not known', () => {
    const config = { url: 'http://x', apiKey: 'k', auth: { clientSecret: 's', keySecretId: 'an id' } };
    expect(placesIn('com.example.Own', config)).toEqual([
      '/spec/config/apiKey',
      '/spec/config/auth/clientSecret',
    ]);
  });

  it('are told by the name beside them, in items of a name and a value', () => {
    const headers = [
      { name: 'X-Auth', value: 'v' },
      { key: 'api-key', value: 5 },
      { name: 'topic', value: 'orders' },
      { name: 'password', value: { nested: 'n' }, comment: 'c' },
    ];
    expect(placesIn('com.example.Own', { headers })).toEqual([
      '/spec/config/headers/0/value',
      '/spec/config/headers/1/value',
      '/spec/config/headers/3/value/nested',
    ]);
  });

  it('are private keys and JWTs wherever they stand', () => {
    const config = { topic: jwt, notes: ['-----BEGIN RSA PRIVATE KEY-----\nMII'] };
    expect(placesIn('com.example.Own', config)).toEqual(['/spec/config/notes/0', '/spec/config/topic']);
  });

  it('are what the environment gave, numbers too, but for names', () => {
    const template: Template = { text: '${X}', plain: true, variables: ['X'] };
    const byDefault: Template = { text: '${X:-a}', plain: true, variables: [] };
    const templates = new Map<Pointer, Template>([
      ['/metadata/name', template],
      ['/spec/comment', template],
      ['/spec/priority', template],
      ['/spec/config/topic', byDefault],
      ['/spec/config/absent', template],
    ]);
    expect(placesIn('com.example.Own', { topic: 'a' }, templates)).toEqual([
      '/spec/comment',
      '/spec/priority',
    ]);
  });

  it('are none in one that has none', () => {
    expect(placesIn(`${PLUGINS}EncryptPlugin`, { topic: '.*', recordValue: {} })).toEqual([]);
  });
});

it.each([
  'password',
  'ssl.keystore.password',
  'SECRET',
  'authToken',
  'passphrase',
  'api-key',
  'api.key',
  'privateKey',
  'X-Auth',
  'Cookie',
  'set-cookie',
  'pwd',
  'dbPwd',
  'DB_PWD',
  'pass',
  'DB_PASS',
  'keystorePass',
])('the key %s says that its value is a secret', (key) => {
  expect(isSecretKey(key)).toBe(true);
});

it.each([
  'topic',
  'keySecretId',
  'key-secret-ids',
  'tokenId',
  'jwtRole',
  'accessKey',
  'clientId',
  'roleId',
  'key',
  'author',
  'X-Auth-Type',
  'cookieName',
  'PWD',
  'OLDPWD',
  'bypass',
  'passthrough',
])('the key %s does not', (key) => {
  expect(isSecretKey(key)).toBe(false);
});

it('every key that a plugin class marks as a secret says so itself', () => {
  const keys = plugins.flatMap(({ secrets }) => secrets.map((pattern) => parsePointer(pattern).at(-1) ?? ''));
  expect([...new Set(keys)].filter((key) => !isSecretKey(key))).toEqual([]);
});

it.each<[string, boolean]>([
  ['-----BEGIN PRIVATE KEY-----', true],
  ['-----BEGIN OPENSSH PRIVATE KEY-----\nabc', true],
  [`Bearer ${jwt}`, true],
  ['-----BEGIN CERTIFICATE-----', false],
  ['eyJhbGci', false],
  ['https://user:pass@registry.example/subjects', true],
  ['amqp://:pass@host', true],
  ['https://user:${PASSWORD}@host', false],
  ['https://user:{{password}}@host', false],
  ['https://registry.example:8081/a@b', false],
  ['vault-kms://vault:8200/transit/keys/a', false],
  ["org.apache.kafka.common.security.plain.PlainLoginModule required username='u' password='p';", true],
  ['org.apache.kafka.common.security.plain.PlainLoginModule required password="${P}";', false],
  [Buffer.from('-----BEGIN RSA PRIVATE KEY-----\nMIIE').toString('base64'), true],
  [Buffer.from('-----BEGIN CERTIFICATE-----\nMIIE').toString('base64'), false],
  ['https://h/x?user=u&access_token=abc', true],
  ['jdbc:sqlserver://h:1433;user=u;password=p', true],
  ['https://store.example/a?sv=1&sig=a%2Fb', true],
  ['https://h/x?token=${TOKEN}&page=2', false],
  ['https://h/x?sortKey=a#token', false],
  ['{"user": "u", "password": "p"}', true],
  [' [{"apiKey":"k"}]', true],
  ['{"password": "${P}", "secret": "", "tokens": 5, "keySecretId": "k"}', false],
  ['{"properties": {"password": {"type": "string"}}, "required": ["password"]}', false],
  ['# of the client\nssl.key.location=/k\nssl.key.password=p\n', true],
  ['User=u;Pwd=p', true],
  ['# of the client\nuser = u\npassword = p w\n', true],
  ['user: u\npassword: p', true],
  ['host=h user=u password=p', true],
  ['user=u&password=p', true],
  ['user=u, password=p', true],
  ['user = u\npassword = \ntoken = ${T}', false],
  ['token: old', false],
  ['owner: team a\ntoken: rotates each week', false],
  ['sr-token:8081,b:8081', false],
  ['ssl.key.password=\nssl.keystore.password=${P}', false],
  ["SELECT a FROM t WHERE token = 'x'\nAND b=1", false],
  ['this masks the field password: see the page on token=…', false],
  ['', false],
])('the text %j is a secret by itself: %s', (text, secret) => {
  expect(isSecretText(text)).toBe(secret);
});

describe('what looks like a secret', () => {
  const drawn = '3q2sY7Vt0Zk9QfLw8Xn5Rb1Tc6';

  it('is found wherever it stands, unless it is known as one', () => {
    const config = { token: drawn, list: [drawn], deep: { header: `x ${drawn}` }, short: 'abc' };
    const given = resource(
      'Interceptor',
      { name: 'i' },
      { pluginClass: 'com.example.Own', priority: 1, config },
    );
    const kind = kindOf('Interceptor');
    expect(suspectPlaces(kind, given, secretPlaces(kind, given))).toEqual([
      '/spec/config/list/0',
      '/spec/config/deep/header',
    ]);
  });

  it('is a name where an identity provider drew it', () => {
    const account = resource(
      'GatewayServiceAccount',
      { name: 'a' },
      { type: 'EXTERNAL', externalNames: [drawn] },
    );
    expect(suspectPlaces(kindOf('GatewayServiceAccount'), account, new Set())).toEqual([]);
    const group = resource(
      'GatewayGroup',
      { name: 'g' },
      { members: [{ name: drawn }], externalGroups: [drawn] },
    );
    expect(suspectPlaces(kindOf('GatewayGroup'), group, new Set())).toEqual([]);
  });
});

function placesIn(
  pluginClass: string,
  config: Json,
  templates?: ReadonlyMap<Pointer, Template>,
): readonly Pointer[] {
  const given = resource('Interceptor', { name: 'i' }, { pluginClass, priority: 1, comment: 'c', config });
  return [...secretPlaces(kindOf('Interceptor'), given, templates)].sort();
}
