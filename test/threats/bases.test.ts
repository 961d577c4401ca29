import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openGit } from '../../src/host/git.ts';
import type { PlanReport } from '../../src/outcome/plan.ts';
import type { Ran } from '../support/cli.ts';
import { masking, projectOf } from '../support/documents.ts';
import { makeAgeKey, makeSopsFile } from '../support/sops-file.ts';
import { hasGit, makeGitWorld, writeTrap, type GitWorld } from '../support/git-world.ts';

const alias = (name: string, physicalName = 'x'): string => `
  apiVersion: gateway/v2
  kind: AliasTopic
  metadata: { name: ${name} }
  spec: { physicalName: ${physicalName} }
`;
const GROUP = `
  apiVersion: gateway/v2
  kind: GatewayGroup
  metadata: { name: team }
  spec: { externalGroups: ["\${file:groups.txt}", "\${exec:groups}"] }
`;
const project = (groups: string): string => `
  apiVersion: gwconf/v1
  kind: Project
  environments: { prod: { files: [files], exec: { groups: { command: [echo, ${groups}] } } } }
`;
const URL = ['--url', 'embedded:g.json'];

async function causes(
  world: GitWorld,
  ...args: readonly string[]
): Promise<Readonly<Record<string, unknown>>> {
  const ran = await world.run('plan', '--base', 'main', ...URL, '-o', 'json', ...args);
  const { changes } = JSON.parse(ran.out) as PlanReport;
  return Object.fromEntries(
    changes.map(({ address, cause }) => [address.replace('@vCluster=passthrough', ''), cause]),
  );
}

/** What is applied stands in `files`, and in the repository of `files/sub`. */
async function worldWithSubmodule(): Promise<ReturnType<typeof makeGitWorld>> {
  const world = makeGitWorld({ 'files/a.yaml': alias('a'), 'files/sub/b.yaml': alias('b') });
  const applied = await world.run(...['apply', '-f', 'files', '--auto-approve', '--journal', 'none', ...URL]);
  expect(applied.code, applied.err).toBe(0);
  world.git('init', '--quiet', 'files/sub');
  world.git('-C', 'files/sub', 'add', 'b.yaml');
  world.git('-C', 'files/sub', 'commit', '--quiet', '-m', 'own');
  return world;
}

describe.skipIf(!hasGit)('a deletion', () => {
  it('does not know the causes where files are those of a submodule', async () => {
    const world = await worldWithSubmodule();
    world.commit();
    expect(world.git('ls-files', '--stage', 'files/sub')).toMatch(/^160000 /);
    rmSync(join(world.folder, 'files/sub'), { recursive: true });
    const args = ['plan', 'files', '--prune', '--manages', '*', '--base', 'HEAD', ...URL, '-o', 'json'];
    const { changes, problems } = JSON.parse((await world.run(...args)).out) as PlanReport;
    expect(changes.map(({ address, cause }) => [address, cause])).toEqual([
      ['AliasTopic/b@vCluster=passthrough', undefined],
    ]);
    const message = expect.stringContaining('files/sub cannot be read: it is a submodule, whose') as string;
    expect(problems).toContainEqual(expect.objectContaining({ code: 'unknown-causes', message }));
  });
});

describe.skipIf(!hasGit)('a submodule beside what is declared', () => {
  it('hides neither the causes nor that tests are changed', async () => {
    const test = (sort: string): string => `
      apiVersion: gwconf/v1
      kind: Test
      cases: [{ name: t, as: { username: u }, expect: { protectedBy: [${sort}] } }]
    `;
    const world = makeGitWorld({
      'gwconf.yaml': project('a'),
      'files/a.yaml': alias('a'),
      'a.gwtest.yaml': test('masking'),
    });
    world.git('init', '--quiet', 'vendor');
    world.git('-C', 'vendor', 'commit', '--quiet', '--allow-empty', '-m', 'own');
    world.commit();
    expect(world.git('ls-files', '--stage', 'vendor')).toMatch(/^160000 /);
    world.git('checkout', '--quiet', '-b', 'feature');
    world.write('a.gwtest.yaml', test('encryption'));
    world.commit();
    const { out } = await world.run('plan', '--base', 'main', ...URL);
    expect(out).toMatch(/! test t changed from .*masking.* to .*encryption/);
    const touched = await world.run('environments', '--changed-since', 'main');
    expect(touched.out).toContain('a.gwtest.yaml');
  });
});

describe.skipIf(!hasGit)('a sparse checkout', () => {
  it('is not taken for a branch that takes out what is not checked out', async () => {
    const world = makeGitWorld({ 'files/a.yaml': alias('a'), 'files/more/b.yaml': alias('b') });
    world.commit();
    const applied = await world.run(
      ...['apply', '-f', 'files', '--auto-approve', '--journal', 'none', ...URL],
    );
    expect(applied.code, applied.err).toBe(0);
    world.git('sparse-checkout', 'set', '--no-cone', '/*', '!/files/more/');
    for (const command of [
      ['plan', '--prune', '--manages', '*'],
      ['plan', '--base', 'main'],
      ['plan', '--manages', '*'],
      ['drift', '--manages', '*'],
      ['import', '--dry-run'],
      ['effective', '--compare'],
    ]) {
      const ran = await world.run(...command, '-f', 'files', ...URL);
      expect(ran.code, ran.out).toBe(1);
      expect(ran.err).toContain('error[unreadable-file]: files/more/b.yaml is not checked out');
      expect(ran.out + ran.err).not.toContain('AliasTopic');
      expect((await world.run(...command, '-f', 'files/a.yaml', ...URL)).err).not.toContain(
        'is not checked out',
      );
    }
    for (const command of ['validate', 'render']) {
      const ran = await world.run(command, 'files');
      expect(ran.code, ran.err).toBe(0);
      expect(ran.err).toContain('warning[unreadable-file]: files/more/b.yaml is not checked out');
    }
    world.git('sparse-checkout', 'set', '--no-cone', '/*', '!/other/');
    for (const command of [['plan', '--base', 'main'], ['drift']])
      expect(await world.run(...command, '-f', 'files', ...URL)).toMatchObject({ code: 0 });
  });

  it('is not taken for one behind a link, beside a path out of the repository, or where git does not tell', async () => {
    const world = makeGitWorld({
      ...{ 'real/a.yaml': alias('a'), 'real/more/b.yaml': alias('b') },
      ...{ 'own/d.yaml': alias('d'), 'other/a.yaml': alias('a'), 'other/more/b.yaml': alias('b') },
    });
    symlinkSync('real', join(world.folder, 'files'));
    symlinkSync('../other', join(world.folder, 'own/link'));
    world.commit();
    world.git('sparse-checkout', 'set', '--no-cone', '/*', '!/real/more/', '!/other/more/');
    const plan = async (...paths: readonly string[]): Promise<string> =>
      (await world.run('plan', ...paths, '--prune', '--manages', '*', ...URL)).err;
    expect(await plan('files')).toContain('error[unreadable-file]: real/more/b.yaml is not checked out');
    expect(await plan('own')).toContain('error[unreadable-file]: other/more/b.yaml is not checked out');
    expect(await plan('own/d.yaml')).not.toContain('is not checked out');
    const outside = makeGitWorld({ 'o.yaml': alias('o') }).folder;
    expect(await plan('files', outside)).toContain('real/more/b.yaml is not checked out');
    world.git('sparse-checkout', 'disable');
    rmSync(join(world.folder, 'own/link'));
    world.write('own/link', '../other');
    expect(await plan('own')).toContain('own/link is not checked out as the link to a folder that it is');
    world.git('sparse-checkout', 'set', '--no-cone', '/*', '!/real/more/');
    world.write('.git/index', 'none');
    expect(await plan('own/d.yaml')).toContain('error[unreadable-file]: git does not tell whether all files');
  });

  it('is known in a repository with a long list of files', async () => {
    const world = makeGitWorld({ large: 'x'.repeat(2_000_000) });
    world.commit();
    const git = openGit(world.folder);
    expect((await git.run(['show', 'HEAD:large'])).stdout).toHaveLength(2_000_000);
    git.close();
  });
});

describe.skipIf(!hasGit)('tests in a sparse checkout', () => {
  it('are not run on a part of the files, nor in part', async () => {
    const text =
      'apiVersion: gwconf/v1\nkind: Test\ncases:\n  - { name: none, as: { username: bob }, expect: { excludes: ["*"] } }\n';
    const world = makeGitWorld({
      'gwconf.yaml':
        'apiVersion: gwconf/v1\nkind: Project\nenvironments: { prod: { gateway: { url: "embedded:" }, files: [files] } }\n',
      'files/a.yaml': alias('a'),
      'files/more/b.yaml': alias('b'),
      'tests/one.gwtest.yaml': text,
      'tests/more/two.gwtest.yaml': text,
    });
    world.commit();
    const first = await world.run('test');
    expect(first.code, first.err + first.out).toBe(0);
    for (const [folder, told] of [
      ['files/more', 'files/more/b.yaml is not checked out: what is declared'],
      ['tests/more', 'tests/more/two.gwtest.yaml is not checked out: its tests would not run'],
    ]) {
      world.git('sparse-checkout', 'set', '--no-cone', '/*', `!/${folder}/`);
      const ran = await world.run('test');
      expect(ran.code, ran.out).toBe(1);
      expect(ran.err).toContain(`error[unreadable-file]: ${told}`);
    }
  });
});

describe.skipIf(!hasGit)('policies', () => {
  it('are not left out where a sparse checkout, or a clone without a submodule, lacks some of them', async () => {
    const policy = (name: string): string => `
      apiVersion: gwconf/v1
      kind: Policy
      metadata: { name: ${name} }
      spec:
        expression: object.metadata.name != "${name}"
        message: a name that is taken
        examples: { pass: [{ object: { metadata: { name: x } } }], fail: [{ object: { metadata: { name: ${name} } } }] }
    `;
    const world = makeGitWorld({
      'gwconf.yaml':
        'apiVersion: gwconf/v1\nkind: Project\npolicies: { files: [policies] }\nenvironments: { prod: { files: [files] } }\n',
      'files/a.yaml': alias('a'),
      'policies/own.policy.yaml': policy('own'),
      'policies/shared/a.policy.yaml': policy('a'),
    });
    world.commit();
    const plan = (): Promise<Ran> => world.run('plan', ...URL);
    expect((await plan()).err).toContain('error[policy/a]');
    world.git('sparse-checkout', 'set', '--no-cone', '/*', '!/policies/shared/');
    const told = 'policies/shared/a.policy.yaml is not checked out: its policies would judge nothing';
    expect((await plan()).err).toContain(`error[unreadable-file]: ${told}`);
    expect((await world.run('validate')).err).toContain(told);
    world.git('sparse-checkout', 'disable');
    world.git('rm', '-r', '--quiet', '--cached', 'policies/shared');
    world.git('init', '--quiet', 'policies/shared');
    world.git('-C', 'policies/shared', 'add', '.');
    world.git('-C', 'policies/shared', 'commit', '--quiet', '-m', 'own');
    world.write('.gitmodules', '[submodule "shared"]\n\tpath = policies/shared\n\turl = ./x.git\n');
    world.commit();
    expect((await plan()).err).toContain('error[policy/a]');
    rmSync(join(world.folder, 'policies/shared'), { recursive: true });
    mkdirSync(join(world.folder, 'policies/shared'));
    expect(await plan()).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        'error[unreadable-file]: the submodule policies/shared is not fetched',
      ) as string,
    });
  });
});

describe.skipIf(!hasGit)('a clone without some files', () => {
  const args = ['plan', 'files', '--prune', '--manages', '*', '--base', 'HEAD', ...URL];

  it('is not taken for files that are gone where a submodule is not fetched', async () => {
    const world = await worldWithSubmodule();
    world.write('.gitmodules', '[submodule "sub"]\n\tpath = files/sub\n\turl = ./sub.git\n');
    world.commit();
    expect((await world.run(...args)).out).toContain('No changes');
    world.git('-C', 'files/sub', 'sparse-checkout', 'set', '--no-cone', '/other');
    expect((await world.run(...args)).err).toContain('files/sub/b.yaml is not checked out');
    rmSync(join(world.folder, 'files/sub'), { recursive: true });
    mkdirSync(join(world.folder, 'files/sub'));
    for (const text of [
      '[submodule "sub"] Path = files/sub\n',
      '[submodule "sub"]\n\tpath = files/su\\\nb\n',
      '',
    ]) {
      world.write('.gitmodules', text);
      const ran = await world.run(...args);
      expect(ran.err).toContain('error[unreadable-file]: the submodule files/sub is not fetched');
      expect([ran.code, ran.out]).toEqual([1, expect.not.stringContaining('AliasTopic')]);
    }
    rmSync(join(world.folder, '.gitmodules'));
    expect((await world.run(...args)).err).toContain('the submodule files/sub is not fetched');
    expect((await world.run('validate', 'files/a.yaml')).code).toBe(0);
  });

  it('has causes that are unknown where it is a partial one', async () => {
    const world = makeGitWorld({ 'files/a.yaml': alias('a') });
    const base = world.commit();
    world.write('files/a.yaml', alias('a', 'y'));
    world.commit();
    world.git('config', 'uploadpack.allowFilter', 'true');
    const from = `file://${world.folder}`;
    world.git('clone', '--quiet', '--no-checkout', '--filter=blob:none', from, 'partial');
    rmSync(join(world.folder, '.git'), { recursive: true });
    renameSync(join(world.folder, 'partial/.git'), join(world.folder, '.git'));
    const ran = await world.run('plan', 'files', '--base', base, ...URL);
    expect(ran.err).toContain('git does not have all files of');
    expect(ran.err).not.toContain('cat-file');
    // What is lost compared with the base cannot be told.
    const strict = await world.run('plan', 'files', '--base', base, '--fail-on', 'loss', ...URL);
    expect(strict).toMatchObject({
      code: 1,
      err: expect.stringContaining('error[unknown-causes]: git does not have all files of') as string,
    });
  });
});

describe.skipIf(!hasGit)('a base with files that cannot be used', () => {
  const rules = projectOf({ prod: 'files: [files], manages: ["*"], limits: { deletes: 1 }' });
  const loose = projectOf({ prod: 'files: [files], manages: ["*"], limits: { deletes: 9 }' });
  const strict = ['plan', '--base', 'main', '--fail-on', 'loss', ...URL];
  const told = '! limits.deletes changed from 1 to 9';
  const taken =
    'error[taken-over-loss]: compared with the base, all other clients in passthrough have weaker';

  /** On the gateway a mask is weaker than on the base, and the branch declares it so. */
  async function weakened(files: Readonly<Record<string, string>>): Promise<GitWorld> {
    const world = makeGitWorld({ 'gwconf.yaml': rules, 'files/m.yaml': masking('m', 'x') });
    expect((await world.run('apply', '--auto-approve', '--journal', 'none', ...URL)).code).toBe(0);
    world.write('files/m.yaml', masking('m', 'x', 'y'));
    for (const [path, text] of Object.entries(files)) world.write(path, text);
    return world;
  }

  function branchOff(world: GitWorld): void {
    world.commit();
    world.git('checkout', '--quiet', '-b', 'feature');
    world.write('files/m.yaml', masking('m', 'x'));
  }

  it('is compared with what else it has, and lets a branch pass that mends it', async () => {
    const world = await weakened({ 'files/b.yaml': alias('b').replace('spec', 'spek') });
    branchOff(world);
    world.write('files/b.yaml', alias('b'));
    const ran = await world.run(...strict);
    expect(ran).toMatchObject({ code: 3, err: expect.stringContaining(taken) as string });
    world.write('files/m.yaml', masking('m', 'x', 'y'));
    const mended = await world.run(...strict);
    expect(mended).toMatchObject({
      code: 0,
      err: expect.stringContaining('warning[unknown-causes]') as string,
    });
  });

  it.each([
    ['of a project', 'gwconf.yaml', 'kind: Project\n'],
    ['of resources', 'files/m.yaml', masking('m', 'x', 'y').replace('spec', 'spek')],
  ])('does not let a branch pass that begins before they were mended: %s', async (_, file, broken) => {
    const world = await weakened({});
    const right = world.read(file);
    world.write(file, broken);
    branchOff(world);
    world.write('gwconf.yaml', loose);
    world.commit();
    world.git('checkout', '--quiet', 'main');
    world.write(file, right);
    world.commit();
    world.git('checkout', '--quiet', 'feature');
    const ran = await world.run(...strict);
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('error[unknown-causes]') as string });
    expect(ran.err).toContain('= merge main into this branch, or rebase it');
  });

  it.each([
    ['in a folder', 'files/sub', 'files: [files]', ''],
    ['that is named', 'sub', 'files: [files, sub]', ''],
    ['of policies', 'rules', 'files: [files]', 'policies: { files: [rules] }\n'],
  ])('is compared with what is not of a submodule %s', async (_, sub, named, more) => {
    const text = (own: string): string => `${own.replace('files: [files]', named)}${more}`;
    const policy = `
      apiVersion: gwconf/v1
      kind: Policy
      metadata: { name: p }
      spec:
        expression: object.metadata.name != "taken"
        message: a name that is taken
        examples: { pass: [{ object: { metadata: { name: x } } }], fail: [{ object: { metadata: { name: taken } } }] }
    `;
    const file = more === '' ? 'b.yaml' : 'b.policy.yaml';
    const world = await weakened({
      [`${sub}/${file}`]: more === '' ? alias('b') : policy,
      'gwconf.yaml': text(rules),
    });
    world.git('init', '--quiet', sub);
    world.git('-C', sub, 'add', file);
    world.git('-C', sub, 'commit', '--quiet', '-m', 'own');
    branchOff(world);
    expect(world.git('ls-files', '--stage', sub)).toMatch(/^160000 /);
    world.write('gwconf.yaml', text(loose));
    const ran = await world.run(...strict);
    expect(ran.code, ran.err).toBe(3);
    expect(ran.out).toContain(told);
    expect(ran.out).not.toContain('policy p');
    expect(ran.err).toContain(taken);
    expect(ran.err).toMatch(
      new RegExp(
        `warning\\[unknown-causes\\].* ${sub} .*it is a submodule, whose files are in another repository`,
      ),
    );
  });
});

describe.skipIf(!hasGit)('a change of the branch', () => {
  it('is not hidden behind a tag or a branch with the name of the base', async () => {
    const world = makeGitWorld({ 'a.yaml': alias('a') });
    const merged = world.commit();
    world.git('update-ref', 'refs/remotes/origin/main', merged);
    world.git('checkout', '--quiet', '-b', 'feature');
    world.write('a.yaml', alias('own'));
    world.commit();
    for (const ref of ['refs/tags/origin/main', 'refs/heads/origin/main', 'refs/origin/main']) {
      world.git('update-ref', ref, 'HEAD');
      for (const base of ['origin/main', 'origin/main~0', 'origin/main^{}']) {
        const ran = await world.run('plan', '-f', 'a.yaml', '--base', base, ...URL);
        expect(ran).toMatchObject({ code: 1 });
        expect(ran.err).toContain(`error[no-base]: ${base} names several branches or tags here`);
      }
      world.git('update-ref', '-d', ref);
    }
    // A whole id is that of its commit, and HEAD is HEAD, whatever else has the name.
    world.git('update-ref', `refs/heads/${merged}`, 'HEAD');
    const byId = await world.run('plan', '-f', 'a.yaml', '--base', merged, ...URL);
    expect(byId.out).toMatch(/By this branch:\n {2}\+ AliasTopic\/own/);
    world.git('update-ref', 'refs/tags/HEAD', merged);
    world.git('update-ref', 'refs/tags/origin/main', 'HEAD');
    const ran = await world.run('plan', '-f', 'a.yaml', '--base', 'refs/remotes/origin/main', ...URL);
    expect(ran.out).toMatch(/By this branch:\n {2}\+ AliasTopic\/own/);
  });

  it('is not hidden behind one of two common commits, of which the other has the rule', async () => {
    const protect = ', protect: [{ kind: AliasTopic, reason: x }] } }';
    const world = makeGitWorld({ 'gwconf.yaml': project('a'), 'files/a.yaml': alias('a') });
    world.commit();
    world.git('checkout', '--quiet', '-b', 'feature');
    world.write('note.txt', 'x');
    const first = world.commit();
    world.git('checkout', '--quiet', 'main');
    world.write('gwconf.yaml', project('a').replace(' } }\n', `${protect}\n`));
    const rule = world.commit();
    world.git('merge', '--quiet', '--no-ff', '--message', 'merge', first);
    world.git('checkout', '--quiet', 'feature');
    world.git('merge', '--quiet', '--no-ff', '--message', 'merge', rule);
    world.write('gwconf.yaml', project('a'));
    world.commit();
    const ran = await world.run('plan', '--base', 'main', ...URL);
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('several newest common commits')]);
    world.git('merge', '--quiet', '--message', 'merge', 'main');
    expect((await world.run('plan', '--base', 'main', ...URL)).out).toContain('! protect removed');
  });

  it('is not hidden behind an older common commit, where a shallow clone lacks the way to the newest one', async () => {
    const protect = ', protect: [{ kind: AliasTopic, reason: x }] } }';
    const world = makeGitWorld({ 'gwconf.yaml': project('a'), 'files/a.yaml': alias('a') });
    const old = world.commit();
    world.write('gwconf.yaml', project('a').replace(' } }\n', `${protect}\n`));
    world.commit();
    world.git('checkout', '--quiet', '-b', 'feature');
    const cut = world.commit('first');
    world.write('gwconf.yaml', project('a'));
    const tree = `${world.commit('drop')}^{tree}`;
    world.git(
      'reset',
      '--quiet',
      '--hard',
      world.git('commit-tree', '-m', 'odd', '-p', cut, '-p', old, tree),
    );
    const plan = ['plan', '--base', 'main', ...URL];
    expect((await world.run(...plan)).out).toContain('! protect removed');
    world.write('.git/shallow', `${cut}\n`);
    const ran = await world.run(...plan);
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('this clone is shallow, so the newest')]);
  });

  it('is not hidden in a submodule, whose branches the pull request chooses', async () => {
    const inner = makeGitWorld({ 'a.yaml': alias('a') });
    const own = inner.commit();
    const world = makeGitWorld();
    world.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.folder, 'inner');
    world.commit();
    const plan = ['plan', '-f', 'a.yaml', '--base', 'origin/main', ...URL];
    const ran = await world.runWith({ within: 'inner' }, ...plan);
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('error[no-base]: this folder is a sub')]);
    expect((await world.runWith({ within: 'inner' }, ...plan, '--base', own)).code).toBe(0);
    world.write('beside/a.yaml', alias('a'));
    world.git('update-ref', 'refs/remotes/origin/main', world.commit());
    expect((await world.runWith({ within: 'beside' }, ...plan)).code).toBe(0);
  });

  it('is not hidden in a file or a program that a field is filled in from', async () => {
    const world = makeGitWorld({
      'gwconf.yaml': project('ops'),
      'files/a.yaml': GROUP,
      'groups.txt': 'admins\n',
    });
    world.commit();
    const run = ['--auto-approve', '--allow-exec', '--journal', 'none'];
    expect((await world.run('apply', ...run, ...URL)).code).toBe(0);
    world.git('checkout', '--quiet', '-b', 'feature');
    world.write('groups.txt', 'everybody\n');
    expect(await causes(world, '--allow-exec')).toEqual({ 'GatewayGroup/team': 'branch' });
    world.write('groups.txt', 'admins\n');
    world.write('gwconf.yaml', project('everybody'));
    expect(await causes(world, '--allow-exec')).toEqual({ 'GatewayGroup/team': 'branch' });
  });

  it('is not hidden in a program of the repository, called as before', async () => {
    const command = project('groups.sh').replace('echo', 'sh');
    const world = makeGitWorld({
      'gwconf.yaml': command,
      'files/a.yaml': GROUP,
      'groups.txt': 'admins\n',
      'groups.sh': 'echo ops\n',
    });
    world.commit();
    const run = ['--auto-approve', '--allow-exec', '--journal', 'none'];
    expect((await world.run('apply', ...run, ...URL)).code).toBe(0);
    world.write('groups.sh', 'echo everybody\n');
    expect(await causes(world, '--allow-exec')).toEqual({ 'GatewayGroup/team': 'branch' });
    const { out } = await world.run('plan', '--base', 'main', '--allow-exec', ...URL);
    const told = /! exec\.groups\.command changed from \{ file: groups\.sh, sha256: /;
    expect(out).toMatch(told);
    for (const bytes of [
      Buffer.from('echo ops # \xff\n', 'latin1'),
      Buffer.from(`echo ops\n#${'x'.repeat(1e7)}\n`),
    ]) {
      writeFileSync(join(world.folder, 'groups.sh'), bytes);
      expect((await world.run('plan', '--base', 'main', '--allow-exec', ...URL)).out).toMatch(told);
    }
  });

  it.each([
    ['with a long path', `"\${file:${'./'.repeat(600)}v.txt}"`],
    ['with escapes', String.raw`"${'$'}{file:v\x2etxt}"`],
    ['on several lines', '>-\n    ${file:./\n    v.txt}', ' v.txt'],
  ])('tells whom a file touches that a resource names %s', async (_, name, file = 'v.txt') => {
    const world = makeGitWorld({
      'gwconf.yaml': 'apiVersion: gwconf/v1\nkind: Project\nenvironments: { prod: { files: [files] } }\n',
      'files/a.yaml': `apiVersion: gateway/v2\nkind: AliasTopic\nmetadata:\n  name: a\nspec:\n  physicalName: ${name}\n`,
      [file]: 'one',
    });
    world.commit();
    world.write(file, 'two');
    world.commit();
    const { out } = await world.run('environments', '--changed-since', 'HEAD~1', '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({ environments: [{ environment: 'prod' }] });
  });

  it('tells whom a file touches in the folder where the job has such files', async () => {
    const world = makeGitWorld({
      'gwconf.yaml': project('a'),
      'files/a.yaml': alias('a', '"${file:v.txt}"'),
      'values/v.txt': 'one',
    });
    world.env['GWCONF_SECRET_ROOT'] = 'values';
    world.commit();
    world.write('values/v.txt', 'two');
    world.commit();
    const { out } = await world.run('environments', '--changed-since', 'HEAD~1', '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({ environments: [{ environment: 'prod' }] });
  });

  it.each([
    ['another variable', '"${OTHER}"', 'ONE'],
    ['a text around it', '"x${ONE}"', 'ONE'],
    ['another variable in gwconf.yaml', '"${var.one}"', 'OTHER'],
  ])('is told in a plan from a snapshot where a hidden value comes from %s', async (_, filled, variable) => {
    const variables = (name: string): string =>
      project('a').replace('files: [files]', `files: [files], variables: { one: "\${${name}}" }`);
    const own = (text: string): string => alias('a', text);
    const before = filled.includes('var.') ? filled : '"${ONE}"';
    const world = makeGitWorld({ 'gwconf.yaml': variables('ONE'), 'files/a.yaml': own(before) });
    world.env['ONE'] = 'the-first-value';
    world.commit();
    expect((await world.run('apply', '--auto-approve', '--journal', 'none', ...URL)).code).toBe(0);
    await world.run('snapshot', '--out', 'snapshot.json', ...URL);
    const env = { CI: 'true', GWCONF_ALLOWED_VARIABLES: 'ONE,OTHER' };
    const plan = ['plan', '--base', 'main', '--snapshot', 'snapshot.json'];
    const same = await world.runWith({ env }, ...plan);
    expect(same.out).toContain('No changes in what was compared. 1 object up to date.');
    world.write('files/a.yaml', own(filled));
    world.write('gwconf.yaml', variables(variable));
    const { out } = await world.runWith({ env }, ...plan);
    expect(out).toContain('By this branch:\n  ~ AliasTopic/a@vCluster=passthrough');
    expect(out).toContain('~ /spec/physicalName: (hidden) → (hidden), changed');
  });

  it('is told in such a plan where the encrypted file has another value by the same name', async () => {
    const key = await makeAgeKey();
    const encrypt = (token: string): Promise<string> => makeSopsFile({ token }, key.recipient);
    const world = makeGitWorld({
      'gwconf.yaml': project('a'),
      'files/a.yaml': alias('a', '"${sops:s.yaml#token}"'),
      's.yaml': await encrypt('the-first-value'),
    });
    world.env['SOPS_AGE_KEY'] = key.identity;
    world.commit();
    const applied = await world.run('apply', '--auto-approve', '--journal', 'none', ...URL);
    expect(applied.code, applied.err).toBe(0);
    await world.run('snapshot', '--out', 'snapshot.json', ...URL);
    const plan = ['plan', '--base', 'main', '--snapshot', 'snapshot.json'];
    const job = { env: { CI: 'true', GITHUB_HEAD_REF: 'feature', GWCONF_ALLOWED_SOURCES: 'sops:*' } };
    const same = await world.runWith(job, ...plan);
    expect(same.out, same.err).toContain('No changes in what was compared. 1 object up to date.');
    world.write('s.yaml', await encrypt('another-value'));
    const { out } = await world.runWith(job, ...plan);
    expect(out).toContain('By this branch:\n  ~ AliasTopic/a@vCluster=passthrough');
  });

  it('is told in such a plan where a file that a field is filled in from has another content', async () => {
    const world = makeGitWorld({
      'gwconf.yaml': project('a'),
      'files/a.yaml': alias('a', '"${file:a.txt}"'),
      's/a.txt': 'orders',
    });
    world.commit();
    const root = ['--secret-root', 's'];
    await world.run('apply', '--auto-approve', '--journal', 'none', ...root, ...URL);
    await world.run('snapshot', '--out', 'snapshot.json', ...root, ...URL);
    const plan = ['plan', '--base', 'main', '--snapshot', 'snapshot.json', ...root];
    const ci = { env: { CI: 'true' } };
    expect((await world.runWith(ci, ...plan)).out).toContain('1 object up to date.');
    world.write('s/a.txt', 'others');
    const hidden = await world.runWith(ci, ...plan); // git has another content, so it may be a secret
    expect(hidden.out).toMatch(/By this branch:\n  ~ AliasTopic\/a.*\n.*\(hidden\)/);
    world.git('checkout', '--quiet', '-b', 'feature');
    world.commit();
    const shown = await world.runWith(ci, ...plan);
    expect(shown.out).toMatch(/By this branch:\n  ~ AliasTopic\/a.*\n.*"orders" → "others"/);
    world.write('s/a.txt', 'orders\n'); // nothing else
    world.commit();
    expect((await world.runWith(ci, ...plan)).out).toContain('1 object up to date.');
  });

  it('is told where a branch has a file in git in which the base has what a job puts there, without what is live', async () => {
    const world = makeGitWorld({
      'gwconf.yaml': project('a'),
      'files/a.yaml': alias('a', '"${file:a.txt}"'),
    });
    world.commit();
    world.write('a.txt', 'of-the-job');
    await world.run('apply', '--auto-approve', '--journal', 'none', ...URL);
    world.git('checkout', '--quiet', '-b', 'feature');
    world.write('a.txt', 'other');
    world.commit();
    const { out } = await world.run('plan', '--base', 'main', ...URL);
    expect(out).toMatch(/By this branch:\n  ~ AliasTopic\/a.*\n.*"\(hidden\)" → "other"/);
    // Where the branch may not compare it, the base does not, either.
    world.git('branch', '--force', 'main');
    await world.run('apply', '--auto-approve', '--journal', 'none', ...URL);
    world.git('rm', '--cached', '--quiet', 'a.txt');
    world.git('commit', '--quiet', '-m', 'no longer in git');
    await world.run('snapshot', '--out', 's.json', ...URL);
    const same = await world.runWith(
      { env: { CI: 'true' } },
      'plan',
      '--base',
      'main',
      '--snapshot',
      's.json',
    );
    expect(same.out).toContain('No changes in what was compared.');
  });

  it('is not hidden by old commits in which the base had it', async () => {
    const world = makeGitWorld({ 'files/a.yaml': alias('a'), 'files/gone.yaml': alias('gone') });
    const old = world.commit();
    world.git('rm', '--quiet', 'files/gone.yaml');
    world.commit();
    world.git('checkout', '--quiet', '-b', 'feature', old);
    // An honest branch that is behind: its merge leaves out what the base has left out.
    expect(await causes(world, '-f', 'files')).toEqual({
      'AliasTopic/a': 'base',
      'AliasTopic/gone': 'behind',
    });
    // A merge takes the move, and so brings back what is in it.
    world.git('mv', 'files/gone.yaml', 'files/moved.yaml');
    expect(await causes(world, '-f', 'files')).toEqual({
      'AliasTopic/a': 'base',
      'AliasTopic/gone': 'branch',
    });
    world.write('files/a.yaml', `${alias('a')}---${alias('gone')}`);
    world.git('rm', '--quiet', '--force', 'files/moved.yaml');
    expect(await causes(world, '-f', 'files')).toEqual({
      'AliasTopic/a': 'base',
      'AliasTopic/gone': 'branch',
    });
  });

  it('is told with the rule that it drops, which blocks, alone where the base says so', async () => {
    const rules = (own: string, lint: string): string => `
      apiVersion: gwconf/v1
      kind: Project
      environments: { prod: { files: [files], ${own} } }
      lint: { ${lint} }
    `;
    const protect = 'protect: [{ kind: AliasTopic, reason: read by all }]';
    const world = makeGitWorld({ 'gwconf.yaml': rules(protect, ''), 'files/a.yaml': alias('a') });
    world.commit();
    expect((await world.run('apply', '--auto-approve', '--journal', 'none', ...URL)).code).toBe(0);
    world.write('files/a.yaml', alias('a', 'own'));
    world.write('gwconf.yaml', rules('', 'loosened-rule: off'));
    const told = await world.run('plan', '--base', 'main', ...URL);
    expect([told.code, told.err]).toEqual([
      3,
      expect.stringContaining('by the rules of the base, AliasTopic/a'),
    ]);
    expect(told.out).toContain('! protect removed: { kind: AliasTopic, reason: read by all }');
    world.write('files/a.yaml', alias('a'));
    expect((await world.run('plan', '--base', 'main', ...URL)).code).toBe(0);
    world.write('gwconf.yaml', rules(protect, 'loosened-rule: error'));
    world.commit();
    world.write('gwconf.yaml', rules('', 'loosened-rule: off'));
    expect((await world.run('plan', '--base', 'main', ...URL)).code).toBe(3);
  });

  it('is told among any number of others, and at the end of a long text', async () => {
    const rules = (external: string, policies: string): string => `
      apiVersion: gwconf/v1
      kind: Project
      environments: { prod: { files: [files], external: [${external}], protect: [{ kind: AliasTopic, secrets: true, reason: kept }] } }
      policies: { builtIn: { ${policies} } }
    `;
    const long = 'a-team-with-a-name, '.repeat(20);
    const prefixes = (last: string): string =>
      `team-prefix: { prefixes: [${long}${last}], kinds: [AliasTopic] }`;
    const world = makeGitWorld({
      'gwconf.yaml': rules('', `required-comment: true, ${prefixes('b-team')}`),
      'files/a.yaml': alias('a'),
    });
    world.commit();
    const many = Array.from({ length: 200 }, (_, at) => `AliasTopic/x${at}@*`).join(', ');
    const project = rules(many, prefixes('a, b-team')).replace('secrets: true, ', '');
    world.write('gwconf.yaml', project);
    const { out, err } = await world.run('plan', '--base', 'main', ...URL);
    expect(out, err).toContain('! policy required-comment removed: ');
    expect(out).toMatch(
      /! policy team-prefix.params changed from ….*-a-name, b-team\] } to ….*-a-name, a, b-team\] }/,
    );
    expect(out).toContain('! protect changed from { kind: AliasTopic, secrets: true, reason: kept }');
    expect(out).toContain('! external added: AliasTopic/x0@*');
    expect(out).toContain('more');
  });

  it.each([
    ['beside it', 'new', 'embedded:../g.json'],
    ['deeper, beside others that are gone', 'team/old', 'embedded:../../g.json'],
  ])('is told where the project is in another folder: %s', async (_, folder, url) => {
    const rules = (own: string): string => projectOf({ prod: `files: [files], manages: ['*']${own}` });
    const world = makeGitWorld({
      'old/gwconf.yaml': rules(', protect: [{ kind: AliasTopic }]'),
      'old/files/a.yaml': alias('a', '"${file:value.txt}"'),
      'old/files/b.yaml': alias('b'),
      'old/value.txt': 'x\n',
      ...(folder === 'new' ? {} : { 'gone/gwconf.yaml': rules('') }),
    });
    world.commit();
    const apply = ['apply', '--auto-approve', '--journal', 'none', '--url', 'embedded:../g.json'];
    expect((await world.runWith({ within: 'old' }, ...apply)).code).toBe(0);
    world.git('checkout', '--quiet', '-b', 'feature');
    world.git('rm', '-r', '--quiet', '--ignore-unmatch', 'gone');
    mkdirSync(join(world.folder, folder, '..'), { recursive: true });
    world.git('mv', 'old', folder);
    world.write(`${folder}/gwconf.yaml`, rules(''));
    world.commit();
    const plan = ['plan', '--base', 'main', '--url', url];
    const moved = await world.runWith({ within: folder }, ...plan);
    expect(moved.out).toContain('! protect removed: { kind: AliasTopic }');
    expect(moved.out).toContain('No changes. 2 objects up to date.');
    world.git('rm', '--quiet', `${folder}/files/b.yaml`);
    const { out } = await world.runWith({ within: folder }, ...plan);
    expect(out).toContain(
      '! AliasTopic/b@vCluster=passthrough stays on the gateway, and no file declares it',
    );
  });

  it.each([
    ['project', 'real/b/gwconf.yaml', 'has no gwconf.yaml here'],
    ['environment', 'real/a/gwconf.yaml', 'has no such environment'],
  ])('is told with rules that the base has not for its %s', async (_, path, told) => {
    const world = makeGitWorld({
      'real/a/gwconf.yaml': projectOf({ prod: 'files: [files], protect: [{ kind: AliasTopic }]' }),
      'real/a/files/a.yaml': alias('a'),
    });
    symlinkSync('real/a', join(world.folder, 'job'));
    world.commit();
    world.git('checkout', '--quiet', '-b', 'feature');
    world.write('real/b/files/a.yaml', alias('a'));
    world.write(
      path,
      projectOf({ prod: 'files: [files], protect: [{ kind: AliasTopic }]', new: 'files: [files]' }),
    );
    rmSync(join(world.folder, 'job'));
    symlinkSync(dirname(path), join(world.folder, 'job'));
    world.commit();
    const plan = ['plan', '--base', 'main', '--env', 'new', '--url', 'embedded:../../g.json'];
    const { out } = await world.runWith({ within: 'job' }, ...plan);
    expect(out).toContain(`The base ${told}: rules are compared with the usual ones`);
  });

  it('is told in a short comment, and in the first annotations, among any number of other problems', async () => {
    const rules = (protect: string, external: string): string =>
      projectOf({ prod: `files: [files], protect: [${protect}], external: [${external}]` });
    const pair = (at: number): string => `${alias(`pair-${at}`)}---${alias(`PAIR-${at}`)}`;
    const many = Array.from({ length: 150 }, (_, at) => at);
    const kinds = ['VirtualCluster', 'GatewayGroup', 'ConcentrationRule', 'GatewayServiceAccount'];
    const world = makeGitWorld({
      'gwconf.yaml': rules(kinds.map((kind) => `{ kind: ${kind} }`).join(', '), ''),
      'files/m.yaml': masking('m', 'x', 'y'),
      'files/other.yaml': masking('other', 'z')
        .replace('cards', 'orders')
        .replace('priority: 1', 'priority: 2'),
    });
    world.commit();
    const other = world.read('files/other.yaml');
    world.write('files/m.yaml', masking('m', 'x'));
    const applied = await world.run('apply', '--auto-approve', '--journal', 'none', ...URL);
    expect(applied.code, applied.err).toBe(0);
    world.write('gwconf.yaml', rules('', many.map((at) => `AliasTopic/x${at}@*`).join(', ')));
    world.write('files/a.yaml', many.map(pair).join('---'));
    world.write('files/other.yaml', other.replace('fields: [z]', 'fields: [none]'));
    const outputs = ['-o', 'json=report.json', '-o', 'github'];
    const { out, code, err } = await world.run('plan', '--base', 'main', ...URL, ...outputs);
    expect([code, err]).toEqual([0, expect.stringContaining('similar-names')]);
    const first = out.split('\n').slice(0, 10).join('\n');
    for (const told of ['taken-over-loss', 'weakened-protection', 'protect removed', 'external added'])
      expect(first).toContain(told);
    const url = 'https://bitbucket.org/acme/gateway/pull-requests/1';
    const comment = (await world.run('comment', 'report.json', '--dry-run', '--pull-request', url)).out;
    expect(comment).toMatch(/- and \d+ more problems/);
    expect(comment).toContain('`taken-over-loss`: compared with the base, ');
    expect(comment).toContain('have weaker masking: z of orders is shown');
    for (const kind of kinds) expect(comment).toContain(`\`protect\` removed: \`{ kind: ${kind} }\``);
  });

  it('is told in formats that have problems only, and keeps what the base makes an error', async () => {
    const lint = (own: string): string => `
      apiVersion: gwconf/v1
      kind: Project
      environments: { prod: { files: [files] } }
      lint: { ${own} }
    `;
    const world = makeGitWorld({
      'gwconf.yaml': lint('priority-tie: error'),
      'files/a.yaml': masking('a', 'x'),
    });
    world.commit();
    world.write('gwconf.yaml', lint('priority-tie: off, loosened-rule: off'));
    for (const format of ['sarif', 'github']) {
      const { out, code } = await world.run('plan', '--base', 'main', ...URL, '-o', format);
      expect([code, out]).toEqual([
        0,
        expect.stringContaining('lint.priority-tie changed from error to off'),
      ]);
    }
    world.write('files/b.yaml', masking('b', 'x'));
    const ran = await world.run('plan', '--base', 'main', ...URL);
    expect(ran.err).toContain('error[priority-tie]');
    expect(ran.code).toBe(1);
  });

  const pattern = (topic: string): string =>
    masking('a', 'x', 'y').replace('topic: cards', `topic: "${topic}"`);
  it.each<readonly [what: string, byHand: string, own: string]>([
    ['a weaker mask', masking('a', 'x'), masking('a', 'x')],
    ['one beside another change', masking('a', 'x'), masking('a', 'x').replace('priority: 1', 'priority: 2')],
    ['that there is none', '', ''],
    ['a pattern that leaves a listed topic out', pattern('(?!x|cards$).*'), pattern('(?!x|cards$).*')],
  ])('is told with the protection that it takes over from a change by hand: %s', async (_, byHand, own) => {
    const other = alias('other');
    const world = makeGitWorld({
      ...{ 'files/a.yaml': pattern('(?!x).*'), 'files/b.yaml': other, 'topics.txt': 'cards\n' },
      'gwconf.yaml': projectOf({ prod: 'files: [files]' }, 'topics: topics.txt\n'),
    });
    world.commit();
    world.write('hand.yaml', `${byHand}---${other}`);
    const applied = await world.run(
      ...['apply', '-f', 'hand.yaml', '--auto-approve', '--journal', 'none', ...URL],
    );
    expect(applied.code, applied.err).toBe(0);
    const plan = ['plan', '-f', 'files', '--base', 'main', ...URL];
    expect((await world.run(...plan)).err).not.toContain('compared with the base');
    world.write('files/a.yaml', own);
    const told = await world.run(...plan, '-o', 'markdown', '--fail-on', 'loss');
    expect(told.out).toMatch(/compared with the base, all other clients in passthrough .* masking/);
    expect(told.code).toBe(3);
  });

  it('is not told with it where the base says so, as the branch may not', async () => {
    const off = `${project('a')}  lint: { taken-over-loss: off }\n`;
    const world = makeGitWorld({ 'gwconf.yaml': project('a'), 'files/a.yaml': masking('a', 'x', 'y') });
    world.commit();
    world.write('files/a.yaml', masking('a', 'x'));
    const applied = await world.run('apply', '--auto-approve', '--journal', 'none', ...URL);
    expect(applied.code, applied.err).toBe(0);
    const told = async (): Promise<boolean> =>
      (await world.run('plan', '--base', 'main', ...URL)).err.includes('compared with the base');
    world.write('gwconf.yaml', off);
    expect(await told()).toBe(true);
    world.git('commit', '--quiet', '--message', 'rule', 'gwconf.yaml');
    expect(await told()).toBe(false);
    expect((await world.run('plan', '--base', 'main', '--fail-on', 'loss', ...URL)).code).toBe(3);
  });

  it('is told where the description of a kind is another, in the same file', async () => {
    const world = makeGitWorld({
      'gwconf.yaml': `${project('a')}  kinds: kinds.json\n`,
      'kinds.json': '{ "openapi": "3.1.0", "paths": {} }',
      'files/a.yaml': alias('a'),
    });
    world.commit();
    const same = await world.run('plan', '--base', 'main', ...URL);
    expect([same.code, same.out]).toEqual([0, expect.not.stringContaining('kinds changed')]);
    world.write('kinds.json', '{ "openapi": "3.1.1", "paths": {} }');
    const { out } = await world.run('plan', '--base', 'main', ...URL);
    // Whole digests: a file with the same beginning of one can be found.
    expect(out.match(/! kinds changed from (.*)/)?.[1]).toMatch(
      /^\{ file: kinds.json, sha256: [\da-f]{64} \} to \{ file: kinds.json, sha256: [\da-f]{64} \} /,
    );
  });

  it('is told where topics by which protection is judged are gone, or a trusted certificate is another, in the same file', async () => {
    const rules = project('a').replace(
      'files: [files]',
      'files: [files], topics: topics.txt, gateway: { ca: ca.pem }',
    );
    const world = makeGitWorld({
      'gwconf.yaml': rules,
      'files/a.yaml': alias('a'),
      'topics.txt': 'cards\norders\n',
      'ca.pem': 'one',
    });
    world.commit();
    world.write('topics.txt', 'orders\npayments\n');
    world.write('ca.pem', 'two');
    const { out } = await world.run('plan', '--base', 'main', ...URL);
    expect(out.match(/! (?:topics|gateway\.ca) .*(?= \()/g)).toEqual([
      '! topics removed: cards in topics.txt',
      expect.stringMatching(/^! gateway\.ca changed from \{ file: ca\.pem, sha256: /),
    ]);
    world.write('topics.txt', '# more\norders\ncards\npayments\n');
    world.write('ca.pem', 'one');
    const more = await world.run('plan', '--base', 'main', ...URL);
    expect([more.code, more.out]).toEqual([0, expect.not.stringContaining('Rules that')]);
  });

  describe('of an environment', () => {
    const environments = (...lines: readonly string[]): string =>
      `apiVersion: gwconf/v1\nkind: Project\nenvironments:\n  ${lines.join('\n  ')}\n`;
    const of = (name: string, host: string, rules = ''): string =>
      `${name}: { gateway: { url: "http://${host}" }, files: [files]${rules} }`;
    const protect = ', protect: [{ kind: AliasTopic, reason: x }]';
    const base = [of('prod', 'p'), of('dev', 'd', protect)];

    it('is named where it is gone, and there is no job for it', async () => {
      const world = makeGitWorld({ 'gwconf.yaml': environments(...base), 'files/a.yaml': alias('a') });
      const start = world.commit();
      const told = 'warning[no-longer-declared]: the environment dev is no longer in gwconf.yaml';
      for (const [lint, touched] of [
        ['', ''],
        ['lint: { no-longer-declared: off }\n', '"prod"'],
      ] as const) {
        world.write('gwconf.yaml', environments(of('prod', 'p')) + lint);
        world.commit();
        const ran = await world.run('environments', '--changed-since', start, '-o', 'github-matrix');
        expect([ran.code, ran.out]).toEqual([0, `{"environment":[${touched}]}\n`]);
        expect(ran.err).toContain(told);
      }
    });

    it('is named where it is gone, and the project has moved', async () => {
      const world = makeGitWorld({
        'old/gwconf.yaml': environments(...base),
        'old/files/a.yaml': alias('a'),
      });
      const start = world.commit();
      world.git('mv', 'old', 'new');
      world.write('new/gwconf.yaml', environments(of('prod', 'p')));
      world.commit();
      const ran = await world.runWith({ within: 'new' }, 'environments', '--changed-since', start);
      expect(ran.err).toContain('the environment dev is no longer in gwconf.yaml');
    });

    it.each<readonly [how: string, env: string, own: readonly string[], told: readonly string[]]>([
      ['that it drops', 'prod', [of('prod', 'p')], ['! environments.dev removed: gateway, files, protect']],
      [
        'that it renames, with another',
        'development',
        [of('production', 'p'), of('development', 'd')],
        [
          '! name of the environment changed from prod to production',
          '! protect removed: { kind: AliasTopic, reason: x }',
        ],
      ],
      [
        'for a gateway that has one with rules',
        'free',
        [...base, of('free', 'd')],
        ['! protect removed: { kind: AliasTopic, reason: x }'],
      ],
      [
        'for the same gateway, spelled otherwise',
        'free',
        [...base, of('free', 'D:80/')],
        [
          '! gateway.url changed from http://d to http://D:80/',
          '! protect removed: { kind: AliasTopic, reason: x }',
        ],
      ],
      ['that is new, for a gateway of its own', 'eu', [...base, of('eu', 'e')], []],
      [
        'that is new, beside one that it renames',
        'dev-us',
        [of('prod', 'p'), of('dev-eu', 'd', protect), of('dev-us', 'u')],
        ['! name of the environment changed from dev to dev-eu'],
      ],
      [
        'that it renames for another gateway, with another',
        'development',
        [of('production', 'p'), of('development', 'e')],
        [
          '! name of the environment changed from prod to production',
          '! gateway.url changed from http://d to http://e',
          '! protect removed: { kind: AliasTopic, reason: x }',
        ],
      ],
      [
        'that is new, and allows more than usual',
        'eu',
        [...base, of('eu', 'e", ca: "ca.pem', ', publicVariables: [PASS]')],
        ['! gateway.ca added: ca.pem', '! publicVariables added: PASS'],
      ],
    ])('is told with its rules: one %s', async (_, env, own, told) => {
      const world = makeGitWorld({ 'gwconf.yaml': environments(...base), 'files/a.yaml': alias('a') });
      world.commit();
      world.write('gwconf.yaml', environments(...own));
      const { out } = await world.run('plan', '--base', 'main', '--env', env, ...URL);
      expect(out.match(/! .*?(?= \(|$)/gm) ?? []).toEqual(told);
    });
  });

  it('is told as its own where its environment is for another gateway, also by the name of another one', async () => {
    const environments = (prod: string, files: string, own: string): string => `
      apiVersion: gwconf/v1
      kind: Project
      environments:
        prod: { gateway: { url: "embedded:${prod}.json" }, files: [${files}] }
        dev: { gateway: { url: "embedded:${own}.json" }, files: [${files === 'own' ? 'files' : 'own'}] }
    `;
    const world = makeGitWorld({
      'gwconf.yaml': environments('p', 'files', 'd'),
      'files/a.yaml': alias('a'),
      'files/b.yaml': alias('b'),
      'own/c.yaml': alias('c'),
    });
    world.commit();
    const applied = await world.run('apply', '--env', 'prod', '--auto-approve', '--journal', 'none');
    expect(applied.code, applied.err).toBe(0);
    const plan = ['plan', '--base', 'main', '--env'];
    world.write('gwconf.yaml', environments('new', 'files', 'd'));
    expect((await world.run(...plan, 'prod')).out).toMatch(/2 to create, .* 2 by this branch\./);
    world.write('gwconf.yaml', environments('d', 'own', 'p'));
    world.git('rm', '--quiet', 'files/a.yaml');
    expect((await world.run(...plan, 'dev')).out).toContain(
      '! AliasTopic/a@vCluster=passthrough stays on the',
    );
  });

  it('is told where it counts other classes as a protection', async () => {
    const own = project('a').replace(
      'files: [files]',
      'files: [files], protection: { masking: [AuditPlugin] }',
    );
    const world = makeGitWorld({ 'gwconf.yaml': project('a'), 'files/a.yaml': alias('a') });
    world.commit();
    world.write('gwconf.yaml', own);
    const { out } = await world.run('plan', '--base', 'main', ...URL);
    expect(out).toContain('! protection.masking added: [AuditPlugin]');
  });

  it('is told where a test of all environments becomes one of a single one, and seems to keep its name', async () => {
    const test = (environment: string, name: string): string =>
      `apiVersion: gwconf/v1\nkind: Test\n${environment}cases: [{ name: "${name}", as: { username: u }, expect: { protectedBy: [audit] } }]\n`;
    const world = makeGitWorld({
      'gwconf.yaml': project('a'),
      'a.gwtest.yaml': test('', 'prod: t'),
      'files/a.yaml': alias('a'),
    });
    world.commit();
    world.write('a.gwtest.yaml', test('environment: prod\n', 't'));
    const { out } = await world.run('plan', '--base', 'main', ...URL);
    expect(out).toMatch(/! test prod: t changed from \{ as: .* to \{ environment: prod, as: /);
  });

  it('is told with the words of a test that it drops', async () => {
    const test = `
      apiVersion: gwconf/v1
      kind: Test
      cases:
        - name: audited
          as: { username: anna }
          topic: cards
          expect: { includes: [AuditPlugin] }
        - name: kept
          as: { username: anna }
          after: plan
          expect: { noLastingLoss: true }
    `;
    const world = makeGitWorld({
      'gwconf.yaml': project('a'),
      'a.gwtest.yaml': test,
      'files/a.yaml': alias('a'),
    });
    world.commit();
    world.git('rm', '--quiet', 'a.gwtest.yaml');
    const { out } = await world.run('plan', '--base', 'main', ...URL);
    expect(out.match(/! test .*/g)).toEqual([
      '! test audited removed: { as: { username: anna }, topic: cards, expect: { includes: [AuditPlugin] } }',
      '! test kept removed: { as: { username: anna }, after: plan, expect: { noLastingLoss: true } }',
    ]);
  });

  it('is told where a test looks at other files, or they have another content, and where a comment ignores another problem', async () => {
    const test = `
      apiVersion: gwconf/v1
      kind: Test
      files: [sample.yaml]
      cases: [{ name: audited, as: { username: anna }, expect: { includes: [AuditPlugin] } }]
    `;
    const comment = '# gwconf-ignore lost-protection: we know\n';
    const [one, two] = [alias('one'), alias('two')];
    const world = makeGitWorld({
      'gwconf.yaml': project('a'),
      'tests/a.gwtest.yaml': test,
      'tests/sample.yaml': one,
      'sample.yaml': one,
      'files/a.yaml': `${comment}${one}---\n${two}`,
    });
    world.commit();
    const told = async (): Promise<readonly string[]> =>
      (await world.run('plan', '--base', 'main', ...URL)).out.match(/! (?:test|comment) .*/g) ?? [];
    world.write('files/b.yaml', `# first\n${comment}${one}`);
    world.write('files/a.yaml', two);
    expect(await told()).toEqual([]);
    world.write('tests/sample.yaml', two);
    expect(await told()).toEqual([expect.stringMatching(/^! test audited changed from \{ sha256: \w+/)]);
    world.write('tests/sample.yaml', one);
    world.git('mv', 'tests/a.gwtest.yaml', 'a.gwtest.yaml');
    expect(await told()).toEqual([expect.stringContaining('files: [sample.yaml]')]);
    world.git('mv', 'a.gwtest.yaml', 'tests/a.gwtest.yaml');
    const at = (name: string): string => `AliasTopic/${name}@vCluster=passthrough`;
    world.write('files/a.yaml', two.replace('  spec:', `  ${comment}  spec:`));
    world.write('files/b.yaml', one);
    expect(await told()).toEqual([
      expect.stringContaining(`changed from [${at('one')}] to [spec of ${at('two')}]`),
    ]);
  });

  it('is told where the snapshot that a plan compares with is another one in git, and not where a job has put it there', async () => {
    const world = makeGitWorld({ 'gwconf.yaml': project('a'), 'files/a.yaml': alias('a') });
    const of = async (name: string): Promise<void> => {
      world.write('files/a.yaml', alias(name));
      await world.run('apply', '--auto-approve', '--journal', 'none', ...URL);
      await world.run('snapshot', '--out', 'snapshot.json', ...URL);
    };
    const told = async (): Promise<readonly string[]> => {
      const { out } = await world.run('plan', '--base', 'main', '--snapshot', 'snapshot.json');
      return out.match(/! snapshot .*/g) ?? [];
    };
    world.commit();
    world.git('checkout', '--quiet', '-b', 'added');
    await of('a');
    expect(await told()).toEqual([]); // git does not have it
    world.commit();
    expect(await told()).toEqual([
      expect.stringMatching(/^! snapshot added: \{ file: snapshot.json, sha256/),
    ]);
    world.git('branch', '--force', 'main');
    expect(await told()).toEqual([]);
    await of('b');
    expect(await told()).toEqual([]);
    world.commit();
    expect(await told()).toEqual([expect.stringMatching(/^! snapshot changed from \{ file: snapshot.json/)]);
    world.write('.gitattributes', 'snapshot.json text eol=crlf');
    world.commit();
    rmSync(join(world.folder, 'snapshot.json'));
    world.git('checkout', '--', 'snapshot.json');
    expect(world.read('snapshot.json')).toContain('\r\n');
    expect(await told()).toEqual([expect.stringMatching(/^! snapshot changed from \{ file: snapshot.json/)]);
    world.write('.gitattributes', 'snapshot.json filter=other');
    world.git('config', 'filter.other.clean', 'git hash-object --stdin');
    world.commit(); // as with pointers to large files
    expect(await told()).toEqual([expect.stringMatching(/^! snapshot changed from \{ file: snapshot.json/)]);
    world.git('branch', '--force', 'main');
    expect(await told()).toEqual([]);
  });

  it('is told where a comment ignores a problem in an overlay or a removal, or of another part of the same object', async () => {
    const comment = '# gwconf-ignore repeated-item: we know';
    const both = '# gwconf-ignore repeated-item: both know\n';
    const team = (first: string, second: string): string => `
apiVersion: gateway/v2
kind: GatewayGroup
metadata: { name: team }
spec:
  externalGroups:${first}
    - one${second}
    - two
`;
    const over = (above: string): string =>
      `apiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: a }\noverlay: true\n${above}spec: { physicalName: y }\n`;
    const removal = (above: string): string =>
      `apiVersion: gwconf/v1\nkind: Removal\nmetadata: { name: r }\n${above}spec: { remove: [GatewayGroup/x], reason: old }\n`;
    const world = makeGitWorld({
      'gwconf.yaml': project('a').replace('[files]', '[files, over]'),
      'files/a.yaml': alias('a'),
      'files/team.yaml': team(`\n    ${comment}`, ''),
      'files/gone.yaml': removal(''),
      'over/a.yaml': over(''),
      'files/two.yaml': `${both}${alias('x')}---\n${both}${alias('y')}`,
    });
    world.commit();
    world.write('files/two.yaml', `${both}${alias('y')}---\n${both}${alias('x')}`);
    const told = async (): Promise<readonly string[]> =>
      (await world.run('plan', '--base', 'main', ...URL)).out.match(/. comment .*/g) ?? [];
    expect(await told()).toEqual([]);
    world.write('files/team.yaml', team('', `\n    ${comment}`));
    expect(await told()).toEqual([
      expect.stringContaining(
        'changed from [spec/externalGroups/0 of GatewayGroup/team] to [spec/externalGroups/1 of GatewayGroup/team]',
      ),
    ]);
    world.write('files/team.yaml', team(`\n    - new\n    ${comment}`, ''));
    expect(await told()).toEqual([]);
    world.write('files/team.yaml', team(`\n    ${comment}`, ''));
    world.write('over/a.yaml', over(`${comment}\n`));
    expect(await told()).toEqual([expect.stringContaining('spec of the overlay of AliasTopic/a@')]);
    world.write('over/a.yaml', over(''));
    world.write('files/gone.yaml', removal(`${comment}\n`));
    expect(await told()).toEqual([expect.stringContaining('spec of Removal in files/gone.yaml')]);
  });

  it.each<readonly [how: string, before: string | undefined, own?: string]>([
    ['no more than that', undefined],
    ['beside a gwconf.yaml, the first one', undefined, project('a')],
    ['and renames the environment', project('a'), project('a').replace('prod', 'live')],
  ])('is told where it takes a document out of the files: %s', async (_, before, own) => {
    const world = makeGitWorld({ 'files/a.yaml': alias('a'), 'files/b.yaml': alias('b') });
    if (before !== undefined) world.write('gwconf.yaml', before);
    world.commit();
    const files = own === undefined ? ['-f', 'files'] : [];
    const applied = await world.run('apply', '-f', 'files', '--auto-approve', '--journal', 'none', ...URL);
    expect(applied.code).toBe(0);
    world.git('rm', '--quiet', 'files/a.yaml');
    if (own !== undefined) world.write('gwconf.yaml', own);
    const { out } = await world.run('plan', ...files, '--base', 'main', ...URL);
    expect(out).toContain(
      '! AliasTopic/a@vCluster=passthrough stays on the gateway, and no file declares it any more',
    );
  });
});

describe.skipIf(!hasGit)('a commit of the base', () => {
  it.each(['040755', 'a slash'])('has the files that a checkout has: %s', async (mode) => {
    const rules = (protect: string): string =>
      `apiVersion: gwconf/v1\nkind: Project\nenvironments: { prod: { files: [files]${protect} } }\n`;
    const world = makeGitWorld({ 'files/a.yaml': alias('a'), 'rules/gwconf.yaml': rules('') });
    world.commit();
    const write = (type: string, input: Buffer | string): string =>
      execFileSync('git', ['hash-object', '-t', type, '-w', '--stdin', '--literally'], {
        ...{ cwd: world.folder, input, encoding: 'utf8' },
      }).trim();
    const entry = (own: string, name: string, id: string): Buffer =>
      Buffer.concat([Buffer.from(`${own} ${name}\0`), Buffer.from(id, 'hex')]);
    const file = write('blob', rules(', protect: [{ kind: AliasTopic, reason: kept }]'));
    const below =
      mode === 'a slash'
        ? entry('100644', 'rules/gwconf.yaml', file)
        : entry(mode, 'rules', write('tree', entry('100644', 'gwconf.yaml', file)));
    const files = world.git('rev-parse', 'HEAD:files');
    const root = write('tree', Buffer.concat([entry('40000', 'files', files), below]));
    world.git('update-ref', 'refs/heads/main', world.git('commit-tree', '-m', 'odd', root));
    const ran = await world.runWith(
      { within: 'rules' },
      ...['plan', '-f', '../files', '--env', 'prod', '--base', 'main', ...URL],
    );
    expect(ran.out + ran.err).toMatch(
      mode === 'a slash'
        ? /unknown-causes.*has a name with a slash: rules\/gwconf.yaml/
        : /! protect removed: \{ kind: AliasTopic, reason: kept \}/,
    );
  });

  it('has more files than are read', async () => {
    const world = makeGitWorld({ 'files/a.yaml': alias('a') });
    world.commit();
    const store = (kind: string, input: string): string =>
      execFileSync('git', kind.split(' '), { cwd: world.folder, input, encoding: 'utf8' }).trim();
    let folder = store('mktree', `100644 blob ${store('hash-object -w --stdin', '#')}\ta.yaml\n`);
    for (let level = 0; level < 6; level += 1) {
      const names = Array.from({ length: 10 }, (_, at) => `040000 tree ${folder}\td${at}\n`);
      folder = store('mktree', names.join(''));
    }
    const top = store('mktree', `040000 tree ${folder}\tfiles\n`);
    world.git('update-ref', 'refs/heads/main', world.git('commit-tree', '-m', 'bomb', top));
    const ran = await world.run('plan', '-f', 'files', '--base', 'main', ...URL);
    expect(ran.code).toBe(0);
    expect(ran.err).toMatch(/unknown-causes.*cannot be read: it has more than 100000 files and folders/);
  });
});

describe.skipIf(!hasGit)('a commit of an old program', () => {
  it('has files of modes that git does not write any more', async () => {
    const world = makeGitWorld({ 'a.yaml': alias('a') });
    world.commit();
    const blob = Buffer.from(world.git('rev-parse', 'HEAD:a.yaml'), 'hex');
    const input = Buffer.concat([Buffer.from('100640 a.yaml\0'), blob]);
    const args = ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'];
    const tree = execFileSync('git', args, { cwd: world.folder, input, encoding: 'utf8' }).trim();
    world.git('update-ref', 'refs/heads/main', world.git('commit-tree', '-m', 'old', tree));
    const { out } = await world.run('plan', '-f', 'a.yaml', '--base', 'main', ...URL);
    expect(out).toContain('1 pending on the base');
  });
});

describe.skipIf(!hasGit)('a repository that came as an archive', () => {
  it('runs no program that its config names for those who look at a signed commit', async () => {
    const world = makeGitWorld({ 'files/a.yaml': alias('a') });
    const signed = `${world.git('cat-file', 'commit', world.commit())}\n`.replace(
      '\n\n',
      '\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n\n',
    );
    const args = ['hash-object', '-t', 'commit', '-w', '--stdin'];
    const id = execFileSync('git', args, { cwd: world.folder, input: signed, encoding: 'utf8' }).trim();
    world.git('reset', '--quiet', '--hard', id);
    const trap = writeTrap(world, '.git/evil.sh');
    world.git('config', 'log.showSignature', 'true');
    world.git('config', 'gpg.program', trap);
    world.git('log', '-1');
    expect(world.has('trap')).toBe(true);
    rmSync(join(world.folder, 'trap'));
    expect((await world.run('apply', '-f', 'files', '--auto-approve', ...URL)).code).toBe(0);
    expect((await world.run('journal')).out).toContain(`${id.slice(0, 8)} of main`);
    await world.run('drift', '-f', 'files', ...URL);
    await world.run('plan', '-f', 'files', '--base', 'main', '--out', 'plan.json', ...URL);
    expect(world.has('trap')).toBe(false);
  });
});
