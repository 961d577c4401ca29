import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import fc from '../support/fast-check.ts';
import { makeWorld, type World } from '../support/cli.ts';
import { runs, time, PAIRS } from '../support/order-pairs.ts';
import { LOGIN, serve } from '../support/served.ts';
import { documentOf, projectOf } from '../support/documents.ts';

/** A masker that hides nothing, so that only the origin of a value does. */
const BLIND = { learn: () => undefined, mask: (text: string) => text, net: (text: string) => text };
const CANARY = '73197319';
const READ_ONLY = 'io.conduktor.gateway.interceptor.safeguard.ReadOnlyTopicPolicyPlugin';

/** Where a variable can be: each is `${CANARY}` or a text of its own. */
type Places = Readonly<Record<'priority' | 'externalGroup' | 'comment' | 'group' | 'username', string>>;

const documents = ({ priority, externalGroup, comment, group, username }: Places): string => `
apiVersion: gateway/v2
kind: GatewayGroup
metadata: { name: team }
spec:
  members: [{ name: app }]
  externalGroups:
    - ${externalGroup}
---
apiVersion: gateway/v2
kind: GatewayServiceAccount
metadata: { name: app }
spec: { type: LOCAL }
---
apiVersion: gateway/v2
kind: Interceptor
metadata:
  name: limit
  scope:
    vCluster: passthrough
    group: ${group}
spec:
  pluginClass: ${READ_ONLY}
  comment: ${comment}
  priority: ${priority}
  config: { topic: a-.*, action: BLOCK }
---
apiVersion: gateway/v2
kind: Interceptor
metadata:
  name: own
  scope:
    vCluster: passthrough
    username: ${username}
spec: { pluginClass: ${READ_ONLY}, priority: 40, config: { topic: a-.*, action: BLOCK } }
`;

const TEST = `
apiVersion: gwconf/v1
kind: Test
metadata: { name: all }
spec:
  cases:
    - name: everybody has a mask
      as: { username: "*", virtualCluster: "*" }
      expect: { protectedBy: [masking] }
`;
const PLAIN: Places = {
  priority: '4711',
  externalGroup: 'idp-team',
  comment: 'text',
  group: 'team',
  username: 'app',
};
const FORMATS = ['human', 'json', 'markdown', 'html'];

const COMMANDS: readonly (readonly string[])[] = [
  ['effective'],
  ['effective', '--why'],
  ['effective', '--topic', 'a-b'],
  ['effective', '--uncovered', '--topics', 'topics.txt', '--protection', 'masking'],
  ['effective', '--external-group', '7319731'],
  ['effective', '--live'],
  ['effective', '--live', '--why'],
  ['effective', '--live', '--external-group', '7319731'],
  ['effective', '--live', '--uncovered', '--topics', 'topics.txt'],
  ['effective', '--compare'],
  ['resolve', '--as', 'app', '--group', 'team'],
  ['test'],
];

/** What a command prints in its formats. An undo is made once. */
async function printed(world: World, args: readonly string[]): Promise<string> {
  const [command = ''] = args;
  const files = FORMATS.slice(1).flatMap((name) => ['-o', `${name}=r.${name}.json`]);
  if (command === 'undo') return run(world, [...args, '-o', 'human', ...files]);
  const formats = command === 'effective' ? FORMATS : ['human', 'json'];
  const said: string[] = [];
  for (const name of formats) said.push(await run(world, [...args, '-o', name]));
  return said.join('\n');
}

async function run(world: World, args: readonly string[]): Promise<string> {
  const { out, err, code } = await world.runWith({ masker: BLIND }, ...args);
  expect([70, 64], err).not.toContain(code);
  return out + err;
}

async function expectSilence(world: World, commands: readonly (readonly string[])[]): Promise<void> {
  for (const args of commands) {
    const said = await printed(world, args);
    expect(said.includes(CANARY) ? `${args.join(' ')}\n${said}` : '', world.read('a.yaml')).toBe('');
  }
}

describe('threat: author: a secret in what chains are made of', () => {
  const places = fc.tuple(
    fc.subarray(['priority', 'externalGroup', 'comment', 'group', 'username'] as const, { minLength: 1 }),
    fc.constantFrom('"${CANARY}"', '"a-${CANARY}"'),
  );

  it(
    'is in no output of a command that shows chains, nor of an undo that does not read its file',
    time,
    async () => {
      await fc.assert(
        fc.asyncProperty(places, async ([names, text]) => {
          const there = await serve();
          const secret = Object.fromEntries(
            names.map((name) => [name, name === 'priority' ? '${CANARY}' : text]),
          );
          const world = makeWorld({
            'gwconf.yaml': projectOf({ prod: 'files: [a.yaml]' }),
            'a.yaml': documents({ ...PLAIN, ...secret }),
            'other.yaml': documents(PLAIN).split('---')[2]?.replace('limit', 'last') ?? '',
            'topics.txt': 'a-b\nc\n',
            'all.gwtest.yaml': TEST,
          });
          Object.assign(world.env, LOGIN, { GWCONF_URL: there.url, CANARY });
          const applied = await world.runWith({ masker: BLIND }, 'apply', '--auto-approve');
          const isShown = names.some((name) => name === 'group' || name === 'username');
          expect(applied.out + applied.err).not.toContain(CANARY);
          if (isShown) expect(applied.err).toContain('exposed-secret');
          else expect(applied.code, applied.err).toBe(0);
          await expectSilence(world, COMMANDS);
          if (isShown) return;
          // The chain of the user changes, and the run knows nothing of the other interceptors in it.
          world.write('other.yaml', world.read('other.yaml').replaceAll('limit', 'last'));
          const more = await world.runWith({ masker: BLIND }, 'apply', '-f', 'other.yaml', '--auto-approve');
          expect(more.code, more.err).toBe(0);
          expect(more.out + more.err).not.toContain(CANARY);
          await expectSilence(world, [['undo', '--auto-approve']]);
          for (const name of readdirSync(world.folder, { recursive: true, encoding: 'utf8' }))
            if (/\.(?:json|jsonl)$/.test(name))
              expect(readFileSync(join(world.folder, name), 'utf8'), name).not.toContain(CANARY);
        }),
        {
          ...runs,
          numRuns: Math.ceil(PAIRS / 10),
          examples: [[[['priority', 'externalGroup'], '"${CANARY}"']]],
        },
      );
    },
  );
});

describe('threat: author: a question whose answer depends on a secret', () => {
  const interceptor = (name: string, priority: string, topic: string): string =>
    `apiVersion: gateway/v2
kind: Interceptor
metadata: { name: ${name}, scope: { vCluster: passthrough } }
spec:
  pluginClass: ${READ_ONLY}
  priority: ${priority}
  config: { topic: "${topic}", action: BLOCK }
`;
  const address = (name: string): string => `Interceptor/${name}@vCluster=passthrough`;
  const cases = (): string =>
    ['t-5', 't-9', 't-']
      .flatMap((topic) =>
        ['includes', 'excludes'].map(
          (word) =>
            `  - { name: ${word} ${topic}, as: "*", topic: ${topic}, expect: { ${word}: ["${address('secret')}"] } }\n`,
        ),
      )
      .join('');
  const orders = (): string =>
    [
      ['literal', 'secret'],
      ['secret', 'literal'],
    ]
      .map(
        (names) =>
          `  - { name: ${names.join(' ')}, as: "*", expect: { chain: [${names.map((name) => `"${address(name)}"`).join(', ')}] } }\n`,
      )
      .join('');
  const asked = (more: string, after = ''): string =>
    `apiVersion: gwconf/v1\nkind: Test\nenvironment: prod\ncases:\n${more.replaceAll(' as: ', `${after} as: `)}`;

  const QUESTIONS: readonly (readonly [what: string, priority: string, topic: string])[] = [
    ['which topics it is in', '1', 't-${CANARY}'],
    ['which characters it has', '1', 't-[7-${CANARY}]'],
    ['how it compares with a priority', '${CANARY}', 't-.*'],
  ];
  const ASKED: readonly (readonly string[])[] = [
    ['effective'],
    ['effective', '--why'],
    ['effective', '--topic', 't-5'],
    ['effective', '--topic', 't-9'],
    ['effective', '--uncovered', '--topics', 'topics.txt'],
    ['effective', '--compare'],
    ['test', 'files.gwtest.yaml'],
    ['test', 'after.gwtest.yaml'],
  ];

  /** All answers in CI where the job may use the variable, on an empty gateway. */
  async function answers(value: string, [, priority, topic]: (typeof QUESTIONS)[number]): Promise<string> {
    const world = makeWorld({
      'gwconf.yaml': projectOf({ prod: 'gateway: { url: "embedded:gateway.json" }, files: [a.yaml]' }),
      'a.yaml': `${interceptor('literal', '7', 't-.*')}---\n${interceptor('secret', priority, topic)}`,
      'topics.txt': 't-5\nt-9\n',
      'files.gwtest.yaml': asked(cases() + orders()),
      'after.gwtest.yaml': asked(cases() + orders(), ' after: plan,'),
    });
    Object.assign(world.env, { CI: 'true', GWCONF_ALLOWED_VARIABLES: 'CANARY', CANARY: value });
    const said: string[] = [];
    for (const args of ASKED)
      for (const format of ['human', 'json']) {
        const { out, err, code } = await world.runWith({ masker: BLIND }, ...args, '-o', format);
        expect([70, 64], err).not.toContain(code);
        said.push([...args, code, out, err].join('\n'));
      }
    return said.join('\n');
  }

  it.each(QUESTIONS)('gets no answer in CI from tests and effective: %s', async (...question) => {
    const [five, nine] = [await answers('5', question), await answers('9', question)];
    expect(five).toBe(nine);
    expect(five, 'the value is what makes it unknown').toMatch(/placeholder|has no value/);
  });

  it('gets no green test after a plan that takes what is live for a hidden value', async () => {
    const world = makeWorld({
      'gwconf.yaml': projectOf({ prod: 'gateway: { url: "embedded:gateway.json" }, files: [a.yaml]' }),
      'a.yaml': interceptor('secret', '1', 't-5'),
      'after.gwtest.yaml': asked(
        `  - { name: kept, as: {}, topic: t-5, expect: { includes: ["${address('secret')}"] } }\n`,
        ' after: plan,',
      ),
    });
    await world.run('apply', '--auto-approve', '--journal', 'none', '--env', 'prod');
    expect(await world.run('test')).toMatchObject({ code: 0 });
    world.write('a.yaml', interceptor('secret', '1', '${CANARY}'));
    Object.assign(world.env, { CI: 'true', GWCONF_ALLOWED_VARIABLES: 'CANARY', CANARY: 'other' });
    const { code, err } = await world.run('test');
    expect([code, err]).toEqual([1, expect.stringContaining('topic has a placeholder')]);
  });

  it.each([
    ['field', 'Interceptor/secret@*, path: /spec/config/topic'],
    ['object', 'Interceptor/secret@*'],
  ])('is tested after a plan as it is live where the plan ignores the %s', async (_, rule) => {
    const prod = 'gateway: { url: "embedded:gateway.json" }, files: [a.yaml]';
    const world = makeWorld({
      'gwconf.yaml': projectOf({ prod }),
      'a.yaml': interceptor('secret', '1', 't-5'),
      'after.gwtest.yaml': asked(
        `  - { name: kept, as: {}, topic: t-5, expect: { includes: ["${address('secret')}"] } }\n`,
        ' after: plan,',
      ),
    });
    await world.run('apply', '--auto-approve', '--journal', 'none', '--env', 'prod');
    const ignore = `ignore: [{ address: ${rule}, reason: theirs }]`;
    world.write('gwconf.yaml', projectOf({ prod: `${prod}, ${ignore}` }));
    world.write('a.yaml', interceptor('secret', '1', '${UNSET}'));
    expect(await world.run('test')).toMatchObject({ code: 0 });
    Object.assign(world.env, { UNSET: 'other' });
    const { out } = await world.run('plan', '--env', 'prod');
    expect(out, 'apply leaves it as it is').toMatch(/^No changes/m);
  });

  it('is not told by the place of its priority in the effects of a plan', async () => {
    const told = async (value: string): Promise<string> => {
      const world = makeWorld({
        'a.yaml': `${interceptor('literal', '7', 't-.*')}---\n${interceptor('secret', '${CANARY}', 't-.*')}`,
      });
      world.env['CANARY'] = value;
      const { out, err } = await world.runWith(
        { masker: BLIND },
        ...['plan', 'a.yaml', '--url', 'embedded:', '-o', 'json'],
      );
      expect(out).toContain('"priority": "(hidden)"');
      return out + err;
    };
    expect(await told('5')).toBe(await told('9'));
  });

  it('is not told by the place of its name among those of other external groups', async () => {
    const team = (name: string, external: string): string =>
      documentOf('GatewayGroup', `{ name: ${name} }`, `{ externalGroups: ["${external}"] }`) +
      `---\n${interceptor(name, '7', 't-.*').replace('scope: {', `scope: { group: ${name}, `)}`;
    const told = async (value: string): Promise<string> => {
      const world = makeWorld({
        'a.yaml': `${team('one', '${CANARY}')}---\n${team('two', '${KNOWN}')}`,
      });
      Object.assign(world.env, { CANARY: value, KNOWN: 'm' });
      const { out } = await world.run('plan', 'a.yaml', '--url', 'embedded:', '-o', 'json');
      expect(out.match(/"externalGroup": "\(hidden\)"/g)).toHaveLength(2);
      return out;
    };
    expect(await told('a')).toBe(await told('z'));
  });
});
