import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from '../support/fast-check.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { type Json, type JsonObject, anyItem } from '../../src/model/json/json.ts';
import { checkFiles, checkWorld } from '../../src/plan/checks/world-checks.ts';
import { redactDesired } from '../../src/plan/secrets/redact.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { kindNamed } from '../../src/schema/load/recognise.ts';
import { locateProblems } from '../../src/schema/load/locate.ts';
import { load } from '../../src/schema/load/load.ts';
import { variablesFrom } from '../../src/schema/yaml/interpolate.ts';
import { parseYaml } from '../../src/schema/yaml/parse.ts';
import { printYaml } from '../../src/schema/yaml/print.ts';
import { closeAll, serve as answerAt } from '../gateway/opponent.ts';
import { makeWorld, type World } from '../support/cli.ts';
import { corpus } from '../support/corpus.ts';
import { state } from '../support/generate.ts';
import { kindOf } from '../support/kinds.ts';
import { PAIRS, runs, time } from '../support/order-pairs.ts';
import { placesIn, withTextAt } from '../support/places.ts';
import { LOGIN, serve } from '../support/served.ts';
import { someOf } from '../support/soak.ts';

const CI = { CI: 'true', GITHUB_ACTIONS: 'true' };
/** Too short for the search in the output, so that only its origin can hide it. */
const SECRET = 'q7z';
const HEAD = 'apiVersion: gwconf/v1\nkind: Project\n';

const alias = (name: string, more = '', physicalName = 'x'): string =>
  `apiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: "${name}" }\nspec: { physicalName: "${physicalName}"${more} }\n`;
const projectWith = (environment: string): string =>
  `${HEAD}environments:\n  prod:\n    files: [a.yaml]\n${environment}`;

/** All that a run says and writes, except for what the author wrote and the state of the gateway. */
async function saidBy(world: World, ...args: readonly string[]): Promise<string> {
  const { out, err, questions } = await world.run(...args);
  return [out, err, ...questions].join('\n');
}

describe('threat: author: a variable in a place that is shown', () => {
  it.each([
    ['a name', alias('${TOKEN}-x')],
    ['a name, whole', alias('${TOKEN}')],
    ['a virtual cluster', alias('x').replace('" }', '", vCluster: "${TOKEN}" }')],
    ['a kind', alias('x').replace('AliasTopic', '${TOKEN}')],
    ['an apiVersion', alias('x').replace('gateway/v2', '${TOKEN}')],
    ['an overlay', alias('x').replace('metadata', 'overlay: "${TOKEN}"\nmetadata')],
    ['protect', alias('x').replace('metadata', 'protect: "${TOKEN}"\nmetadata')],
    ['a key', alias('x').replace('physicalName:', '"${TOKEN}": 1, physicalName:')],
    ['a physical cluster', alias('x', ', physicalCluster: "${TOKEN}"')],
    [
      'a member of a group',
      'apiVersion: gateway/v2\nkind: GatewayGroup\nmetadata: { name: g }\nspec: { members: [{ name: "${TOKEN}" }] }\n',
    ],
    [
      'a group of a user mapping',
      'apiVersion: gwconf/v1\nkind: UserMapping\nmetadata: { name: abc }\nspec: { principal: p, groups: ["${TOKEN}"] }\n',
    ],
    [
      'an address to remove',
      'apiVersion: gwconf/v1\nkind: Removal\nmetadata: { name: r }\nspec: { remove: ["AliasTopic/${TOKEN}"], reason: r }\n',
    ],
    [
      'a plugin class',
      'apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: i }\nspec: { pluginClass: "${TOKEN}", priority: 1, config: {} }\n',
    ],
  ])('is an error that names the variable, not its value: %s', async (_, text) => {
    const world = makeWorld({ 'a.yaml': text });
    world.env['TOKEN'] = SECRET;
    for (const command of [
      ['validate', 'a.yaml'],
      ['render', 'a.yaml'],
      ['plan', 'a.yaml', '--url', 'embedded:', '-o', 'json', '--out', 'plan.json'],
    ]) {
      const said = await saidBy(world, ...command);
      expect(said).toContain('exposed-secret');
      expect(said).toContain('if the value can be shown, add TOKEN to GWCONF_PUBLIC_VARIABLES');
      expect(said).not.toContain(SECRET);
    }
    expect(world.has('plan.json')).toBe(false);
  });

  it('the same with a file, a program and a variable of the project', async () => {
    const world = makeWorld({
      'gwconf.yaml': projectWith(
        '    variables: { x: "${TOKEN}" }\n    exec: { p: { command: [echo, q7z] } }\n',
      ),
      key: SECRET,
    });
    world.env['TOKEN'] = SECRET;
    for (const source of ['${file:key}', '${exec:p}', '${var.x}']) {
      world.write('a.yaml', alias(`a-${source}`));
      const said = await saidBy(world, 'plan', '--url', 'embedded:', '--allow-exec');
      expect(said, source).toContain('exposed-secret');
      expect(said, source).not.toContain(SECRET);
    }
  });

  it('is allowed for a variable that is public, by flag, variable or gwconf.yaml', async () => {
    const world = makeWorld({ 'a.yaml': alias('${REGION}-x') });
    world.env['REGION'] = 'eu';
    expect(
      await saidBy(world, 'plan', 'a.yaml', '--url', 'embedded:', '--public-variable', 'REGION'),
    ).toContain('+ AliasTopic/eu-x');
    world.env['GWCONF_PUBLIC_VARIABLES'] = 'OTHER, REG*';
    expect(await saidBy(world, 'plan', 'a.yaml', '--url', 'embedded:')).toContain('+ AliasTopic/eu-x');
    delete world.env['GWCONF_PUBLIC_VARIABLES'];
    world.write(
      'gwconf.yaml',
      projectWith('    publicVariables: [REGION]\n    variables: { r: "${REGION}" }\n'),
    );
    world.write('a.yaml', alias('${var.r}-x'));
    expect(await saidBy(world, 'plan', '--url', 'embedded:')).toContain('+ AliasTopic/eu-x');
  });
});

describe('threat: author: a secret in clear in a pattern', () => {
  it.each(['https://u:hunter22@h/', 'token=hunter22', 'token=hunter22-*', 'password=hunter22['])(
    'quotes no secret in clear as a pattern: %s',
    async (topic) => {
      const spec = {
        pluginClass: 'io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin',
        priority: 1,
        config: { topic, policies: [{ name: 'p', rule: { type: 'MASK_ALL' }, fields: ['a'] }] },
      };
      const metadata = { name: 'm', scope: { vCluster: 'passthrough' } };
      const text = JSON.stringify({ apiVersion: 'gateway/v2', kind: 'Interceptor', metadata, spec }, null, 1);
      const world = makeWorld({ 'a.yaml': text });
      for (const format of ['human', 'json', 'sarif']) {
        const { out, err } = await world.run('validate', 'a.yaml', '-o', format);
        expect(out + err).toContain('literal-secret');
        expect(out + err).not.toContain('hunter22');
      }
    },
  );
});

describe('threat: author: variables of the project that pass a secret on', () => {
  it('are as secret as what they contain, through layers and live values', async () => {
    const world = makeWorld({
      'gwconf.yaml': projectWith('    variables: { x: "by ${TOKEN}" }\n').replace(
        '[a.yaml]',
        '[a.yaml, b.yaml]',
      ),
      'a.yaml': alias('x', '', '${var.x}').replaceAll('by ', ''),
      'b.yaml': `overlay: true\n${alias('x', '', 'b-${var.y}')}`,
    });
    world.write('gwconf.yaml', world.read('gwconf.yaml').replace('by ${TOKEN}"', '${TOKEN}", y: "${TOKEN}"'));
    const url = ['--url', 'embedded:s.json'];
    for (const value of [SECRET, 'w8y']) {
      world.env['TOKEN'] = value;
      for (const args of [['render'], ['plan', ...url, '-o', 'json'], ['apply', '--auto-approve', ...url]]) {
        const said = await saidBy(world, ...args);
        expect(said, args[0]).not.toMatch(/q7z|w8y/);
      }
      expect(world.read('s.json')).toContain(`b-${value}`);
    }
    expect(await saidBy(world, 'journal', '-o', 'json')).not.toMatch(/q7z|w8y/);
  });
});

describe('threat: author: credentials of gwconf by name', () => {
  it.each(['GWCONF_PLAN_KEY', 'CDK_GATEWAY_PASSWORD', 'gwconf_password'])('%s is refused', async (name) => {
    const world = makeWorld({ 'a.yaml': alias('x', '', `\${${name}}`) });
    Object.assign(world.env, { [name]: SECRET, GWCONF_PUBLIC_VARIABLES: '*' });
    for (const command of ['validate', 'render', 'plan', 'drift']) {
      const said = await saidBy(
        world,
        command,
        'a.yaml',
        ...(command === 'plan' ? ['--url', 'embedded:'] : []),
      );
      if (command === 'drift') continue;
      expect(said, command).toContain(`${name} is a setting of gwconf, and files cannot use it`);
      expect(said, command).not.toContain(SECRET);
    }
    world.write('a.yaml', alias('x', '', '${var.x}'));
    world.write('gwconf.yaml', projectWith(`    variables: { x: "\${${name}:-d}" }\n`));
    expect(await saidBy(world, 'validate')).toContain('variable-not-allowed');
    world.write('a.yaml', alias('x'));
    world.write('gwconf.yaml', projectWith(`    gateway: { url: "http://\${${name}}" }\n`));
    expect(await saidBy(world, 'plan')).toContain('variable-not-allowed');
  });
});

describe('threat: author: any variable of the job', () => {
  const plan = ['plan', 'a.yaml', '--url', 'embedded:', '-o', 'json'];

  it('can be used in CI only if the job allows it', async () => {
    const world = makeWorld({ 'a.yaml': alias('x', '', '${TOKEN}') });
    Object.assign(world.env, CI, { TOKEN: SECRET });
    const said = await saidBy(world, ...plan);
    expect(said).toContain('the environment variable TOKEN is not allowed here');
    expect(said).toContain(
      'if files can use it, add TOKEN to GWCONF_ALLOWED_VARIABLES where the variables of the job are set',
    );
    for (const allowed of ['', 'OTHER', 'TOKE']) {
      world.env['GWCONF_ALLOWED_VARIABLES'] = allowed;
      expect(await saidBy(world, ...plan), allowed).toContain('variable-not-allowed');
    }
    world.env['GWCONF_ALLOWED_VARIABLES'] = 'OTHER,TO*';
    expect(await saidBy(world, ...plan)).toContain('(hidden)');
    expect(await saidBy(world, ...plan)).not.toContain(SECRET);
  });

  it.each([
    ['of those that files can use', '*,!TOKEN', ''],
    ['in another case, since Windows has none', '*,!token', ''],
    ['of those that files can use, where all are public', '*,!TOKEN', '*'],
  ])('cannot be used where the job excludes it %s', async (_, allowed, shown) => {
    const world = makeWorld({ 'a.yaml': alias('x', '', '${TOKEN}') });
    Object.assign(world.env, CI, { TOKEN: SECRET });
    Object.assign(world.env, { GWCONF_ALLOWED_VARIABLES: allowed, GWCONF_PUBLIC_VARIABLES: shown });
    expect(await saidBy(world, ...plan)).toContain('variable-not-allowed');
    world.env['GWCONF_ALLOWED_VARIABLES'] = '*,!OTHER';
    expect(await saidBy(world, ...plan)).not.toContain('variable-not-allowed');
  });

  it('is not shown where the job excludes it from those that are', async () => {
    const world = makeWorld({ 'a.yaml': alias('x', '', '${TOKEN}') });
    Object.assign(world.env, CI, { TOKEN: SECRET });
    Object.assign(world.env, { GWCONF_ALLOWED_VARIABLES: 'TOKEN', GWCONF_PUBLIC_VARIABLES: '*,!TOKEN' });
    const said = await saidBy(world, ...plan);
    expect([said, said]).toEqual([expect.stringContaining('(hidden)'), expect.not.stringContaining(SECRET)]);
    delete world.env['GWCONF_ALLOWED_VARIABLES'];
    expect(await saidBy(world, ...plan)).toContain('variable-not-allowed');
  });

  it('can be used by a saved plan in CI only if the job allows it', async () => {
    const world = makeWorld({ 'a.yaml': alias('x', '', '${TOKEN}') });
    world.env['TOKEN'] = SECRET;
    await world.run('plan', 'a.yaml', '--url', 'embedded:s.json', '--out', 'plan.json');
    const apply = ['apply', 'plan.json', '--url', 'embedded:s.json'];
    Object.assign(world.env, CI);
    expect(await saidBy(world, ...apply)).toContain('add TOKEN to GWCONF_ALLOWED_VARIABLES');
    expect(world.has('s.json')).toBe(false);
    world.env['GWCONF_ALLOWED_VARIABLES'] = 'TOKEN';
    expect(await saidBy(world, ...apply)).toContain('1 done');
  });

  it('is held to the list outside of CI, too, once there is one', async () => {
    const world = makeWorld({ 'a.yaml': alias('x', '', '${TOKEN}') });
    Object.assign(world.env, { TOKEN: SECRET, GWCONF_ALLOWED_VARIABLES: 'OTHER' });
    expect(await saidBy(world, ...plan)).toContain('variable-not-allowed');
    expect((await world.run('doctor')).out).toMatch(/^variables +OTHER +GWCONF_ALLOWED_VARIABLES/m);
  });

  it('has its default in CI if it is not set', async () => {
    const world = makeWorld({ 'a.yaml': alias('x', '', '${TOKEN:-usual}') });
    Object.assign(world.env, CI);
    expect((await world.run('render', 'a.yaml')).out).toContain('physicalName: usual');
    expect((await world.run(...plan)).code).toBe(0);
    world.env['TOKEN'] = SECRET;
    expect(await saidBy(world, ...plan)).toContain('variable-not-allowed');
  });

  it('is not public in CI because gwconf.yaml says so', async () => {
    const world = makeWorld({
      'gwconf.yaml': projectWith('    publicVariables: ["*"]\n'),
      'a.yaml': alias('x', '', '${TOKEN}'),
    });
    Object.assign(world.env, CI, { TOKEN: SECRET, GWCONF_ALLOWED_VARIABLES: 'TOKEN' });
    expect(await saidBy(world, ...plan)).not.toContain(SECRET);
    world.write('a.yaml', alias('${TOKEN}'));
    const said = await saidBy(world, ...plan);
    expect(said).toContain('add TOKEN to GWCONF_PUBLIC_VARIABLES where the variables of the job are set');
    expect(said).not.toContain(SECRET);
    world.env['GWCONF_PUBLIC_VARIABLES'] = 'TOKEN';
    delete world.env['GWCONF_ALLOWED_VARIABLES'];
    expect(await saidBy(world, ...plan)).toContain(`AliasTopic/${SECRET}`);
  });

  it('is not needed by commands that send nothing', async () => {
    const world = makeWorld({ 'a.yaml': alias('x', '', '${TOKEN}') });
    await world.run('snapshot', '--url', 'embedded:', '--out', 'live.json');
    Object.assign(world.env, CI, { TOKEN: SECRET });
    for (const args of [
      ['validate', 'a.yaml'],
      ['render', 'a.yaml'],
      ['plan', 'a.yaml', '--snapshot', 'live.json'],
    ]) {
      const ran = await world.run(...args);
      expect(ran.code, ran.err).toBe(0);
      expect(ran.out + ran.err).not.toContain(SECRET);
    }
  });
});

describe('threat: author: a secret that the files no longer have', () => {
  it('is not in a plan from a snapshot that was taken with them', async () => {
    const world = makeWorld({ 'a.yaml': alias('x', '', '${TOKEN}') });
    world.env['TOKEN'] = SECRET;
    const applied = await world.run('apply', '-f', 'a.yaml', '--url', 'embedded:s.json', '--auto-approve');
    expect(applied.code, applied.err).toBe(0);
    await world.run('snapshot', '-f', 'a.yaml', '--url', 'embedded:s.json', '--out', 'live.json');
    world.write('a.yaml', alias('x', '', 'other'));
    const said = await saidBy(world, 'plan', 'a.yaml', '--snapshot', 'live.json', '-o', 'json');
    expect(said).toContain('"update": 1');
    expect(said).toContain('"other"');
    expect(said).not.toContain(SECRET);
  });

  /** Short enough to be no word of the net in the last step of all output. */
  const FORMER = 'q7z-19w';
  const plugin = (config: string): string =>
    `apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: i }\nspec:\n  pluginClass: com.example.Own\n  priority: 1\n  config: ${config}\n`;
  const allowed: Readonly<Record<string, string>> = { ...CI, GWCONF_ALLOWED_VARIABLES: 'OTHER,MY_*' };
  const url = ['--url', 'embedded:s.json'];
  const former = async (config: string, env: Record<string, string>): Promise<World> => {
    const world = makeWorld({ 'a.yaml': plugin(config) });
    Object.assign(world.env, env);
    const applied = await world.run('apply', '-f', 'a.yaml', ...url, '--auto-approve');
    expect(applied.code, applied.err).toBe(0);
    return world;
  };
  const gone =
    'apiVersion: gwconf/v1\nkind: Removal\nmetadata: { name: r }\nspec: { remove: [Interceptor/i@vCluster=passthrough], reason: r }\n';

  it.each([
    ['another text', '{ a: "${MY_A}" }', plugin('{ a: text-of-the-author }'), FORMER],
    ['a part of a text', '{ a: "by ${MY_A}, v1" }', plugin('{ a: text-of-the-author }'), `${FORMER}-long`],
    ['a number', '\n    a: ${MY_A}', plugin('{ a: 5 }'), '71930517'],
    ['an item of a list', '{ a: [x, "${MY_A}"] }', plugin('{ a: [x, y] }'), FORMER],
    ['a key', '{ a: { b: "${MY_A}" } }', plugin('{ c: 1 }'), FORMER],
    ['another type', '{ a: { b: "${MY_A}" } }', plugin('{ a: [] }'), FORMER],
    ['a removal', '{ a: "${MY_A}" }', gone, FORMER],
  ])('is hidden in what compares with the gateway: %s', async (_, config, pulled, value) => {
    const world = await former(config, { ...allowed, MY_A: value });
    const log: string[] = [];
    world.write('a.yaml', pulled);
    const found = async (...args: readonly string[]): Promise<string> => {
      const { out, err } = await world.runWith(
        { onTrace: (fields) => log.push(JSON.stringify(fields)) },
        ...args,
      );
      return out + err;
    };
    for (const args of [
      ['plan', '-f', 'a.yaml', '--detail', 'full'],
      ['plan', '-f', 'a.yaml', '-o', 'json', '--out', 'p.json', '-o', 'sarif=p.sarif', '-o', 'junit=p.xml'],
      ['drift', '-f', 'a.yaml', '-o', 'json'],
      ['drift', '-f', 'a.yaml'],
      ['snapshot', '-f', 'a.yaml', '--out', 'live.json'],
      ['doctor', '--deep'],
    ]) {
      const said = await found(...args, ...url);
      expect(said, args.join(' ')).not.toMatch(/result: (wrong-usage|error|bug)/);
      expect(said, args.join(' ')).not.toContain(value);
    }
    expect(await found('show', 'p.json')).toContain('(hidden)');
    expect(await found('apply', 'p.json', ...url, '--auto-approve')).toContain('1 done');
    const undone = await found('undo', ...url, '--auto-approve');
    expect(undone).toContain('its secret at /spec/config/');
    for (const name of readdirSync(join(world.folder, '.gwconf'), { recursive: true, encoding: 'utf8' }))
      if (/\.\w+$/.test(name)) log.push(world.read(`.gwconf/${name}`));
    for (const name of ['p.json', 'p.sarif', 'p.xml', 'live.json']) log.push(world.read(name));
    expect(log.join('\n')).not.toContain(value);
  });

  it.each(['71930517.0', '+71930517', '7.1930517e7', '0x4499295', '0o422311225'])(
    'is hidden however its variable writes a number: %s',
    async (value) => {
      const world = await former('\n    a: ${MY_A}', { ...allowed, MY_A: value });
      expect(world.read('s.json')).toContain('"a":71930517');
      world.write('a.yaml', plugin('{ a: 5 }'));
      const said = await saidBy(world, 'plan', '-f', 'a.yaml', ...url);
      expect(said).toContain('(hidden)');
      expect(said).not.toContain('71930517');
    },
  );

  it('is not in the files that init makes of a gateway', async () => {
    const world = await former('{ a: "by ${MY_TOKEN}" }', { MY_TOKEN: `${FORMER}-and-longer` });
    const said = await saidBy(world, 'init', '--yes', '--url', 'embedded:s.json', '--folder', 'g');
    expect(said).toContain('The files need 1 variable for secrets');
    expect(said).toContain('Interceptor/i@vCluster=passthrough');
    for (const name of ['gwconf.yaml', ...readdirSync(join(world.folder, 'g')).map((file) => `g/${file}`)])
      expect(world.read(name)).not.toContain(FORMER);
  });

  it('is hidden where the gateway keeps it, too', async () => {
    const world = await former('{ a: "${MY_A}", b: 1 }', { ...allowed, MY_A: FORMER });
    const ignore = '{ address: "*", path: /spec/config/a, reason: r }';
    world.write('gwconf.yaml', projectWith(`    ignore: [${ignore}]\n`));
    world.write('a.yaml', plugin('{ a: other, b: 2 }'));
    const said = await saidBy(world, 'plan', ...url, '-o', 'json', '--out', 'p.json');
    expect(world.read('p.json')).toContain('"a":"(hidden)"');
    expect(said + world.read('p.json')).not.toContain(FORMER);
    expect(await saidBy(world, 'apply', 'p.json', ...url, '--auto-approve')).toContain('1 done');
    expect(world.read('s.json')).toContain(FORMER);
    expect(await saidBy(world, 'undo', ...url, '--auto-approve')).toContain('1 done');
    expect(world.read('s.json')).toMatch(new RegExp(`"a":"${FORMER}","b":1`));
  });

  it.each<[string, Record<string, string>, boolean]>([
    ['one that the job allows', { GWCONF_ALLOWED_VARIABLES: 'MY_TOKEN' }, true],
    ['a long one with the name of a secret, on a machine without a list', {}, true],
    ['the same in CI without a list', CI, true],
    ['a public one', { GWCONF_PUBLIC_VARIABLES: 'MY_*' }, false],
    ['one that tells where a secret is', { MY_TOKEN: '', MY_TOKEN_URL: 'text-of-gateway' }, false],
    ['one with another name', { MY_TOKEN: '', MY_COLOUR: 'text-of-gateway' }, false],
    ['a short one', { MY_TOKEN: 'text' }, false],
  ])('is known by the variables of the job: %s', async (_, env, isHidden) => {
    const world = await former('{ a: text-of-gateway }', {});
    Object.assign(world.env, { MY_TOKEN: 'text-of-gateway', ...env });
    world.write('a.yaml', plugin('{ a: other }'));
    const said = await saidBy(world, 'plan', 'a.yaml', ...url);
    expect(said).toContain(isHidden ? '"(hidden)" → "other"' : '"text-of-gateway" → "other"');
  });
});

/** An example of every kind, and all files of the corpus. */
const documents: readonly Json[] = [
  ...[...catalog.kinds.values(), ...catalog.ownKinds.values()].map(({ example }) => example),
  ...corpus.flatMap(({ name, text }) =>
    parseYaml(
      { path: name, text },
      variablesFrom((variable) => `a-${variable}`),
    ).map(({ value }) => value),
  ),
];
const attacks = documents.flatMap((document) => placesIn(document).map((place) => ({ document, place })));
/** Values that are valid somewhere; each is found again whatever is done to its case. */
const CANARIES = ['q7z', '73197319', 'q7z with blanks!', 'canary-q7z-of-usual-length'];
const UNMISTAKABLE = /q7z|73197319/i;
const placeholders = ['${CANARY}', 'a-${CANARY}.b'];

describe('threat: author: a secret in every place of every document', () => {
  const attack = fc.record({
    attack: fc.constantFrom(...attacks),
    value: fc.constantFrom(...CANARIES),
    text: fc.constantFrom(...placeholders),
  });

  it('is in no problem, address or rendered resource', time, () => {
    fc.assert(
      fc.property(attack, ({ attack: { document, place }, value, text }) => {
        const file = { path: 'a.yaml', text: printYaml([withTextAt(document, place, text)]), named: true };
        const {
          value: desired,
          declared,
          removals,
          problems,
        } = load(
          [file],
          catalog,
          variablesFrom((name) => (name === 'CANARY' ? value : undefined)),
        );
        const world = { desired, declared, removals, rules: {}, kinds: catalog.kinds };
        const told = locateProblems([...problems, ...checkFiles(world)]);
        const shown = redactDesired(desired, catalog.kinds);
        expect(JSON.stringify([told, [...declared.keys()], removals, shown])).not.toMatch(UNMISTAKABLE);
      }),
      { ...runs, numRuns: PAIRS * 4 },
    );
  });

  it('is in no output, file or log of any command', time, async () => {
    const sources = fc.constantFrom(...placeholders, '${var.x}', '${file:key}');
    await fc.assert(
      fc.asyncProperty(attack, sources, fc.boolean(), async ({ attack: one, value }, text, isQuoted) => {
        const { document, place } = one;
        const attacked = withTextAt(document, place, text);
        const world = makeWorld({
          'gwconf.yaml': projectWith(
            '    variables: { x: "${CANARY}" }\n    gateway: { url: "embedded:state.json" }\n',
          ),
          key: value,
        });
        world.write('a.yaml', isQuoted ? JSON.stringify(attacked) : printYaml([attacked]));
        await expectSilence(world, { CANARY: value });
        await expectSilence(world, { CANARY: 'q7z again' });
      }),
      { ...runs, numRuns: Math.ceil(PAIRS / 5) },
    );
  });

  it('is in none once another text is there, and its plan can be applied', time, async () => {
    const once = fc.record({
      attack: fc.constantFrom(
        ...attacks.filter(({ place: { on, tokens } }) => on === 'value' && tokens[0] === 'spec'),
      ),
      value: fc.constantFrom('q7z-19w8', '73197319', 'canary-q7z-of-usual-length'),
      text: fc.constantFrom(...placeholders),
    });
    const pathOf = ({ place: { tokens } }: (typeof attacks)[number]): string => tokens.join('/');
    const priority = attacks.find((one) => pathOf(one) === 'spec/priority') ?? expect.fail('no priority');
    const priorityOnce = { attack: priority, value: '73197319', text: '${CANARY}' };
    await fc.assert(
      fc.asyncProperty(once, async ({ attack: { document, place }, value, text }) => {
        const world = makeWorld({
          'gwconf.yaml': projectWith('    gateway: { url: "embedded:state.json" }\n'),
          'a.yaml': printYaml([withTextAt(document, place, text)]),
        });
        Object.assign(world.env, CI, { CANARY: value, GWCONF_ALLOWED_VARIABLES: 'CANARY' });
        if ((await world.run('plan', '--out', 'first.json')).code !== 0) return;
        const applied = await world.run('apply', 'first.json', '--auto-approve');
        expect(applied.err).not.toContain('invalid-plan');
        world.write('a.yaml', printYaml([document]));
        await expectSilence(world, {});
      }),
      { ...runs, numRuns: Math.ceil(PAIRS / 4), examples: [[priorityOnce]] },
    );
  });

  it('refers to nothing that is not shown', () => {
    fc.assert(
      fc.property(state, (resources) => {
        for (const one of resources) {
          const { references, shown } = kindNamed(one.kind, catalog) ?? kindOf(one.kind);
          const patterns = ['/metadata', ...shown.map((tokens) => `/${tokens.join('/')}`)];
          for (const { path } of references(one)) {
            const place = anyItem(path);
            expect(
              patterns.some((pattern) => place === pattern || place.startsWith(`${pattern}/`)),
              path,
            ).toBe(true);
          }
        }
      }),
      runs,
    );
  });
});

describe('threat: author: a check that depends on a secret', () => {
  /** Values of one type. What is found in files must be the same with either. */
  const pairs = fc.constantFrom(
    ['a', 'zq-Z.9(]{'],
    ['b1', 'b'.repeat(300)],
    ['3', '2147483649'],
    ['"}', '$OTHER x}}'],
  );
  const texts = fc.constantFrom(
    '${CANARY}',
    'm${CANARY}',
    '[m-${CANARY}]',
    'a{9,${CANARY}}',
    '(${CANARY})x)',
  );
  const findIn = (value: string, text: string): string => {
    const files = [{ path: 'a.yaml', text, named: true }];
    const loaded = load(
      files,
      catalog,
      variablesFrom((name) => (name === 'CANARY' ? value : undefined)),
    );
    const world = { desired: loaded.value, declared: loaded.declared, removals: loaded.removals };
    const checked = checkWorld({ ...world, rules: {}, kinds: catalog.kinds });
    return JSON.stringify([...locateProblems(loaded.problems), ...locateProblems(checked)]);
  };

  it('finds the same in files whatever the value is', time, () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...attacks),
        pairs,
        texts,
        ({ document, place }, [one = '', other = ''], text) => {
          const attacked = printYaml([withTextAt(document, place, text)]);
          expect(findIn(one, attacked)).toBe(findIn(other, attacked));
        },
      ),
      { ...runs, numRuns: PAIRS * 4 },
    );
  });

  const account = (name: string, external: string): string =>
    `---\napiVersion: gateway/v2\nkind: GatewayServiceAccount\nmetadata: { name: ${name} }\nspec: { type: EXTERNAL, externalNames: ["${external}"] }\n`;
  const interceptor = (name: string, priority: string, config = '{}', simple = 'EncryptPlugin'): string =>
    `---\napiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: ${name}, scope: { vCluster: v } }\nspec:\n  pluginClass: io.conduktor.gateway.interceptor.${simple}\n  priority: ${priority}\n  config: ${config}\n`;

  it.each([
    ['two external names', account('one', '${CANARY}') + account('two', '4711')],
    [
      'a user mapping and an account',
      '---\napiVersion: gwconf/v1\nkind: UserMapping\nmetadata: { name: abc }\nspec: { principal: "${CANARY}" }\n' +
        account('two', '4711'),
    ],
    ['two priorities', interceptor('one', '${CANARY}') + interceptor('two', '4711')],
    [
      'two items of a list',
      '---\napiVersion: gateway/v2\nkind: GatewayGroup\nmetadata: { name: g }\nspec: { externalGroups: ["${CANARY}", "4711"] }\n',
    ],
    [
      'a lower and an upper bound',
      interceptor(
        'one',
        '1',
        '\n    topic: t\n    retentionMs:\n      min: 5000\n      max: ${CANARY}',
        'safeguard.AlterTopicConfigPolicyPlugin',
      ),
    ],
    [
      'two ends of a range of characters',
      '---\napiVersion: gateway/v2\nkind: ConcentrationRule\nmetadata: { name: r }\nspec: { pattern: "[5-${CANARY}]", physicalTopics: { delete: d } }\n',
    ],
  ])('does not compare a secret: %s', (_, text) => {
    expect(findIn('4711', text)).toBe(findIn('9999999', text));
  });

  it('still finds values of the wrong type, and the same placeholder twice', () => {
    expect(findIn('abc', interceptor('one', '${CANARY}'))).toContain(
      'expected an integer; found the hidden value of CANARY',
    );
    expect(findIn('abc', account('one', '${CANARY}') + account('two', '${CANARY}'))).toContain(
      'duplicate-value',
    );
  });
});

/** A masker that hides nothing, so that only the origin of a value does. */
const BLIND = { learn: () => undefined, mask: (text: string) => text, net: (text: string) => text };

/** Runs everything on a.yaml; nothing that is said or written has a canary. */
async function expectSilence(world: World, env: Readonly<Record<string, string>>): Promise<void> {
  Object.assign(world.env, env);
  const all = [
    '-o',
    'human',
    ...['json', 'ndjson', 'sarif', 'junit', 'github', 'markdown', 'html'].flatMap((name) => [
      '-o',
      `${name}=r.${name}`,
    ]),
  ];
  for (const args of [
    ['validate', ...all],
    ['render'],
    ['plan', ...all, '--out', 'plan.json'],
    ['show', 'plan.json', '-o', 'json'],
    ['apply', '--auto-approve', ...all],
    ['drift', ...all],
    ['snapshot', '--out', 'live.json'],
    ['plan', '--snapshot', 'live.json'],
    ['fmt', 'a.yaml', '--check'],
    ['doctor'],
  ]) {
    const { out, err } = await world.runWith({ masker: BLIND }, ...args);
    const said = out + err;
    if (UNMISTAKABLE.test(said)) expect.fail(`${args.join(' ')}\n${world.read('a.yaml')}\n${said}`);
    expect(said).not.toContain('this is a bug in gwconf');
  }
  const written = readdirSync(world.folder, { recursive: true, withFileTypes: true });
  for (const { name, parentPath } of written.filter((one) => one.isFile())) {
    if (['a.yaml', 'key', 'state.json', 'gwconf.yaml'].includes(name)) continue;
    expect(readFileSync(join(parentPath, name), 'utf8'), name).not.toMatch(UNMISTAKABLE);
  }
}

describe('threat: author: a snapshot with guesses', () => {
  it('gives the same plan in CI whatever the secret is', async () => {
    const world = makeWorld({
      'gwconf.yaml': projectWith(
        '    exec: { p: { command: [echo, q7z] } }\n    variables: { x: "${TOKEN}" }\n',
      ),
      'a.yaml': alias('x', '', SECRET),
      key: SECRET,
    });
    const live = ['--url', 'embedded:s.json'];
    const applied = await world.run('apply', '-f', 'a.yaml', ...live, '--auto-approve');
    expect(applied.code, applied.err).toBe(0);
    await world.run('snapshot', ...live, '--out', 'live.json');
    world.env['TOKEN'] = SECRET;
    const plan = ['plan', '--snapshot', 'live.json', '--allow-exec', '-o', 'json'];
    for (const source of ['${TOKEN}', '${var.x}', '${file:key}', '${exec:p}']) {
      world.write('a.yaml', alias('x', '', source));
      for (const guess of [SECRET, 'w8y']) {
        world.write(
          'live.json',
          world.read('live.json').replace(/"physicalName": "\w+"/, `"physicalName": "${guess}"`),
        );
        const { out, code } = await world.runWith(
          { env: { ...CI, GWCONF_ALLOWED_VARIABLES: 'TOKEN' } },
          ...plan,
        );
        expect([code, JSON.parse(out)], source).toMatchObject([
          0,
          { result: 'changes', snapshot: { cannotTell: 0 } }, // a text where there would be a digest
        ]);
        const own = (await world.run(...plan)).out;
        expect(own, source).toContain(guess === SECRET ? '"no-changes"' : '"changes"');
      }
    }
  });
});

describe('threat: author: a guess in the list of a secret', () => {
  const interceptor = (list: string): string =>
    `apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: i, scope: { vCluster: passthrough } }\nspec: { pluginClass: io.example.Own, priority: 1, config: { list: [${list}] } }\n`;
  const named = (list: string): string =>
    interceptor(list.replaceAll(/[^, ]+/g, (text) => `{ name: ${text}, id: 1 }`));
  const group = (list: string): string =>
    `apiVersion: gateway/v2\nkind: GatewayGroup\nmetadata: { name: abc }\nspec: { members: [], externalGroups: [${list}] }\n`;

  it.each([
    ['a list of texts', interceptor],
    ['a list of maps', named],
    ['a set', group],
  ])('does not change what the plan shows of it: %s', async (_, declare) => {
    const world = makeWorld({ 'a.yaml': declare('one, two') });
    world.env['TOKEN'] = SECRET;
    const applied = await world.run('apply', '-f', 'a.yaml', '--url', 'embedded:s.json', '--auto-approve');
    expect(applied.code, applied.err).toBe(0);
    const shown = async (list: string, guess: string): Promise<string> => {
      world.write('a.yaml', declare(list.replaceAll('GUESS', guess)));
      const said = await saidBy(world, 'plan', 'a.yaml', '--url', 'embedded:s.json', '-o', 'json');
      expect(said).toContain('(hidden)');
      return said.replaceAll(guess, 'GUESS');
    };
    for (const list of [
      '"${TOKEN}", one, two, GUESS',
      'GUESS, one, "${TOKEN}"',
      '"${TOKEN}", GUESS, "a-${TOKEN}"',
    ])
      expect(await shown(list, SECRET), list).toBe(await shown(list, 'w8y'));
  });
});

describe('threat: author: a secret in every place of gwconf.yaml', () => {
  const project: JsonObject = {
    apiVersion: 'gwconf/v1',
    kind: 'Project',
    environments: {
      prod: {
        gateway: {
          url: 'http://127.0.0.1:1',
          user: 'u',
          password: 'p',
          ca: 'ca',
          cert: 'c',
          key: 'k',
          timeout: '1s',
        },
        version: '3.15.0',
        security: 'SASL_SSL',
        pin: { host: '*' },
        files: ['a.yaml'],
        variables: { x: 'y' },
        publicVariables: ['REGION'],
        exec: { p: { command: ['echo', 'x'], timeout: '1s' } },
        manages: ['*', { kind: 'AliasTopic', virtualCluster: 'a', name: 'b' }],
        protect: [{ kind: 'AliasTopic', address: '*', pluginClass: '*', reason: 'r' }],
        limits: { deletes: 1, updates: '5%', kinds: { AliasTopic: { deletes: 1 } } },
        external: ['AliasTopic/z*'],
        ignore: [{ address: 'AliasTopic/x', path: '/spec', reason: 'r', owner: 'o', until: '2999-12-31' }],
      },
    },
    lint: { 'priority-tie': 'off' },
  };

  it.each(placesIn(project).map((place, at) => [place.on, place.tokens.join('/'), place, at] as const))(
    'the %s at %s is in no output',
    async (_on, _at, place, at) => {
      for (const text of someOf(placeholders, placeholders.length, at)) {
        const world = makeWorld({ 'a.yaml': alias('x', '', '${var.x}') });
        for (const name of ['ca', 'c', 'k']) world.write(name, 'none');
        world.write('gwconf.yaml', printYaml([withTextAt(project, place, text)]));
        world.env['CANARY'] = SECRET;
        for (const args of [
          ['validate'],
          ['render'],
          ['plan'],
          ['doctor'],
          ['plan', '--url', 'embedded:', '-o', 'json'],
        ]) {
          const { out, err } = await world.runWith({ masker: BLIND }, ...args);
          expect(out + err).not.toMatch(UNMISTAKABLE);
          expect(out + err).not.toContain('this is a bug in gwconf');
        }
      }
    },
  );
});

describe('threat: author: the trace log', () => {
  it('hides old and live values of fields that a variable fills in', async () => {
    const there = await serve();
    const world = makeWorld({
      'a.yaml':
        'apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: i, scope: { vCluster: passthrough } }\n' +
        'spec: { pluginClass: com.example.Own, priority: 1, config: { list: [a, "x-${TOKEN}"], note: "x${TOKEN}x" } }\n',
    });
    Object.assign(world.env, LOGIN, { GWCONF_URL: there.url });
    const events: object[] = [];
    const traced = { masker: BLIND, onTrace: (event: object) => void events.push(event) };
    for (const value of ['q7z', 'q7zz', 'none']) {
      world.env['TOKEN'] = value;
      for (const args of [['plan'], ['plan', '--out', 'plan.json'], ['apply', 'plan.json'], ['drift']]) {
        const files = args[1] === 'plan.json' ? [] : ['-f', 'a.yaml'];
        const { code, err } = await world.runWith(traced, ...args, ...files);
        expect(code, err).toBe(0);
      }
    }
    expect(JSON.stringify(events)).toContain('"note":"(hidden)"');
    expect(JSON.stringify(events)).not.toMatch(UNMISTAKABLE);
  });

  it('hides the values of objects whose files the command does not read', async () => {
    const there = await serve();
    const own = (name: string, config: string): string =>
      `apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: ${name}, scope: { vCluster: passthrough } }\n` +
      `spec: { pluginClass: com.example.Own, priority: 1, config: { ${config} } }\n`;
    const world = makeWorld({
      'a.yaml': own('i', 'note: "${TOKEN}", list: ["x-${TOKEN}"]'),
      'b.yaml': own('j', 'sent: as-written'),
    });
    Object.assign(world.env, LOGIN, { GWCONF_URL: there.url, TOKEN: 'q7z' });
    expect((await world.run('apply', '-f', 'a.yaml', '--auto-approve')).code).toBe(0);
    const events: object[] = [];
    const traced = { masker: BLIND, onTrace: (event: object) => void events.push(event) };
    for (const args of [
      ['doctor'],
      ['plan', 'b.yaml', '--out', 'plan.json'],
      ['apply', 'plan.json'],
      ['drift', 'b.yaml'],
      ['undo', '--auto-approve'],
    ]) {
      const { code, err } = await world.runWith(traced, ...args);
      expect(code, err).toBe(0);
    }
    expect(JSON.stringify(events)).toContain('"note":"(hidden)"');
    expect(JSON.stringify(events)).toContain('"sent":"as-written"');
    expect(JSON.stringify(events)).not.toMatch(UNMISTAKABLE);
  });
});

describe('threat: gateway: what comes back', () => {
  afterEach(closeAll);

  it.each([
    ['JSON for browsers', (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`],
    ['HTML', (char: string) => `&#x${char.charCodeAt(0).toString(16)};`],
    ['URLs', (char: string) => `%${char.charCodeAt(0).toString(16)}`],
  ])('is not in any message, report or journal with the escapes of %s', async (_, escape) => {
    const secrets = ['q7z<of"the\'job>&1=', 'v8y<of"the\'object>&2='];
    const escaped = secrets.map((secret) => secret.replace(/\W/g, escape)).join(' and ');
    const { url } = await answerAt((response, { method }) => {
      if (method !== 'PUT') response.writeHead(200).end('[]');
      else
        response
          .writeHead(400, { 'content-type': 'application/json' })
          .end(JSON.stringify({ title: escaped }));
    });
    const spec = '{ pluginClass: com.example.Own, priority: 1, config: { note: "${TOKEN}" } }';
    const metadata = '{ name: i, scope: { vCluster: passthrough } }';
    const text = `{ apiVersion: gateway/v2, kind: Interceptor, metadata: ${metadata}, spec: ${spec} }`;
    const world = makeWorld({ 'a.yaml': text });
    Object.assign(world.env, {
      GWCONF_URL: url,
      GWCONF_USER: 'admin',
      GWCONF_PASSWORD: secrets[0],
      TOKEN: secrets[1],
    });
    const { out, err } = await world.run('apply', '-f', 'a.yaml', '--yes', '-o', 'json=r.json');
    const files = readdirSync(join(world.folder, '.gwconf/journal')).map((name) =>
      world.read(`.gwconf/journal/${name}`),
    );
    const told = [out, err, world.read('r.json'), ...files].join('\n');
    expect(told).toContain('(hidden) and (hidden)');
    expect(told).not.toMatch(/q7z|v8y|object.*2/);
  });

  it('is not in the trace log where it repeats the password in another form', async () => {
    const { url } = await answerAt((response, { headers: { authorization = '' } }) => {
      const sent = Buffer.from(authorization.slice('Basic '.length), 'base64').toString();
      const forms = [sent.toUpperCase(), sent.replace(/./g, '$& '), Array.from(sent).reverse().join('')];
      response.writeHead(200, { 'x-echo': forms.join(), server: 'example' }).end('[]');
    });
    const world = makeWorld({ 'a.yaml': alias('x') });
    Object.assign(world.env, { GWCONF_URL: url, GWCONF_USER: 'admin', GWCONF_PASSWORD: 'q7z-of-the-job' });
    const events: object[] = [];
    await world.runWith(
      { masker: BLIND, onTrace: (event: object) => void events.push(event) },
      'plan',
      '-f',
      'a.yaml',
    );
    const told = JSON.stringify(events);
    expect(told).toContain('"server":"example"');
    expect(told).not.toMatch(/q ?7 ?z|z7q/i);
  });
});

describe('threat: author: a secret that reaches a text in a way that nobody thought of', () => {
  it('is caught by the last step of all output', async () => {
    const token = 'hvs.the-token-that-no-one-sees';
    const world = makeWorld({
      'a.yaml': [
        'apiVersion: gateway/v2',
        'kind: AliasTopic',
        'metadata: { name: orders }',
        'spec: { physicalName: "${TOKEN}" }',
        '---',
        'apiVersion: gateway/v2',
        'kind: AliasTopic',
        'metadata: { name: copies }',
        `spec: { physicalName: ${token} }`,
      ].join('\n'),
    });
    world.env['TOKEN'] = token;
    const ran = await world.run('plan', 'a.yaml', '--url', 'embedded:', '-o', 'json=r.json');
    expect(ran.out).toContain('AliasTopic/copies');
    for (const text of [ran.out, ran.err, world.read('r.json')]) expect(text).not.toContain(token);
  });
});

describe('threat: author: words that begin as a secret does', () => {
  const WORDS = 'github_pat_11A-github_pat_11B';
  const POLICY = `
    apiVersion: gwconf/v1
    kind: Policy
    metadata: { name: words }
    spec:
      severity: advisory
      expression: object.metadata.name == ""
      message: ${WORDS}
      examples: { pass: [{ object: { metadata: { name: "" } } }], fail: [{ object: { metadata: { name: a } } }] }
  `;

  it.each([
    ['in the message of a policy', '', 200],
    ['in the URL of the gateway', `/${WORDS}`, 404],
  ])('are no longer hidden where more of them is the same: %s', async (_, path, status) => {
    const { url } = await answerAt((response) => response.writeHead(status).end('[]'));
    const told = async (token: string): Promise<string> => {
      const world = makeWorld({
        'gwconf.yaml': `${projectWith(`    gateway: { url: "${url}${path}" }`)}\npolicies: { files: [p.policy.yaml] }`,
        'p.policy.yaml': POLICY,
        'a.yaml': alias('a', '', '${TOKEN}'),
      });
      Object.assign(world.env, CI, { GWCONF_ALLOWED_VARIABLES: 'TOKEN', TOKEN: token });
      world.env['GWCONF_ALLOWED_HOSTS'] = url;
      const said = await saidBy(world, 'plan');
      expect(said).toContain(status === 200 ? WORDS : 'there is no v2 API');
      return said;
    };
    expect(await told('github_pat_11Aqqqqqqq')).toBe(await told('github_pat_11Bzzzzzzz'));
  });

  it('are no longer hidden where more of them is the same: beside a line that import would change', async () => {
    const told = async (token: string): Promise<string> => {
      const world = makeWorld({
        'gwconf.yaml': projectWith('    gateway: { url: "embedded:gateway.json" }'),
      });
      Object.assign(world.env, { TOKEN: token });
      const files = (name: string): string =>
        `${alias('a', '', '${TOKEN}')}---\n${alias('b', '', name)}# ${WORDS}\n`;
      world.write('a.yaml', files('x'));
      await world.run('apply', '--auto-approve');
      world.write('a.yaml', files('y'));
      const { out } = await world.run('import', '--drift', '--dry-run');
      expect(out).toContain(WORDS);
      return out;
    };
    expect(await told('github_pat_11Aqqqqqqq')).toBe(await told('github_pat_11Bzzzzzzz'));
  });
});
