import { expect, it } from 'vitest';
import { masking } from '../support/documents.ts';
import { hasGit, makeGitWorld } from '../support/git-world.ts';

const alias = (physicalName: string): string => `
  apiVersion: gateway/v2
  kind: AliasTopic
  metadata: { name: a }
  spec: { physicalName: ${physicalName} }
`;
const project = (topic: string): string => `
  apiVersion: gwconf/v1
  kind: Project
  environments: { prod: { files: [files], variables: { topic: ${topic} } } }
`;

it.skipIf(!hasGit).each<readonly [where: string, file: string, text: string]>([
  ['a field', 'files/a.yaml', alias('"${OWN_TOKEN:-orders}"')],
  ['a field, with escapes', 'files/a.yaml', alias('"\\x24{OWN_TOKEN:-orders}"')],
  ['gwconf.yaml', 'gwconf.yaml', project('"${OWN_TOKEN:-orders}"')],
  ['a variable of the project that has a default', 'gwconf.yaml', project('"${OWN_TOKEN}"')],
])(
  'a plan without values tells where a branch gives a variable a default that the base has as a text: in %s',
  async (_, file, text) => {
    const world = makeGitWorld({
      'gwconf.yaml': project('orders'),
      'files/a.yaml': alias('"${var.topic:-orders}"'),
    });
    world.commit();
    const url = ['--url', 'embedded:g.json'];
    await world.run('apply', '--auto-approve', '--journal', 'none', ...url);
    await world.run('snapshot', '--out', 'snapshot.json', ...url);
    const plan = ['plan', '--base', 'main', '--snapshot', 'snapshot.json', '-o', 'markdown'];
    expect((await world.run(...plan)).out).toContain('no changes\n');
    world.write(file, text);
    const told = await world.run(...plan);
    expect(told.out).toContain('this branch fills in a field with');
    expect(told.out).toContain('Unknown here 1 field, treated as unchanged');
    expect(told.out).not.toContain('no changes\n');
    world.commit();
    expect((await world.run(...plan)).out).toContain('no changes\n');
  },
);

it.skipIf(!hasGit)('a default that a branch moves to another field is one that it gives', async () => {
  const account = (...names: readonly string[]): string => `
  apiVersion: gateway/v2
  kind: GatewayServiceAccount
  metadata: { name: bot, vCluster: passthrough }
  spec: { type: EXTERNAL, externalNames: [${names.join(', ')}] }
---`;
  const placeholder = '"${OWN_TOKEN:-orders}"';
  const world = makeGitWorld({
    'gwconf.yaml': project('a'),
    'files/a.yaml': account(placeholder) + alias('orders'),
  });
  world.commit();
  const url = ['--url', 'embedded:g.json'];
  await world.run('apply', '--auto-approve', '--journal', 'none', ...url);
  await world.run('snapshot', '--out', 'snapshot.json', ...url);
  const plan = async (): Promise<string> => {
    const { out, err } = await world.run('plan', '--base', 'main', '--snapshot', 'snapshot.json');
    return out + err;
  };
  world.write('files/a.yaml', account('orders') + alias(placeholder));
  expect(await plan()).toContain('this branch fills in a field with');
  const other = `{ apiVersion: gateway/v2, kind: VirtualCluster, metadata: { name: own }, spec: {} }\n---`;
  world.write('files/a.yaml', other + account(placeholder).replace('passthrough', 'own'));
  expect(await plan()).toContain('this branch fills in a field with');
  world.write('files/a.yaml', alias('orders') + '---' + account('first', placeholder));
  expect(await plan()).not.toContain('this branch fills in a field with');
});

it.skipIf(!hasGit)(
  'a default that the field has for another text is told, and none of another environment',
  async () => {
    const mask = (...fields: readonly string[]): string => masking('mask', ...fields);
    const world = makeGitWorld({
      'gwconf.yaml': project('"${OWN_TOKEN:-a}"'),
      'files/a.yaml': `${mask('"${FIELD:-name}"', 'card')}---${alias('a')}`,
    });
    world.commit();
    const url = ['--url', 'embedded:g.json'];
    await world.run('apply', '--auto-approve', '--journal', 'none', ...url);
    const plan = async (env: string): Promise<string> => {
      await world.run('snapshot', '--env', env, '--out', 'snapshot.json', ...url);
      const { out, err } = await world.run(
        'plan',
        '--base',
        'main',
        '--snapshot',
        'snapshot.json',
        '--env',
        env,
      );
      return out + err;
    };
    world.write('files/a.yaml', `${mask('"${FIELD:-name}"', '"${FIELD:-card}"')}---${alias('a')}`);
    expect(await plan('prod')).toContain('this branch fills in a field with ${FIELD:-…}:');
    world.write('files/a.yaml', `${mask('"${FIELD:-name}"', 'card')}---${alias('"${var.topic}"')}`);
    expect(await plan('prod')).toContain('this branch fills in a field with ${var.topic}:');
    world.write('files/a.yaml', `${mask('card', '"${FIELD:-name}"')}---${alias('a')}`);
    world.write(
      'gwconf.yaml',
      project('"${OWN_TOKEN:-a}"')
        .replace('prod:', 'other: { variables: { of: "${OTHER:-a}" } }, live:')
        .replace('topic:', 'unused: "${OTHER:-a}", topic:'),
    );
    expect(await plan('live')).not.toContain('this branch fills in a field with');
  },
);
