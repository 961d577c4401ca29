import { parseEnv } from 'node:util';
import fc from '../support/fast-check.ts';
import { expect, it } from 'vitest';
import { findJwts } from '../../src/workflow/token/inspect-token.ts';
import { TOKEN_FORMATS, type TokenFormat } from '../../src/workflow/token/issue-token.ts';
import { anyText } from '../support/arbitraries.ts';
import { tokenWith } from '../support/tokens.ts';

const token = tokenWith({ username: 'app', exp: 1_800_000_000 });
const formats = Object.keys(TOKEN_FORMATS) as readonly TokenFormat[]; // the keys of a literal
const issuedTo = (username: string) => ({
  account: `GatewayServiceAccount/${username}@vCluster=prod`,
  username,
  virtualCluster: 'prod',
  token,
  expiresAt: '2027-01-15T08:00:00.000Z',
});

it.each(formats)('%s is read back, whatever the name of the account', (format) => {
  fc.assert(
    fc.property(anyText(), fc.constantFrom(undefined, 'SASL_SSL'), (username, security) => {
      const text = TOKEN_FORMATS[format](issuedTo(username), { security });
      expect(findJwts(text).map((jwt) => jwt.token)).toEqual([token]);
    }),
  );
});

it.each([
  ['a quote', 'a"b', String.raw`username="a\"b"`],
  ['a backslash', String.raw`a\b`, String.raw`username="a\\b"`],
])('a JAAS login escapes %s, and properties escape that once more', (_, username, escaped) => {
  expect(TOKEN_FORMATS.jaas(issuedTo(username))).toContain(escaped);
  const properties = TOKEN_FORMATS.properties(issuedTo(username), { security: undefined });
  expect(properties).toContain(escaped.replaceAll('\\', '\\\\'));
});

it('has the protocol of the environment in client properties, and a comment where that is not known', () => {
  const linesFor = (security: string | undefined) =>
    TOKEN_FORMATS.properties(issuedTo('app'), { security }).split('\n').slice(0, 2);
  expect(linesFor('SASL_PLAINTEXT')).toEqual(['security.protocol=SASL_PLAINTEXT', 'sasl.mechanism=PLAIN']);
  expect(linesFor('GATEWAY_MANAGED')).toEqual(['# security.protocol=SASL_SSL', 'sasl.mechanism=PLAIN']);
});

it('has variables that shells and parsers of .env read', () => {
  const variables = parseEnv(TOKEN_FORMATS.env(issuedTo("o'neill")));
  expect(variables).toEqual({ KAFKA_SASL_USERNAME: "o'neill", KAFKA_SASL_PASSWORD: token });
});

it.each([
  ['two parts', 'e30.e30'],
  ['four parts', 'e30.e30.x.y'],
  ['parts that are no objects', 'MQ.MQ.x'],
  [
    'claims that are nested too deeply',
    `e30.${Buffer.from('{"a":'.repeat(100_000)).toString('base64url')}.x`,
  ],
])('%s are no token', (_, text) => {
  expect(findJwts(text)).toEqual([]);
});
