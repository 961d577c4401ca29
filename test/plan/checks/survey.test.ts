import { describe, expect, it } from 'vitest';
import type { Context } from '../../../src/model/kind.ts';
import type { Problem } from '../../../src/model/problem.ts';
import type { ProblemCode } from '../../../src/model/problem-codes.ts';
import { identify } from '../../../src/model/identity.ts';
import type { Address, Scope } from '../../../src/model/resource.ts';
import type { LiveState } from '../../../src/model/state.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { interceptor } from '../../../src/schema/kinds/interceptor.ts';
import { load } from '../../../src/schema/load/load.ts';
import { SECURITY_MODES } from '../../../src/schema/project/project-schema.ts';
import { makePlan } from '../../../src/plan/make-plan.ts';
import { surveyKinds } from '../../../src/plan/checks/survey.ts';
import { NO_VARIABLES } from '../../../src/schema/yaml/interpolate.ts';
import { dedent, seen, stateOf, type Seen } from '../../support/expect-problems.ts';

type Asked = { readonly live?: string; readonly context?: Context };

/** All that is told of these documents, offline, or together with what a gateway has. */
function told(text: string, { live, context = {} }: Asked = {}): readonly Problem[] {
  const source = { path: 'in.yaml', text: dedent(text), named: true };
  const { value, problems } = load([source], catalog, NO_VARIABLES, context);
  const gateway = live === undefined ? {} : { live: liveOf(live) };
  return [...problems, ...surveyKinds({ desired: value, kinds: catalog.kinds, ...gateway })];
}

function liveOf(text: string): LiveState {
  const resources = [...(text === '' ? new Map<never, never>() : stateOf(text)).values()].map(
    ({ resource }) => resource,
  );
  const entries = resources.flatMap((resource) => {
    const kind = catalog.kinds.get(resource.kind);
    return kind === undefined ? [] : [[identify(kind, resource), resource] as const];
  });
  return { resources: new Map(entries), unavailable: new Map() };
}

function seenOf(code: ProblemCode, text: string, asked?: Asked): readonly Seen[] {
  return told(text, asked)
    .filter((problem) => problem.code === code)
    .map((problem) => seen(problem));
}

function sentencesOf(code: ProblemCode, text: string, asked?: Asked): readonly string[] {
  return told(text, asked)
    .filter((problem) => problem.code === code)
    .map(({ severity, message, hint }) => `${severity}: ${message}; ${hint ?? ''}`);
}

/** Interceptors as `name priority scope`, each on a line of its own. */
function interceptors(
  ...rows: readonly (readonly [name: string, priority: number, scope: string])[]
): string {
  return rows
    .map(
      ([name, priority, scope]) =>
        `{ apiVersion: gateway/v2, kind: Interceptor, metadata: { name: ${name}, scope: ${scope} }, spec: { pluginClass: com.example.Own, priority: ${priority}, config: {} } }\n`,
    )
    .join('---\n');
}

const NO_SCOPE: Scope = { vCluster: null, group: null, username: null };
const GLOBAL = '{ vCluster: null, group: null, username: null }';
const IN_A = '{ vCluster: a }';
const IN_B = '{ vCluster: b }';
const GROUP = '{ vCluster: a, group: g }';
const USER = '{ vCluster: a, username: ann }';

describe('of interceptors with one name', () => {
  it.each([
    [
      'a user',
      USER,
      'everybody',
      GLOBAL,
      'for the user ann of virtual cluster a Interceptor/i@vCluster=a,username=ann runs instead of Interceptor/i@global',
    ],
    [
      'a user',
      USER,
      'the virtual cluster',
      IN_A,
      'for the user ann of virtual cluster a Interceptor/i@vCluster=a,username=ann runs instead of Interceptor/i@vCluster=a',
    ],
    [
      'a group',
      GROUP,
      'the virtual cluster',
      IN_A,
      'for the group g in virtual cluster a Interceptor/i@vCluster=a,group=g runs instead of Interceptor/i@vCluster=a',
    ],
    [
      'a group',
      GROUP,
      'everybody',
      GLOBAL,
      'for the group g in virtual cluster a Interceptor/i@vCluster=a,group=g runs instead of Interceptor/i@global',
    ],
    [
      'a virtual cluster',
      IN_A,
      'everybody',
      GLOBAL,
      'for all of virtual cluster a Interceptor/i@vCluster=a runs instead of Interceptor/i@global',
    ],
    [
      'passthrough',
      '{}',
      'everybody',
      GLOBAL,
      'for all of virtual cluster passthrough Interceptor/i@vCluster=passthrough runs instead of Interceptor/i@global',
    ],
  ])('the one for %s (%s) wins over the one for %s (%s)', (_, narrow, _wide, wide, message) => {
    const sentence = `info: ${message}; rename it if both should run`;
    expect(sentencesOf('overriding-name', interceptors(['i', 1, narrow], ['i', 2, wide]))).toEqual([
      sentence,
    ]);
    expect(sentencesOf('overriding-name', interceptors(['i', 2, wide], ['i', 1, narrow]))).toEqual([
      sentence,
    ]);
  });

  it('the nearest wider one is named, at both places', () => {
    const text = interceptors(['i', 1, GLOBAL], ['i', 2, IN_A], ['i', 3, USER]);
    expect(seenOf('overriding-name', text)).toEqual([
      { code: 'overriding-name', at: '3:64', also: '1:64', path: '/metadata/name', severity: 'info' },
      { code: 'overriding-name', at: '5:64', also: '3:64', path: '/metadata/name', severity: 'info' },
    ]);
  });

  it.each([
    ['two virtual clusters', IN_A, IN_B],
    ['a user and the virtual cluster of another', USER, IN_B],
    ['two users', USER, '{ vCluster: a, username: bob }'],
    ['a user and a group', USER, GROUP],
  ])('%s leave each other alone', (_, one, other) => {
    expect(seenOf('overriding-name', interceptors(['i', 1, one], ['i', 2, other]))).toEqual([]);
  });
});

describe('interceptors with one priority', () => {
  it.each([
    ['everybody', GLOBAL, 'everybody', GLOBAL],
    ['everybody', GLOBAL, 'a virtual cluster', IN_A],
    ['everybody', GLOBAL, 'a group', GROUP],
    ['everybody', GLOBAL, 'a user', USER],
    ['a virtual cluster', IN_A, 'the same', IN_A],
    ['a virtual cluster', IN_A, 'a group in it', GROUP],
    ['a virtual cluster', IN_A, 'a user of it', USER],
    ['a group', GROUP, 'the same', GROUP],
    ['a user', USER, 'the same', USER],
    ['passthrough', '{}', 'passthrough by name', '{ vCluster: passthrough }'],
  ])('meet: %s (%s) and %s (%s)', (_, one, _other, other) => {
    const both = [interceptors(['i', 1, one], ['j', 1, other]), interceptors(['i', 1, other], ['j', 1, one])];
    for (const text of both) {
      const [found, ...more] = seenOf('priority-tie', text);
      expect(found).toMatchObject({ path: '/spec/priority', severity: 'warning' });
      expect([found?.at?.split(':')[0], found?.also?.split(':')[0]]).toEqual(['3', '1']);
      expect(more).toEqual([]);
    }
  });

  it.each([
    ['two virtual clusters', IN_A, IN_B],
    ['a group in one virtual cluster and another virtual cluster', GROUP, IN_B],
    ['two users', USER, '{ vCluster: a, username: bob }'],
    ['users of one name in two virtual clusters', USER, '{ vCluster: b, username: ann }'],
    ['two groups of which nothing is known', GROUP, '{ vCluster: a, group: h }'],
    ['a user and a group that is not known to have it', USER, GROUP],
    ['a virtual cluster and passthrough', IN_A, '{}'],
  ])('do not meet: %s', (_, one, other) => {
    expect(seenOf('priority-tie', interceptors(['i', 1, one], ['j', 1, other]))).toEqual([]);
  });

  const group = (name: string, members: string): string =>
    `---\n{ apiVersion: gateway/v2, kind: GatewayGroup, metadata: { name: ${name} }, spec: { members: ${members} } }\n`;

  it('meet as a user and a group that the user is in', () => {
    const rows = [
      interceptors(['i', 1, USER], ['j', 1, GROUP]),
      interceptors(['j', 1, GROUP], ['i', 1, USER]),
    ];
    for (const text of rows) {
      expect(seenOf('priority-tie', text + group('g', '[{ name: ann, vCluster: a }]'))).toHaveLength(1);
      expect(seenOf('priority-tie', text + group('g', '[{ name: ann, vCluster: b }]'))).toEqual([]);
      expect(seenOf('priority-tie', text + group('g', '[{ name: bob, vCluster: a }]'))).toEqual([]);
      expect(
        seenOf('priority-tie', text, { live: group('g', '[{ name: ann, vCluster: a }]').slice(4) }),
      ).toHaveLength(1);
    }
  });

  it('meet as two groups with a member in common', () => {
    const text = interceptors(['i', 1, GROUP], ['j', 1, '{ vCluster: a, group: h }']);
    const ann = '[{ name: ann, vCluster: a }]';
    expect(seenOf('priority-tie', text + group('g', ann) + group('h', ann))).toHaveLength(1);
    expect(seenOf('priority-tie', text + group('g', ann) + group('h', '[]'))).toEqual([]);
  });

  it('are of different names, since of one name only one runs', () => {
    expect(seenOf('priority-tie', interceptors(['i', 1, GLOBAL], ['i', 1, USER]))).toEqual([]);
    expect(
      seenOf('priority-tie', interceptors(['i', 1, GLOBAL], ['i', 1, IN_A], ['j', 1, IN_A])),
    ).toHaveLength(1);
  });

  it('have another priority than those that do not matter', () => {
    expect(seenOf('priority-tie', interceptors(['i', 1, GLOBAL], ['j', 2, GLOBAL]))).toEqual([]);
  });

  it('are told once each, with the cure', () => {
    const text = interceptors(['i', 1, IN_A], ['j', 1, IN_A], ['k', 1, IN_A]);
    expect(sentencesOf('priority-tie', text)).toEqual(
      ['j', 'k'].map(
        (name) =>
          `warning: Interceptor/${name}@vCluster=a and Interceptor/i@vCluster=a have the same priority; their order is undefined; give them different priorities`,
      ),
    );
  });

  it.each<[string, (at: number) => Scope]>([
    ['everybody', () => NO_SCOPE],
    ['one virtual cluster', () => ({ ...NO_SCOPE, vCluster: 'a' })],
    ['one group', () => ({ ...NO_SCOPE, vCluster: 'a', group: 'g' })],
    ['a virtual cluster each', (at) => ({ ...NO_SCOPE, vCluster: `a${at}` })],
    ['a user each', (at) => ({ ...NO_SCOPE, vCluster: 'a', username: `u${at}` })],
  ])('are found without comparing all with all: %s', (_, scopeOf) => {
    const count = 2_000;
    let reads = 0;
    const counted = (scope: Scope): Scope =>
      new Proxy(scope, {
        get(target, key): unknown {
          reads += 1;
          return Reflect.get(target, key);
        },
      });
    const rows = Array.from({ length: count }, (_unused, at) => {
      const metadata = { name: `i${at}`, scope: counted(scopeOf(at)) };
      return [`Interceptor/i${at}` as Address, { ...interceptor.example, metadata }] as const; // only looked up
    });
    interceptor.survey?.find(new Map(rows), { complete: false, get: () => undefined });
    expect(reads).toBeGreaterThan(count);
    expect(reads).toBeLessThan(50 * count);
  });
});

describe('an interceptor that nobody matches', () => {
  const group = (spec: string): string =>
    `{ apiVersion: gateway/v2, kind: GatewayGroup, metadata: { name: g }, spec: ${spec} }\n`;
  const forGroup = interceptors(['i', 1, GROUP]);

  it('is for a group without members', () => {
    expect(sentencesOf('unmatched-interceptor', `${forGroup}---\n${group('{}')}`)).toEqual([
      'warning: Interceptor/i@vCluster=a,group=g applies to the group g, which is empty; add members or external groups to the group',
    ]);
    expect(seenOf('unmatched-interceptor', `${forGroup}---\n${group('{ members: [] }')}`)[0]?.path).toBe(
      '/metadata/scope/group',
    );
  });

  it('is for a group whose members are all in other virtual clusters', () => {
    const elsewhere = group('{ members: [{ name: ann }, { name: bob, vCluster: b }] }');
    expect(sentencesOf('unmatched-interceptor', `${forGroup}---\n${elsewhere}`)).toEqual([
      'warning: Interceptor/i@vCluster=a,group=g applies to the group g in virtual cluster a, where it has no members; set vCluster of the scope to where its members are; without it, passthrough is meant',
    ]);
    const omitted = interceptors(['i', 1, '{ group: g }']);
    expect(seenOf('unmatched-interceptor', `${omitted}---\n${elsewhere}`)).toEqual([]);
  });

  it('is not for a group that has some, by itself, by an external group, or by a user mapping', () => {
    const mapping =
      '---\n{ apiVersion: gwconf/v1, kind: UserMapping, metadata: { name: ann, vCluster: a }, spec: { principal: x, groups: [g] } }\n';
    for (const more of [
      group('{ members: [{ name: ann, vCluster: a }] }'),
      group('{ externalGroups: [admins] }'),
      group('{ members: [{ name: bob, vCluster: b }], externalGroups: [admins] }'),
      group("{ members: [{ name: bob, vCluster: '${CLUSTER}' }] }"),
      group('{}') + mapping,
    ]) {
      expect(seenOf('unmatched-interceptor', `${forGroup}---\n${more}`)).toEqual([]);
    }
  });

  it('is not for a group that no file declares, since that is another problem', () => {
    expect(seenOf('unmatched-interceptor', forGroup)).toEqual([]);
  });

  it('is for a group that the gateway has, and has empty', () => {
    expect(seenOf('unmatched-interceptor', forGroup, { live: group('{}') })).toHaveLength(1);
    expect(seenOf('unmatched-interceptor', forGroup, { live: group('{ externalGroups: [x] }') })).toEqual([]);
  });

  const account =
    '{ apiVersion: gateway/v2, kind: GatewayServiceAccount, metadata: { name: ann, vCluster: a }, spec: { type: LOCAL } }\n';
  const forUser = interceptors(['i', 1, USER]);

  it('is for a user without an account, once the gateway was asked', () => {
    expect(seenOf('unmatched-interceptor', forUser)).toEqual([]);
    expect(sentencesOf('unmatched-interceptor', forUser, { live: '' })).toEqual([
      'warning: Interceptor/i@vCluster=a,username=ann applies to the user ann, but there is no such service account; check the name; clients that authenticate with Kafka or mTLS need no service account',
    ]);
  });

  it('is for a user whose account the plan deletes', () => {
    const plan = (prune: readonly string[]): readonly string[] =>
      makePlan(stateOf(forUser), liveOf(account), catalog.kinds, { gateway: 'memory:', prune }).problems.map(
        ({ code }) => code,
      );
    expect(plan(['*'])).toContain('unmatched-interceptor');
    expect(plan([])).not.toContain('unmatched-interceptor');
  });

  it('is not for a user that a file or the gateway has', () => {
    expect(seenOf('unmatched-interceptor', forUser, { live: account })).toEqual([]);
    expect(seenOf('unmatched-interceptor', `${forUser}---\n${account}`, { live: '' })).toEqual([]);
    expect(
      seenOf('unmatched-interceptor', forUser, { live: account.replace('vCluster: a', 'vCluster: b') }),
    ).toHaveLength(1);
  });
});

describe('the physical cluster of alias topics', () => {
  const cluster = (type: string): string =>
    `{ apiVersion: gateway/v2, kind: VirtualCluster, metadata: { name: a }, spec: { type: ${type}, aclEnabled: true, superUsers: [ann] } }\n`;
  const alias = (name: string, spec: string, vCluster = 'a'): string =>
    `---\n{ apiVersion: gateway/v2, kind: AliasTopic, metadata: { name: ${name}, vCluster: ${vCluster} }, spec: { physicalName: x, ${spec} } }\n`;

  it('is one for all of a Partner virtual cluster', () => {
    const text =
      cluster('Partner') + alias('one', 'physicalCluster: east') + alias('two', 'physicalCluster: west');
    expect(sentencesOf('physical-cluster', text)).toEqual([
      'error: AliasTopic/two@vCluster=a is on west and AliasTopic/one@vCluster=a on east; all aliases of a Partner virtual cluster must be on the same physical cluster; put both on east',
    ]);
    expect(seenOf('physical-cluster', text)[0]).toMatchObject({
      also: expect.stringMatching(/^3:/) as string,
    });
    expect(
      seenOf(
        'physical-cluster',
        cluster('Partner') + alias('one', 'physicalCluster: east') + alias('two', 'physicalCluster: east'),
      ),
    ).toEqual([]);
  });

  it('is main where none is written', () => {
    const text = cluster('Partner') + alias('one', '') + alias('two', 'physicalCluster: west');
    expect(seenOf('physical-cluster', text)).toHaveLength(1);
  });

  it('is main in a Standard virtual cluster and in passthrough', () => {
    expect(
      sentencesOf('physical-cluster', cluster('Standard') + alias('one', 'physicalCluster: west')),
    ).toEqual([
      'error: AliasTopic/one@vCluster=a is on west, but a Standard virtual cluster has all its topics on main; remove physicalCluster, or set type: Partner on the virtual cluster',
    ]);
    expect(seenOf('physical-cluster', cluster('Standard') + alias('one', 'physicalCluster: main'))).toEqual(
      [],
    );
    expect(
      seenOf('physical-cluster', alias('one', 'physicalCluster: west', 'passthrough').slice(4)),
    ).toHaveLength(1);
  });

  it('is for the gateway to judge where nobody knows the virtual cluster', () => {
    const text = alias('one', 'physicalCluster: west').slice(4);
    expect(seenOf('physical-cluster', text)).toEqual([]);
    expect(seenOf('physical-cluster', text, { live: cluster('Standard') })).toHaveLength(1);
    expect(seenOf('physical-cluster', text, { live: cluster('Partner') })).toEqual([]);
  });
});

// gateway-api D.1 and D.2.
describe('the security mode of an environment', () => {
  const account = (spec: string): string =>
    `{ apiVersion: gateway/v2, kind: GatewayServiceAccount, metadata: { name: ann }, spec: ${spec} }\n`;
  const THINGS = {
    local: account('{ type: LOCAL }'),
    external: account('{ type: EXTERNAL, externalNames: [x] }'),
    mapping:
      '{ apiVersion: gwconf/v1, kind: UserMapping, metadata: { name: ann }, spec: { principal: x } }\n',
    cluster: '{ apiVersion: gateway/v2, kind: VirtualCluster, metadata: { name: a }, spec: {} }\n',
    alias: '{ apiVersion: gateway/v2, kind: AliasTopic, metadata: { name: a }, spec: { physicalName: x } }\n',
    rule: '{ apiVersion: gateway/v2, kind: ConcentrationRule, metadata: { name: a }, spec: { pattern: "a.*", physicalTopics: { delete: x } } }\n',
    group:
      '{ apiVersion: gateway/v2, kind: GatewayGroup, metadata: { name: a }, spec: { externalGroups: [x] } }\n',
    interceptor: interceptors(['i', 1, GLOBAL]),
  };
  type Thing = keyof typeof THINGS;
  const [no, maybe, yes] = ['error', 'info', 'nothing'];

  /** What is said of a thing under a mode. */
  const verdict = (thing: Thing, security?: string): string =>
    seenOf('security-mode', THINGS[thing], security === undefined ? {} : { context: { security } })
      .map(({ severity = 'error' }) => severity)
      .join(' ') || 'nothing';

  it.each<readonly [string, Readonly<Partial<Record<Thing, string | undefined>>>]>([
    ['PLAINTEXT', { local: no, external: no, cluster: no, alias: yes, rule: yes }],
    ['SSL', { local: no, external: maybe, cluster: yes, alias: yes, rule: yes }],
    ['SASL_PLAINTEXT', { local: yes, external: maybe, cluster: yes, alias: yes, rule: yes }],
    ['SASL_SSL', { local: yes, external: maybe, cluster: yes, alias: yes, rule: yes }],
    ['DELEGATED_SASL_PLAINTEXT', { local: no, external: yes, cluster: no, alias: no, rule: no }],
    ['DELEGATED_SASL_SSL', { local: no, external: yes, cluster: no, alias: no, rule: no }],
    ['GATEWAY_MANAGED', { local: yes, external: maybe, cluster: yes, alias: yes, rule: yes }],
    ['KAFKA_MANAGED', { local: no, external: yes, cluster: no, alias: no, rule: no }],
  ])('%s', (mode, expected) => {
    expect(SECURITY_MODES).toContain(mode);
    const things = Object.keys(expected) as readonly Thing[]; // the keys of a literal
    expect(Object.fromEntries(things.map((thing) => [thing, verdict(thing, mode)]))).toEqual(expected);
    expect([verdict('group', mode), verdict('interceptor', mode)]).toEqual([yes, yes]);
  });

  it('is held against nobody where it is not stated', () => {
    for (const thing of Object.keys(THINGS) as readonly Thing[]) expect(verdict(thing)).toBe('nothing');
  });

  it('has its say at the place that a reader can change', () => {
    expect(seenOf('security-mode', THINGS.local, { context: { security: 'SSL' } })[0]).toMatchObject({
      path: '/spec/type',
    });
    expect(sentencesOf('security-mode', THINGS.cluster, { context: { security: 'KAFKA_MANAGED' } })).toEqual([
      'error: a gateway with KAFKA_MANAGED has no VirtualCluster, so VirtualCluster/a cannot exist; remove it, or change security of the environment in gwconf.yaml',
    ]);
  });
});

describe('what a reviewer should know of one resource', () => {
  it('is that an omitted scope is not everybody', () => {
    const bare = interceptors(['i', 1, '{}']).replace(', scope: {}', '');
    expect(sentencesOf('omitted-scope', bare)).toEqual([
      'info: Interceptor/i@vCluster=passthrough: without a scope it applies to the passthrough virtual cluster only; write scope: { vCluster: passthrough } to confirm this, or three nulls for a global interceptor',
    ]);
    for (const scope of ['{ vCluster: passthrough }', GLOBAL]) {
      expect(seenOf('omitted-scope', interceptors(['i', 1, scope]))).toEqual([]);
    }
  });

  it('is that a secret is written out, and never which', () => {
    const withConfig = (config: string): string =>
      interceptors(['i', 1, GLOBAL]).replace('config: {}', `config: ${config}`);
    const text = withConfig('{ password: hunter2, nested: { apiKey: 12345 }, list: [{ token: abc }] }');
    expect(seenOf('literal-secret', text).map(({ path, severity }) => [path, severity])).toEqual([
      ['/spec/config/password', 'warning'],
      ['/spec/config/nested/apiKey', 'warning'],
      ['/spec/config/list/0/token', 'warning'],
    ]);
    expect(JSON.stringify(sentencesOf('literal-secret', text))).not.toMatch(/hunter2|12345|abc/);
  });

  it('is not that a secret comes from the environment, or from the gateway', () => {
    const text = interceptors(['i', 1, GLOBAL]).replace(
      'config: {}',
      'config: { password: "$${FROM_GATEWAY}", token: "${UNSET:-x}", secretId: "{{vault}}" }',
    );
    expect(seenOf('literal-secret', text).map(({ path }) => path)).toEqual(['/spec/config/token']);
  });

  it('is that an item stands twice in a set, however either is spelled', () => {
    const group = (members: string): string =>
      `{ apiVersion: gateway/v2, kind: GatewayGroup, metadata: { name: g }, spec: { members: ${members} } }\n`;
    expect(
      sentencesOf(
        'repeated-item',
        group('[{ name: ann }, { name: bob }, { vCluster: passthrough, name: ann }]'),
      ),
    ).toEqual([
      'error: GatewayGroup/g has the item at /spec/members/2 twice, which the gateway rejects; keep one of the two',
    ]);
    expect(seenOf('repeated-item', group('[{ name: ann }, { name: ann, vCluster: a }]'))).toEqual([]);
  });
});
