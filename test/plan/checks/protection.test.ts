import { describe, expect, it } from 'vitest';
import type { ProtectRule } from '../../../src/model/rules.ts';
import type { Problem } from '../../../src/model/problem.ts';
import { makePlan, type PlanOptions } from '../../../src/plan/make-plan.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { stateOf } from '../../support/expect-problems.ts';
import { ENCRYPT, group } from '../../support/resources.ts';
import { removalOf, SOMEWHERE } from '../../support/rules.ts';
import { fileOf, liveStateOf } from '../../support/plans.ts';
import { resource } from '../../support/kinds.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { Resource } from '../../../src/model/resource.ts';

const rule = (keys: Omit<ProtectRule, 'place'>): ProtectRule => ({ ...keys, place: SOMEWHERE });
const guard = (spec: JsonObject = {}, metadata: JsonObject = {}): Resource =>
  resource(
    'Interceptor',
    { name: 'encrypt', scope: { vCluster: 'passthrough' }, ...metadata },
    { pluginClass: ENCRYPT, priority: 1, comment: '', config: { topic: 'cards' }, ...spec },
  );

describe('a protected object', () => {
  it.each<[string, readonly Resource[], Partial<PlanOptions>, string]>([
    ['deleted by prune', [], { prune: ['*'] }, 'would be deleted'],
    [
      'removed by its name',
      [],
      { removals: [removalOf('Interceptor/encrypt@vCluster=passthrough')] },
      'would be deleted',
    ],
    [
      'given another config',
      [guard({ config: { topic: 'none' } })],
      {},
      'would be changed in /spec/config/topic',
    ],
    [
      'given another class',
      [guard({ pluginClass: 'com.example.Own' })],
      {},
      'would be changed in /spec/pluginClass',
    ],
    [
      'given another scope',
      [guard({}, { scope: { vCluster: 'passthrough', group: 'g' } }), group('g')],
      { prune: ['*'] },
      'would be deleted',
    ],
  ])('is not %s', (_, declared, options, words) => {
    const problems = found(declared, [guard()], [rule({ pluginClass: '*Encrypt*', reason: 'PCI' })], options);
    const guarded = problems.filter(({ code }) => code === 'protected');
    expect(guarded).toMatchObject([{ severity: 'error' }]);
    expect(guarded[0]?.message).toContain(
      `${words}, and is protected by the rule { pluginClass: *Encrypt* } (PCI)`,
    );
  });

  it('may change in what its kind does not guard', () => {
    const changed = [guard({ priority: 2, comment: 'earlier' })];
    expect(found(changed, [guard()], [rule({ kind: 'Interceptor' })])).toEqual([]);
  });

  it('may be created, and be left as it is', () => {
    const rules = [rule({ kind: '*' })];
    expect(found([guard()], [], rules)).toEqual([]);
    expect(found([guard()], [guard()], rules)).toEqual([]);
  });

  it('of a kind that guards nothing of its own is not changed at all', () => {
    const there = resource('VirtualCluster', { name: 'prod' }, { superUsers: ['a'] });
    const asked = resource('VirtualCluster', { name: 'prod' }, { superUsers: ['b'] });
    expect(found([asked], [there], [rule({ address: 'VirtualCluster/*' })])).toMatchObject([
      { code: 'protected', path: '/spec/superUsers/0' },
    ]);
  });

  it.each<[string, Omit<ProtectRule, 'place'>, boolean]>([
    ['its kind', { kind: 'Interceptor' }, true],
    ['another kind', { kind: 'AliasTopic' }, false],
    ['its address', { address: 'Interceptor/enc*' }, true],
    ['another address', { address: 'Interceptor/mask*' }, false],
    ['its class', { pluginClass: ENCRYPT }, true],
    ['the last part of its class', { pluginClass: 'EncryptPlugin' }, true],
    ['a part of a part of its class', { pluginClass: 'Encrypt' }, false],
    ['all of these', { kind: 'Interceptor', address: '*', pluginClass: '*' }, true],
    ['not all of these', { kind: 'Interceptor', address: '*/mask*' }, false],
  ])('is found by %s', (_, keys, matches) => {
    expect(found([], [guard()], [rule(keys)], { prune: ['*'] })).toHaveLength(matches ? 1 : 0);
  });

  it('is protected by what it is on the gateway, not by what a file makes of it', () => {
    const own = guard({ pluginClass: 'com.example.Own' });
    expect(found([own], [guard()], [rule({ pluginClass: ENCRYPT })])).toHaveLength(1);
    expect(found([guard()], [own], [rule({ pluginClass: ENCRYPT })])).toEqual([]);
  });

  it('is not lost with the group that it is scoped to', () => {
    const scoped = guard({}, { scope: { vCluster: 'passthrough', group: 'g' } });
    const problems = found([], [scoped, group('g')], [rule({ kind: 'Interceptor' })], { prune: ['*'] });
    expect(problems.map(({ code }) => code)).toEqual(['protected']);
    const alone = found([], [scoped, group('g')], [rule({ kind: 'Interceptor' })], {
      prune: ['GatewayGroup/*'],
    });
    expect(alone.map(({ code }) => code)).toEqual(['still-referenced']);
  });
});

describe('the secret of a protected object', () => {
  const vault = (token: string | undefined, more: JsonObject = {}): Resource =>
    guard({
      config: {
        kmsConfig: {
          vault: { uri: 'http://vault:8200', ...(token === undefined ? {} : { token }), ...more },
        },
        schemaRegistryConfig: { additionalConfigs: { 'ssl.key.password': token ?? 'none' } },
      },
    });
  const told = (after: Resource, keys: Partial<ProtectRule> = {}): readonly string[] =>
    found([after], [vault('first-token')], [rule({ kind: 'Interceptor', ...keys })]).map(
      ({ code, path }) => `${code} ${path ?? ''}`,
    );
  const at = '/spec/config/kmsConfig/vault';

  it('can be rotated', () => {
    expect(told(vault('second-token'))).toEqual([]);
    expect(told(vault('second-token'), { secrets: false })).toEqual([]);
  });

  it('cannot be rotated with secrets: true', () => {
    expect(told(vault('second-token'), { secrets: true })).toEqual([`protected ${at}/token`]);
    const [problem] = found(
      [vault('second-token')],
      [vault('first-token')],
      [rule({ kind: 'Interceptor', secrets: true })],
    );
    expect(problem?.message).toContain('by the rule { kind: Interceptor, secrets: true }');
    expect(problem?.message).not.toMatch(/first-token|second-token/);
  });

  it.each([
    ['emptied', vault(''), `${at}/token`],
    ['removed', vault(undefined), `${at}/token`],
    ['added', vault('first-token', { password: 'more' }), `${at}/password`],
    ['rotated beside another change', vault('second-token', { uri: 'http://other:8200' }), `${at}/uri`],
  ])('cannot be %s', (_, after, path) => {
    expect(told(after)).toEqual([`protected ${path}`]);
  });

  it('is known by its place, not by its value or its variable', () => {
    const topic = (name: string): Resource => guard({ config: { topic: name } });
    const url = (login: string): string => `https://${login}@registry.example`;
    const change = (before: string, after: string): readonly string[] =>
      found([topic(after)], [topic(before)], [rule({ kind: 'Interceptor' })]).map(({ code }) => code);
    expect(change(url('a:b'), url('a:c'))).toContain('protected');
    const text = fileOf(topic('TOPIC')).replace('TOPIC', '${TOPIC}');
    const desired = stateOf(text, { variables: { TOPIC: 'none' } });
    const { problems } = makePlan(desired, liveStateOf([topic('cards')]), catalog.kinds, {
      gateway: 'memory:',
      rules: { protect: [rule({ kind: 'Interceptor' })] },
    });
    expect(problems.map(({ code }) => code)).toEqual(['protected']);
  });
});

describe('protect: true beside the metadata of a document', () => {
  const file = (spec: string, protect = 'protect: true\n'): string =>
    `apiVersion: gateway/v2\nkind: AliasTopic\n${protect}metadata: { name: orders }\nspec: ${spec}\n`;
  const there = resource('AliasTopic', { name: 'orders' }, { physicalName: 'a' });

  it('guards against a change and a replacement, and is not sent', () => {
    const [problem] = plannedFile(file('{ physicalName: b }'), [there]).problems;
    expect(problem).toMatchObject({ code: 'protected', also: { path: '/protect' } });
    expect(problem?.message).toContain('is protected by protect: true beside its metadata');
    const replaced = plannedFile(file('{ physicalName: a, physicalCluster: far }'), [there]).problems;
    expect(replaced.map(({ code }) => code)).toEqual(['physical-cluster', 'protected']);
    const created = plannedFile(file('{ physicalName: b }'), []);
    expect(created.problems).toEqual([]);
    expect(JSON.stringify(created.value)).not.toContain('protect"');
  });

  it('is no difference, and false is as if it were not there', () => {
    expect(plannedFile(file('{ physicalName: a }'), [there]).value.changes).toEqual([]);
    expect(plannedFile(file('{ physicalName: b }', 'protect: false\n'), [there]).problems).toEqual([]);
  });

  function plannedFile(text: string, live: readonly Resource[]): ReturnType<typeof makePlan> {
    return makePlan(stateOf(text), liveStateOf(live), catalog.kinds, { gateway: 'memory:' });
  }
});

function found(
  declared: readonly Resource[],
  live: readonly Resource[],
  protect: readonly ProtectRule[],
  options: Partial<PlanOptions> = {},
): readonly Problem[] {
  const desired = declared.length === 0 ? new Map() : stateOf(fileOf(...declared));
  return makePlan(desired, liveStateOf(live), catalog.kinds, {
    gateway: 'memory:',
    acceptExposure: ['*'],
    rules: { protect },
    ...options,
  }).problems;
}
