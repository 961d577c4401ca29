import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DriftReport } from '../../src/outcome/drift.ts';
import type { PlanReport } from '../../src/outcome/plan.ts';
import { makeWorld, verdictOf, wrongUsage, type Ran, inFormats } from '../support/cli.ts';
import { hasGit, makeGitWorld, type GitWorld } from '../support/git-world.ts';
import { masking, projectOf } from '../support/documents.ts';

const alias = (name: string, physicalName: string): string => `
  apiVersion: gateway/v2
  kind: AliasTopic
  metadata: { name: ${name} }
  spec: { physicalName: ${physicalName} }
`;
const group = (...names: readonly string[]): string => `
  apiVersion: gateway/v2
  kind: GatewayGroup
  metadata: { name: team }
  spec: { externalGroups: [${names.join(', ')}] }
`;

const URL = ['--url', 'embedded:.gateway.json'];
const PUBLIC = projectOf({ prod: 'publicVariables: [TOPIC]' });

async function apply(world: GitWorld, ...paths: readonly string[]): Promise<void> {
  const ran = await world.run(
    'apply',
    ...paths.flatMap((path) => ['-f', path]),
    '--auto-approve',
    '--journal',
    'none',
    ...URL,
  );
  expect(ran.code, ran.err).toBe(0);
}

async function plan(world: GitWorld, ...args: readonly string[]): Promise<PlanReport> {
  const ran = await world.run('plan', ...args, ...URL, '-o', 'json');
  return JSON.parse(ran.out) as PlanReport;
}

function causesIn({ changes }: PlanReport): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    changes.map(({ address, cause }) => [address.replace('@vCluster=passthrough', ''), cause]),
  );
}

/** Those that people and build servers read. */
const FORMATS = ['human', 'markdown', 'html', 'sarif', 'junit', 'github', 'gitlab-quality'];

describe.skipIf(!hasGit)('plan --base', () => {
  it('tells of policies that the branch removes, changes or waives', async () => {
    const project = (...policies: readonly string[]): string =>
      projectOf({ prod: 'files: [files]' }, `policies: { ${policies.join(', ')} }\n`);
    const policy = (length: number): string => `
      apiVersion: gwconf/v1
      kind: Policy
      metadata: { name: short-names }
      spec:
        expression: size(object.metadata.name) < ${length}
        message: the name is too long
        examples:
          pass: [{ object: { metadata: { name: a } } }]
          fail: [{ object: { metadata: { name: ${'a'.repeat(99)} } } }]
    `;
    const world = makeGitWorld({
      'files/a.yaml': alias('a', 'a'),
      'p/names.policy.yaml': policy(20),
      'gwconf.yaml': project('files: [p]', 'builtIn: { no-plain-http: true, no-wildcard-acls: true }'),
    });
    world.commit();
    const told = async (): Promise<readonly (readonly [string, boolean])[]> =>
      ((await plan(world, '--base', 'HEAD')).base?.ruleChanges ?? []).map(({ rule, loosens }) => [
        rule,
        loosens,
      ]);
    world.write('files/a.yaml', alias('a', 'b'));
    expect(await told()).toEqual([]);
    world.write('p/names.policy.yaml', policy(90));
    const waived = 'no-wildcard-acls: { waivers: [{ reason: soon, until: 2027-01-01 }] }';
    world.write('gwconf.yaml', project('files: [p]', `builtIn: { ${waived} }`));
    expect(await told()).toEqual([
      ['policy no-plain-http', true],
      ['policy no-wildcard-acls.waivers', true],
      ['policy short-names.expression', true],
    ]);
    world.write('gwconf.yaml', projectOf({ prod: 'files: [files]' }));
    expect(await told()).toHaveLength(3);
  });

  it('tells the rules that the branch changes, before and after, in every format, with the mark of a risk', async () => {
    const project = (lint: string, ...rules: readonly string[]): string =>
      projectOf({ prod: `files: [files], ${rules.join(', ')}` }, `lint: { ${lint} }\n`);
    const url = (login: string): string =>
      `gateway: { url: 'http://${login}gateway.example', password: 'pass-one' }`;
    const test = (...cases: readonly string[]): string =>
      `apiVersion: gwconf/v1\nkind: Test\ncases:\n${cases.map((name) => `  - { name: ${name}, as: '*', expect: { excludes: [Chaos] } }\n`).join('')}`;
    const world = makeGitWorld({
      'gwconf.yaml': project(
        '',
        'protect: [{ kind: AliasTopic, reason: read by all }]',
        'limits: { deletes: 1 }',
        url(''),
      ),
      'files/a.yaml': `${alias('a', 'a')}  protect: true\n`,
      'rules.gwtest.yaml': test('no chaos', 'no errors'),
    });
    world.commit();
    world.write('files/a.yaml', `# gwconf-ignore lost-protection: we know\n${alias('a', 'a')}`);
    world.write('rules.gwtest.yaml', test('no chaos'));
    world.write(
      'gwconf.yaml',
      project(
        'no-longer-declared: error',
        'limits: { deletes: 9 }',
        url('me:pass-two@').replace('pass-one', 'pass-three'),
      ),
    );
    const found = await plan(world, '--base', 'HEAD');
    expect(found.base?.ruleChanges?.map(({ at, ...change }) => ({ ...change, line: at?.line }))).toEqual([
      // One of each sort before the next one, and what the base did not have at the end.
      {
        rule: 'gateway.url',
        before: 'http://gateway.example',
        after: 'http://(hidden)@gateway.example',
        loosens: true,
        line: 4,
      },
      { rule: 'protect', before: '{ kind: AliasTopic, reason: read by all }', loosens: true, line: 4 },
      { rule: 'limits.deletes', before: '1', after: '9', loosens: true, line: 4 },
      { rule: 'lint.no-longer-declared', before: 'warning', after: 'error', loosens: false, line: 5 },
      expect.objectContaining({ rule: 'test no errors', loosens: true }),
      { rule: 'gateway.password', before: '(hidden)', after: '(hidden)', loosens: true, line: 4 },
      {
        rule: 'protect of AliasTopic/a@vCluster=passthrough',
        before: 'true',
        loosens: true,
        line: 3,
      },
      {
        rule: 'comment gwconf-ignore lost-protection: we know',
        after: '[AliasTopic/a@vCluster=passthrough]',
        loosens: true,
        line: 1,
      },
    ]);
    const ran = await world.run('plan', '--base', 'HEAD', ...URL, ...inFormats(...FORMATS, 'json', 'ndjson'));
    for (const format of [...FORMATS, 'json', 'ndjson']) {
      const text = world.read(`out.${format}`);
      for (const word of ['limits.deletes', 'read by all', 'no errors']) expect(text, format).toContain(word);
      expect(text + ran.err).not.toMatch(/pass-/);
    }
    const page = world.read('out.markdown');
    expect(page).toMatch(/^### ⚠ .*, 7 rules loosened/);
    expect(page).toContain('> [!NOTE]\n> **Rules that this branch changes without allowing more**');
  });

  it('tells apart environments with one gateway that the branch renames together', async () => {
    const project = (one: string, other: string): string => {
      const of = (name: string, files: string): string =>
        `  ${name}: { gateway: { url: "embedded:.gateway.json" }, files: [${files}] }\n`;
      return `apiVersion: gwconf/v1\nkind: Project\nenvironments:\n${of(one, 'a')}${of(other, 'b')}`;
    };
    const world = makeGitWorld({
      ...{ 'gwconf.yaml': project('a', 'b'), 'a/a.yaml': alias('a', 'a'), 'b/b.yaml': alias('b', 'b') },
    });
    world.commit();
    for (const name of ['a', 'b'])
      expect((await world.run('apply', '--auto-approve', '--env', name)).code).toBe(0);
    world.write('gwconf.yaml', project('c', 'd'));
    for (const [name, ...other] of [
      ['c', 'b', 'd'],
      ['d', 'a', 'c'],
    ] as const) {
      const ran = await world.run('plan', '--base', 'HEAD', '--env', name, '-o', 'json');
      const { base } = JSON.parse(ran.out) as PlanReport;
      expect(base?.undeclared, name).toBeUndefined();
      expect(base?.ruleChanges?.map(({ before, after }) => [before, after])).toEqual([other]);
    }
  });

  it('compares rules with those of an environment that the branch renames, and those of a new one with the usual ones', async () => {
    const project = (environments: string): string =>
      `apiVersion: gwconf/v1\nkind: Project\nenvironments: { dev: { files: [files] }, ${environments} }\n`;
    const world = makeGitWorld({
      'gwconf.yaml': project('prod: { files: [files], limits: { deletes: 1 } }'),
      'files/a.yaml': alias('a', 'a'),
    });
    world.commit();
    const told = async (): Promise<readonly string[]> =>
      ((await plan(world, '--env', 'live', '--base', 'HEAD')).base?.ruleChanges ?? []).map(
        ({ rule }) => rule,
      );
    const live = 'live: { files: [files], limits: { deletes: 9 } }';
    world.write('gwconf.yaml', project(live));
    expect(await told()).toEqual(['limits.deletes']);
    world.write('gwconf.yaml', project(`prod: {}, ${live}`));
    expect(await told()).toEqual(['limits.deletes']);
    world.write('gwconf.yaml', project(`prod: {}, live: { files: [files] }`));
    expect(await told()).toEqual([]);
    world.write(
      'gwconf.yaml',
      project(`prod: {}, live: { files: [files] }`).replace(/$/, 'lint: { lost-protection: off }\n'),
    );
    expect(await told()).toEqual(['lint.lost-protection']);
  });

  it('says that rules are unknown where the base has a broken project file, and compares none', async () => {
    const project = (rules: string): string => projectOf({ prod: `files: [files], ${rules}` });
    const world = makeGitWorld({ 'gwconf.yaml': project('manage: x'), 'files/a.yaml': alias('a', 'a') });
    world.commit();
    world.write('gwconf.yaml', project('ignore: [{ address: "*/a", reason: by hand }]'));
    const found = await plan(world, '--base', 'HEAD');
    expect(found.problems.map(({ code }) => code)).toContain('unknown-causes');
    expect(found.base?.ruleChanges).toBeUndefined();
    world.write('gwconf.yaml', project(''));
    expect((await world.run('plan', '--base', 'HEAD', ...URL, '-o', 'markdown')).out).toMatch(/^### ⚠ /);
  });

  it('blocks for causes that --fail-on names, and not for what else the branch does', async () => {
    const world = makeGitWorld({ 'files/a.yaml': alias('a', 'a'), 'files/b.yaml': alias('b', 'b') });
    world.commit();
    await apply(world, 'files');
    rmSync(join(world.folder, 'files/a.yaml'));
    const ran = await world.run('plan', '-f', 'files', '--base', 'HEAD', '--fail-on', 'drift', ...URL);
    expect(ran.out).toContain('1 object no longer declared');
    expect(ran.code).toBe(0);
  });

  it('tells a warning of the branch, and counts those that the base has, too', async () => {
    const glob = (name: string, priority: number): string => `
      apiVersion: gateway/v2
      kind: Interceptor
      metadata: { name: ${name}, scope: { vCluster: passthrough } }
      spec:
        pluginClass: io.conduktor.gateway.interceptor.safeguard.ReadOnlyTopicPolicyPlugin
        priority: ${priority}
        config: { topic: ${name}-*, action: BLOCK }
    `;
    const world = makeGitWorld({ 'files/old.yaml': glob('old', 1), 'gwconf.yaml': PUBLIC });
    world.commit();
    world.write('files/new.yaml', glob('new', 2));
    world.write('files/old.yaml', `# moved down\n${glob('old', 1)}`);
    const run = (...args: readonly string[]): Promise<Ran> =>
      world.run('plan', '-f', 'files', '--base', 'HEAD', ...args, ...URL);
    const human = await run();
    expect(human.err).toContain('files/new.yaml');
    expect(human.err).not.toContain('files/old.yaml');
    expect(human.out).toContain(
      'Not repeated: 1 warning on files, also in the base; gwconf validate shows them',
    );
    expect((await run('-o', 'markdown')).out).toContain('Not repeated 1 warning on files, also in the base');
    expect((await run('-o', 'github')).out.match(/^::.*$/gm)).toEqual([
      expect.stringContaining('file=files/new.yaml'),
    ]);
    const { problems } = JSON.parse((await run('-o', 'json')).out) as PlanReport;
    expect(problems.map(({ file, inBase }) => [file, inBase])).toEqual([
      ['files/new.yaml', undefined],
      ['files/old.yaml', true],
    ]);
    const sarif = (await run('-o', 'sarif')).out;
    expect(sarif.match(/"baselineState": "unchanged"/g)).toHaveLength(1);
    expect((await world.run('validate', '-f', 'files')).err).toContain('files/old.yaml');
  });

  it('is calm about a branch that only makes rules stricter', async () => {
    const project = (rules: string): string => projectOf({ prod: `files: [files]${rules}` });
    const world = makeGitWorld({ 'gwconf.yaml': project(''), 'files/a.yaml': alias('a', 'a') });
    world.commit();
    expect((await world.run('apply', '--auto-approve', '--journal', 'none', ...URL)).code).toBe(0);
    world.write('gwconf.yaml', project(', protect: [{ kind: AliasTopic }], limits: { deletes: 0 }'));
    const found = await world.run('plan', '--base', 'HEAD', ...URL, '-o', 'markdown');
    expect(found.out).toMatch(/^### ✅ Plan for prod: no changes\n/);
    expect(found.out).toContain('limits.deletes');
    expect(found.err).toBe('result: no-changes\n');
    const human = await world.run('plan', '--base', 'HEAD', ...URL);
    expect(human.out).toContain('Nothing by this branch.\n\nNo changes.');
    world.write('files/b.yaml', alias('b', 'b'));
    const part = await world.run('plan', '--base', 'HEAD', ...URL, '--target', '*/a@*', '-o', 'markdown');
    expect(part.out).toMatch(/^### ✅ Plan for prod: no changes in the selection\n/);
    const drift = await world.run('drift', ...URL, '--target', '*/a@*', '-o', 'markdown');
    expect(drift.out).toMatch(/^### ✅ No drift in prod in the selection\n/);
  });

  it('tells what the branch no longer declares, in every format, with the mark of a risk', async () => {
    const project = (...rules: readonly string[]): string =>
      projectOf({ prod: `files: [files], ${rules.join(', ')}` });
    const world = makeGitWorld({
      'gwconf.yaml': project("manages: ['*']"),
      'files/a.yaml': alias('a', 'a'),
      'files/b.yaml': alias('b', 'b'),
    });
    world.commit();
    expect((await world.run('apply', '--auto-approve', '--journal', 'none', ...URL)).code).toBe(0);
    rmSync(join(world.folder, 'files/a.yaml'));
    const address = 'AliasTopic/a@vCluster=passthrough';
    const found = await plan(world, '--base', 'HEAD');
    expect(found).toMatchObject({ result: 'no-changes', unclaimed: [address] });
    expect(found.base?.undeclared).toEqual([
      { address, was: { file: 'files/a.yaml', line: 1, column: 1 }, managed: true },
    ]);
    expect(found.problems.map(({ code }) => code)).toEqual(['no-longer-declared']);
    const said = 'stays on the gateway, and no file declares it any more';
    await world.run('plan', '--base', 'HEAD', ...URL, ...inFormats(...FORMATS));
    for (const format of FORMATS) expect(world.read(`out.${format}`), format).toContain(said);
    const told = await world.run('plan', '--base', 'HEAD', ...URL);
    expect(told.err).toBe('result: no-changes\n'); // once
    expect(told.out).not.toContain('Orphaned (');
    expect((await world.run('plan', '--base', 'HEAD', ...URL, '--explain', address)).out).toBe(
      `${address} is no longer declared by this branch: it ${said}. The base has it in files/a.yaml:1.\n\n`,
    );

    const args = ['plan', '--base', 'HEAD', ...URL, '--out', 'plan.json'];
    expect((await world.run(...args, '-o', 'markdown')).out).toMatch(
      /^### ⚠ Plan for prod: no changes, 1 object no longer declared/,
    );
    expect((await world.run('show', 'plan.json')).out).toContain(said);

    // The text of the plan is the cure.
    world.write('files/removal.yaml', found.base?.removal ?? '');
    expect((await plan(world, '--base', 'HEAD')).base?.undeclared).toBeUndefined();
    expect(causesIn(await plan(world, '--base', 'HEAD'))).toEqual({ 'AliasTopic/a': 'branch' });

    // Whoever takes it back leaves the object behind.
    world.git('add', '--all', 'files');
    world.git('commit', '--quiet', '--message', 'removal');
    rmSync(join(world.folder, 'files/removal.yaml'));
    expect((await plan(world, '--base', 'HEAD')).base?.undeclared).toEqual([
      { address, was: { file: 'files/removal.yaml', line: 7, column: 7 }, managed: true, removed: true },
    ]);
    world.git('reset', '--quiet', '--hard', 'HEAD~');
    rmSync(join(world.folder, 'files/a.yaml'));

    // So is that of a rename.
    world.write('files/removal.yaml', '');
    world.write('files/c.yaml', alias('c', 'a'));
    const renamed = await plan(world, '--base', 'HEAD');
    expect(renamed.base?.undeclared).toMatchObject([{ to: 'AliasTopic/c@vCluster=passthrough' }]);
    world.write('files/removal.yaml', renamed.base?.removal ?? '');
    const moved = await plan(world, '--base', 'HEAD');
    expect(moved.changes.map(({ action, movedTo }) => [action, movedTo])).toEqual([
      ['create', undefined],
      ['delete', 'AliasTopic/c@vCluster=passthrough'],
    ]);

    // Whoever hands an object over leaves it to others.
    rmSync(join(world.folder, 'files/removal.yaml'));
    rmSync(join(world.folder, 'files/c.yaml'));
    world.write('gwconf.yaml', project("manages: ['AliasTopic/b*']"));
    expect((await plan(world, '--base', 'HEAD')).base?.undeclared).toMatchObject([{ managed: false }]);
  });

  it('keeps in a saved plan what nothing else in it tells whoever reviews that', async () => {
    const policy = `
      policies:
        rules:
          - name: owned
            severity: advisory
            expression: object.metadata.name != "a"
            message: has no owner
            examples: { pass: [{ object: { metadata: { name: b } } }], fail: [{ object: { metadata: { name: a } } }] }
    `;
    const world = makeGitWorld({
      'gwconf.yaml': projectOf({ prod: 'files: [files]' }) + policy.replace(/^ {6}/gm, ''),
      'files/b.yaml': masking('b', 'x', 'y'),
    });
    world.commit();
    for (const [path, text] of [
      ['files/a.yaml', masking('a', 'x').replace('priority: 1', 'priority: 2')],
      ['files/b.yaml', masking('b', 'x')],
    ])
      world.write(path ?? '', text ?? '');
    await apply(world, 'files');
    const saved = await world.run('plan', '--base', 'HEAD', '--out', 'plan.json', ...URL);
    expect(saved.code, saved.err).toBe(0);
    const { out } = await world.run('comment', 'plan.json', '--dry-run');
    expect(out).toMatch(/^### ⚠ /m);
    expect(out).toContain('**warning** `taken-over-loss`: compared with the base, all other clients');
    expect(out).toContain('**warning** `policy/owned`: ');
    expect((await world.run('show', 'plan.json')).err).toContain('warning[taken-over-loss]');
  });

  it('tells what a branch weakens that takes over what somebody has weakened on the gateway', async () => {
    const project = projectOf({ prod: 'files: [files]' });
    const files = { 'files/a.yaml': masking('a', 'x', 'y'), 'files/b.yaml': masking('b', 'z') };
    const world = makeGitWorld({ 'gwconf.yaml': project, ...files });
    world.commit();
    const told = async (...fields: readonly string[]): Promise<readonly string[]> => {
      world.write('files/b.yaml', masking('b', ...fields));
      const ran = await world.run(
        'plan',
        'files',
        ...['--base', 'HEAD', '--fail-on', 'loss', '-o', 'json'],
        ...URL,
      );
      const { problems: all } = JSON.parse(ran.out) as PlanReport;
      const problems = all.filter(({ code }) => /-protection$|-loss$/.test(code));
      expect(ran.code).toBe(problems.length > 0 ? 3 : 0);
      return problems.map(({ code, message }) => `${code}: ${message}`);
    };
    await apply(world, 'files');
    expect(await told('z', 'more')).toEqual([]);
    world.write('files/a.yaml', masking('a', 'x'));
    await apply(world, 'files');
    const byA =
      'compared with the base, all other clients in passthrough have weaker masking: y of cards is shown';
    expect(await told('z', 'more')).toEqual([expect.stringContaining(byA)]);
    const byB =
      'weakened-protection: all other clients in passthrough have weaker masking: more of cards is shown';
    expect(await told('z')).toEqual([expect.stringContaining(byA), expect.stringContaining(byB)]);
    // A page has it, too, also where nothing else is to be told.
    world.write('files/b.yaml', masking('b', 'z', 'more'));
    world.commit();
    for (const format of ['human', 'markdown']) {
      const { out, err } = await world.run('plan', 'files', '--base', 'HEAD~1', '-o', format, ...URL);
      expect(out + err).toContain('taken-over-loss');
      expect(out).not.toContain('✅');
    }
    // What makes such a loss an error makes this one.
    world.write('gwconf.yaml', `${project}lint: { weakened-protection: error }\n`);
    expect((await world.run('plan', '--base', 'HEAD~1', ...URL)).code).toBe(3);
  });

  it('tells who weakens a protection: the branch, or the end of what was done by hand', async () => {
    const world = makeGitWorld({ 'a.yaml': masking('a', 'x', 'y'), 'b.yaml': masking('b', 'z') });
    await apply(world, 'a.yaml', 'b.yaml');
    world.commit();
    world.write('hand.yaml', masking('b', 'z', 'more'));
    await apply(world, 'hand.yaml');
    rmSync(join(world.folder, 'hand.yaml'));
    world.write('a.yaml', masking('a', 'x'));
    const formats = ['human', 'markdown', 'html'];
    await world.run('plan', 'a.yaml', 'b.yaml', '--base', 'HEAD', ...URL, ...inFormats(...formats));
    for (const format of formats) {
      const out = world.read(`out.${format}`);
      expect(out).toMatch(/By the update of .*Interceptor\/a@vCluster=passthrough.* \(this branch\)/);
      expect(out).toMatch(/By the update of .*Interceptor\/b@vCluster=passthrough.* \(drift\)/);
    }
  });

  it('keeps to the lint of the base for what the branch gives up', async () => {
    const project = (lint: string): string => projectOf({ prod: 'files: [files]' }, `lint: { ${lint} }\n`);
    const world = makeGitWorld({
      'gwconf.yaml': project('no-longer-declared: error'),
      'files/a.yaml': alias('a', 'a'),
      'files/b.yaml': alias('b', 'b'),
    });
    world.commit();
    expect((await world.run('apply', '--auto-approve', '--journal', 'none', ...URL)).code).toBe(0);
    rmSync(join(world.folder, 'files/a.yaml'));
    world.write('gwconf.yaml', project('no-longer-declared: off'));
    expect((await world.run('plan', '--base', 'HEAD', ...URL)).code).toBe(3);
  });

  it('tells this branch from what waits on the base, and from drift', async () => {
    const world = makeGitWorld({
      'files/old.yaml': alias('old', 'a'),
      'files/gone.yaml': alias('gone', 'a'),
    });
    world.commit();
    world.write('files/seen.yaml', alias('seen', 'a'));
    world.commit();
    await apply(world, 'files');
    world.write('files/old.yaml', alias('old', 'b'));
    world.write('files/waits.yaml', alias('waits', 'a'));
    world.commit('waits');
    // Somebody deletes an object, and changes another one.
    world.write(
      'removal.yaml',
      `
      apiVersion: gwconf/v1
      kind: Removal
      metadata: { name: by-hand }
      spec: { removed: [{ kind: AliasTopic, name: gone, reason: by hand }] }
    `,
    );
    world.write('other.yaml', alias('seen', 'by-hand'));
    await apply(world, 'other.yaml');
    world.git('checkout', '--quiet', '-b', 'feature');
    world.write('files/new.yaml', alias('new', 'a'));
    const found = await plan(world, '-f', 'files', '--base', 'main');
    expect(found.problems).toEqual([]);
    expect(causesIn(found)).toEqual({
      'AliasTopic/new': 'branch',
      'AliasTopic/old': 'base',
      'AliasTopic/seen': 'drift',
      'AliasTopic/waits': 'base',
    });
    expect(found.base).toMatchObject({ ref: 'main', behind: 0 });
  });

  it('mixes causes in one object', async () => {
    const world = makeGitWorld({ 'files/a.yaml': group('one') });
    world.commit();
    await apply(world, 'files');
    world.write('other.yaml', group('one', 'eve'));
    await apply(world, 'other.yaml');
    world.git('checkout', '--quiet', '-b', 'feature');
    world.write('files/a.yaml', group('one', 'two'));
    const found = await plan(world, '-f', 'files', '--base', 'main');
    expect(found.changes[0]).toMatchObject({ cause: 'mixed' });
    expect(found.changes[0]?.fields.map(({ op, cause }) => [op, cause])).toEqual([
      ['add', 'branch'],
      ['remove', 'drift'],
    ]);
    const { out } = await world.run('plan', '-f', 'files', '--base', 'main', ...URL);
    expect(out).toMatch(/this branch:\n.*two.*\n.*drift:\n.*eve/);
    const { out: page } = await world.run('plan', '-f', 'files', '--base', 'main', ...URL, '-o', 'markdown');
    expect(page).toMatch(/# this branch\n.*two.*\n.*# drift\n.*eve/);
  });

  it('shows what this branch does first, and folds the rest, also of a saved plan', async () => {
    const world = makeGitWorld({ 'files/a.yaml': alias('a', 'x') });
    world.commit();
    world.write('files/b.yaml', alias('b', 'x'));
    world.commit();
    world.git('checkout', '--quiet', '-b', 'feature');
    world.write('files/c.yaml', alias('c', 'x'));
    const made = await world.run('plan', '-f', 'files', '--base', 'main', ...URL, '--out', 'plan.json');
    expect(made.out).toBe(`Gateway embedded:.gateway.json
Base main, at ${world.git('rev-parse', 'main').slice(0, 10)}

By this branch:
  + AliasTopic/c@vCluster=passthrough  files/c.yaml:1
      + physicalName: x

Pending on the base (merged, but not applied yet):
  + AliasTopic/a@vCluster=passthrough
  + AliasTopic/b@vCluster=passthrough

--detail fields shows what is not by this branch with its fields, too.

Plan: 3 to create, 0 to update, 0 to replace, 0 to delete. Of these, 1 by this branch, 2 pending on the base. 0 unchanged.
`);
    const formats = ['-o', 'markdown', '-o', 'html=plan.html', '-o', 'json=report.json'];
    const shown = await world.run('show', 'plan.json', ...formats);
    expect(shown.out).toContain('Plan: 1 to create by this branch, 2 pending on the base');
    expect(shown.out.indexOf('#### Create (1)')).toBeLessThan(
      shown.out.indexOf('#### Pending on the base (2)'),
    );
    expect(world.read('plan.html')).toContain('<details><summary><h2>Pending on the base (2)</h2>');
    expect(world.json('report.json')).toMatchObject({
      base: { ref: 'main', causes: { branch: { create: 1 }, base: { create: 2 } } },
      changes: [{ cause: 'base' }, { cause: 'base' }, { cause: 'branch' }],
    });
    expect((await world.run('apply', 'plan.json', ...URL, '--journal', 'none')).code).toBe(0);
  });

  it('reads the files that gwconf.yaml names on the base, in a folder of the repository', async () => {
    const project = (folder: string, value: string): string =>
      projectOf({ prod: `files: [${folder}], variables: { topic: ${value} }` });
    const world = makeGitWorld({
      'team/gwconf.yaml': project('before', 'x'),
      'team/before/a.yaml': alias('a', '"${var.topic}"'),
    });
    world.commit();
    const run = (...args: readonly string[]): Promise<Ran> =>
      world.runWith({ within: 'team' }, ...args, ...URL);
    expect((await run('apply', '--auto-approve', '--journal', 'none')).code).toBe(0);
    world.git('checkout', '--quiet', '-b', 'feature');
    world.git('mv', 'team/before', 'team/after');
    world.write('team/gwconf.yaml', project('after', 'y'));
    const ran = await run('plan', '--base', 'main', '-o', 'json');
    expect(JSON.parse(ran.out)).toMatchObject({ changes: [{ action: 'update', cause: 'branch' }] });
    world.commit();
    world.git('checkout', '--quiet', '-b', 'next');
    world.git('branch', '--force', 'main', 'feature');
    const next = await run('plan', '--base', 'main', '-o', 'json');
    expect(JSON.parse(next.out)).toMatchObject({ changes: [{ action: 'update', cause: 'base' }] });
  });

  it('counts what depends on a variable of the job as pending or drift', async () => {
    const filled = alias('a', '"${TOPIC}"');
    const world = makeGitWorld({ 'files/a.yaml': `${filled}---${alias('b', 'x')}`, 'gwconf.yaml': PUBLIC });
    world.commit();
    world.env['TOPIC'] = 'one';
    world.write('by-hand/a.yaml', `${filled}---${alias('b', 'y')}`);
    await apply(world, 'by-hand');
    rmSync(join(world.folder, 'by-hand'), { recursive: true });
    world.env['TOPIC'] = 'two';
    const found = await plan(world, '-f', 'files', '--base', 'main');
    expect(causesIn(found)).toEqual({ 'AliasTopic/a': 'base-or-drift', 'AliasTopic/b': 'drift' });
  });

  it('takes no object that was changed by hand for a sign that what waits was applied', async () => {
    const world = makeGitWorld({ 'files/a.yaml': alias('a', 'x'), 'files/team.yaml': group('one', 'two') });
    world.commit();
    await apply(world, 'files');
    world.write('files/a.yaml', alias('a', 'y'));
    world.commit();
    world.write('files/team.yaml', group('one', 'three'));
    world.commit();
    world.write('other.yaml', group('one', 'by-hand'));
    await apply(world, 'other.yaml');
    const found = await plan(world, '-f', 'files', '--base', 'main', '--fail-on', 'branch');
    expect(causesIn(found)).toEqual({ 'AliasTopic/a': 'base', 'GatewayGroup/team': 'mixed' });
    const [, team] = found.changes;
    expect(team?.fields.map((field) => [field.op, field.cause])).toEqual([
      ['remove', 'drift'],
      ['add', 'base'],
    ]);
  });

  it('knows what waits where the project was in another folder then, also without a base', async () => {
    const gateway = ['--url', 'embedded:../.gateway.json'];
    const world = makeGitWorld({
      'old/gwconf.yaml': projectOf({ prod: 'files: [files]' }),
      'old/files/a.yaml': alias('a', 'x'),
      'old/files/team.yaml': group('one'),
    });
    const run = (...args: readonly string[]): Promise<Ran> =>
      world.runWith({ within: 'new' }, ...args, ...gateway, '-o', 'json');
    world.commit();
    const apply = ['apply', '--auto-approve', '--journal', 'none', ...gateway];
    expect((await world.runWith({ within: 'old' }, ...apply)).code).toBe(0);
    world.write('old/files/a.yaml', alias('a', 'y'));
    world.commit();
    world.git('mv', 'old', 'new');
    world.commit();
    world.write('new/files/team.yaml', group('two'));
    world.commit();
    const { changes } = JSON.parse((await run('plan', '--base', 'main')).out) as PlanReport;
    expect(changes.map(({ cause }) => cause)).toEqual(['base', 'base']);
    const { drift } = JSON.parse((await run('drift')).out) as DriftReport;
    expect(drift.map(({ moved }) => moved)).toEqual(['files', 'files']);
  });

  it('does not call its own what the base has changed since the branch began', async () => {
    const both = (one: string, other: string): string => `${alias('a', one)}---${alias('b', other)}`;
    const world = makeGitWorld({ 'files/a.yaml': both('x', 'x'), 'files/gone.yaml': alias('gone', 'x') });
    world.commit();
    world.git('checkout', '--quiet', '-b', 'feature');
    world.write('files/a.yaml', both('x', 'mine'));
    world.write('files/gone.yaml', alias('gone', 'mine'));
    world.commit();
    world.git('checkout', '--quiet', 'main');
    world.write('files/a.yaml', both('y', 'x'));
    world.write('files/new.yaml', alias('new', 'x'));
    rmSync(join(world.folder, 'files/gone.yaml'));
    world.commit();
    await apply(world, 'files');
    world.git('checkout', '--quiet', 'feature');
    const args = ['-f', 'files', '--base', 'main', '--prune', '--manages', '*'];
    expect(causesIn(await plan(world, ...args))).toEqual({
      'AliasTopic/a': 'behind',
      'AliasTopic/b': 'branch',
      'AliasTopic/gone': 'branch',
      'AliasTopic/new': 'behind',
    });
    const ran = await world.run('plan', ...args, ...URL);
    expect(ran.out).toContain(
      'Changed on the base, not in this branch (this branch is behind: merge or rebase):\n  ~ AliasTopic/a@',
    );
    expect(ran.out).toContain('Of these, 2 by this branch, 2 changed on the base, not in this branch.');
    expect((await world.run('plan', ...args, ...URL, '--fail-on', 'behind')).code).toBe(3);
  });

  it('says how far behind the branch is, and plans when the base has errors', async () => {
    const world = makeGitWorld({ 'files/a.yaml': 'apiVersion: gateway/v2\nkind: AliasTopic\nspec: {}\n' });
    world.commit();
    world.git('checkout', '--quiet', '-b', 'feature');
    world.write('files/a.yaml', alias('a', 'x'));
    world.commit();
    world.git('checkout', '--quiet', 'main');
    world.commit();
    world.commit();
    world.git('checkout', '--quiet', 'feature');
    const ran = await world.run('plan', '-f', 'files', '--base', 'main', ...URL);
    expect(ran.code).toBe(0);
    expect(ran.out).toContain('This branch is 2 commits behind main: ');
    expect(ran.err).toMatch(
      /warning\[unknown-causes\]: the files of commit [0-9a-f]{10}, the base, have errors: /,
    );
    expect(causesIn(await plan(world, '-f', 'files', '--base', 'main'))).toEqual({
      'AliasTopic/a': undefined,
    });
    const strict = await world.run('plan', '-f', 'files', '--base', 'main', '--fail-on', 'drift', ...URL);
    expect(strict).toMatchObject({ code: 1 });
    expect(strict.err).toContain('error[unknown-causes]');
  });

  it('tells what the branch gives up where the newest commit of the base cannot be read', async () => {
    const project = (rules: string): string => projectOf({ prod: `files: [files], ${rules}` });
    const world = makeGitWorld({ 'gwconf.yaml': project('limits: { deletes: 1 }') });
    world.write('files/a.yaml', masking('a', 'x', 'y'));
    world.commit();
    world.git('checkout', '--quiet', '-b', 'feature');
    world.write('gwconf.yaml', project('limits: { deletes: 9 }'));
    world.write('files/a.yaml', masking('a', 'x'));
    await apply(world, 'files');
    world.commit();
    world.git('checkout', '--quiet', 'main');
    symlinkSync('/etc/hosts', join(world.folder, 'files/b.yaml'));
    world.commit();
    world.git('checkout', '--quiet', 'feature');
    const { base, problems } = await plan(world, '--base', 'main');
    expect(base?.ruleChanges).toMatchObject([{ rule: 'limits.deletes', loosens: true }]);
    const codes = problems.map(({ code }) => code).sort();
    expect(codes).toEqual(['loosened-rule', 'taken-over-loss', 'unknown-causes']);
  });
});

describe.skipIf(!hasGit)('plan --base --fail-on', () => {
  it('blocks a plan that has changes of this cause', async () => {
    const world = makeGitWorld({ 'files/a.yaml': alias('a', 'x') });
    world.commit();
    await apply(world, 'files');
    world.write('other.yaml', alias('a', 'by-hand'));
    await apply(world, 'other.yaml');
    const command = ['plan', '-f', 'files', '--base', 'main', ...URL];
    world.env['GITHUB_OUTPUT'] = 'output.txt';
    const ran = await world.run(...command, '--fail-on', 'base,drift', '-o', 'json=report.json');
    expect(ran.code).toBe(3);
    expect(ran.err).toContain(
      'error[unwanted-cause]: a change has the cause drift, which --fail-on names: AliasTopic/a',
    );
    expect(verdictOf(ran)).toBe('result: blocked');
    expect(world.json('report.json')).toMatchObject({ result: 'blocked', changes: [{ cause: 'drift' }] });
    expect(world.read('output.txt')).toContain('result=blocked');
    expect((await world.run(...command, '--fail-on', 'base', '--fail-on', 'branch')).code).toBe(0);
  });

  it('needs a base, and known causes', async () => {
    const world = makeGitWorld({ 'files/a.yaml': alias('a', 'x') });
    expect((await world.run('plan', '--fail-on', 'drift')).err).toBe(
      wrongUsage('--fail-on needs the causes of changes: add --base REF'),
    );
    expect((await world.run('plan', '--base', 'main', '--fail-on', 'dirft')).err).toBe(
      wrongUsage('expected --fail-on loss, branch, drift, base-or-drift, base, behind; found dirft'),
    );
    expect((await world.run('plan', '--base', '', '-f', 'files')).code).toBe(64);
    expect((await world.run('plan', '--base', 'main', '-f', '-')).code).toBe(64);
  });
});

describe.skipIf(!hasGit)('what --base needs', () => {
  it.each([
    [
      'origin/main',
      'git knows no commit origin/main',
      'git fetch origin +refs/heads/main:refs/remotes/origin/main',
    ],
    ['--upload-pack=x', 'git knows no commit --upload-pack=x', 'check its name'],
    ['main..main', 'git knows no commit main..main', 'check its name'],
    ['other', 'HEAD and other have no common commit here', 'check that other is the branch'],
  ])('a ref that this clone has: %s', async (ref, message, hint) => {
    const world = makeGitWorld({ 'files/a.yaml': alias('a', 'x') });
    world.commit();
    world.git('checkout', '--quiet', '--orphan', 'other');
    world.commit('other');
    world.git('checkout', '--quiet', 'main');
    const ran = await world.run('plan', '-f', 'files', `--base=${ref}`, ...URL);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain(`error[no-base]: ${message}`);
    expect(ran.err).toContain(hint);
  });

  it('git, a repository and a commit', async () => {
    const world = makeGitWorld({ 'files/a.yaml': alias('a', 'x') });
    const command = ['plan', '-f', 'files', '--base', 'main', ...URL];
    expect((await world.run(...command)).err).toContain('the repository has no commit yet');
    expect((await world.runWith({ env: { PATH: world.folder } }, ...command)).err).toContain(
      '--base needs git, and there is none on the PATH',
    );
    const bare = makeWorld({ 'files/a.yaml': alias('a', 'x') });
    expect((await bare.run(...command)).err).toContain(
      '--base needs a git repository, and this folder is in none',
    );
  });

  it('the history, of which a shallow clone may have too little', async () => {
    const origin = makeGitWorld({ 'files/a.yaml': alias('a', 'w') });
    origin.commit();
    origin.write('files/a.yaml', alias('a', 'x'));
    origin.commit();
    await apply(origin, 'files');
    origin.write('files/a.yaml', alias('a', 'y'));
    origin.commit();
    origin.write('files/z.yaml', alias('z', 'y'));
    origin.commit();
    origin.git('checkout', '--quiet', '-b', 'feature');
    origin.write('files/b.yaml', alias('b', 'y'));
    origin.commit();
    origin.git('clone', '--quiet', '--depth=1', '--no-single-branch', `file://${origin.folder}`, 'clone');
    const run = (...args: readonly string[]): Promise<Ran> =>
      origin.runWith(
        { within: 'clone' },
        'plan',
        '-f',
        'files',
        '--url',
        'embedded:../.gateway.json',
        ...args,
      );
    const none = await run('--base', 'origin/main');
    expect(none.err).toContain('error[no-base]: HEAD and origin/main have no common commit here');
    expect(none.err).toContain('fetch-depth: 0');
    const before = await run('--base', 'HEAD~1');
    expect(before.err).toContain('git knows no commit HEAD~1');
    expect(before.err).toContain('this clone is shallow: fetch all commits: fetch-depth: 0');
    origin.git('-C', 'clone', 'fetch', '--quiet', '--depth=2');
    const some = await run('--base', 'origin/main', '-o', 'json=report.json');
    expect(some.err).toContain('warning[unknown-causes]: this clone is shallow');
    expect(causesIn(origin.json('clone/report.json') as PlanReport)).toEqual({
      'AliasTopic/a': 'base-or-drift',
      'AliasTopic/b': 'branch',
      'AliasTopic/z': 'base',
    });
    origin.git('-C', 'clone', 'fetch', '--quiet', '--depth=3');
    const enough = await run('--base', 'origin/main', '-o', 'json=report.json');
    expect(enough.err).not.toContain('unknown-causes');
    expect(causesIn(origin.json('clone/report.json') as PlanReport)).toMatchObject({
      'AliasTopic/a': 'base',
    });
  });
});

describe.skipIf(!hasGit)('what a variable filled in at the base', () => {
  const filled = alias('a', '"${HOME_TOPIC}"');
  const begin = async (): Promise<GitWorld> => {
    const world = makeGitWorld({ 'files/a.yaml': filled, 'files/b.yaml': alias('b', 'x') });
    world.commit();
    world.env['HOME_TOPIC'] = 'sesame';
    await apply(world, 'files');
    delete world.env['HOME_TOPIC'];
    return world;
  };
  const removal =
    'apiVersion: gwconf/v1\nkind: Removal\nmetadata: { name: r }\nspec: { remove: [AliasTopic/a@vCluster=passthrough], reason: old }\n';

  it.each([
    ['the document is gone', removal],
    ['the document has another value in its place', alias('a', 'plain')],
  ])('is hidden where %s', async (_, text) => {
    const world = await begin();
    world.write('files/a.yaml', text);
    const { out, err } = await world.run('plan', 'files', '--base', 'HEAD', '--detail', 'full', ...URL);
    expect(out).toContain('AliasTopic/a@vCluster=passthrough');
    expect(out).toContain('(hidden)');
    expect(out + err).not.toContain('sesame');
    await world.run('plan', 'files', '--base', 'HEAD', '--out', 'plan.json', ...URL);
    expect(world.read('plan.json')).not.toContain('sesame');
  });
});

describe.skipIf(!hasGit)('a document with protect that a branch takes out of the files', () => {
  const ofRemoval = (spec: string): string =>
    `---\napiVersion: gwconf/v1\nkind: Removal\nmetadata: { name: r }\nspec: { ${spec}, reason: old }\n`;
  const moved = 'moved: [{ from: AliasTopic/a@vCluster=passthrough, to: AliasTopic/b@vCluster=passthrough }]';

  it.each([
    [
      'is told as a rule if its object is removed',
      ofRemoval('remove: [AliasTopic/a@vCluster=passthrough]'),
      ['a'],
    ],
    ['is told if the object has another name without it', alias('b', 'x') + ofRemoval(moved), ['a']],
    [
      'is no change of rules if the object has another name with it',
      `${alias('b', 'x')}  protect: true\n${ofRemoval(moved)}`,
      [],
    ],
  ])('%s', async (_, text, names) => {
    const world = makeGitWorld({ 'files/a.yaml': `${alias('a', 'x')}  protect: true\n` });
    world.commit();
    await apply(world, 'files');
    world.write('files/a.yaml', text);
    const { base } = await plan(world, 'files', '--base', 'HEAD');
    expect((base?.ruleChanges ?? []).map(({ rule, loosens }) => [rule, loosens])).toEqual(
      names.map((name) => [`protect of AliasTopic/${name}@vCluster=passthrough`, true]),
    );
  });

  it('is told where a later layer takes it away', async () => {
    const world = makeGitWorld({
      'gwconf.yaml': projectOf({ prod: 'files: [files, more]' }),
      'files/a.yaml': `${alias('a', 'x')}  protect: true\n`,
      'more/a.yaml': `${alias('a', 'x')}  overlay: true\n`,
    });
    world.commit();
    await apply(world, 'files');
    world.write('more/a.yaml', `${alias('a', 'x')}  overlay: true\n  protect: false\n`);
    const { base } = await plan(world, '--base', 'HEAD');
    const lines = world.read('more/a.yaml').split('\n');
    expect(base?.ruleChanges?.map(({ at }) => [at?.file, lines[(at?.line ?? 0) - 1]])).toEqual([
      ['more/a.yaml', 'protect: false'],
    ]);
  });

  it('may have another name with it beside another rule that is loosened', async () => {
    const other = (rest = ''): string => `---\n${alias('c', 'y')}${rest}`;
    const world = makeGitWorld({
      'files/a.yaml': `${alias('a', 'x')}  protect: true\n${other('  protect: true\n')}`,
    });
    world.commit();
    await apply(world, 'files');
    world.write('files/a.yaml', `${alias('b', 'x')}  protect: true\n${ofRemoval(moved)}${other()}`);
    const { base, problems } = await plan(world, 'files', '--base', 'HEAD');
    expect(base?.ruleChanges).toMatchObject([{ rule: 'protect of AliasTopic/c@vCluster=passthrough' }]);
    expect(problems.map(({ code }) => code)).toEqual(['loosened-rule']);
  });
});
