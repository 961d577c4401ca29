import { describe, expect, it } from 'vitest';
import { bindPlan } from '../../../src/apply/verify/check-plan.ts';
import { findMisstatements, findUndoMisstatements } from '../../../src/apply/verify/find-misstatements.ts';
import type { Resource } from '../../../src/model/resource.ts';
import { makeUndo } from '../../../src/plan/undo/undo.ts';
import type { SavedChange, SavedPlan } from '../../../src/plan/saved/saved-plan.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { resource } from '../../support/kinds.ts';
import { group, WORLD } from '../../support/masks.ts';
import { fileOf, liveStateOf, planFor } from '../../support/plans.ts';

const { kinds } = catalog;
const alias = (spec: Resource['spec'] = {}): Resource =>
  resource('AliasTopic', { name: 'orders', vCluster: 'prod' }, { physicalName: 'v1', ...spec });
/** One that moves to another physical cluster is replaced. */
const shared = (physicalCluster: string): readonly Resource[] => [
  resource(
    'VirtualCluster',
    { name: 'partner' },
    { type: 'Partner', aclEnabled: true, superUsers: ['admin'] },
  ),
  resource('AliasTopic', { name: 'orders', vCluster: 'partner' }, { physicalName: 'v1', physicalCluster }),
];

type Shown = Pick<SavedPlan, 'changes' | 'relies'>;
/** A saved plan, its one change altered. */
const altered =
  (alter: (change: SavedChange) => object) =>
  ({ changes, relies }: Shown): Shown => ({
    relies,
    changes: changes.map((change) => ({ ...change, ...alter(change) })),
  });

/** What is found in the plan from some objects to others, after somebody edits it. */
function findIn(
  live: readonly Resource[],
  wanted: readonly Resource[],
  edit: (plan: Shown) => Shown,
): readonly string[] {
  const there = [...WORLD, ...live];
  const { plan } = planFor(fileOf(...WORLD, ...wanted), there);
  const { changes, relies } = edit(bindPlan(plan, kinds));
  const { resources } = liveStateOf(there);
  return findMisstatements({ changes, relies }, new Set(), resources, kinds).map(({ message }) => message);
}

describe('a plan that somebody wrote', () => {
  it.each<[string, readonly Resource[], readonly Resource[], (plan: Shown) => Shown, string]>([
    [
      'shows a replace as an update',
      shared('main'),
      shared('other'),
      altered(() => ({ action: 'update' })),
      'AliasTopic/orders@vCluster=partner: it shows another action',
    ],
    [
      'creates more than it shows',
      [],
      [alias()],
      altered(() => ({ after: alias({ newer: true }) })),
      'AliasTopic/orders@vCluster=prod: it shows another body',
    ],
    [
      'replaces for no reason',
      shared('main'),
      shared('other'),
      altered(() => ({ because: [] })),
      'AliasTopic/orders@vCluster=partner: it shows another reason to replace it',
    ],
    [
      'leaves out what it relies on',
      [],
      [alias()],
      ({ changes }) => ({ changes, relies: [] }),
      'AliasTopic/orders@vCluster=prod: it shows no dependency on VirtualCluster/prod',
    ],
    [
      'has an extra step that nothing needs',
      [group('bob')],
      [group('bob', 'eve')],
      ({ changes, relies }) => ({
        relies,
        changes: changes.flatMap((change) => [{ ...change, step: 'expand' } as SavedChange, change]),
      }),
      'GatewayGroup/g: it shows an extra step',
    ],
  ])('is refused where it %s', (_, live, wanted, edit, words) => {
    expect(findIn(live, wanted, (plan) => plan)).toEqual([]);
    expect(findIn(live, wanted, edit)).toContain(`the plan is not what apply would do to ${words}`);
  });
});

describe('an undo that somebody wrote', () => {
  it.each<[string, (change: SavedChange) => object, string]>([
    ['an update as a replace', () => ({ action: 'replace', because: [] }), 'another action'],
    ['another field', (change) => ({ ...change, fields: [] }), 'other fields'],
  ])('is refused where it shows %s', (_, alter, words) => {
    const live = [...WORLD, alias({ physicalName: 'v2' })];
    const { plan } = planFor(fileOf(...live), [...WORLD, alias()]);
    const { changes } = makeUndo(plan.changes, kinds);
    const { resources } = liveStateOf(live);
    const find = (all: readonly object[]): readonly string[] =>
      findUndoMisstatements(all as readonly SavedChange[], new Set(), resources, kinds).map(
        ({ message }) => message,
      );
    expect(find(changes)).toEqual([]);
    expect(find(changes.map((change) => ({ ...change, ...alter(change as SavedChange) })))).toEqual([
      `the plan is not what apply would do to AliasTopic/orders@vCluster=prod: it shows ${words}`,
    ]);
  });
});
