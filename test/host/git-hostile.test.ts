import { execFileSync } from 'node:child_process';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { openGit } from '../../src/host/git.ts';
import type { PlanReport } from '../../src/outcome/plan.ts';
import { hasGit, makeGitWorld, writeTrap, type GitWorld } from '../support/git-world.ts';
import { alias } from '../support/documents.ts';

const ALIAS = alias('orders', 'a');

async function plan(world: GitWorld, ...args: readonly string[]): Promise<PlanReport> {
  const ran = await world.run('plan', '--base', 'main', '--url', 'embedded:g.json', '-o', 'json', ...args);
  return JSON.parse(ran.out) as PlanReport;
}

describe.skipIf(!hasGit)('a hostile repository', () => {
  it('runs nothing that its config, attributes and hooks name', async () => {
    const world = makeGitWorld({ 'files/a.yaml': ALIAS });
    world.commit();
    world.commit();
    world.git('checkout', '--quiet', '-b', 'feature', 'HEAD~'); // so that git counts commits, too
    const trap = writeTrap(world, 'evil.sh');
    const config = Object.entries({
      'core.fsmonitor': trap,
      'core.pager': trap,
      'core.editor': trap,
      'core.askPass': trap,
      'core.sshCommand': trap,
      'core.gitProxy': trap,
      'core.alternateRefsCommand': trap,
      'core.hooksPath': world.folder,
      'diff.external': trap,
      'diff.evil.textconv': trap,
      'diff.evil.command': trap,
      'filter.evil.smudge': trap,
      'filter.evil.clean': trap,
      'filter.evil.process': trap,
      'merge.evil.driver': trap,
      'credential.helper': trap,
      'gpg.program': trap,
      'alias.rev-parse': `!${trap}`,
      'alias.cat-file': `!${trap}`,
      'pager.rev-list': trap,
      'remote.origin.url': `ext::${trap}`,
      'remote.origin.promisor': 'true',
      'remote.origin.partialclonefilter': 'blob:none',
      'remote.origin.uploadpack': trap,
      'protocol.ext.allow': 'always',
      'log.showSignature': 'true',
    }).map(([name, value]) => {
      const [, section, subsection, key] = /^(\w+)(?:\.(.*))?\.([\w-]+)$/.exec(name) ?? [];
      return `[${section}${subsection === undefined ? '' : ` "${subsection}"`}]\n  ${key} = ${value}\n`;
    });
    world.write('.git/config', world.read('.git/config') + config.join(''));
    expect(world.git('config', 'filter.evil.smudge')).toBe(trap);
    world.write('.git/info/attributes', '* diff=evil filter=evil merge=evil\n');
    for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change', 'fsmonitor-watchman'])
      writeTrap(world, `.git/hooks/${hook}`);
    const found = await plan(world, '-f', 'files');
    expect(found.changes.map(({ cause }) => cause)).toEqual(['base']);
    // Without the objects of the base git would fetch them.
    execFileSync('sh', ['-c', 'rm -rf .git/objects/??'], { cwd: world.folder });
    await plan(world, '-f', 'files');
    expect(world.has('trap')).toBe(false);
  });

  it('cannot replace its history', async () => {
    const world = makeGitWorld({ 'files/a.yaml': ALIAS });
    const old = world.commit();
    world.write('files/a.yaml', ALIAS.replace('physicalName: a', 'physicalName: b'));
    const base = world.commit();
    world.git('replace', base, old);
    const found = await plan(world, '-f', 'files');
    expect(found).toMatchObject({ base: { commit: base }, changes: [{ cause: 'base' }] });
  });

  it('has links and names that lead nowhere', async () => {
    const world = makeGitWorld({ 'files/a.yaml': ALIAS, 'secret/b.yaml': ALIAS.replace('orders', 'linked') });
    symlinkSync('../secret/b.yaml', join(world.folder, 'files', 'inside.yaml'));
    writeFileSync(
      join(world.folder, 'files', 'new\nline "quoted" \u202e.yaml'),
      ALIAS.replace('orders', 'odd'),
    );
    world.commit();
    expect((await plan(world, '-f', 'files')).changes.map(({ cause }) => cause)).toEqual([
      'base',
      'base',
      'base',
    ]);

    symlinkSync('/etc/hostname', join(world.folder, 'files', 'outside.yaml'));
    symlinkSync('loop.yaml', join(world.folder, 'files', 'loop.yaml'));
    world.commit();
    world.git('rm', '--quiet', '--cached', 'files/outside.yaml', 'files/loop.yaml');
    execFileSync('rm', ['files/outside.yaml', 'files/loop.yaml'], { cwd: world.folder });
    const ran = await world.run('plan', '-f', 'files', '--base', 'main', '--url', 'embedded:g.json');
    expect(ran.code).toBe(0);
    expect(ran.err).toMatch(/unknown-causes.* have errors: .* cannot be read: /);
  });

  it('has files that are too large, no text, or no files', async () => {
    const world = makeGitWorld({ 'files/a.yaml': ALIAS });
    writeFileSync(join(world.folder, 'files', 'large.yaml'), `# ${'x'.repeat(3_000_000)}\n`);
    world.commit();
    execFileSync('rm', ['files/large.yaml'], { cwd: world.folder });
    const command = ['plan', '-f', 'files', '--base', 'main', '--url', 'embedded:g.json'];
    const large = await world.runWith({ maxInputBytes: 1_000_000 }, ...command);
    expect(large.err).toContain('files/large.yaml cannot be read: it is larger than 1 MB');
    expect(large.code).toBe(0);

    writeFileSync(join(world.folder, 'files', 'binary.yaml'), Buffer.from([0xff, 0xfe, 0x00]));
    world.git('rm', '--quiet', '--cached', 'files/large.yaml');
    world.commit();
    execFileSync('rm', ['files/binary.yaml'], { cwd: world.folder });
    expect((await world.run(...command)).err).toContain(
      'files/binary.yaml cannot be read: it is not UTF-8 text',
    );
    expect(existsSync(join(world.folder, 'files', 'binary.yaml'))).toBe(false);
  });

  it('committed as a bare repository into the work tree is none', async () => {
    const world = makeGitWorld({ 'files/a.yaml': ALIAS });
    world.commit();
    world.git('clone', '--quiet', '--bare', '.', 'inner');
    const trap = writeTrap(world, 'evil.sh');
    world.git('-C', 'inner', 'config', 'core.fsmonitor', trap);
    world.write('inner/a.yaml', ALIAS);
    const ran = await world.runWith(
      { within: 'inner' },
      ...['plan', '-f', 'a.yaml', '--base', 'main', '--url', 'embedded:g.json'],
    );
    expect(ran.err).toContain('error[no-base]');
    expect(world.has('trap')).toBe(false);
  });
});

it.skipIf(!hasGit)(
  'git answers after a minute in which nothing was asked, as where a gateway is slow',
  async () => {
    const world = makeGitWorld({ 'a.yaml': ALIAS });
    const id = world.commit();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const git = openGit(world.folder);
    try {
      expect(await git.read(id, 1000)).toMatchObject({ type: 'commit' });
      vi.advanceTimersByTime(100_000);
      expect(await git.read(id, 1000)).toMatchObject({ type: 'commit' });
    } finally {
      git.close();
      vi.useRealTimers();
    }
  },
);
