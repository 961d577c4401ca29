import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  canonicalText,
  changeAt,
  isList,
  isObject,
  parsePointer,
  printPointer,
  valueAt,
  type Json,
  type JsonObject,
} from '../../src/model/json/json.ts';
import { digest, MOST_DIGESTS } from '../../src/plan/saved/digest.ts';
import { stateRemovals } from '../../src/declare/terraform/declare-terraform.ts';
import { readTerraform } from '../../src/declare/terraform/read-terraform.ts';
import { readRawState, readShownState } from '../../src/declare/terraform/terraform-state.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { makeWorld, type World } from '../support/cli.ts';
import { account, alias, all, cluster } from '../support/documents.ts';
import { interceptorValues, rawState, shownState, type TerraformResource } from '../support/terraform.ts';
import { someOf } from '../support/soak.ts';
import { pointersIn } from '../support/places.ts';

const HERE = ['--url', 'embedded:state.json'] as const;
const JOURNAL = '.gwconf/journal';
const vault = (token: string): string =>
  `apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: e }\nspec: { pluginClass: io.conduktor.gateway.interceptor.EncryptPlugin, priority: 1, config: { topic: a, kmsConfig: { vault: { uri: "http://vault", version: 1, token: "${token}" } } } }\n`;

const OTHERS: readonly Json[] = [null, true, 1e308, 'x', '', [], { x: 1 }];

/** Each node left out, renamed, repeated, beside `__proto__`, and replaced by two values of other types. */
function* mutationsOf(whole: JsonObject): Generator<readonly [what: string, mutation: JsonObject]> {
  for (const [turn, at] of pointersIn(whole).entries()) {
    const tokens = parsePointer(at);
    const key = tokens.at(-1) ?? '';
    const above = tokens.slice(0, -1);
    const edit = (change: (parent: Json) => Json): JsonObject =>
      changeAt(whole, above, (parent) => change(parent ?? null)) as JsonObject; // it was one
    const parent = above.length === 0 ? whole : valueAt(whole, printPointer(above));
    for (const other of [0, 1].map((step) => OTHERS[(2 * turn + step) % OTHERS.length] ?? null))
      yield [`${at} becomes ${JSON.stringify(other)}`, changeAt(whole, tokens, () => other) as JsonObject];
    if (isList(parent)) {
      yield [`${at} is left out`, edit(() => parent.filter((_, index) => index !== Number(key)))];
      yield [`${at} is repeated`, edit(() => [...parent, parent[Number(key)] ?? null])];
    } else if (isObject(parent)) {
      const { [key]: value = null, ...rest } = parent;
      yield [`${at} is left out`, edit(() => rest)];
      yield [`${at} is renamed`, edit(() => ({ ...rest, [`${key}x`]: value }))];
      yield [
        `${at} is __proto__`,
        edit(() => Object.fromEntries([['__proto__', value], ...Object.entries(rest)])),
      ];
    }
  }
}

/** The snapshot as anyone can write it. */
function reseal({ digest: _, ...open }: JsonObject): string {
  return JSON.stringify({ ...open, digest: digest(canonicalText(open)) });
}

async function applied(): Promise<{ readonly world: World; readonly run: string }> {
  const world = makeWorld({
    'a.yaml': all(
      cluster('prod'),
      alias('old'),
      account('one', 'passthrough', 'sub'),
      vault('hvs.CbEsIJ8mQ2xP0aV7kY4tR9zW1uE6nL3b'),
    ),
  });
  const ran = await world.run('apply', '-f', 'a.yaml', '--yes', ...HERE);
  expect(ran.code, ran.err).toBe(0);
  const name = readdirSync(join(world.folder, JOURNAL)).find((file) => file.endsWith('.ndjson')) ?? '';
  return { world, run: name.replace('.ndjson', '') };
}

describe('threat: author: a file that gwconf did not write', () => {
  it('is refused with a sentence, or read: every mutation of a snapshot', { timeout: 300_000 }, async () => {
    const { world } = await applied();
    expect((await world.run('snapshot', '--out', 's.json', ...HERE)).code).toBe(0);
    for (const [what, mutation] of someOf(mutationsOf(world.json('s.json') as JsonObject), 7)) {
      world.write('m.json', reseal(mutation));
      const ran = await world.run('plan', 'a.yaml', '--snapshot', 'm.json');
      expect([0, 1], `${what}\n${ran.err}`).toContain(ran.code);
    }
  });

  it('is refused where a digest is of something else than a hidden value', async () => {
    const { world } = await applied();
    await world.run('snapshot', '--out', 's.json', ...HERE);
    const text = world.read('s.json');
    const [place = ''] = /(?<="secrets":\{)"[^"]*"/.exec(text) ?? [];
    expect(place).not.toBe('');
    for (const other of ['', '/', '/metadata', '/metadata/name', '/spec', '/kind', 'spec', '/__proto__']) {
      world.write('m.json', reseal(JSON.parse(text.replace(place, `"${other}"`)) as JsonObject));
      const { code, err } = await world.run('plan', 'a.yaml', '--snapshot', 'm.json');
      expect([other, code, err]).toEqual([other, 1, expect.stringContaining('contains data that')]);
    }
  });

  it('is refused with a sentence, or read: every mutation of a state', { timeout: 300_000 }, async () => {
    const { world } = await applied();
    for (const [what, mutation] of someOf(mutationsOf(world.json('state.json') as JsonObject), 7)) {
      world.write('m.json', JSON.stringify(mutation));
      const ran = await world.run('plan', 'a.yaml', '--url', 'embedded:m.json');
      expect([0, 1], `${what}\n${ran.err}`).toContain(ran.code);
    }
  });

  it('is refused with a sentence, or read: every mutation of a journal', { timeout: 300_000 }, async () => {
    const { world, run } = await applied();
    const path = `${JOURNAL}/${run}.ndjson`;
    const lines = world.read(path).trim().split('\n');
    for (const [at, line] of lines.entries())
      for (const [what, mutation] of someOf(mutationsOf(JSON.parse(line) as JsonObject), 7)) {
        world.write(path, `${lines.with(at, JSON.stringify(mutation)).join('\n')}\n`);
        for (const args of [['journal'], ['journal', run], ['undo', run, '--yes', '--url', 'embedded:']]) {
          const ran = await world.run(...args);
          expect([0, 1, 4, 64], `${args.join(' ')}: line ${at}: ${what}\n${ran.err}`).toContain(ran.code);
        }
        for (const file of readdirSync(join(world.folder, JOURNAL)))
          if (!file.startsWith(run)) rmSync(join(world.folder, JOURNAL, file));
      }
  });

  it.each<[string, string, readonly string[], string]>([
    [
      'a snapshot with deep nesting',
      `{"format":"gwconf/snapshot@1","x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
      ['--snapshot', 'm.json'],
      'm.json is nested deeper than 1024 levels',
    ],
    [
      'a state with deep nesting',
      `{"format":"gwconf/gateway-state@1","x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
      ['--url', 'embedded:m.json'],
      'm.json is nested deeper than 1024 levels',
    ],
    [
      'a snapshot with two equal keys',
      `{"format":"gwconf/snapshot@1","resources":[{"resource":1,"resource":2}]}`,
      ['--snapshot', 'm.json'],
      'm.json has a map with two equal keys',
    ],
  ])('is refused: %s', async (_, text, flags, words) => {
    const world = makeWorld({ 'a.yaml': alias('a'), 'm.json': text });
    const ran = await world.run('plan', 'a.yaml', ...flags);
    expect([1, 64]).toContain(ran.code);
    expect(ran.err).toContain(words);
  });

  it('takes no more slow digests than end in some minutes', async () => {
    const { world } = await applied();
    world.write('a.yaml', vault('hunter2'));
    await world.run('snapshot', '--out', 's.json', ...HERE);
    const snapshot = world.json('s.json') as { readonly resources: readonly JsonObject[] } & JsonObject;
    const [sealed] = snapshot.resources.filter((one) => Object.hasOwn(one, 'secrets'));
    const [place = ''] = Object.keys(sealed?.['secrets'] ?? {});
    const resources = Array.from({ length: MOST_DIGESTS + 1 }, (_, at) => ({
      ...sealed,
      secrets: { [place]: `${at}.x` },
    }));
    world.write('s.json', reseal({ ...snapshot, resources }));
    const ran = await world.run('plan', 'a.yaml', '--snapshot', 's.json');
    expect(ran.code).toBe(64);
    expect(ran.err).toContain('more than 2000 different secrets');
  });
});

describe('threat: neighbour: a file in which a key stands twice', () => {
  it('is not read, since another reader may see the other value', async () => {
    const world = makeWorld({ 'a.yaml': cluster('prod') });
    await world.run('apply', '-f', 'a.yaml', ...HERE, '--auto-approve');
    await world.run('plan', 'a.yaml', ...HERE, '-o', 'json=report.json');
    for (const name of ['state.json', 'report.json'])
      world.write(name, world.read(name).replace('"format":', '"format": "x", "format":'));
    for (const args of [
      ['plan', 'a.yaml', ...HERE],
      ['comment', 'report.json', '--dry-run'],
    ]) {
      const { code, err } = await world.run(...args);
      expect(code).not.toBe(0);
      expect(err).toContain('has a map with two equal keys');
    }
  });
});

describe('threat: author: addresses in the state of Terraform', () => {
  it('make no command to run next for what may be of another gateway', () => {
    const of = (name: string, provider = 'prod'): TerraformResource => ({
      ...{ name, provider },
      values: interceptorValues(name === 'only' ? 'only' : 'mask', {}),
    });
    for (const [state, told] of [
      [rawState(of('here'), of('there', 'dev'), of('only')), 2],
      [shownState(of('here'), of('there'), of('only')), 1],
    ] as const) {
      const { value, problems } = readTerraform(state, 'state.json', catalog.kinds);
      expect(problems.map(({ code }) => code)).toEqual(Array(told).fill('unclear-state'));
      expect(value && stateRemovals(value, catalog.kinds)).toEqual([
        "terraform state rm 'conduktor_gateway_interceptor_v2.only'",
      ]);
    }
  });

  it('make no command that takes another resource out of the state', () => {
    const type = 'conduktor_gateway_interceptor_v2';
    const addresses = [
      'aws_db_instance.prod',
      'module.core',
      `${type}.other`,
      `aws_db_instance.prod["${type}.i"]`,
      `x${type}.i`,
      `${type}.i`,
      `module.a["x"].${type}.i[0]`,
      `${type}.i["a\\"]b"]`,
    ];
    const resources = addresses.map((address) => ({
      address,
      type,
      name: 'i',
      values: interceptorValues('i', {}),
    }));
    const { found, broken } = readShownState({ values: { root_module: { resources } } });
    expect([found.map(({ address }) => address), broken]).toEqual([addresses.slice(5), 5]);
  });

  it.each(['-state=/etc/passwd', '--help', ''])('are no options of the command to run next: %j', (module) => {
    const resource = {
      mode: 'managed',
      module: `${module}x`,
      type: 'conduktor_gateway_interceptor_v2',
      name: 'i',
      provider: 'provider["registry.terraform.io/conduktor/conduktor"]',
      instances: [{ attributes: interceptorValues('i', {}) }],
    };
    const { found, broken } = readRawState({ version: 4, resources: [resource] });
    expect([found.length, broken]).toEqual(module === '' ? [1, 0] : [0, 1]);
  });
});
