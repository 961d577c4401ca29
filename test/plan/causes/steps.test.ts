import { expect, it } from 'vitest';
import type { Resource } from '../../../src/model/resource.ts';
import { withCauses } from '../../../src/plan/causes/find-causes.ts';
import { isStep } from '../../../src/plan/change/change.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { resource } from '../../support/kinds.ts';
import { group, mask, PROD, WORLD } from '../../support/masks.ts';
import { fileOf, planFor } from '../../support/plans.ts';

const AUDIT = 'io.conduktor.gateway.interceptor.AuditPlugin';
const audit = (name: string): Resource =>
  resource(
    'Interceptor',
    { name, scope: PROD },
    { pluginClass: AUDIT, priority: 1, config: { topic: '.*' } },
  );
const other = (...members: readonly string[]): Resource => {
  const one = group(...members);
  return { ...one, metadata: { ...one.metadata, name: 'other' } };
};
const inGroup = (name: string): Resource => mask(`of-${name}`, '.*', ['card'], { ...PROD, group: name });

it.each<[string, readonly Resource[], readonly Resource[], readonly string[]]>([
  [
    'a temporary copy',
    [audit('one'), mask('two', '.*', ['card'])],
    [mask('one', '.*', ['card']), audit('two')],
    ['create', 'delete'],
  ],
  [
    'members that a group keeps meanwhile',
    [inGroup('g'), inGroup('other'), group('bob'), other('eve')],
    [inGroup('g'), inGroup('other'), group('eve'), other('bob')],
    ['update'],
  ],
])('an extra step has the cause of the change that it is for: %s', (_, before, after, actions) => {
  const { plan } = planFor(fileOf(...WORLD, ...after), [...WORLD, ...before]);
  const causesFor = (isOfBase: boolean) =>
    withCauses(
      plan.changes,
      (change) => ({
        start: isOfBase ? change : undefined,
        tip: isOfBase ? change : undefined,
        isMoved: false,
      }),
      catalog.kinds,
      () => 'pending',
    )
      .filter(isStep)
      .map(({ action, cause }) => [action, cause]);
  expect(causesFor(true)).toEqual(actions.map((action) => [action, 'base']));
  expect(causesFor(false)).toEqual(actions.map((action) => [action, 'branch']));
});
