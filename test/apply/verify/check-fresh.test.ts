import { describe, expect, it } from 'vitest';
import { checkFresh, toSavedChange, type Freshness } from '../../../src/apply/verify/check-plan.ts';
import type { Resource } from '../../../src/model/resource.ts';
import { quickDigester } from '../../../src/plan/saved/digest.ts';
import type { SavedChange } from '../../../src/plan/saved/saved-plan.ts';
import { sealPlan, sign } from '../../../src/plan/saved/seal-plan.ts';
import { unsealPlan, type ResolveSecret } from '../../../src/plan/saved/unseal-plan.ts';
import { readTemplate } from '../../../src/schema/load/as-declared.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { variablesFrom } from '../../../src/schema/yaml/interpolate.ts';
import { resource } from '../../support/kinds.ts';
import { fileOf, liveStateOf, planFor } from '../../support/plans.ts';
import { interceptor, vault } from '../../support/resources.ts';

const SALT = 'salt';
const cluster = (superUsers: readonly string[], more = {}): Resource =>
  resource('VirtualCluster', { name: 'vc' }, { superUsers, ...more });

describe('a planned change finds what the plan saw', () => {
  it.each<[string, readonly Resource[], readonly Resource[], readonly Resource[], readonly string[]]>([
    ['nothing, for a create', [cluster(['a'])], [], [], ['as-planned']],
    ['already its target, for a create', [cluster(['a'])], [], [cluster(['a'])], ['already']],
    [
      'its target as the server spells it',
      [cluster(['a', 'b'])],
      [],
      [cluster(['b', 'a'], { type: 'Standard', bootstrapServers: 'x' })],
      ['already'],
    ],
    ['something else, for a create', [cluster(['a'])], [], [cluster(['b'])], ['stale']],
    ['the same, for an update', [cluster(['a'])], [cluster(['b'])], [cluster(['b'])], ['as-planned']],
    [
      'the same in another order',
      [cluster(['a'])],
      [cluster(['b', 'c'])],
      [cluster(['c', 'b'])],
      ['as-planned'],
    ],
    [
      'the same but for what the gateway manages',
      [cluster(['a'])],
      [cluster(['b'])],
      [cluster(['b'], { bootstrapServers: 'y' })],
      ['as-planned'],
    ],
    ['already its target, for an update', [cluster(['a'])], [cluster(['b'])], [cluster(['a'])], ['already']],
    ['something else, for an update', [cluster(['a'])], [cluster(['b'])], [cluster(['c'])], ['stale']],
    [
      'a field that gwconf does not know, changed',
      [cluster(['a'])],
      [cluster(['b'], { odd: 1 })],
      [cluster(['b'], { odd: 2 })],
      ['stale'],
    ],
    ['nothing, for an update', [cluster(['a'])], [cluster(['b'])], [], ['stale']],
    ['the same, for a delete', [], [cluster(['b'])], [cluster(['b'])], ['as-planned']],
    ['nothing any more, for a delete', [], [cluster(['b'])], [], ['already']],
    ['something else, for a delete', [], [cluster(['b'])], [cluster(['c'])], ['stale']],
  ])('%s', (_, wanted, before, now, expected) => {
    expect(freshnessOf(wanted, before, now)).toEqual(expected);
    expect(freshnessOfUnsealed(wanted, before, now)).toEqual(expected);
  });

  it('for a replacement too', () => {
    const alias = (physicalCluster: string): Resource =>
      resource('AliasTopic', { name: 'a' }, { physicalName: 't', physicalCluster });
    expect(freshnessOf([alias('main')], [alias('other')], [alias('other')])).toEqual(['as-planned']);
    expect(freshnessOf([alias('main')], [alias('other')], [alias('main')])).toEqual(['already']);
    expect(freshnessOf([alias('main')], [alias('other')], [alias('third')])).toEqual(['stale']);
    expect(freshnessOf([alias('main')], [alias('other')], [])).toEqual(['stale']);
  });

  it('for each by itself', () => {
    const wanted = [interceptor('a', {}), interceptor('b', { x: 2 }), interceptor('c', { x: 2 })];
    const before = [interceptor('b', { x: 1 }), interceptor('c', { x: 1 })];
    const now = [interceptor('a', {}), interceptor('b', { x: 1 }), interceptor('c', { x: 3 })];
    expect(freshnessOf(wanted, before, now)).toEqual(['already', 'as-planned', 'stale']);
  });
});

describe('a planned change with secrets', () => {
  it('knows its target and what it saw by them', () => {
    const wanted = [vault('new-secret')];
    const before = [vault('old-secret')];
    expect(freshnessOf(wanted, before, [vault('old-secret')])).toEqual(['as-planned']);
    expect(freshnessOf(wanted, before, [vault('new-secret')])).toEqual(['already']);
    expect(freshnessOf(wanted, before, [vault('other-secret')])).toEqual(['stale']);
    expect(freshnessOf(wanted, before, [vault('old-secret', { uri: 'x' })])).toEqual(['stale']);
  });

  it('knows them when they come from the environment', () => {
    const wanted = [interceptor('i', { list: [{ name: 'new' }, { name: 'key', value: '${X}' }] })];
    const live = (value: string): Resource => interceptor('i', { list: [{ name: 'key', value }] });
    const variables = { X: 'new-secret' };
    expect(freshnessOf(wanted, [live('old-secret')], [live('old-secret')], variables)).toEqual([
      'as-planned',
    ]);
    expect(freshnessOf(wanted, [live('old-secret')], [live('new-secret')], variables)).toEqual(['stale']);
    const made = interceptor('i', { list: [{ name: 'new' }, { name: 'key', value: 'new-secret' }] });
    expect(freshnessOf(wanted, [live('old-secret')], [made], variables)).toEqual(['already']);
  });
});

describe('an extra step', () => {
  const account = (name: string): Resource =>
    resource('GatewayServiceAccount', { name }, { type: 'EXTERNAL', externalNames: ['sub-1'] });
  const team = (...names: readonly string[]): Resource =>
    resource('GatewayGroup', { name: 'team' }, { members: names.map((name) => ({ name })) });
  const wanted = [account('new-name'), team('new-name')];
  const before = [account('old-name'), team('old-name')];

  // The plan: release team, delete old-name, create new-name, update team.
  it.each<[string, readonly Resource[], readonly Freshness[]]>([
    ['is to be made when nothing was', before, ['as-planned', 'as-planned', 'as-planned', 'as-planned']],
    [
      'is already so when it was made',
      [account('old-name'), team()],
      ['already', 'as-planned', 'as-planned', 'as-planned'],
    ],
    [
      'is already so when its delete was made too',
      [team()],
      ['already', 'already', 'as-planned', 'as-planned'],
    ],
    [
      'is already so when all but the object itself was made',
      [account('new-name'), team()],
      ['already', 'already', 'already', 'as-planned'],
    ],
    ['is not needed when all was made', wanted, ['already', 'already', 'already', 'already']],
    [
      'is stale when its object is',
      [account('old-name'), team('someone')],
      ['stale', 'as-planned', 'as-planned', 'stale'],
    ],
  ])('%s', (_, now, expected) => {
    expect(freshnessOf(wanted, before, now)).toEqual(expected);
  });
});

it('a change of a kind that is not known is not looked at', () => {
  const { plan } = planFor(fileOf(interceptor('i', {})), []);
  expect(checkFresh(plan.changes.map(toSavedChange), new Map(), new Map(), SALT).size).toBe(0);
});

/** How the changes of a plan stand, saved and read again, when the gateway has something now. */
function freshnessOf(
  wanted: readonly Resource[],
  before: readonly Resource[],
  now: readonly Resource[],
  variables: Readonly<Record<string, string>> = {},
): readonly Freshness[] {
  const { plan, desired } = planFor(fileOf(...wanted), before, variables);
  const about = { tool: 'gwconf', createdAt: '2025-01-01T00:00:00Z', salt: SALT };
  const saved = sign(sealPlan(plan, desired, catalog.kinds, about, quickDigester));
  const resolve: ResolveSecret = ({ template }) =>
    template === undefined
      ? 'new-secret'
      : readTemplate(
          template,
          variablesFrom((name) => variables[name]),
        );
  const { value, problems } = unsealPlan(saved, resolve, undefined, quickDigester);
  expect(problems).toEqual([]);
  return stand(value, now);
}

/** The same for a plan that never left the process. */
function freshnessOfUnsealed(
  wanted: readonly Resource[],
  before: readonly Resource[],
  now: readonly Resource[],
): readonly Freshness[] {
  return stand(planFor(fileOf(...wanted), before).plan.changes.map(toSavedChange), now);
}

function stand(changes: readonly SavedChange[], now: readonly Resource[]): readonly Freshness[] {
  const fresh = checkFresh(
    changes,
    liveStateOf(now).resources,
    catalog.kinds,
    SALT,
    undefined,
    quickDigester,
  );
  const inOrder = new Set(changes.map(({ address }) => address));
  expect(inOrder.size).toBeGreaterThan(0);
  return [...fresh.values()].reverse();
}
