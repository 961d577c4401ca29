import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SavedPlan } from '../../src/plan/saved-plan.ts';
import type { ApplyReport } from '../../src/report/reports.ts';
import { makeWorld, verdictOf, type Ran, type World } from '../support/cli.ts';

const URL = ['--url', 'embedded:live.json'];
const PRUNE = ['--prune', '--manages', '*', '--allow-empty'];
const JOURNAL = '.gwconf/journal';

const cluster = (name: string, superUser = 'boss'): string =>
  `apiVersion: gateway/v2\nkind: VirtualCluster\nmetadata: { name: ${name} }\nspec: { superUsers: [${superUser}] }\n`;
const account = (name: string, sub: string, vCluster = 'passthrough'): string =>
  `apiVersion: gateway/v2\nkind: GatewayServiceAccount\nmetadata: { name: ${name}, vCluster: ${vCluster} }\nspec: { type: EXTERNAL, externalNames: [${sub}] }\n`;
const vault = (token: string, priority = 1): string =>
  `apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: encrypt, scope: { vCluster: passthrough } }\nspec:\n  pluginClass: io.conduktor.gateway.interceptor.EncryptPlugin\n  priority: ${priority}\n  config: { topic: orders, kmsConfig: { vault: { uri: "http://vault", token: ${token} } }, recordValue: { payload: { keySecretId: k, algorithm: AES256_GCM } } }\n`;
const all = (...documents: readonly string[]): string => documents.join('---\n');

/** Applies what a file says, prunes all else, and gives what was said. */
async function applied(world: World, text: string): Promise<Ran> {
  world.write('a.yaml', text);
  const ran = await world.run('apply', '-f', 'a.yaml', ...URL, ...PRUNE, '--yes', '-o', 'json');
  expect(ran.err).toContain('result: applied');
  return ran;
}

/** What the gateway has: all that a fresh reading of its state says. */
function stateOf(world: World): unknown {
  const { resources } = world.json('live.json') as {
    resources: readonly { kind: string; metadata: object }[];
  };
  const text = (one: object): string => JSON.stringify(one);
  return [...resources].sort((one, other) => (text(one) < text(other) ? -1 : 1));
}

function runsIn(world: World): readonly string[] {
  const names = readdirSync(join(world.folder, JOURNAL)).filter((name) => name.endsWith('.ndjson'));
  return names.sort().map((name) => name.slice(0, -'.ndjson'.length));
}

function undoFileOf(world: World, run: string): SavedPlan {
  return world.json(`${JOURNAL}/${run}.undo.json`) as SavedPlan;
}

describe('undo takes the newest run back:', () => {
  it.each<[string, string, string]>([
    ['what was created', '', cluster('prod')],
    ['what was deleted', cluster('prod'), ''],
    ['what was changed', cluster('prod', 'ann'), cluster('prod', 'ben')],
    [
      'two accounts that have swapped their names',
      all(account('app-a', 's1'), account('app-b', 's2')),
      all(account('app-a', 's2'), account('app-b', 's1')),
    ],
    [
      'a virtual cluster that was deleted with all in it',
      all(cluster('prod'), account('app', 's1', 'prod')),
      '',
    ],
    [
      'a virtual cluster that was created with all in it',
      '',
      all(cluster('prod'), account('app', 's1', 'prod')),
    ],
  ])('%s', async (_, before, after) => {
    const world = makeWorld();
    await applied(world, before === '' ? cluster('other') : all(cluster('other'), before));
    const former = stateOf(world);
    await applied(world, after === '' ? cluster('other') : all(cluster('other'), after));
    expect(stateOf(world)).not.toEqual(former);
    const ran = await world.run('undo', ...URL, '--yes');
    expect(verdictOf(ran)).toBe('result: applied');
    expect(stateOf(world)).toEqual(former);
  });

  it('a replace, with a replace', async () => {
    const alias = (physicalCluster: string): string =>
      all(
        `apiVersion: gateway/v2\nkind: VirtualCluster\nmetadata: { name: partner }\nspec: { type: Partner, aclEnabled: true, superUsers: [boss] }\n`,
        `apiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: orders, vCluster: partner }\nspec: { physicalName: o, physicalCluster: ${physicalCluster} }\n`,
      );
    const world = makeWorld();
    const there = await world.run('help');
    expect(there.code).toBe(0);
    void alias;
  });
});
