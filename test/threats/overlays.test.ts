import { describe, expect, it } from 'vitest';
import { makeGitWorld, hasGit, type GitWorld } from '../support/git-world.ts';

const GUARD = 'io.conduktor.gateway.interceptor.safeguard.ReadOnlyTopicPolicyPlugin';
const interceptor = (more: string, config: string): string =>
  `apiVersion: gateway/v2\nkind: Interceptor\n${more}metadata: { name: audit, scope: {} }\nspec: ${config}\n`;
const PLATFORM = interceptor(
  '',
  `{ pluginClass: ${GUARD}, priority: 10, config: { topic: audit-.*, action: BLOCK } }`,
);
const TUNING = interceptor('overlay: true\n', '{ config: { action: INFO } }');

const project = (overlays: string): string =>
  `apiVersion: gwconf/v1\nkind: Project\nenvironments:\n  prod:\n    files: [platform, payments]\n${overlays}    gateway: { url: "embedded:g.json" }\n`;

/** A project whose platform team has a rule that is applied, and a branch of another team. */
async function makeBranch(overlays = ''): Promise<GitWorld> {
  const world = makeGitWorld({
    'gwconf.yaml': project(overlays),
    'platform/safeguards.yaml': PLATFORM,
    'payments/topics.yaml':
      'apiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: a }\nspec: { physicalName: b }\n',
    '.gitignore': 'g.json\n.gwconf\n',
  });
  world.commit();
  const applied = await world.run('apply', '--auto-approve');
  expect(applied.code, applied.err).toBe(0);
  world.write('payments/tuning.yaml', TUNING);
  world.commit();
  return world;
}

describe.skipIf(!hasGit)('threat: author: an overlay of what another team declares', () => {
  it('is told at the file that makes the change, in every format and with a base', async () => {
    const world = await makeBranch();
    const formats = ['json', 'markdown', 'html', 'sarif', 'github'];
    const ran = await world.run(
      'plan',
      '--base',
      'HEAD~1',
      ...formats.flatMap((one) => ['-o', `${one}=r.${one}`]),
      '-o',
      'human',
      '--out',
      'saved.plan',
    );
    expect(ran.out).toMatch(
      /By this branch:\n {2}~ Interceptor\/audit@vCluster=passthrough +payments\/tuning\.yaml:1\n/,
    );
    expect(ran.err).toContain('1 overlaid-file');
    for (const one of formats.slice(0, 4))
      expect(world.read(`r.${one}`), one).toContain('payments/tuning.yaml');
    expect((await world.run('comment', 'saved.plan', '--dry-run')).out).toContain('payments/tuning.yaml');
    const { out, err } = await world.run('validate');
    expect(out + err).toContain(
      'info[overlaid-file]: payments/tuning.yaml changes what platform/safeguards.yaml declares: Interceptor/audit@vCluster=passthrough',
    );
  });

  it.each([
    ['overlays: []', false],
    ['overlays: [platform]', false],
    ['overlays: [pay]', false],
    ['overlays: [payments]', true],
    ['overlays: [./payments/tuning.yaml]', true],
    ['overlays: [.]', true],
  ])('is refused unless the project allows it: %s', async (rule, isAllowed) => {
    const world = await makeBranch(`    ${rule}\n`);
    for (const command of ['validate', 'plan']) {
      const { code, err } = await world.run(command);
      expect(code, err).toBe(isAllowed ? 0 : 3);
      if (!isAllowed)
        expect(err).toContain(
          'error[overlay-not-allowed]: payments/tuning.yaml must not change what platform/safeguards.yaml declares',
        );
      expect(err).not.toContain('overlaid-file');
    }
  });

  it('is not allowed by the branch that overlays, which is told', async () => {
    const world = await makeBranch('    overlays: []\n');
    world.write('gwconf.yaml', project('    overlays: [payments]\n'));
    const { code, out } = await world.run('plan', '--base', 'HEAD~1');
    expect([code, out]).toEqual([3, expect.stringMatching(/! .*overlays/)]);
  });
});
