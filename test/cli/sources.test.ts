import { symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canonicalText, type Json } from '../../src/model/json/json.ts';
import { digest } from '../../src/plan/saved/digest.ts';
import type { ApplyReport } from '../../src/outcome/apply.ts';
import { makeWorld, type World } from '../support/cli.ts';
import { encrypting, projectOf } from '../support/documents.ts';
import { expectRefused, TOKEN, tokenOn } from '../support/store-world.ts';

/** An interceptor with a token, in a project whose gateway is a file. */
function worldWith(token: string, exec = '{}'): World {
  return makeWorld({
    'gwconf.yaml': projectOf({
      prod: `gateway: { url: "embedded:gateway.json" }, files: [gateway], exec: ${exec.replace(/\s*\n\s*/g, ' ')}`,
    }),
    'gateway/encrypt.yaml': encrypting(token),
    'secrets/vault': `${TOKEN}\n`,
  });
}

const PRINTS = '{ vault: { command: [cat, secrets/vault] } }';

describe('${file:PATH}', () => {
  it('is the text of a file in the project, without its last line break', async () => {
    const world = worldWith('${file:secrets/vault}');
    const ran = await world.run('apply', '--auto-approve');
    expect(ran.code, ran.err).toBe(0);
    expect(tokenOn(world)).toBe(TOKEN);
    expect(ran.out + ran.err).not.toContain(TOKEN);
    expect((await world.run('plan')).out).toContain('No changes.');
  });

  it('may be part of a text, and several may', async () => {
    const world = worldWith('a-${file:secrets/vault}-$${GATEWAY}-${file:./secrets/vault}');
    await world.run('apply', '--auto-approve');
    expect(tokenOn(world)).toBe(`a-${TOKEN}-\${GATEWAY}-${TOKEN}`);
  });

  it('shows nowhere, wherever it stands', async () => {
    const world = worldWith('${file:secrets/vault}');
    world.write('gateway/encrypt.yaml', encrypting('x', 'topic: "${file:secrets/vault}"'));
    for (const args of [['plan', '-o', 'json'], ['plan', '--out', 'p.json'], ['render']]) {
      const { out, err, code } = await world.run(...args);
      expect(code, err).toBe(0);
      expect(out + err).not.toContain(TOKEN);
    }
    expect(world.read('p.json')).not.toContain(TOKEN);
  });

  it('begins where --secret-root or GWCONF_SECRET_ROOT says', async () => {
    const elsewhere = makeWorld({ vault: TOKEN });
    for (const path of ['vault', `${elsewhere.folder}/vault`]) {
      const world = worldWith(`\${file:${path}}`);
      expectRefused(await world.run('apply', '--auto-approve'), world, 'cannot be read');
      expect((await world.run('plan', '--secret-root', elsewhere.folder)).code).toBe(0);
      world.env['GWCONF_SECRET_ROOT'] = elsewhere.folder;
      expect((await world.run('apply', '--auto-approve')).code).toBe(0);
      expect(tokenOn(world)).toBe(TOKEN);
    }
  });

  it.each([
    ['is not there', 'secrets/valt', 'no such file or folder'],
    ['is a folder', 'secrets', 'it is a folder'],
    ['is empty', 'secrets/empty', 'it is empty'],
    ['Git LFS has not fetched', 'secrets/pointer', 'it is a pointer of Git LFS, without the content'],
    ['is too large', 'secrets/large', 'it is larger than 1 MB'],
    ['is not UTF-8', 'secrets/bytes', 'it is not UTF-8 text'],
    ['lies outside of the project', '../BESIDE/vault', 'it lies outside of the project'],
    ['is named by a path outside', '/etc/hostname', 'it lies outside of the project'],
    ['is a link that leads out', 'secrets/link', 'it is a link out of the project'],
    ['lies behind a folder that leads out', 'secrets/door/hostname', 'it is a link out of the project'],
  ])('of a file that %s is a problem at its place', async (_, path, why) => {
    const beside = basename(makeWorld({ vault: TOKEN }).folder);
    const world = worldWith(`\${file:${path.replace('BESIDE', beside)}}`);
    world.write('secrets/empty', '\n');
    world.write('secrets/pointer', 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n');
    world.write('secrets/large', 'x'.repeat(1_000_001));
    writeFileSync(join(world.folder, 'secrets/bytes'), Uint8Array.of(0xff, 0xfe, 0x41));
    symlinkSync('/etc/hostname', join(world.folder, 'secrets/link'));
    symlinkSync('/etc', join(world.folder, 'secrets/door'));
    const ran = await world.run('plan');
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('error[unresolved-source]: the secret file');
    expect(ran.err).toContain(why);
    expect(ran.err).toContain('--> gateway/encrypt.yaml:4:');
  });

  it('of a link inside the project is read', async () => {
    const world = worldWith('${file:secrets/current}');
    symlinkSync('vault', join(world.folder, 'secrets/current'));
    expect((await world.run('plan')).code).toBe(0);
  });
});

describe('${exec:NAME}', () => {
  it('is what a program of gwconf.yaml prints, run in its folder and only when that is allowed', async () => {
    const world = worldWith('${exec:vault}', PRINTS);
    expectRefused(
      await world.run('apply', '--auto-approve'),
      world,
      'error[unresolved-source]: the program vault is not run: nothing allows it',
      'use --allow-exec only where you trust it',
    );
    const ran = await world.run('apply', '--auto-approve', '--allow-exec');
    expect(ran.code, ran.err).toBe(0);
    expect(tokenOn(world)).toBe(TOKEN);
    world.env['GWCONF_ALLOW_EXEC'] = '1';
    expect((await world.run('plan')).out).toContain('No changes.');
  });

  it('is run once, however often it is asked for', async () => {
    const world = worldWith(
      '${exec:vault} ${exec:vault}',
      '{ vault: { command: [sh, -c, "echo x >> count; echo secret-of-it"] } }',
    );
    world.write('gateway/other.yaml', encrypting('${exec:vault}').replace('name: encrypt', 'name: other'));
    await world.run('plan', '--allow-exec');
    expect(world.read('count')).toBe('x\n');
  });

  it('gets its arguments as they are: no shell reads them', async () => {
    const world = worldWith('${exec:vault}', '{ vault: { command: [echo, "$HOME; touch pwned", "$(id)"] } }');
    await world.run('apply', '--auto-approve', '--allow-exec');
    expect(tokenOn(world)).toBe('$HOME; touch pwned $(id)');
    expect(world.has('pwned')).toBe(false);
  });

  it.each([
    ['is not defined', 'valt', 'there is no program valt: prod has no exec of that name'],
    ['is not there', 'absent', 'the program absent cannot be run: there is no such program'],
    ['fails', 'fails', 'the program fails ended with 3: no access for (hidden)'],
    ['takes too long', 'slow', 'the program slow took longer than 0.05 s'],
    ['says too much', 'loud', 'the program loud printed more than 1 MB'],
    ['prints nothing', 'silent', 'the program silent printed nothing'],
    ['prints bytes', 'bytes', 'the program bytes printed something that is not UTF-8 text'],
  ])('of a program that %s is a problem at its place', async (_, name, sentence) => {
    const world = worldWith(
      `\${exec:${name}}`,
      `{
        vault: { command: [cat, secrets/vault] },
        absent: { command: [no-such-program-here] },
        fails: { command: [sh, -c, "cat secrets/vault; echo no access for $(cat secrets/vault) >&2; exit 3"] },
        slow: { command: [sleep, "60"], timeout: 50ms },
        loud: { command: [sh, -c, "yes | head -c 2000000"] },
        silent: { command: ["true"] },
        bytes: { command: [printf, '\\377\\376'] }
      }`,
    );
    const ran = await world.run('plan', '--allow-exec');
    expect(ran.code).toBe(1);
    expect(ran.err).toContain(`error[unresolved-source]: ${sentence}`);
    expect(ran.err).toContain('--> gateway/encrypt.yaml:4:');
    expect(ran.err).not.toContain(TOKEN);
  });
});

it('all sources that give nothing are told together, and nothing is written', async () => {
  const world = worldWith('${file:one} ${exec:two} ${THREE}', PRINTS);
  world.write('gateway/other.yaml', encrypting('${file:four}').replace('name: encrypt', 'name: other'));
  expectRefused(
    await world.run('apply', '--auto-approve', '--allow-exec'),
    world,
    'the secret file one cannot be read',
    'there is no program two',
    'the environment variable THREE is not set',
    'the secret file four cannot be read',
  );
});

describe('without a gateway', () => {
  it.each(['validate', 'render'])(
    '%s reads no file and runs no program, and checks the rest',
    async (command) => {
      const world = worldWith('${exec:vault}', '{ vault: { command: [touch, ran] } }');
      world.write(
        'gateway/encrypt.yaml',
        encrypting('${exec:vault}', 'errorPolicy: "${file:absent}"').replace(
          'priority: 1',
          'priority: "${exec:vault}"',
        ),
      );
      world.env['GWCONF_ALLOW_EXEC'] = '1';
      const ran = await world.run(command);
      expect(ran.code, ran.err).toBe(0);
      expect(world.has('ran')).toBe(false);
    },
  );

  it('a program that gwconf.yaml does not name is a problem already', async () => {
    const ran = await worldWith('${exec:valt}', PRINTS).run('validate');
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('did you mean vault?');
  });
});

it.each([
  ['a name', 'metadata: { name: "${file:secrets/vault}" }'],
  ['a scope', 'metadata: { name: a, scope: { vCluster: "${file:secrets/vault}" } }'],
  ['a kind', 'metadata: { name: a }\nkind: ${file:secrets/vault}'],
])('a secret is no part of %s', async (_, line) => {
  const world = worldWith('x');
  const kind = line.includes('kind:') ? '' : 'kind: Interceptor\n';
  world.write(
    'gateway/encrypt.yaml',
    `apiVersion: gateway/v2\n${kind}${line}\nspec: { pluginClass: com.example.Own, priority: 1, config: {} }\n`,
  );
  const ran = await world.run('plan');
  expect(ran.code).toBe(1);
  expect(ran.err).toContain('error[exposed-secret]');
  expect(ran.err).not.toContain(TOKEN);
});

it('a secret is no key', async () => {
  const world = worldWith('x');
  world.write('gateway/encrypt.yaml', encrypting('x', '"${file:secrets/vault}": 1'));
  const ran = await world.run('plan');
  expect(ran.err).toContain('error[exposed-secret]');
  expect(ran.err + ran.out).not.toContain(TOKEN);
});

describe('a saved plan', () => {
  it('keeps the placeholder, and apply asks the source again', async () => {
    const world = worldWith('${exec:vault}${file:secrets/vault}', PRINTS);
    expect((await world.run('plan', '--out', 'p.json', '--allow-exec')).code).toBe(0);
    expect(world.read('p.json')).toContain('"text":"${exec:vault}${file:secrets/vault}"');
    expect(world.read('p.json')).not.toContain(TOKEN);
    expectRefused(
      await world.run('apply', 'p.json'),
      world,
      'the program vault is not run: nothing allows it',
    );
    const ran = await world.run('apply', 'p.json', '--allow-exec');
    expect(ran.code, ran.err).toBe(0);
    expect(tokenOn(world)).toBe(TOKEN + TOKEN);
  });

  it('tells once what a source does not give, and what else is missing', async () => {
    const world = worldWith('${exec:vault}', PRINTS);
    world.write('gateway/other.yaml', encrypting('${exec:vault}!').replace('name: encrypt', 'name: other'));
    world.write(
      'gateway/both.yaml',
      encrypting('${exec:vault}${MORE}').replace('name: encrypt', 'name: both'),
    );
    world.env['MORE'] = 'of-the-environment';
    await world.run('plan', '--out', 'p.json', '--allow-exec');
    const codesOf = async (): Promise<readonly string[]> => {
      const { out } = await world.run('apply', 'p.json', '-o', 'json');
      return (JSON.parse(out) as ApplyReport).problems.map(({ code }) => code);
    };
    expect(await codesOf()).toEqual(['unresolved-source']);
    delete world.env['MORE'];
    expect(await codesOf()).toEqual(['unresolved-source', 'secret-unavailable']);
  });

  it('is not applied when a source gives something else', async () => {
    const world = worldWith('${file:secrets/vault}');
    await world.run('plan', '--out', 'p.json');
    world.write('secrets/vault', 'another-one');
    expectRefused(await world.run('apply', 'p.json'), world, 'has changed since the plan was made');
  });

  /** The plan with other words in it, and a digest that fits. */
  function forge(world: World, change: (text: string) => string): void {
    const { digest: _, ...open } = JSON.parse(change(world.read('p.json'))) as Record<string, Json>;
    world.write('p.json', JSON.stringify({ ...open, digest: digest(canonicalText(open)) }));
  }

  it.each([
    ['exec:vault', '${exec:evil}', ['exec:evil'], 'there is no program evil'],
    [
      'exec:vault',
      '${exec:evil}',
      ['exec:vault'],
      'has changed since the plan was made|where it is now missing',
    ],
    ['file:secrets/vault', '${file:/etc/hostname}', ['file:/etc/hostname'], 'it lies outside of the project'],
  ])('that was forged finds no other source: %s becomes %s', async (name, text, variables, sentence) => {
    const world = worldWith(`\${${name}}`, PRINTS);
    await world.run('plan', '--out', 'p.json', '--allow-exec');
    forge(world, (plan) =>
      plan
        .replaceAll(`"text":"\${${name}}"`, `"text":${JSON.stringify(text)}`)
        .replaceAll(`"${name}"`, variables.map((variable) => JSON.stringify(variable)).join()),
    );
    const ran = await world.run('apply', 'p.json', '--allow-exec');
    expect(ran.code, ran.err).toBe(1);
    expect(ran.err).toMatch(new RegExp(sentence));
    expect(tokenOn(world)).toBeUndefined();
  });

  it('that was forged reads no file outside of the project for a secret that was written out', async () => {
    const world = worldWith('a-literal-token');
    const outside = makeWorld({ 'encrypt.yaml': encrypting('a-literal-token') });
    await world.run('plan', '--out', 'p.json');
    const path = join(outside.folder, 'encrypt.yaml');
    forge(world, (plan) => plan.replaceAll('"gateway/encrypt.yaml"', JSON.stringify(path)));
    expectRefused(await world.run('apply', 'p.json'), world, 'where it is now missing');
    expect((await world.run('apply', 'p.json', '--secret-root', outside.folder)).code).toBe(0);
  });
});
