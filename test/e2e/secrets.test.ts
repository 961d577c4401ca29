import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Ran, type World } from '../support/cli.ts';
import { ENCRYPT } from '../support/resources.ts';
import { serve, worldBeside, type Served } from '../support/served.ts';

// With characters that JSON, YAML and URLs each escape, and no two the same.
const TOKEN = 'hvs.CAESI"J9\\x/ä+secret';
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJ1c2VybmFtZSI6ImFubiJ9.c2lnbmF0dXJl';
const LITERAL = 'hvs.CAESIJ-literal-token';

function vault(token: string, more = ''): string {
  return `
apiVersion: gateway/v2
kind: Interceptor
metadata: { name: encrypt, scope: { vCluster: passthrough } }
spec:
  pluginClass: ${ENCRYPT}
  priority: 1
  config:
    topic: cards
    kmsConfig:
      vault:
        uri: https://vault.example
        type: TOKEN
        token: ${token}
${more}
`;
}

/** Every way in which a text may spell a secret. */
function spellings(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const bytes = Buffer.from(secret);
  return [
    secret,
    json,
    JSON.stringify(json).slice(1, -1),
    encodeURIComponent(secret),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
}

function expectNone(text: string, ...secrets: readonly string[]): void {
  for (const secret of secrets)
    for (const spelling of spellings(secret)) expect(text).not.toContain(spelling);
}

const JOURNAL = '.gwconf/journal';

/** Everything that a run said or wrote, the journals among it. */
function traces(mine: World, ran: Ran, ...files: readonly string[]): string {
  const journals = mine.has(JOURNAL) ? readdirSync(join(mine.folder, JOURNAL)) : [];
  const written = [...files.filter((file) => mine.has(file)), ...journals.map((name) => join(JOURNAL, name))];
  return [ran.out, ran.err, ...written.map((file) => mine.read(file))].join('\n');
}

function beside(there: Served, files: Readonly<Record<string, string>>): World {
  const mine = worldBeside(there, files);
  mine.env['VAULT_TOKEN'] = TOKEN;
  return mine;
}

const FILES = ['p.plan', 'r.json', 'r.ndjson', 'r.txt'] as const;
const OUTPUTS = ['-o', 'json=r.json', '-o', 'ndjson=r.ndjson', '-o', 'human=r.txt'] as const;

describe('a secret beside a mistake', () => {
  const around = (lines: string): string =>
    vault('"x"').replace('        token: "x"\n', `${lines.trimEnd()}\n`);
  const mistakes: readonly (readonly [string, string])[] = [
    ['a key that is misspelt', around(`        tokn: ${LITERAL}\n`)],
    [
      'a misspelt key, and another mistake on the next line',
      around(`        tokn: ${LITERAL}\n        urll: x\n`),
    ],
    ['a list in its place', around(`        token: [${LITERAL}]\n`)],
    ['a map in its place', around(`        token: { value: ${LITERAL} }\n`)],
    ['a map over lines in its place', around(`        token:\n          value: ${LITERAL}\n`)],
    [
      'itself in the place of the map that holds it',
      vault('x').replace(/ {6}vault:\n[^]*$/, `      vault: ${LITERAL}\n`),
    ],
    [
      'a text of JSON in the place of the config',
      vault('x').replace(
        / {2}config:\n[^]*$/,
        `  config: '{"kmsConfig":{"vault":{"token":"${LITERAL}"}}}'\n`,
      ),
    ],
    [
      'a text of JSON in the place of a map',
      vault('x').replace(/ {6}vault:\n[^]*$/, `      vault: '{"token":"${LITERAL}"}'\n`),
    ],
    ['a mistake on the line after it', around(`        token: ${LITERAL}\n        wrong: 1\n`)],
    [
      'a mistake on the line after its last',
      around(`        token: |\n          ${LITERAL}\n        wrong: 1\n`),
    ],
    [
      'a mistake after it in a map on one line',
      vault('x').replace(/ {6}vault:\n[^]*$/, `      vault: { token: ${LITERAL}, wrong: 1 }\n`),
    ],
    [
      'a mistake before it in a map on one line',
      vault('x').replace(/ {6}vault:\n[^]*$/, `      vault: { wrong: 1, secretId: ${LITERAL} }\n`),
    ],
    [
      'a misspelt key in a map on one line',
      vault('x').replace(/ {6}vault:\n[^]*$/, `      vault: { tokn: ${LITERAL}, uri: x }\n`),
    ],
    [
      'a whole document on one line',
      JSON.stringify({
        apiVersion: 'gateway/v2',
        kind: 'Interceptor',
        metadata: { name: 'encrypt', wrong: 1 },
        spec: {
          pluginClass: ENCRYPT,
          priority: 'high',
          config: { kmsConfig: { vault: { secretId: LITERAL, tokn: LITERAL } } },
        },
      }),
    ],
    ['a key that is there twice', around(`        token: ${LITERAL}\n        token: ${LITERAL}\n`)],
    ['a quote that never ends', around(`        token: "${LITERAL}\n`)],
    ['a quote that never ends, on a key that says nothing', around(`        secretId: "${LITERAL}\n`)],
    ['no kind', vault(LITERAL).replace('kind: Interceptor', 'knd: Interceptor')],
    ['a kind that is misspelt', vault(LITERAL).replace('kind: Interceptor', 'kind: Intercepter')],
    ['no name', vault(LITERAL).replace('name: encrypt, ', '')],
    [
      'a plugin class of somebody’s own',
      vault(LITERAL).replace(ENCRYPT, 'com.example.Own').replace('priority: 1', 'priority: high'),
    ],
    ['a plugin class that is misspelt', vault(LITERAL).replace('EncryptPlugin', 'EncryptPlugn')],
    ['a config under a misspelt key', vault(LITERAL).replace('  config:', '  confg:')],
    ['a reference to nothing', vault(LITERAL).replace('vCluster: passthrough', 'vCluster: nowhere')],
    ['a missing variable', around('        token: "${NOWHERE}"\n        secretId: ' + LITERAL)],
    ['a variable in part', around(`        token: a-\${VAULT_TOKEN}\n        wrong: 1\n`)],
    ['a variable of the wrong type', vault('x').replace('priority: 1', 'priority: ${VAULT_TOKEN}')],
    ['a variable in a name', vault(LITERAL).replace('topic: cards', 'topic: [ "${VAULT_TOKEN}" ]')],
    ['a JWT in a name', vault(LITERAL).replace('name: encrypt', `name: ${JWT}`)],
    ['a JWT as a key', around(`        token: x\n        ${JWT}: 1\n`)],
    ['the same again', `${vault(LITERAL)}---${vault(LITERAL)}`],
  ];

  it.each(mistakes)('does not appear: %s', async (_, text) => {
    const there = await serve();
    const mine = beside(there, { 'a.yaml': text });
    for (const args of [
      ['validate', 'a.yaml', ...OUTPUTS],
      ['validate', 'a.yaml', '-o', 'json'],
      ['plan', 'a.yaml', '--out', 'p.plan', ...OUTPUTS],
      ['apply', '-f', 'a.yaml', '--auto-approve', ...OUTPUTS],
    ]) {
      const ran = await mine.run(...args);
      expectNone(traces(mine, ran, ...FILES), LITERAL, TOKEN, JWT);
      expect(ran.code).toBeLessThan(2);
    }
  });
});
