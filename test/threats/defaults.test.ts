import { expect, it } from 'vitest';
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
])(
  'a plan without values tells where a branch gives a variable a default that the base has as a text: in %s',
  async (_, file, text) => {
    const world = makeGitWorld({ 'gwconf.yaml': project('orders'), 'files/a.yaml': alias('"${var.topic}"') });
    world.commit();
    const url = ['--url', 'embedded:g.json'];
    await world.run('apply', '--auto-approve', '--journal', 'none', ...url);
    await world.run('snapshot', '--out', 'snapshot.json', ...url);
    const plan = ['plan', '--base', 'main', '--snapshot', 'snapshot.json', '-o', 'markdown'];
    expect((await world.run(...plan)).out).toContain('no changes\n');
    world.write(file, text);
    const told = await world.run(...plan);
    expect(told.out).toContain('this branch fills in a field with');
    expect(told.out).toContain('1 field, treated as unchanged');
    expect(told.out).not.toContain('no changes\n');
    world.commit();
    expect((await world.run(...plan)).out).toContain('no changes\n');
  },
);
