import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeWorld, type Ran, type World } from '../support/cli.ts';
import { resource } from '../support/kinds.ts';
import { ENCRYPT } from '../support/resources.ts';
import { LOGIN, serve, worldBeside, type Served } from '../support/served.ts';

// With characters that JSON, YAML and URLs each escape, and no two the same.
const TOKEN = 'hvs.CAESI"J9\\x/ä+secret';
const OLD = 'hvs.old-token-of-yesterday';
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

const live = (token: string): ReturnType<typeof resource> =>
  resource(
    'Interceptor',
    { name: 'encrypt' },
    {
      pluginClass: ENCRYPT,
      priority: 1,
      config: {
        topic: 'cards',
        kmsConfig: { vault: { uri: 'https://vault.example', type: 'TOKEN', token } },
      },
    },
  );

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

describe.each([
  ['written in the file', LITERAL, LITERAL],
  ['from the environment', '${VAULT_TOKEN}', TOKEN],
  ['from the environment, in quotes and in part', '"${VAULT_TOKEN}"', TOKEN],
  ['of many lines', '"first-line-of-it\\nsecond-line-of-it"', 'second-line-of-it'],
])('a secret %s', (_, written, secret) => {
  it.each([
    ['is created', undefined],
    ['is changed', OLD],
    ['is not changed', 'same'],
  ])('appears nowhere when it %s: not in plan, saved plan, show, apply or a report', async (__, before) => {
    const there = await serve();
    const mine = beside(there, { 'a.yaml': vault(written) });
    if (before === 'same') await mine.run('apply', '-f', 'a.yaml', '--auto-approve');
    else if (before !== undefined) await there.put(live(before));
    for (const args of [
      ['validate', 'a.yaml', ...OUTPUTS],
      ['plan', 'a.yaml', '--out', 'p.plan', ...OUTPUTS],
      ['plan', 'a.yaml', '--target', 'Interceptor/*', '-o', 'json'],
      ['show', 'p.plan', ...OUTPUTS],
      ['apply', 'p.plan', ...OUTPUTS],
      ['plan', 'a.yaml', ...OUTPUTS],
    ]) {
      const ran = await mine.run(...args);
      expect(ran.code).toBe(0);
      expectNone(traces(mine, ran, ...FILES), secret, OLD);
    }
    expect(JSON.stringify(await there.list('Interceptor'))).toContain(JSON.stringify(secret).slice(1, -1));
  });

  it('appears nowhere when it is deleted', async () => {
    const there = await serve();
    const mine = beside(there, { 'a.yaml': vault(written) });
    await mine.run('apply', '-f', 'a.yaml', '--auto-approve');
    mine.write('a.yaml', '');
    for (const args of [
      ['plan', '--out', 'p.plan'],
      ['apply', '--auto-approve'],
    ]) {
      const ran = await mine.run(
        ...args,
        '-f',
        'a.yaml',
        '--prune',
        '--manages',
        '*',
        '--allow-empty',
        ...OUTPUTS,
      );
      expect(ran.out).toContain('- Interceptor/encrypt@vCluster=passthrough');
      expectNone(traces(mine, ran, ...FILES), secret);
    }
  });
});

describe('a secret that changed', () => {
  it('shows as a field that differs, hidden on both sides', async () => {
    const there = await serve();
    await there.put(live(OLD));
    const { out } = await beside(there, { 'a.yaml': vault(LITERAL) }).run('plan', 'a.yaml');
    expect(out).toContain('      ~ /spec/config/kmsConfig/vault/token: (hidden) → (hidden), changed\n');
  });
});

describe('a saved plan with a secret', () => {
  const saved = async (written: string): Promise<{ readonly there: Served; readonly mine: World }> => {
    const there = await serve();
    const mine = beside(there, { 'a.yaml': vault(written) });
    expect((await mine.run('plan', 'a.yaml', '--out', 'p.plan')).code).toBe(0);
    return { there, mine };
  };

  it('says where it comes from and carries a salted digest of it', async () => {
    const { mine } = await saved('${VAULT_TOKEN}');
    expect(mine.json('p.plan')).toMatchObject({
      changes: [
        {
          after: { spec: { config: { kmsConfig: { vault: { token: '(hidden)' } } } } },
          secrets: {
            '/spec/config/kmsConfig/vault/token': {
              digest: expect.stringMatching(/^\d+\.[\w-]{32}$|^r\.\w{64}$/) as string,
              template: { text: '${VAULT_TOKEN}', plain: true, variables: ['VAULT_TOKEN'] },
            },
          },
        },
      ],
    });
  });

  it('is applied where the environment has the same value', async () => {
    const { there, mine } = await saved('${VAULT_TOKEN}');
    expect((await mine.run('apply', 'p.plan')).code).toBe(0);
    expect(await there.list('Interceptor')).toMatchObject([
      { spec: { config: { kmsConfig: { vault: { token: TOKEN } } } } },
    ]);
  });

  it('is applied where the file still has it', async () => {
    const { there, mine } = await saved(LITERAL);
    expect((await mine.run('apply', 'p.plan')).code).toBe(0);
    expect(await there.list('Interceptor')).toMatchObject([
      { spec: { config: { kmsConfig: { vault: { token: LITERAL } } } } },
    ]);
  });

  it.each([
    [
      'the variable is gone',
      '${VAULT_TOKEN}',
      (mine: World) => {
        delete mine.env['VAULT_TOKEN'];
      },
      /came from VAULT_TOKEN, where it is now missing/,
    ],
    [
      'the variable has another value',
      '${VAULT_TOKEN}',
      (mine: World) => {
        mine.env['VAULT_TOKEN'] = OLD;
      },
      /has changed since the plan was made/,
    ],
    [
      'the file is gone',
      LITERAL,
      (mine: World) => mine.write('a.yaml', ''),
      /came from a\.yaml, where it is now missing/,
    ],
    [
      'the file has another one',
      LITERAL,
      (mine: World) => mine.write('a.yaml', vault(OLD)),
      /has changed since the plan was made/,
    ],
  ])('is not applied when %s, and nothing is written', async (_, written, change, sentence) => {
    const { there, mine } = await saved(written);
    change(mine);
    there.forget();
    const ran = await mine.run('apply', 'p.plan', ...OUTPUTS);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain(
      'error[secret-unavailable]: the secret at /spec/config/kmsConfig/vault/token of Interceptor/encrypt@vCluster=passthrough',
    );
    expect(ran.err).toMatch(sentence);
    expect(there.writes()).toEqual([]);
    expectNone(traces(mine, ran, ...FILES), TOKEN, LITERAL, OLD);
  });

  it('is stale when the one on the gateway changed, without saying what it was', async () => {
    const there = await serve();
    await there.put(live(OLD));
    const mine = beside(there, { 'a.yaml': vault('${VAULT_TOKEN}') });
    await mine.run('plan', 'a.yaml', '--out', 'p.plan');
    await there.put(live('hvs.somebody-elses-token'));
    const ran = await mine.run('apply', 'p.plan', ...OUTPUTS);
    expect(ran.code).toBe(4);
    expectNone(traces(mine, ran, ...FILES), TOKEN, OLD, 'hvs.somebody-elses-token');
  });
});

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

describe('a gateway that repeats what it was sent', () => {
  /** Reads as empty; refuses every write with its own body in the answer, as `say` puts it. */
  async function echo(say: (body: string) => string, type = 'application/json'): Promise<string> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const read = request.method === 'GET';
        response.writeHead(read ? 200 : 400, { 'content-type': read ? 'application/json' : type });
        response.end(read ? '[]' : say(Buffer.concat(chunks).toString()));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
  }

  const tokenIn = (body: string): string =>
    (JSON.parse(body) as { spec: { config: { kmsConfig: { vault: { token: string } } } } }).spec.config
      .kmsConfig.vault.token;
  const json = 'application/json';
  const voices: readonly (readonly [string, string, (body: string) => string])[] = [
    ['in its message', json, (body) => JSON.stringify({ title: 'Bad', msg: `invalid config ${body}` })],
    [
      'as the cause',
      json,
      (body) => JSON.stringify({ title: 'Bad', cause: `token ${tokenIn(body)} is bad` }),
    ],
    ['in plain text', 'text/plain', (body) => `Invalid value for: body ${body}`],
    ['cut in the middle', json, (body) => JSON.stringify({ msg: `${'x'.repeat(487)} ${tokenIn(body)}` })],
    ['over lines', json, (body) => JSON.stringify({ title: 'Bad', msg: `line\n${tokenIn(body)}\nline` })],
  ];

  it.each(voices)('%s does not get it shown', async (_, type, say) => {
    const url = await echo(say, type);
    for (const [written, secret] of [
      [LITERAL, LITERAL],
      ['${VAULT_TOKEN}', TOKEN],
      ['"first-line-of-it\\nsecond-line-of-it"', 'second-line-of-it'],
    ] as const) {
      const mine = makeWorld({ 'a.yaml': vault(written) });
      Object.assign(mine.env, LOGIN, { GWCONF_URL: url, VAULT_TOKEN: TOKEN });
      const ran = await mine.run('apply', '-f', 'a.yaml', '--auto-approve', ...OUTPUTS);
      expect(ran.code).toBe(1);
      expect(ran.err).toContain('the gateway refused to create Interceptor/encrypt@vCluster=passthrough');
      expectNone(traces(mine, ran, ...FILES), secret);
      expect(traces(mine, ran, ...FILES)).not.toContain(secret.slice(0, 9));
    }
  });

  it('does not get the password shown either', async () => {
    const url = await echo(() => JSON.stringify({ title: 'Bad', msg: 'user admin with s3cret-pass-word' }));
    const mine = makeWorld({ 'a.yaml': vault(LITERAL) });
    Object.assign(mine.env, { GWCONF_URL: url, GWCONF_USER: 'admin', GWCONF_PASSWORD: 's3cret-pass-word' });
    const ran = await mine.run('apply', '-f', 'a.yaml', '--auto-approve', ...OUTPUTS);
    expectNone(traces(mine, ran, ...FILES), 's3cret-pass-word');
  });
});

describe('a refusal of a true gateway', () => {
  it('does not show the config that it refuses', async () => {
    const there = await serve({ version: '3.3.0' });
    const mine = beside(there, {
      'a.yaml': vault(LITERAL).replace('topic: cards', 'topic: cards\n    throttleTimeMs: 5'),
    });
    for (const text of [
      mine.read('a.yaml'),
      mine.read('a.yaml').replace('vCluster: passthrough', 'vCluster: gone'),
    ]) {
      mine.write('a.yaml', text);
      expectNone(
        traces(mine, await mine.run('apply', '-f', 'a.yaml', '--auto-approve', ...OUTPUTS), ...FILES),
        LITERAL,
      );
    }
  });
});
