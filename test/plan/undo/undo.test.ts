import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/model/json/json.ts';
import type { Resource } from '../../../src/model/resource.ts';
import { restoreLiveSecrets } from '../../../src/plan/saved/unseal-plan.ts';
import { makePlan } from '../../../src/plan/make-plan.ts';
import type { Change } from '../../../src/plan/change/change.ts';
import type { SavedPlan } from '../../../src/plan/saved/saved-plan.ts';
import { sign, sealUndo } from '../../../src/plan/saved/seal-plan.ts';
import { remainingChanges, makeUndo, type Undo } from '../../../src/plan/undo/undo.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { resource } from '../../support/kinds.ts';
import { fileOf, liveStateOf, planFor, textOf } from '../../support/plans.ts';
import { findingDigester } from '../../support/quick-key.ts';
import { ENCRYPT, interceptor, vault } from '../../support/resources.ts';
import { removalOf } from '../../support/rules.ts';
import { stateOf } from '../../support/expect-problems.ts';
import { desiredOf, liveOf, toyKinds, type Toys } from '../../support/toy-kinds.ts';

const { kinds } = catalog;
const TOKEN = '/spec/config/kmsConfig/vault/token';
const cluster = (name: string, more = {}): Resource =>
  resource('VirtualCluster', { name }, { superUsers: ['boss'], ...more });
const account = (name: string, sub: string, more = {}): Resource =>
  resource(
    'GatewayServiceAccount',
    { name, vCluster: 'vc' },
    { type: 'EXTERNAL', externalNames: [sub], ...more },
  );

describe('an undo', () => {
  it('has the changes of the run backwards, in an order of its own, without its extra steps', () => {
    const before = [cluster('old'), cluster('vc'), account('app-a', 's1'), account('app-b', 's2')];
    const after = [cluster('new'), cluster('vc'), account('app-a', 's2'), account('app-b', 's1')];
    expect(linesOf(undoOf(before, after))).toEqual([
      'create VirtualCluster/old',
      'update GatewayServiceAccount/app-a@vCluster=vc (release)',
      'update GatewayServiceAccount/app-b@vCluster=vc',
      'update GatewayServiceAccount/app-a@vCluster=vc',
      'delete VirtualCluster/new',
    ]);
  });

  it('gives what was renamed its former name back, as one object, unless one of both stays', () => {
    const local = (name: string): Resource =>
      resource('GatewayServiceAccount', { name, vCluster: 'vc' }, { type: 'LOCAL' });
    const [before, after] = ['old', 'new'].map((name) => [cluster('vc'), local(name)]) as [
      Resource[],
      Resource[],
    ];
    const [from, to] = ['old', 'new'].map((name) => `GatewayServiceAccount/${name}@vCluster=vc`) as [
      string,
      string,
    ];
    const removals = [removalOf(from, { to })];
    const { changes } = makePlan(stateOf(fileOf(...after)), liveStateOf(before), kinds, {
      gateway: 'memory:',
      removals,
    }).value;
    expect(makeUndo(changes, kinds).changes).toMatchObject([
      { action: 'create', address: from, movedFrom: to },
      { action: 'delete', address: to, movedTo: from },
    ]);
    const [one] = makeUndo(
      changes.filter(({ action }) => action === 'create'),
      kinds,
    ).changes;
    expect(one).not.toHaveProperty('movedTo');
  });

  it('swaps before and after, field by field', () => {
    const [change] = undoOf([cluster('vc', { type: 'Partner' })], [cluster('vc')]).changes;
    expect(change).toMatchObject({
      action: 'update',
      fields: [{ op: 'set', path: '/spec/type', before: 'Standard', after: 'Partner' }],
    });
    expect(change?.at).toBeUndefined();
  });

  it('keeps what gwconf does not know of an object', () => {
    const odd = cluster('vc', { odd: { deep: 1 }, aclEnabled: true });
    expect(undoOf([odd], [cluster('vc')]).changes).toMatchObject([{ after: { spec: { odd: { deep: 1 } } } }]);
  });

  it('does not send back what the gateway owns', () => {
    const filled = cluster('vc', {
      clientProperties: { 'sasl.jaas.config': 'secret' },
      bootstrapServers: 'x',
    });
    const undo = undoOf([filled], []);
    expect(undo.changes).toMatchObject([{ action: 'create', after: { spec: { superUsers: ['boss'] } } }]);
    expect(JSON.stringify(undo.changes)).not.toMatch(/jaas|bootstrap/);
  });

  it('of a saved plan goes by what the gateway has now, and leaves out what is already so', () => {
    const { plan } = planFor(fileOf(cluster('a'), cluster('b')), [cluster('a', { aclEnabled: true })]);
    const now = liveStateOf([cluster('a', { type: 'Partner' })]).resources;
    const already = new Set([plan.changes[1]?.address as never]);
    expect(makeUndo(remainingChanges(plan.changes, already, now), kinds).changes).toMatchObject([
      { action: 'update', address: 'VirtualCluster/a', after: { spec: { type: 'Partner' } } },
    ]);
  });
});

describe('what cannot be undone', () => {
  it('is a secret that nothing gives back, and is told with its place', () => {
    expect(undoOf([vault('old')], [vault('new')])).toMatchObject({
      changes: [],
      losses: [
        {
          address: 'Interceptor/i@vCluster=passthrough',
          leftOut: true,
          reason: `gwconf does not store its secret at ${TOKEN}; to restore it, declare it in a file with this secret, and run gwconf apply`,
        },
      ],
    });
  });

  it('is what stands at the place of a secret, since it may have been one', () => {
    const open = interceptor('i', { kmsConfig: { vault: { token: 'old' } } }, 'com.example.Own');
    const plain = interceptor('i', { topic: 'orders' });
    const jwt = interceptor('i', { topic: 'eyJhbGciOiJIUzI1NiJ9.eyJ1c2VybmFtZSI6ImFubiJ9.c2ln' });
    expect(undoOf([open], [vault('new')]).changes).toEqual([]);
    expect(undoOf([plain], [jwt]).losses).toMatchObject([{ leftOut: true }]);
  });

  it('leaves out what would need it, at any distance', () => {
    const secret = { newer: { password: 'canary' } };
    const before = [
      cluster('vc', secret),
      account('app', 's1'),
      resource('GatewayGroup', { name: 'team' }, { members: [{ name: 'app', vCluster: 'vc' }] }),
      cluster('other'),
    ];
    const { changes, losses } = undoOf(before, []);
    expect(changes).toMatchObject([{ action: 'create', address: 'VirtualCluster/other' }]);
    expect(
      losses.filter(({ leftOut }) => leftOut).map(({ address, reason }) => `${address}: ${reason}`),
    ).toEqual([
      'GatewayGroup/team: it needs GatewayServiceAccount/app@vCluster=vc, which is not restored',
      'GatewayServiceAccount/app@vCluster=vc: it needs VirtualCluster/vc, which is not restored',
      'VirtualCluster/vc: gwconf does not store its secret at /spec/newer/password; to restore it, declare it in a file with this secret, and run gwconf apply',
    ]);
  });

  it('leaves out what would take a value that stays where it is', () => {
    const before = { 'Person/ann': { badge: 1, password: 'x' }, 'Person/ben': { badge: 2 } };
    const after = { 'Person/ann': { badge: 2, password: 'y' }, 'Person/ben': { badge: 3 } };
    expect(toyUndo(before, after)).toMatchObject({
      changes: [],
      losses: [
        { address: 'Person/ann' },
        { address: 'Person/ben', reason: 'it needs the badge that Person/ann keeps' },
      ],
    });
  });

  it('leaves in place what something that stays refers to', () => {
    const before = { 'Team/red': { members: [], password: 'x' } };
    const after = { 'Team/red': { members: ['ann'], password: 'y' }, 'Person/ann': {} };
    expect(toyUndo(before, after)).toMatchObject({
      changes: [],
      losses: [{ address: 'Person/ann', reason: 'Team/red refers to it' }, { address: 'Team/red' }],
    });
  });

  it('is what would wait for itself', () => {
    const one = toyPlan({ 'Person/ann': { badge: 1 } }, { 'Person/ann': { badge: 2 } });
    const other = toyPlan({ 'Person/ben': { badge: 2 } }, { 'Person/ben': { badge: 1 } });
    const reason = 'Person/ann and Person/ben depend on each other';
    expect(makeUndo([...one, ...other], toyKinds)).toMatchObject({
      changes: [],
      losses: [{ reason }, { reason }],
    });
  });

  it('is what was lost with an object that comes back', () => {
    expect(undoOf([cluster('vc')], []).losses).toEqual([
      {
        address: 'VirtualCluster/vc',
        leftOut: false,
        reason: 'is restored without the topics, ACLs and consumer groups inside it',
      },
    ]);
  });
});

describe('the file of an undo', () => {
  it('has no secret, whoever gave it: nor what a variable has filled in where nothing was before', () => {
    const config = (more = {}): Json => ({ topic: 'orders', ...more });
    const variables = { HOST: 'canary-host', TOKEN: 'canary-token' };
    const written = [interceptor('i', config({ host: '${HOST}' })), vaultNamed('j', '${TOKEN}')];
    const created = sealed([interceptor('i', config())], written, variables);
    expect(created.changes.map(({ action }) => action)).toEqual(['update', 'delete']);
    expect(textOf(created)).not.toContain('canary');
    const back = sealed(
      [interceptor('i', config({ host: 'canary-old' }))],
      [written[0] as Resource],
      variables,
    );
    expect(textOf(back)).not.toContain('canary');
    expect(sourcesIn(back)).toMatchObject({ '/spec/config/host': { template: { variables: ['HOST'] } } });
  });

  it('has none in an extra step either', () => {
    const before = [cluster('vc'), account('app-a', 'canary-1'), account('app-b', 'canary-2')];
    const after = [cluster('vc'), account('app-a', '${A}'), account('app-b', '${B}')];
    const saved = sealed(before, after, { A: 'canary-2', B: 'canary-1' });
    expect(saved.changes).toHaveLength(3);
    expect(textOf(saved)).not.toContain('canary');
    expect(textOf(saved)).toContain('gwconf-released:vc/app-a');
  });

  it('says of a secret that stays that it is on the gateway, wherever in its list', () => {
    const list = (...names: readonly string[]): Resource =>
      interceptor('i', { list: names.map((name) => ({ name, password: `canary-${name}` })) });
    const saved = sealed([list('a', 'b')], [list('c', 'b', 'a')]);
    expect(textOf(saved)).not.toContain('canary');
    expect(sourcesIn(saved)).toMatchObject({
      '/spec/config/list/0/password': { live: '/spec/config/list/*/password' },
      '/spec/config/list/1/password': { live: '/spec/config/list/*/password' },
    });
    const found = restoreLiveSecrets(saved, liveStateOf([list('b', 'a', 'c')]).resources, findingDigester);
    expect(found).toMatchObject({ problems: [], value: [{ after: { spec: list('a', 'b').spec } }] });
    const lost = restoreLiveSecrets(saved, liveStateOf([list('a')]).resources, findingDigester);
    expect(lost.problems).toMatchObject([
      { code: 'secret-unavailable', path: '/spec/config/list/1/password' },
    ]);
  });
});

function vaultNamed(name: string, token: Json): Resource {
  return interceptor(name, { kmsConfig: { vault: { token } } }, ENCRYPT);
}

function undoOf(before: readonly Resource[], after: readonly Resource[], variables = {}): Undo {
  return makeUndo(planFor(fileOf(...after), before, variables).plan.changes, kinds);
}

function toyPlan(before: Toys, after: Toys): readonly Change[] {
  const made = makePlan(desiredOf(after), liveOf(before), toyKinds, { gateway: 'memory:', prune: ['*'] });
  return made.value.changes;
}

function toyUndo(before: Toys, after: Toys): Undo {
  return makeUndo(toyPlan(before, after), toyKinds);
}

function sealed(before: readonly Resource[], after: readonly Resource[], variables = {}): SavedPlan {
  const about = { tool: 'gwconf', createdAt: '2025-01-01T00:00:00Z', salt: 'salt', gateway: 'memory:' };
  return sign(sealUndo(undoOf(before, after, variables), 'run', kinds, about, findingDigester));
}

function sourcesIn({ changes }: SavedPlan): object {
  return changes[0]?.secrets ?? {};
}

function linesOf({ changes }: Undo): readonly string[] {
  return changes.map(
    (change) => `${change.action} ${change.address}${'step' in change ? ` (${change.step ?? ''})` : ''}`,
  );
}
