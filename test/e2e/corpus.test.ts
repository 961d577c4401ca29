import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { encodeSnapshot } from '../../src/emulator/snapshot.ts';
import { withDefaults } from '../../src/model/normal/normal-form.ts';
import type { Resource } from '../../src/model/resource.ts';
import type { PlanReport } from '../../src/report/view/plan-report.ts';
import type { ValidateReport } from '../../src/report/view/validate-report.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { load } from '../../src/schema/load/load.ts';
import { makeWorld, type World } from '../support/cli.ts';
import { kindOf } from '../support/kinds.ts';
import { accountIn, cluster, group } from '../support/resources.ts';
import { LOGIN, serve, type Served } from '../support/served.ts';

/** Real files of others, each with its source in its first line. */
const folder = fileURLToPath(new URL('../../../shared/corpus', import.meta.url));
const atHand = existsSync(folder);
const corpus = new Map(
  (atHand ? readdirSync(folder) : [])
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => [name, readFileSync(`${folder}/${name}`, 'utf8')]),
);

/** Files whose first line says that they are wrong, with what is refused of them, and where. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'ctl-all-kinds-multidoc.yaml': [
    '8:3 unknown-field',
    '15:3 unknown-field',
    '106:5 unknown-field',
    '136:9 duplicate-resource',
  ],
  'docs-client-id-policy.yaml': ['17:9 duplicate-resource', '28:9 duplicate-resource'],
  'invalid-encrypt-toplevel-fields.yaml': ['11:5 unknown-field'],
  'tf-test-service-account-create-then-update.yaml': ['16:9 duplicate-resource'],
  'tf-test-vcluster-create-then-update.yaml': ['24:9 duplicate-resource'],
  'tf-unit-interceptor-kind-gatewayinterceptor.yaml': ['10:5 conflicting-fields'],
};

const accepted = [...corpus.keys()].filter((name) => !Object.hasOwn(REFUSED, name));

it.skipIf(!atHand)(atHand ? 'the corpus is at hand' : 'skipped: the corpus is not at hand', () => {
  expect(accepted.length).toBeGreaterThan(60);
});

/** A world with one file of the corpus, and every variable that it names. */
function worldWith(name: string): World {
  const text = corpus.get(name) ?? '';
  const mine = makeWorld({});
  mine.write('a.yaml', text);
  for (const [, variable = ''] of text.matchAll(/\$\{(\w+)\}/g)) mine.env[variable] = 'some-value';
  return mine;
}

function declaredIn(mine: World): readonly Resource[] {
  const { value } = load(
    [{ path: 'a.yaml', text: mine.read('a.yaml'), named: true }],
    catalog,
    (name) => mine.env[name],
  );
  return [...value.values()].map(({ resource }) => resource);
}

/** Makes what the resources lean on and no file declares. */
async function prepare(there: Served, resources: readonly Resource[]): Promise<void> {
  const declared = new Set(resources.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
  for (const one of resources) {
    const kind = kindOf(one.kind);
    for (const { to } of kind.references(withDefaults(kind, one))) {
      const [, name = '', vCluster = 'passthrough'] = /^\w+\/([^@]+)(?:@vCluster=(.+))?$/.exec(to) ?? [];
      const missing = to.startsWith('VirtualCluster/')
        ? cluster(name)
        : to.startsWith('GatewayGroup/')
          ? group(name)
          : accountIn(vCluster, name);
      if (name === 'passthrough' || declared.has(`${missing.kind}/${name}`)) continue;
      const home =
        vCluster === 'passthrough' || declared.has(`VirtualCluster/${vCluster}`) ? [] : [cluster(vCluster)];
      await there.put(...home, missing);
    }
  }
}

describe.runIf(atHand)('the files of the corpus', () => {
  it.each(accepted)('validate: %s', async (name) => {
    const ran = await worldWith(name).run('validate', 'a.yaml', '-o', 'json');
    const { result, problems } = JSON.parse(ran.out) as ValidateReport;
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect([ran.code, result]).toEqual([0, 'valid']);
  });

  it.each(Object.entries(REFUSED))('are refused at the right line: %s', async (name, places) => {
    const ran = await worldWith(name).run('validate', 'a.yaml', '-o', 'json');
    const { problems } = JSON.parse(ran.out) as ValidateReport;
    const errors = problems.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ line, column, code }) => `${line ?? 0}:${column ?? 0} ${code}`)).toEqual(places);
    expect(ran.code).toBe(1);
  });

  it('are refused when their first line says so, and only then', () => {
    const said = /as a mistake|pre-release|successive states|alternative states|do not allow/;
    const wrong = [...corpus]
      .filter(([, text]) => said.test(text.split('\n')[0] ?? ''))
      .map(([name]) => name);
    expect(Object.keys(REFUSED).sort()).toEqual(wrong.sort());
  });
});

describe.runIf(atHand).each(['3.11.0', '3.15.0', '3.21.0'])(
  'on a gateway %s that holds what it leans on',
  (version) => {
    it.each(accepted)('%s is applied, and planned again there are no changes', async (name) => {
      const there = await serve({ version, physicalClusters: ['main', 'clusterA', 'mainCluster'] });
      const mine = worldWith(name);
      Object.assign(mine.env, LOGIN, { GWCONF_URL: there.url });
      await prepare(there, declaredIn(mine));
      const applied = await mine.run('apply', '-f', 'a.yaml', '--auto-approve');
      expect(applied.err).not.toContain('error[');
      expect(applied.code).toBe(0);
      const again = JSON.parse((await mine.run('plan', 'a.yaml', '-o', 'json')).out) as PlanReport;
      expect(again).toMatchObject({ result: 'no-changes', changes: [] });
    });
  },
);

describe.runIf(atHand)('without a server', () => {
  it.each(accepted)('%s is applied to a state file, and planned again there are no changes', async (name) => {
    const there = await serve();
    const mine = worldWith(name);
    await prepare(there, declaredIn(mine));
    mine.write('state.json', encodeSnapshot(there.gateway.snapshot()));
    const applied = await mine.run('apply', '-f', 'a.yaml', '--url', 'embedded:state.json', '--auto-approve');
    expect(applied.code).toBe(0);
    expect((await mine.run('plan', 'a.yaml', '--url', 'embedded:state.json')).out).toContain('No changes.');
  });
});

it.skipIf(!atHand)('no text of the corpus looks like a secret', async () => {
  for (const name of accepted) {
    const { err } = await worldWith(name).run('validate', 'a.yaml');
    expect(err, name).not.toContain('looks-like-secret');
  }
});
