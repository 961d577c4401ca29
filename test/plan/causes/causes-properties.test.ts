import fc from '../../support/fast-check.ts';
import { expect, it } from 'vitest';
import type { Json } from '../../../src/model/json/json.ts';
import { makePlan } from '../../../src/plan/make-plan.ts';
import {
  checkCauses,
  findUnexplained,
  withCauses,
  type BasesOf,
} from '../../../src/plan/causes/find-causes.ts';
import { startHistory } from '../../../src/plan/causes/history.ts';
import { fieldId, type Change } from '../../../src/plan/change/change.ts';
import { desiredOf, liveOf, toyKinds, type Toys } from '../../support/toy-kinds.ts';
import { orAll } from '../../support/soak.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'].map((name) => `Thing/${name}`);
const FIELDS = ['x', 'y', 'z'];
const ELEMENTS = ['p', 'q', 'r'];

/** What somebody does to an object; a value that is set is one that nobody else uses. */
type Edit = {
  readonly action: 'add' | 'set' | 'unset' | 'put' | 'take' | 'remove' | 'as-newest';
  readonly name: string;
  readonly field: string;
  readonly element: string;
};

const edits = (max: number, ...actions: readonly Edit['action'][]): fc.Arbitrary<readonly Edit[]> =>
  fc.array(
    fc.record({
      action: fc.constantFrom(...actions),
      name: fc.constantFrom(...NAMES),
      field: fc.constantFrom(...FIELDS),
      element: fc.constantFrom(...ELEMENTS),
    }),
    { maxLength: max },
  );

const IN_FILES = ['add', 'add', 'set', 'set', 'unset', 'put', 'take', 'remove'] as const;

/** Who did what: the versions of the base, how many are applied, what was done by hand, and the branch, from where it began. */
const stories = fc.record({
  versions: fc.array(edits(4, ...IN_FILES), { minLength: 1, maxLength: 5 }),
  applied: fc.nat(5),
  byHand: edits(4, 'add', 'set', 'unset', 'put', 'take', 'remove'),
  // What is put into the files by and by, such as what `import --drift` took.
  asNewest: edits(1, 'as-newest'),
  start: fc.nat(5),
  branch: edits(3, ...IN_FILES),
});

let fresh = 0;

function edit(toys: Toys, { action, name, field, element }: Edit, newest: Toys = {}): Toys {
  fresh += 1;
  const { [name]: before, ...others } = toys;
  const is = action === 'as-newest' ? newest[name] : before;
  if (action === 'add') return { ...toys, [name]: before ?? { x: fresh, y: fresh, needs: ['p'] } };
  if (is === undefined || action === 'remove') return others;
  if (action === 'set') return { ...toys, [name]: { ...is, [field]: fresh } };
  const { [field]: _, ...rest } = is;
  if (action === 'unset') return { ...toys, [name]: rest };
  const needs = (is['needs'] as readonly string[]).filter((one) => one !== element);
  const put = action === 'put' ? [...needs, element] : needs;
  return { ...toys, [name]: action === 'as-newest' ? is : { ...is, needs: put } };
}

type Look = (toys: Toys) => Json | undefined;

/** What a field of a change looks at, by the path and the value that it has in the plan. */
function lookOf({ address }: Change, path: string, value: Json | undefined): Look {
  const [, , key = '', index] = path.split('/');
  if (index === undefined) return (toys) => toys[address]?.[key];
  return (toys) => ((toys[address]?.['needs'] ?? []) as readonly Json[]).includes(value ?? null);
}

/** Each field of a change with its cause, and what it looks at. */
function spotsOf(change: Change): readonly (readonly [string, string | undefined, Look])[] {
  const { address, cause, fieldCauses = {} } = change;
  switch (change.action) {
    case 'create':
      return Object.entries(change.after.spec).map(([key, value]) => {
        const id = `add /spec/${key}`;
        return [id, fieldCauses[id] ?? cause, (toys) => (key in (toys[address] ?? {}) ? value : undefined)];
      });
    case 'delete':
      return [['', cause, (toys) => address in toys]];
    case 'update':
    case 'replace':
      return change.fields.map((field) => {
        const value = field.op === 'remove' ? field.before : field.after;
        return [fieldId(field), fieldCauses[fieldId(field)] ?? cause, lookOf(change, field.path, value)];
      });
    default:
      return change satisfies never;
  }
}

type Story = {
  /** Of the base, newest first; the last has nothing. */
  readonly versions: readonly Toys[];
  readonly applied: Toys;
  readonly start: Toys;
  readonly files: Toys;
  readonly live: Toys;
};

/** Whether a cause is one that the story has; `undefined` if it says nothing of what was told. */
function isTrue(
  { versions, applied, start, files, live }: Story,
  change: Change,
  cause: string,
  own: Look,
): boolean {
  const { action, address } = change;
  const [tip = {}, ...older] = versions;
  const has: Look = (toys) => address in toys;
  // Whether there is an object at all is one question; what it has is another.
  const look = action === 'create' ? has : own;
  const differs = (one: Toys, other: Toys): boolean =>
    action === 'create'
      ? JSON.stringify(one[address]) !== JSON.stringify(other[address])
      : JSON.stringify(own(one)) !== JSON.stringify(own(other));
  switch (cause) {
    case 'branch':
      return differs(files, start) || has(files) !== has(start); // all of an object is of who declares it
    case 'behind':
      return differs(start, tip) || has(start) !== has(tip);
    case 'drift':
      return JSON.stringify(look(live)) !== JSON.stringify(look(applied));
    case 'base':
      return older.some((version) => JSON.stringify(look(live)) === JSON.stringify(look(version)));
    default:
      return cause === 'base-or-drift';
  }
}

/** The cause where there can be no doubt; undefined where there can. */
function certainOf(
  { versions, files, start, live }: Story,
  change: Change,
  byHand: boolean,
  look: Look,
): string | undefined {
  if (change.action === 'create') return undefined;
  const [is, was, now] = [files, start, versions[0] ?? {}].map((toys) => JSON.stringify(look(toys)));
  if (is !== was || change.address in files !== change.address in start) return 'branch';
  if (was !== now || change.address in start !== change.address in (versions[0] ?? {})) return 'behind';
  if (!byHand) return 'base';
  const isKnown = versions.some((version) => JSON.stringify(look(version)) === JSON.stringify(look(live)));
  return isKnown ? undefined : 'drift';
}

it('no change has a cause that the story does not have: what waits is no drift, and what others did is not of the branch', () => {
  const seen = new Set<string | undefined>();
  fc.assert(
    fc.property(stories, ({ versions: edited, applied: count, byHand, asNewest, start: at, branch }) => {
      fresh = 0;
      const oldestFirst: Toys[] = [{}];
      for (const some of edited)
        oldestFirst.push(some.reduce((toys, one) => edit(toys, one), oldestFirst.at(-1) ?? {}));
      const versions = [...oldestFirst].reverse();
      const [tip = {}] = versions;
      const applied = oldestFirst[count % oldestFirst.length] ?? {};
      const start = oldestFirst[Math.max(1, at % oldestFirst.length)] ?? {};
      const hand = [...byHand, ...asNewest];
      const live = hand.reduce((toys, one) => edit(toys, one, tip), applied);
      const files = branch.reduce((toys, one) => edit(toys, one), start);
      const story = { versions, applied, start, files, live };

      const options = { gateway: 'here', rules: { manages: ['*'] }, prune: ['*'] };
      const liveState = liveOf(live);
      const planOf = (toys: Toys): readonly Change[] =>
        makePlan(desiredOf(toys), liveState, toyKinds, options).value.changes;
      const [atStart, atTip] = [start, tip].map(
        (toys) => new Map(planOf(toys).map((change) => [change.address, change])),
      );
      const basesOf: BasesOf = ({ address }) => ({
        start: atStart?.get(address),
        tip: atTip?.get(address),
        isMoved: false,
      });
      const history = startHistory(desiredOf(tip), liveState, toyKinds);
      for (const toys of versions.slice(1)) if (!history.add(desiredOf(toys))) break;
      const changes = withCauses(planOf(files), basesOf, toyKinds, (fieldOrObject) =>
        history.find(fieldOrObject, 'complete'),
      );

      for (const change of changes) {
        seen.add(change.cause);
        for (const [path, cause = '', look] of spotsOf(change)) {
          const about = `${change.action} ${change.address} ${path}: ${cause}`;
          expect(isTrue(story, change, cause, look), about).toBe(true);
          expect(cause, about).toBe(certainOf(story, change, hand.length > 0, look) ?? cause);
        }
      }
      if (findUnexplained(changes, basesOf, toyKinds).length === 0)
        expect(checkCauses(changes, ['drift', 'base', 'base-or-drift'])).toEqual([]);
    }),
    { numRuns: orAll(150, 500) },
  );
  expect([...seen].sort()).toEqual(['base', 'base-or-drift', 'behind', 'branch', 'drift', 'mixed']);
});
