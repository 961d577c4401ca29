import { describe, expect, it } from 'vitest';
import { readCliState } from '../../src/declare/cli-state.ts';
import { readTerraform } from '../../src/declare/terraform/read-terraform.ts';
import { readCalls } from '../../src/v1/read/read-calls.ts';
import { findUses } from '../../src/v1/scan/scan.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { compileGlob, compileGlobs } from '../../src/model/text/glob.ts';
import { identify } from '../../src/model/identity.ts';
import type { DraftChange } from '../../src/plan/change/change.ts';
import { orderSafely } from '../../src/plan/exposure/order-safely.ts';
import { forOutput } from '../../src/report/escape.ts';
import { makeMasker } from '../../src/plan/secrets/masker.ts';
import { asMap, type Json } from '../../src/model/json/json.ts';
import { compareRules } from '../../src/workflow/base/compare-rules.ts';
import { findBelow } from '../../src/workflow/base/below-comments.ts';
import { RULES } from '../../src/workflow/base/branch-rules.ts';
import { listRenamed, namesOfGone } from '../../src/workflow/base/former-environments.ts';
import type { Project } from '../../src/schema/project/project.ts';
import { makeUnique, rulesOf } from '../../src/workflow/base/read-rules.ts';
import { openCommit } from '../../src/workflow/base/commit-files.ts';
import { GitTree } from '../../src/workflow/base/git-tree.ts';
import type { Git, Host } from '../../src/workflow/host.ts';
import { openWorkspace } from '../../src/workflow/project/open-workspace.ts';
import { alias, projectOf } from '../support/documents.ts';
import { makeWorld, type World } from '../support/cli.ts';
import { kindOf, resource } from '../support/kinds.ts';
import { liveStateOf } from '../support/plans.ts';
import { account } from '../support/resources.ts';
import { memoryHost } from '../support/memory-host.ts';
import { expectLinear } from '../support/growth.ts';
import { orAll } from '../support/soak.ts';
import { interceptorValues, rawState } from '../support/terraform.ts';

const list = (count: number, item: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => item(at)).join('');
const test = (at: number): string =>
  `{ name: t${at}, as: { username: u }, expect: { protectedBy: [audit] } }`;
const cluster = (fields: string): string =>
  `apiVersion: gateway/v2\nkind: VirtualCluster\nmetadata: { name: v }\n${fields}`;
const interceptor = (text: string): string =>
  JSON.stringify(
    resource('Interceptor', { name: 'i' }, { pluginClass: 'com.example.Own', priority: 1, config: { text } }),
  );
const group = (members: string): string =>
  `apiVersion: gateway/v2\nkind: GatewayGroup\nmetadata: { name: g }\nspec:\n  members:\n${members}`;

/** So many problems that a call with one argument for each would fail is for a soak. */
const MANY = orAll(2_500, 130_000);

type Attack = {
  readonly files: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly code: number;
};

async function attempt({ files, args, env = {}, code }: Attack, world: World): Promise<void> {
  for (const [path, text] of Object.entries(files)) world.write(path, text);
  const ran = await world.runWith({ env }, ...args);
  expect(ran.code, ran.err.slice(0, 1000)).toBe(code);
}

const PLAN = ['plan', 'a.yaml', '--url', 'embedded:'];

describe('threat: author: input that takes the square of its size', () => {
  it.each<[string, (size: number) => Attack]>([
    [
      'a text of many ${ is read in linear time',
      (size) => ({ files: { 'a.yaml': interceptor('${'.repeat(size)) }, args: PLAN, code: 0 }),
    ],
    [
      'many placeholders are filled in linear time',
      (size) => ({
        files: { 'a.yaml': interceptor('${A}'.repeat(size)) },
        args: PLAN,
        env: { A: '1' },
        code: 0,
      }),
    ],
    [
      'a text of many beginnings of tokens and keys is searched in linear time',
      (size) => ({
        files: { 'a.yaml': interceptor('-eyJaaaaaaaa-----BEGIN PRIVATE KEY'.repeat(size)) },
        args: PLAN,
        code: 0,
      }),
    ],
    [
      'many documents of one file are checked in linear time',
      (size) => ({
        files: { 'a.yaml': list(size, (at) => `---\n${alias(`a${at}`)}# ${'x'.repeat(20_000)}\n`) },
        args: PLAN,
        code: 0,
      }),
    ],
    [
      'many documents of one file with wrong values from variables are reported in linear time',
      (size) => ({
        files: {
          'a.yaml': list(
            size,
            (at) => `---\n${cluster('spec: { aclEnabled: "${A}" }\n').replace('v }', `v${at} }`)}`,
          ),
        },
        args: ['validate', 'a.yaml'],
        env: { A: 'x' },
        code: 1,
      }),
    ],
    [
      'members that no file declares are reported in linear time',
      (size) => ({
        files: { 'a.yaml': group(list(size, (at) => `    - name: user-${at}\n`)) },
        args: ['validate', 'a.yaml'],
        code: 0,
      }),
    ],
    [
      'duplicate keys are reported in linear time',
      (size) => ({
        files: { 'a.yaml': cluster(`spec: {}\na: 1\na: 1\n${'a: 1\n'.repeat(size)}`) },
        args: ['validate', 'a.yaml'],
        code: 1,
      }),
    ],
    [
      'unknown fields are reported in linear time',
      (size) => ({
        files: { 'a.yaml': cluster(`spec:\n${list(size, (at) => `  field${at}: 1\n`)}`) },
        args: ['validate', 'a.yaml'],
        code: 1,
      }),
    ],
    [
      'merged maps with placeholders are read in linear time',
      (size) => ({
        files: {
          'a.yaml': `z: &z { ${list(size, (at) => `a${at}: "\${A}", `)} }\nb:\n  <<: *z\n`,
        },
        args: ['validate', 'a.yaml'],
        env: { A: '1' },
        code: 1,
      }),
    ],
    [
      'an overlay of many placeholders is merged in linear time',
      (size) => {
        const fields = list(size, (at) => `"a${at}": "\${A}", `);
        const own = (mark: string): string =>
          `apiVersion: gateway/v2\nkind: Interceptor\n${mark}metadata: { name: i }\nspec: { pluginClass: com.example.Own, priority: 1, config: { ${fields} } }\n`;
        const project = projectOf({ dev: 'gateway: { url: "embedded:" }, files: [base, over]' });
        return {
          files: { 'gwconf.yaml': project, 'base/a.yaml': own(''), 'over/a.yaml': own('overlay: true\n') },
          args: ['validate'],
          env: { A: '1' },
          code: 0,
        };
      },
    ],
    [
      'moves to objects that no file declares are reported in linear time',
      (size) => ({
        files: {
          'a.yaml': list(
            size,
            (at) =>
              `---\napiVersion: gwconf/v1\nkind: Removal\nmetadata: { name: r${at} }\nspec: { address: VirtualCluster/a${at}, to: VirtualCluster/b${at}, reason: x }\n`,
          ),
        },
        args: ['validate', 'a.yaml'],
        code: 1,
      }),
    ],
    [
      'a URL of many colons is read in linear time',
      (size) => ({
        files: { 'a.yaml': cluster('spec: {}') },
        args: ['plan', 'a.yaml', '--url', `http://${':'.repeat(size)}@localhost:1`],
        code: 1,
      }),
    ],
    [
      'a secret of many blanks is learnt in linear time',
      (size) => ({
        files: { 'a.yaml': interceptor('${A}') },
        args: PLAN,
        env: { A: `a${' '.repeat(size)}\n${' '.repeat(size)}b` },
        code: 0,
      }),
    ],
    [
      'fmt sorts many keys in linear time',
      (size) => ({
        files: {
          'a.yaml': `z: 1\n${cluster(`spec:\n${list(size * 4, (at) => `  f${at}: 1\n`)}`)}`,
        },
        args: ['fmt', 'a.yaml'],
        code: 0,
      }),
    ],
    [
      'fmt keeps many anchors before their aliases in linear time',
      (size) => ({
        files: {
          'a.yaml': cluster(
            `spec:\n  first: &a 0\n${list(size, (at) => `  f${size - at}: [&${at % 2 === 0 ? 'b' : 'a'} 1, *${at % 2 === 0 ? 'a' : 'b'}]\n`)}`,
          ),
        },
        args: ['fmt', 'a.yaml'],
        code: 0,
      }),
    ],
    [
      'many addresses in rules are looked up in linear time',
      (size) => {
        const addresses = list(size, (at) => `"VirtualCluster/v${at}", `);
        const rules = (field: string, more = ''): string =>
          `    ${field}: [${list(size, (at) => `{ address: VirtualCluster/w${at}${more} }, `)}]\n`;
        const project = `apiVersion: gwconf/v1\nkind: Project\nenvironments:\n  dev:\n    gateway: { url: "embedded:" }\n    files: [a.yaml]\n    manages: [${addresses}]\n    external: [${addresses.replaceAll('/v', '/x')}]\n${rules('protect')}${rules('ignore', ', reason: x')}`;
        const documents = list(
          size,
          (at) => `---\n${cluster('spec: {}\n').replace('name: v', `name: v${at}`)}`,
        );
        return { files: { 'gwconf.yaml': project, 'a.yaml': documents }, args: ['plan'], code: 0 };
      },
    ],
    [
      'many environments are validated in linear time',
      (size) => {
        const environments = list(
          size,
          (at) => `  e${at}: { gateway: { url: "embedded:" }, files: [a.yaml], manages: [Unknown/*] }\n`,
        );
        const project = `apiVersion: gwconf/v1\nkind: Project\nenvironments:\n${environments}`;
        return { files: { 'gwconf.yaml': project, 'a.yaml': alias('a') }, args: ['validate'], code: 1 };
      },
    ],
  ])('%s', async (_, attack) => {
    const world = makeWorld();
    await expectLinear((size) => attempt(attack(size), world));
  });

  it.each<[string, (size: number) => unknown]>([
    [
      'a glob of many stars is matched in linear time',
      (size) => compileGlob(`${'*a'.repeat(Math.ceil(size / 16))}*b`)(`${'a'.repeat(size)}b`),
    ],
    [
      'a state of Terraform with many resources for one object is read in linear time',
      (size) =>
        readTerraform(
          rawState(
            ...Array.from({ length: size }, (_, key) => ({
              name: 'i',
              key,
              values: interceptorValues('i', { topic: '.*' }),
              sensitive: [['spec', 'config']],
            })),
          ),
          'state.json',
          catalog.kinds,
        ),
    ],
    [
      'a state of the official CLI is read in linear time',
      (size) =>
        readCliState(
          `{"version":"v1","resources":[${list(size, (at) => `{"apiVersion":"gateway/v2","kind":"AliasTopic","metadata":{"name":"t${at}"}},`)}{}]}`,
          'cli-state.json',
          catalog.kinds,
        ),
    ],
    [
      'a file with many beginnings of paths of v1 is searched in linear time',
      (size) => findUses({ text: `admin/interceptors/v/health admin"+"{`.repeat(size) }),
    ],
    [
      'an HTTP file with many requests and variables is read in linear time',
      (size) =>
        readCalls(
          [
            {
              path: 'a.http',
              text: list(size, (at) => `@a${at}={{a}}\n###\nGET gw/admin/plugins/v1{{a${at}}}{{\n`),
            },
          ],
          { read: () => undefined },
        ),
    ],
    [
      'a script with many calls and placeholders is read in linear time',
      (size) =>
        readCalls(
          [
            {
              path: 'a.sh',
              text: `curl gw/admin/plugins/v1 -d "[${'$A,'.repeat(size)}1]"\n${'curl gw/health\n'.repeat(size)}`,
            },
          ],
          { read: () => undefined },
        ),
    ],
    [
      'a glob with many stars before its end is compiled in linear time',
      (size) => compileGlobs([`${'*'.repeat(size)}a`])('a'),
    ],
    [
      'a glob with a long part is matched in linear time',
      (size) => compileGlob(`*${'a'.repeat(size / 2)}b*`)('a'.repeat(size)),
    ],
  ])('%s', async (_, work) => {
    await expectLinear(work);
  });

  it('many files of a commit are listed in linear time', async () => {
    await expectLinear(async (size) => {
      const entry = (at: number): Buffer =>
        Buffer.concat([Buffer.from(`100644 ${at}.yaml\0`), Buffer.alloc(20)]);
      const bytes = Buffer.concat(Array.from({ length: Math.min(size, 90_000) }, (_, at) => entry(at)));
      const git: Git = {
        run: () => Promise.reject(new Error('not run')),
        read: () => Promise.resolve({ type: 'tree', bytes }),
        close: () => undefined,
      };
      const place = { root: '/', prefix: '' };
      const commit = openCommit(memoryHost(), new GitTree(git, place.root), place, '0'.repeat(40), new Map());
      expect((await commit.list(['.'])).length).toBe(Math.min(size, 90_000));
    });
  });

  it('many comments of a file are compared with what is below them in linear time', async () => {
    await expectLinear((size) => {
      const comment = '# gwconf-ignore unknown-field: x\n';
      const offsets = Array.from({ length: size }, (_, at) => at * comment.length);
      expect(findBelow(`${comment.repeat(size)}kind: Group\n`, offsets)).toHaveLength(size);
    });
  });

  it('new names of many topics are judged for many clients in linear time', async () => {
    await expectLinear((size) => {
      const numbers = Array.from({ length: size }, (_, at) => at);
      const { resources } = liveStateOf(numbers.map((at) => account(`app-${at}`)));
      const drafts = numbers.map((at): DraftChange => {
        const after = resource('AliasTopic', { name: `a${at}` }, { physicalName: `p${at}` });
        return { action: 'create', address: identify(kindOf('AliasTopic'), after), after };
      });
      expect(orderSafely(drafts, resources, catalog.kinds).changes).toHaveLength(size);
    });
  });

  it('many rules of a base and its branch are compared in linear time', async () => {
    await expectLinear((size) => {
      const rulesOf = (side: string): Json => {
        const names = Array.from({ length: size }, (_, at) => `AliasTopic/${side}${at}`);
        const rules = names.map((address) => ({ address, reason: 'x' }));
        return { environments: { prod: { manages: names, external: names, ignore: rules, protect: rules } } };
      };
      expect(compareRules(RULES, rulesOf('a'), rulesOf('b'))).toHaveLength(8 * size);
    });
  });

  it('many tests of one name are told apart in linear time', async () => {
    await expectLinear((size) => {
      const uniqueOf = makeUnique();
      const names = new Set(Array.from({ length: size }, () => uniqueOf('t')));
      expect(names.size).toBe(size);
    });
  });

  it('the files of many tests are read once', async () => {
    const text = list(
      9,
      (at) => `---\napiVersion: gwconf/v1\nkind: Test\nfiles: [fx]\ncases: [${test(at)}, ${test(at)}]\n`,
    );
    const read: string[] = [];
    const host: Host = {
      ...memoryHost(),
      readSources: ([path = '']) => {
        read.push(path);
        return Promise.resolve({ value: [{ path: 't.gwtest.yaml', text }], problems: [] });
      },
    };
    const { value } = await rulesOf(host, await openWorkspace(host), { value: new Map(), files: [] });
    expect([Object.keys(asMap(value['tests'])).length, read]).toEqual([18, ['.', 'fx']]);
  });

  it('environments that a branch renames are looked up in linear time', async () => {
    const projectOf = (size: number, side: string): Project => {
      const named = Array.from({ length: size }, (_, at): [string, object] => {
        const url = { text: `http://${side}${at - (at % 2)}` };
        return [`${side}${at}`, { files: [`${at}`], gateway: { url } }];
      });
      return { environments: new Map(named) } as unknown as Project; // what is read of it
    };
    await expectLinear((size) => {
      const [was, is] = [projectOf(size + 1, 'a'), projectOf(size + 1, 'b')]; // a single one would be renamed
      expect(namesOfGone(was, is)).toHaveLength(size + 1);
      expect(listRenamed(was, is)).toEqual([]);
    });
  });

  it.each<[string, (globs: string) => string]>([
    ['manages', (globs) => `manages: [${globs}]`],
    ['external', (globs) => `external: [${globs}]`],
    ['ignore', (globs) => `ignore: [${globs.replaceAll(/"[^"]*"/g, '{ address: $&, reason: x }')}]`],
    ['protect', (globs) => `protect: [${globs.replaceAll(/"[^"]*"/g, '{ address: $& }')}]`],
    ['publicVariables', (globs) => `publicVariables: [${globs}]`],
  ])('too many globs are refused: %s', async (_, fields) => {
    const project = (count: number): string =>
      `apiVersion: gwconf/v1\nkind: Project\nenvironments:\n  dev:\n    gateway: { url: "embedded:" }\n    files: [a.yaml]\n    ${fields(list(count, (at) => `"*/*x${at}*", `))}\n`;
    const world = makeWorld({ 'gwconf.yaml': project(1001), 'a.yaml': alias('a') });
    const ran = await world.run('validate');
    expect([ran.code, ran.err], ran.err).toEqual([1, expect.stringMatching(/at most 1000|1000 items/)]);
    world.write('gwconf.yaml', project(1000));
    expect((await world.run('validate')).err).not.toContain('1000');
  });

  it('any number of problems is reported, and people are shown the first', async () => {
    const world = makeWorld({ 'a.yaml': cluster(list(MANY, (at) => `field${at}: 1\n`)) });
    const { code, err } = await world.run('validate', 'a.yaml', '-o', 'json=all.json');
    expect(code).toBe(1);
    expect(err).toMatch(/^\d{4,} more of unknown-field$/m);
    expect((world.json('all.json') as { problems: unknown[] }).problems.length).toBeGreaterThan(MANY - 1000);
  });
});

describe('threat: author: a long key', () => {
  it('is reported, and people are shown its beginning', async () => {
    const key = 'k'.repeat(100_000);
    const spec = JSON.stringify({ [key]: 1 });
    const world = makeWorld({
      'a.json': `{"apiVersion":"gateway/v2","kind":"VirtualCluster","metadata":{"name":"a"},"spec":${spec}}`,
    });
    const { err } = await world.run('validate', 'a.json', '-o', 'json=all.json');
    expect(err.length).toBeLessThan(5_000);
    expect(world.read('all.json')).toContain(key);
  });
});

describe('threat: gateway: text that takes the square of its size', () => {
  it('a message of a gateway is masked and escaped in linear time', async () => {
    await expectLinear((size) => {
      const masker = makeMasker();
      masker.learn(`Bearer ${' '.repeat(size)}\n`.repeat(2));
      forOutput(masker.mask('eyJaaaaaaaa-://a:b\n \t\n::##\r::error file=%41\\u0041&#65;'.repeat(size)));
    });
  });
});
