import fc from '../../support/fast-check.ts';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { makePlan } from '../../../src/plan/make-plan.ts';
import {
  checkCauses,
  spotsToExplain,
  withCauses,
  type BasesOf,
} from '../../../src/plan/causes/find-causes.ts';
import { startHistory } from '../../../src/plan/causes/history.ts';
import { fieldId, type Change } from '../../../src/plan/change/plan.ts';
import { desiredOf, liveOf, toyKinds, type Toys } from '../../support/toy-kinds.ts';

/** What somebody does to an object, by number; the value is one that nobody else uses. */
type Edit = {
  readonly action: 'add' | 'set' | 'unset' | 'remove';
  readonly object: number;
  readonly field: string;
};

const edits = (...actions: readonly Edit['action'][]): fc.Arbitrary<readonly Edit[]> =>
  fc.array(
    fc.record({
      action: fc.constantFrom(...actions),
      object: fc.nat(9),
      field: fc.constantFrom('x', 'y', 'z'),
    }),
    { maxLength: 4 },
  );

/** Who did what: the versions of the base, how many are applied, what was done by hand, and the branch. */
const stories = fc.record({
  versions: fc.array(edits('add', 'set', 'set', 'unset', 'remove'), { minLength: 1, maxLength: 5 }),
  applied: fc.nat(5),
  byHand: edits('add', 'set', 'remove'),
  branch: edits('add', 'set', 'unset', 'remove'),
});

const MARKER = 'Thing/marker';
let fresh = 0;

function edit(toys: Toys, { action, object, field }: Edit): Toys {
  fresh += 1;
  if (action === 'add') return { ...toys, [`Thing/n${fresh}`]: { x: fresh, y: fresh } };
  const names = Object.keys(toys).filter((name) => name !== MARKER);
  const name = names[object % names.length];
  if (name === undefined) return toys;
  const { [name]: before = {}, ...others } = toys;
  if (action === 'remove') return others;
  if (action === 'set') return { ...toys, [name]: { ...before, [field]: fresh } };
  const { [field]: _, ...rest } = before;
  return { ...toys, [name]: rest };
}

/** The versions, oldest first; each changes the marker, so that it can be told which one is applied. */
function versionsOf(all: readonly (readonly Edit[])[]): readonly Toys[] {
  const versions: Toys[] = [{}];
  for (const [at, some] of all.entries())
    versions.push({ ...some.reduce(edit, versions.at(-1) ?? {}), [MARKER]: { serial: at } });
  return versions.slice(1);
}

type Story = { readonly before: Toys; readonly applied: Toys; readonly base: Toys; readonly live: Toys };

/** What the story says of one field, or of a whole object; the documented rules leave one case to chance. */
function expectedOf(story: Story, change: Change, path: string): string {
  const { before, applied, base, live } = story;
  const { address } = change;
  const field = path.split('/').at(-1) ?? '';
  const valueIn = (toys: Toys): JsonObject[string] | undefined => toys[address]?.[field];
  switch (change.action) {
    case 'delete':
      if (base[address] !== undefined) return 'branch';
      return applied[address] === undefined ? 'drift' : 'base';
    case 'create':
      if (base[address] === undefined || valueIn(base) !== change.after.spec[field]) return 'branch';
      // What came with the version that was applied last may not have been applied.
      return applied[address] === undefined || before[address] === undefined ? 'base' : 'drift';
    case 'update':
    case 'replace':
      if (base[address] === undefined || valueIn(base) !== change.after.spec[field]) return 'branch';
      return valueIn(live) === valueIn(applied) ? 'base' : 'drift';
    default:
      return change satisfies never;
  }
}

it('the causes of changes are those that made the difference', () => {
  const seen = new Set<string | undefined>();
  fc.assert(
    fc.property(stories, ({ versions: edited, applied: count, byHand, branch: own }) => {
      fresh = 0;
      const versions = versionsOf(edited);
      const at = count % versions.length;
      const [applied = {}, before = {}, base = {}] = [versions[at], versions[at - 1], versions.at(-1)];
      const live = byHand.reduce(edit, applied);
      const files = own.reduce(edit, base);

      const options = { gateway: 'here', rules: { manages: ['*'] }, prune: ['*'] };
      const liveState = liveOf(live);
      const planOf = (toys: Toys): readonly Change[] =>
        makePlan(desiredOf(toys), liveState, toyKinds, options).value.changes;
      const baseChanges = new Map(planOf(base).map((change) => [change.address, change]));
      const basesOf: BasesOf = (address) => [baseChanges.get(address)];
      const history = startHistory(desiredOf(base), liveState, toyKinds);
      for (const toys of [...versions.slice(0, -1).reverse(), {}]) if (!history.add(desiredOf(toys))) break;
      const changes = withCauses(planOf(files), basesOf, toyKinds, (spot) => history.find(spot, 'complete'));

      const story = { before, applied, base, live };
      for (const change of changes) {
        const { cause, fieldCauses, action } = change;
        seen.add(cause);
        const paths =
          action === 'delete'
            ? ['remove ']
            : action === 'create'
              ? Object.keys(change.after.spec).map((key) => `add /spec/${key}`)
              : change.fields.map(fieldId);
        for (const path of paths) {
          const isLess = action === 'create' && cause === 'branch'; // it leaves fields of the base out
          const expected = isLess ? 'branch' : expectedOf(story, change, path);
          expect(fieldCauses?.[path] ?? cause, `${action} ${change.address} ${path}`).toBe(expected);
        }
      }
      if (spotsToExplain(changes, basesOf, toyKinds).length === 0)
        expect(checkCauses(changes, ['drift', 'base', 'base-or-drift'])).toEqual([]);
    }),
    { numRuns: 200 },
  );
  expect([...seen].sort()).toEqual(['base', 'branch', 'drift', 'mixed']);
});
