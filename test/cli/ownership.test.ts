import { describe, expect, it } from 'vitest';
import { makeWorld, verdictOf, type World } from '../support/cli.ts';
import { alias, all, projectOf } from '../support/documents.ts';

const removal = (what: string, more = ''): string =>
  `apiVersion: gwconf/v1\nkind: Removal\nmetadata: { name: r }\nspec: { ${what}, reason: nobody reads it${more} }\n`;
const project = (rules: string): string =>
  projectOf({ prod: `gateway: { url: "embedded:s.json" }, files: [a, b], ${rules}` });
const at = (name: string): string => `AliasTopic/${name}@vCluster=passthrough`;

/** A project with two folders, whose gateway has the topics of both. */
async function worldWith(rules: string): Promise<World> {
  const world = makeWorld({ 'a/a.yaml': alias('one'), 'b/b.yaml': all(alias('two'), alias('three')) });
  const { code, err } = await world.run('apply', '-f', '.', '--url', 'embedded:s.json', '--auto-approve');
  expect(code, err).toBe(0);
  world.write('gwconf.yaml', project(rules));
  return world;
}

function namesOn(world: World): readonly string[] {
  const { resources } = world.json('s.json') as {
    readonly resources: readonly { readonly metadata: { readonly name: string } }[];
  };
  return resources.map(({ metadata }) => metadata.name).sort();
}

describe('a removal', () => {
  it('is planned, saved, shown, explained, applied, and told in the ledger, each with its line and its reason', async () => {
    const world = await worldWith('manages: ["*"]');
    world.write('b/b.yaml', all(alias('two'), removal(`remove: ["${at('three')}"]`)));
    const line = `  - ${at('three')}  removed: nobody reads it  b/b.yaml:9\n`;
    const planned = await world.run('plan', '--out', 'p.plan');
    expect(planned.out).toContain(line);
    expect((await world.run('show', 'p.plan')).out).toContain(line);
    const { out } = await world.run('show', 'p.plan', '--explain', at('three'));
    expect(out).toContain('reason:      removed by name: nobody reads it\n');
    expect(out).toContain('file:        b/b.yaml:9\n');
    const applied = await world.run('apply', 'p.plan', '-o', 'json');
    expect(JSON.parse(applied.out)).toMatchObject({
      result: 'applied',
      ledger: [
        { action: 'delete', outcome: 'done', removal: 'nobody reads it', at: { file: 'b/b.yaml', line: 9 } },
      ],
    });
    expect(applied.err).toContain(`- ${at('three')}  removed: nobody reads it  done`);
    expect(namesOn(world)).toEqual(['one', 'two']);
    expect((await world.run('plan')).out).toContain('No changes. 2 objects up to date.\n');
  });

  it('may be all that a file holds, and is told when its day is over', async () => {
    const world = await worldWith('manages: ["*"]');
    world.write('b/b.yaml', removal(`remove: ["${at('three')}"]`, ', expires: 2026-02-28'));
    for (const command of ['validate', 'plan']) {
      const ran = await world.run(command);
      expect(ran.code).toBe(0);
      expect(ran.err).toContain(`warning[expired-removal]: the removal of ${at('three')} expired after`);
      expect(ran.err).toContain('--> b/b.yaml:4:');
    }
    expect((await world.run('plan')).out).toContain(`--prune:\n    ${at('two')}\n`);
  });
});

describe('what is not managed', () => {
  it('is found without a gateway', async () => {
    const world = await worldWith('manages: [{ kind: AliasTopic, name: "t*" }]');
    const ran = await world.run('validate');
    expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: error']);
    expect(ran.err).toContain(`error[not-managed]: ${at('one')} is declared but not matched by manages: `);
  });
});

it('a glob for a virtual cluster is told to leave out its scopes with a group, and the glob to add works as printed', async () => {
  const mask =
    'apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: mask, scope: { vCluster: v, username: ann } }\nspec: { pluginClass: com.acme.Own, priority: 1, config: {} }\n';
  const world = await worldWith('manages: ["*@vCluster=v", "AliasTopic/*"]');
  world.write('b/b.yaml', mask);
  const { err } = await world.run('validate');
  const [, glob = ''] =
    /add (\S+) to manages in gwconf\.yaml, for scopes with a group or a user/.exec(err) ?? [];
  expect(glob).toBe('*@vCluster=v,*');
  const wider = await worldWith(`manages: ["*@vCluster=v", "AliasTopic/*", "${glob}"]`);
  wider.write('b/b.yaml', mask);
  expect((await wider.run('validate')).err).not.toContain('not-managed');
});

describe('what others look after', () => {
  const team =
    'apiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: x, vCluster: theirs }\nspec: { physicalName: y }\n';

  it('may be referred to, and with a gateway it has to be there', async () => {
    const world = makeWorld({
      'gwconf.yaml': project('external: ["VirtualCluster/*"]'),
      'a/a.yaml': team,
      'b/b.yaml': alias('b'),
    });
    expect((await world.run('validate')).err).not.toContain('dangling-reference');
    expect((await world.run('plan')).err).toContain('error[dangling-reference]');
  });
});

describe('a run that does too much', () => {
  it('is shown, stopped with exit code 3, and not saved; a flag says that it is meant', async () => {
    const world = await worldWith('manages: ["*"], limits: { deletes: 1 }');
    world.write('b/b.yaml', alias('four'));
    const args = ['--prune', '--out', 'p.plan'];
    const ran = await world.run('plan', ...args);
    expect([ran.code, verdictOf(ran)]).toEqual([3, 'result: blocked']);
    expect(ran.out).toContain('Plan: 1 to create, 0 to update, 0 to replace, 2 to delete.');
    expect(ran.err).toContain('the run deletes 2 of 3 managed objects (67 %); the limit is 1 object: ');
    expect(ran.err).toContain('--> gwconf.yaml:4:');
    expect(world.has('p.plan')).toBe(false);
    const blocked = await world.run('apply', '--prune', '--auto-approve', '-o', 'json');
    expect([blocked.code, JSON.parse(blocked.out)]).toMatchObject([3, { result: 'blocked', ledger: [] }]);
    expect(namesOn(world)).toEqual(['one', 'three', 'two']);

    const meant = await world.run('plan', ...args, '--max-deletes', '70%');
    expect(meant.code).toBe(0);
    expect(meant.out).toContain('\nThis run may delete 70 %\n');
    expect((await world.run('show', 'p.plan')).out).toBe(meant.out);
    expect(meant.err).toContain('Apply it with: gwconf apply p.plan --max-deletes 70%\n');
    expect(verdictOf(await world.run('apply', 'p.plan'))).toBe('result: blocked');
    expect((await world.run('apply', 'p.plan', '--max-deletes', '70%')).code).toBe(0);
    expect(namesOn(world)).toEqual(['four', 'one']);
  });

  it('has a limit of its own without a project', async () => {
    const world = makeWorld({
      'a.yaml': all(...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => alias(name))),
    });
    world.env['GWCONF_URL'] = 'embedded:s.json';
    await world.run('apply', '-f', 'a.yaml', '--auto-approve');
    world.write('a.yaml', alias('a'));
    const args = ['plan', 'a.yaml', '--prune', '--manages', '*'];
    expect((await world.run(...args)).err).toContain('the limit is 5 objects or 10 %, whichever is more');
    expect((await world.run(...args, '--target', '*/b@*')).code).toBe(0);
    expect((await world.run(...args, '--max-deletes', '6')).code).toBe(0);
    const odd = await world.run(...args, '--max-deletes', 'few');
    expect([odd.code, odd.err]).toEqual([
      64,
      expect.stringContaining('expected --max-deletes to be a number of objects'),
    ]);
  });

  it('is told beside all else that stops it', async () => {
    const world = await worldWith(
      'manages: ["*"], limits: { deletes: 0 }, protect: [{ address: "*/two@*" }, { address: "*/one@*" }]',
    );
    world.write('a/a.yaml', alias('one', 'elsewhere'));
    world.write('b/b.yaml', alias('three'));
    const ran = await world.run('plan', '--prune', '-o', 'json');
    expect(ran.code).toBe(3);
    expect(
      (JSON.parse(ran.out) as { readonly problems: readonly { readonly code: string }[] }).problems.map(
        ({ code }) => code,
      ),
    ).toEqual(['protected', 'over-limit', 'protected']);
    expect(JSON.parse(ran.out)).toMatchObject({ result: 'blocked', summary: { update: 1, delete: 1 } });
    // Below the changes, because a long plan would push it out of the terminal, and above the totals.
    let seen = '';
    const onText = (text: string): void => void (seen += text);
    await world.runWith({ onOut: onText, onErr: onText }, 'plan', '--prune');
    expect(seen.indexOf('error[over-limit]')).toBeGreaterThan(seen.indexOf('AliasTopic/three'));
    expect(seen).toMatch(/\n\nPlan: .*\nresult: blocked\n$/);
  });
});

describe('a folder without a resource', () => {
  it.each([
    ['is empty', ''],
    ['has only comments', `# ${alias('two').replaceAll('\n', '\n# ')}\n`],
  ])('among others is no reason to delete what it held: it %s', async (_, text) => {
    const world = await worldWith('manages: ["*"]');
    world.write('b/b.yaml', text);
    const pruned = await world.run('plan', '--prune');
    expect([pruned.code, verdictOf(pruned)]).toEqual([3, 'result: blocked']);
    expect(pruned.err).toContain(
      'error[empty-prune]: no resource is declared in b, so prune would delete what it declared before',
    );
    const plain = await world.run('plan');
    expect([plain.code, plain.err]).toEqual([0, 'result: no-changes\n']);
    const named = await world.run('plan', 'a', 'b');
    expect(named.code).toBe(1);
    expect(named.err).toContain('error[no-resources]: no resource is declared in b\n');
    const meant = await world.run('plan', '--prune', '--allow-empty');
    expect([meant.code, meant.err]).toEqual([0, 'result: changes\n']);
  });

  it('is none that was read under another name', async () => {
    const world = await worldWith('manages: ["*"]');
    expect((await world.run('validate', '-f', 'a', '-f', './a/a.yaml', '-f', '.', '-f', 'b')).code).toBe(0);
  });
});

describe('the secret of what is protected', () => {
  const vault = `apiVersion: gateway/v2
kind: Interceptor
metadata: { name: vault, scope: { vCluster: passthrough } }
spec:
  pluginClass: io.conduktor.gateway.interceptor.EncryptPlugin
  priority: 1
  config:
    recordValue: { payload: { keySecretId: "vault-kms://vault:8200/keys/a" } }
    kmsConfig: { vault: { uri: "http://vault:8200", type: TOKEN, token: "\${TOKEN}" } }
`;
  const guarded = (more: string): string =>
    project(`manages: ["*"], protect: [{ kind: Interceptor${more} }]`);

  it('can be rotated by apply and by a saved plan, unless the rule says otherwise', async () => {
    const world = makeWorld({ 'a/a.yaml': vault, 'b/b.yaml': alias('one'), 'gwconf.yaml': guarded('') });
    const run = async (token: string, ...args: readonly string[]): Promise<string> => {
      world.env['TOKEN'] = token;
      const ran = await world.run(...args);
      expect(ran.out + ran.err).not.toContain(token);
      return verdictOf(ran);
    };
    expect(await run('first-token', 'apply', '--auto-approve')).toBe('result: applied');
    expect(await run('second-token', 'apply', '--auto-approve')).toBe('result: applied');
    expect(await run('third-token', 'plan', '--out', 'p.plan')).toBe('result: changes');
    world.write('gwconf.yaml', guarded(', secrets: true'));
    expect(await run('third-token', 'apply', 'p.plan')).toBe('result: blocked');
    expect(await run('third-token', 'plan')).toBe('result: blocked');
    world.write('gwconf.yaml', guarded(''));
    expect(await run('third-token', 'apply', 'p.plan')).toBe('result: applied');
    expect(JSON.stringify(world.json('s.json'))).toContain('third-token');
  });
});

describe('protect: true', () => {
  const text = alias('one').replace('metadata', 'protect: true\nmetadata');

  it('is known to render and fmt, and stops a change', async () => {
    const world = await worldWith('manages: ["*"]');
    world.write('a/a.yaml', text);
    expect((await world.run('render', 'a')).out).toMatch(
      /^apiVersion: .*\nkind: AliasTopic\nprotect: true\nmetadata:/,
    );
    expect((await world.run('fmt', '--check', 'a')).code).toBe(0);
    expect((await world.run('plan')).out).toContain('No changes.');
    world.write('a/a.yaml', text.replace('one-v1', 'one-v2'));
    const ran = await world.run('plan');
    expect(ran.code).toBe(3);
    expect(ran.err).toContain('is protected by protect: true beside its metadata');
  });
});

describe('a rule in gwconf.yaml', () => {
  it.each([
    ['protect: [{ kind: Interceptr }]', 'did you mean Interceptor?'],
    ['protect: [{}]', ''],
    ['protect: [{ address: orders }]', 'write it as Kind/name, with * for any text'],
    ['protect: [{ address: Interceptor/mask }]', 'did you mean Interceptor/mask@vCluster=passthrough?'],
    ['protect: [{ address: Interceptor/ }]', 'write it as AliasTopic/orders@vCluster=prod'],
    ['external: [VirtualCluster/a@vCluster=b]', 'did you mean VirtualCluster/a?'],
    ['manages: ["AliasTopic/*", "!AliasTopic/b"]', 'did you mean AliasTopic/b@vCluster=passthrough?'],
    ['manages: [GatwayGroup/x]', 'did you mean GatewayGroup?'],
    ['manages: [{ kind: Alias }]', 'did you mean AliasTopic?'],
    ['external: ["VirtualClustr/*"]', 'did you mean VirtualCluster?'],
    ['ignore: [{ address: "AliasTopic/*" }]', 'add reason'],
    [
      'ignore: [{ address: "AliasTopic/*", path: /metadata/name, reason: x }]',
      'expected a JSON Pointer that starts with /spec',
    ],
    ['exposures: [{ address: mask, reason: x, until: 2027-01-31 }]', 'write it as Kind/name'],
    [
      'exposures: [{ address: "*", protection: maskin, reason: x, until: 2027-01-31 }]',
      'did you mean masking?',
    ],
    ['protection: { pci: ["Interceptr/pci-*"] }', 'did you mean Interceptor?'],
    ['limits: { deletes: few }', 'expected a number of objects, or a percentage such as 10%'],
    ['limits: { kinds: { Topic: { deletes: 1 } } }', 'did you mean AliasTopic?'],
    ['limits: { creates: 1 }', 'remove it; known fields are deletes, updates, kinds'],
  ])('that means nothing is a problem: %s', async (rules, hint) => {
    const world = makeWorld({
      'gwconf.yaml': project(rules),
      'a/a.yaml': alias('a'),
      'b/b.yaml': alias('b'),
    });
    const ran = await world.run('validate');
    expect(ran.code, ran.err).toBe(1);
    expect(ran.err).toContain(hint);
  });
});

it.each([
  [
    '!AliasTopic/two',
    '"AliasTopic/two" is not an address of kind AliasTopic; did you mean AliasTopic/two@vCluster=passthrough?',
  ],
  ['AliasTopic', '"AliasTopic" matches no address; write it as Kind/name, with * for any text'],
])(
  '--manages takes no address that is not whole, which would manage what it excludes: %s',
  async (glob, words) => {
    const world = await worldWith('manages: []');
    world.write('b/b.yaml', alias('three'));
    for (const args of [
      ['plan', '--prune'],
      ['apply', '--prune', '--auto-approve'],
      ['drift'],
      ['undo', '--auto-approve'],
    ]) {
      const ran = await world.run(...args, '--manages', '*', '--manages', glob);
      expect([ran.code, ran.err]).toEqual([64, expect.stringContaining(`--manages: ${words}`)]);
    }
    expect(namesOn(world)).toEqual(['one', 'three', 'two']);
  },
);
