import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { LAYOUTS } from '../../src/declare/declared.ts';
import { encodeSnapshot } from '../../src/emulator/saved-state.ts';
import { identify } from '../../src/model/identity.ts';
import { withDefaults } from '../../src/model/normal/normal-form.ts';
import type { Resource } from '../../src/model/resource.ts';
import type { PlanReport } from '../../src/outcome/plan.ts';
import type { ValidateReport } from '../../src/outcome/files.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { load } from '../../src/schema/load/load.ts';
import { variablesFrom } from '../../src/schema/yaml/interpolate.ts';
import { makeWorld, type World } from '../support/cli.ts';
import { accepted, CORPUS, corpus, type CorpusFile } from '../support/corpus.ts';
import { kindOf } from '../support/kinds.ts';
import { accountIn, cluster, group } from '../support/resources.ts';
import { LOGIN, serve, type Served } from '../support/served.ts';
import { someOf } from '../support/soak.ts';

/** A world with one file of the corpus, and every variable that it names, each with a value of its own. */
function worldWith({ text }: CorpusFile): World {
  const mine = makeWorld({ 'a.yaml': text });
  for (const [, variable = ''] of text.matchAll(/\$\{(\w+)\}/g))
    mine.env[variable] = /URL|REGISTRY$|VAULT$/.test(variable)
      ? 'https://some-value.example'
      : `some-value-of-${variable}`;
  mine.env['GWCONF_PUBLIC_VARIABLES'] = 'SHOP_NAME';
  return mine;
}

function declaredIn(mine: World): readonly Resource[] {
  const { value } = load(
    [{ path: 'a.yaml', text: mine.read('a.yaml'), named: true }],
    catalog,
    variablesFrom((name: string) => mine.env[name], { isPublic: (name: string) => name === 'SHOP_NAME' }),
  );
  return [...value.values()].map(({ resource }) => resource);
}

/** Creates what the resources refer to and no file declares. */
async function prepare(there: Served, resources: readonly Resource[]): Promise<void> {
  const declared = new Set(resources.map((one) => identify(kindOf(one.kind), one)));
  const create = async (resource: Resource): Promise<void> => {
    const kind = kindOf(resource.kind);
    for (const { to } of kind.references(withDefaults(kind, resource))) {
      const [, name = '', vCluster] = /^\w+\/([^@]+)(?:@vCluster=(.+))?$/.exec(to) ?? [];
      if (name === 'passthrough' || declared.has(to)) continue;
      declared.add(to);
      const missing = named(to.split('/')[0] ?? '', name, vCluster);
      await create(missing);
      await there.put(missing);
    }
  };
  for (const one of resources) await create(one);
}

function named(kind: string, name: string, vCluster?: string): Resource {
  switch (kind) {
    case 'VirtualCluster':
      return cluster(name);
    case 'GatewayGroup':
      return group(name);
    case 'GatewayServiceAccount':
      return accountIn(vCluster, name);
    default: {
      const { example } = kindOf(kind);
      return {
        ...example,
        metadata: { ...example.metadata, name, ...(vCluster === undefined ? {} : { vCluster }) },
      };
    }
  }
}

describe(`the files of ${CORPUS}`, () => {
  it.each(accepted)('validate: $name', async (file) => {
    const ran = await worldWith(file).run('validate', 'a.yaml', '-o', 'json');
    const { result, problems } = JSON.parse(ran.out) as ValidateReport;
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(problems.map(({ code }) => code)).not.toContain('looks-like-secret');
    expect([ran.code, result]).toEqual([0, 'valid']);
  });

  it.each(corpus.filter(({ refused }) => refused.length > 0))(
    'are refused at the right line: $name',
    async (file) => {
      const ran = await worldWith(file).run('validate', 'a.yaml', '-o', 'json');
      const { problems } = JSON.parse(ran.out) as ValidateReport;
      const errors = problems.filter(({ severity }) => severity === 'error');
      expect(
        errors.map(({ line, column, code, path }) => `${line ?? 0}:${column ?? 0} ${code} ${path ?? ''}`),
      ).toEqual(file.refused);
      expect(ran.code).toBe(1);
    },
  );

  it('are recorded as refused when their first line says so, and only then', () => {
    const said = /refused:|as a mistake|pre-release|successive states|alternative states|do not allow/;
    const wrong = corpus.filter(({ text }) => said.test(text.split('\n')[0] ?? '')).map(({ name }) => name);
    expect(corpus.filter(({ refused }) => refused.length > 0).map(({ name }) => name)).toEqual(wrong);
  });
});

/** Every third file on each, and all of them are exported below. */
const VERSIONS = ['3.11.0', '3.15.0', '3.21.0'] as const;
const placed = accepted.map((file, at) => ({ ...file, version: VERSIONS[at % VERSIONS.length] ?? '3.21.0' }));

describe('on a gateway that holds what a file refers to', () => {
  it.each(someOf(placed, 2))(
    '$version: $name is applied, and planned again there are no changes',
    async ({ version, ...file }) => {
      const there = await serve({ version, physicalClusters: ['main', 'clusterA', 'mainCluster'] });
      const mine = worldWith(file);
      Object.assign(mine.env, LOGIN, { GWCONF_URL: there.url });
      await prepare(there, declaredIn(mine));
      const applied = await mine.run('apply', '-f', 'a.yaml', '--auto-approve');
      expect(applied.err).not.toContain('error[');
      expect(applied.code).toBe(0);
      const again = JSON.parse((await mine.run('plan', 'a.yaml', '-o', 'json')).out) as PlanReport;
      expect(again).toMatchObject({ result: 'no-changes', changes: [] });
    },
  );
});

describe('without a server', () => {
  it.each(someOf(accepted, 9))(
    '$name is applied to a state file, and planned again there are no changes',
    async (file) => {
      const there = await serve();
      const mine = worldWith(file);
      await prepare(there, declaredIn(mine));
      mine.write('state.json', encodeSnapshot(there.gateway.snapshot()));
      const applied = await mine.run(
        'apply',
        '-f',
        'a.yaml',
        '--url',
        'embedded:state.json',
        '--auto-approve',
      );
      expect(applied.code).toBe(0);
      expect((await mine.run('plan', 'a.yaml', '--url', 'embedded:state.json')).out).toContain('No changes.');
    },
  );
});

it.each(
  someOf(
    ['3.3.0', '3.6.0', '3.9.0', '3.11.0', '3.15.0', '3.21.0'].map(
      (version, at) => [version, LAYOUTS[at % LAYOUTS.length] ?? 'one-file'] as const,
    ),
    2,
    1,
  ),
)(
  'all that a gateway %s takes of it is exported, %s: valid, and the plan is empty',
  async (version, layout) => {
    const there = await serve({ version, physicalClusters: ['main', 'clusterA', 'mainCluster'] });
    for (const file of accepted) {
      const resources = declaredIn(worldWith(file));
      await prepare(there, resources).catch(() => undefined);
      for (const one of resources) await there.put(one).catch(() => undefined);
    }
    const mine = makeWorld({ '.gitignore': '.env' });
    Object.assign(mine.env, LOGIN, { GWCONF_URL: there.url });
    const args = ['--out', 'all', '--layout', layout, '--secrets-env', '.env', '--user-mappings'];
    const ran = await mine.run('export', ...args);
    expect(ran.code, ran.err).toBe(0);
    expect(Number(/^(\d+) objects in /m.exec(ran.out)?.[1])).toBeGreaterThan(50);
    const values = parseEnv(mine.read('.env')) as Record<string, string>; // all are set
    expect(Object.keys(values).length).toBeGreaterThan(5);
    Object.assign(mine.env, values);
    const checked = JSON.parse((await mine.run('validate', 'all', '-o', 'json')).out) as ValidateReport;
    expect(checked.problems.filter(({ code }) => /secret/.test(code))).toEqual([]);
    expect(checked.result).toBe('valid');
    const planned = JSON.parse((await mine.run('plan', 'all', '-o', 'json')).out) as PlanReport;
    expect(planned).toMatchObject({ result: 'no-changes', changes: [] });
    expect((await mine.run('fmt', '--check', 'all')).code).toBe(0);
  },
);
