import { addTo, groupBy } from '../model/collect.ts';
import type { Plain } from '../model/shape.ts';
import type { fleetReport, members } from './shapes/fleet.ts';
import type { Lazy, LazyList } from './lazy.ts';
import { mergeProblems, type ProblemRecord } from './problem-record.ts';
import { worstOf, type Result } from './verdict.ts';

/** What came of an environment. */
export type MemberOutcome = Lazy<Plain<(typeof members)[number]>>;

/** An environment with its outcome. */
export type Member = Omit<Shape['environments'][number], 'outcome'> & { readonly outcome: MemberOutcome };
type Shape = Plain<typeof fleetReport>;

/** What a command found in several environments. */
export type FleetReport = Omit<Shape, 'environments'> & { readonly environments: readonly Member[] };

/** What a run of several environments has beside their outcomes. */
export type FleetAbout = Pick<FleetReport, 'waves'> & {
  /** Problems of the project, which no outcome has. */
  readonly problems?: readonly ProblemRecord[];
  /** Whether somebody has stopped it before it was over. */
  readonly isInterrupted?: boolean;
};

export function makeFleetReport(
  command: string,
  environments: readonly Member[],
  { waves, problems = [], isInterrupted = false }: FleetAbout = {},
): FleetReport {
  const all = environments.map(({ environment }) => environment);
  const results = environments.map(resultOfMember);
  const { same, differing } = compareMembers(environments);
  const merged = mergeProblems(
    new Map(environments.map(({ environment, outcome }) => [environment, outcome.problems])),
  );
  // A check that found something, such as drift, is no result of a run.
  const isStopped = waves?.some(({ state }) => state !== 'ended') === true;
  const isBad = problems.some(({ severity }) => severity === 'error');
  return {
    format: 'gwconf/fleet-report@1',
    command,
    result: worstOf([
      ...results,
      ...(isBad ? ['error' as const] : []),
      ...(isStopped ? ['blocked' as const] : []),
      ...(isInterrupted ? ['interrupted' as const] : []),
    ]),
    summary: { environments: all.length, results: countResults(results) },
    same,
    differing,
    environments,
    waves,
    problems: [...problems, ...merged],
  };
}

/** A plan that is not carried out, because of another one, is blocked. */
export function resultOfMember({ state, outcome: { result } }: Pick<Member, 'state' | 'outcome'>): Result {
  return state === 'not-begun' && result === 'changes' ? 'blocked' : result;
}

function countResults(results: readonly Result[]): FleetReport['summary']['results'] {
  const counts = groupBy(results, (one) => one);
  const left = new Set(counts.keys());
  const sorted: FleetReport['summary']['results'][number][] = [];
  while (left.size > 0) {
    const result = worstOf([...left]);
    left.delete(result);
    sorted.push({ result, environments: counts.get(result)?.length ?? 0 });
  }
  return sorted;
}

/** The lists whose items are the same, or not, in several environments. */
const LISTS = ['changes', 'ledger', 'drift', 'differences'] as const;

/** What several have alike, by what is shown of it. */
function compareMembers(members: readonly Member[]): Pick<FleetReport, 'same' | 'differing'> {
  const found = new Map<string, { list: (typeof LISTS)[number]; address: string; environments: string[] }>();
  const whole = new Map<string, string[]>();
  for (const { environment, outcome } of members) {
    const own: string[] = [];
    for (const list of LISTS) {
      for (const item of itemsIn(outcome, list)) {
        const { at: _, ...shown } = item;
        const key = `${list} ${JSON.stringify(shown)}`;
        own.push(key);
        const known = found.get(key);
        if (known === undefined)
          found.set(key, { list, address: String(item.address), environments: [environment] });
        else if (known.environments.at(-1) !== environment) known.environments.push(environment);
      }
    }
    const all = own.sort().join('\n');
    addTo(whole, all, environment);
  }
  const groups = groupBy(
    [...found.values()].filter(({ environments }) => environments.length > 1),
    ({ list, environments }) => JSON.stringify([list, environments]),
  );
  const same = [...groups.values()].map((group) => ({
    environments: group[0].environments,
    list: group[0].list,
    addresses: group.map(({ address }) => address),
  }));
  const [, ...others] = [...whole.values()].sort((one, other) => other.length - one.length);
  const differing = new Set(others.flat());
  return {
    same: same.sort((one, other) => other.environments.length - one.environments.length),
    differing: members.map(({ environment }) => environment).filter((name) => differing.has(name)),
  };
}

type Item = { readonly address?: unknown; readonly at?: unknown };

function itemsIn(outcome: MemberOutcome, name: (typeof LISTS)[number]): Iterable<Item> {
  const fields: Readonly<Record<string, unknown>> = outcome;
  // `drift` of effective has principals, which have no address.
  if (name === 'drift' && outcome.format !== 'gwconf/drift-report@1') return [];
  return (fields[name] ?? []) as LazyList<Item>; // as the outcomes have them
}
