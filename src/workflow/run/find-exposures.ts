import type { Entry } from '../../apply/events.ts';
import { timeExposures } from '../../apply/estimate.ts';
import { boundsFor } from '../../apply/limiter/limiter.ts';
import { addTo, memoize } from '../../model/collect.ts';
import { makeProblem, type Problem, applyLint } from '../../model/problem.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { HIDDEN } from '../../model/secrets/hidden.ts';
import type { LiveState } from '../../model/state.ts';
import { type ChangeId, idOf, isStep, type Change } from '../../plan/change/change.ts';
import type { Exposure, Weakening, Plan } from '../../plan/change/plan.ts';
import {
  type Acceptance,
  markAccepted,
  checkExposures,
  checkWeakenings,
} from '../../plan/checks/exposures.ts';
import { assessChanges } from '../../plan/exposure/assess.ts';
import { shownKeyOf } from '../../plan/secrets/hide-in-chains.ts';
import { todayOf } from '../project/input.ts';
import { rulesOf } from '../project/workspace.ts';
import type { Run } from './start-run.ts';

type Live = ReadonlyMap<Address, Resource>;

/** What losses are judged by: what is accepted, and the topics of a file. */
type Judging = Pick<Acceptance, 'accepted' | 'removed'> & { readonly topics?: readonly string[] | undefined };

/** What changes mean for principals now, and what the project as it is now says against it. */
export function assessNow(
  run: Run,
  live: Live,
  changes: readonly Change[],
  { accepted = [], removed, topics }: Judging,
): ReturnType<typeof assessChanges> & { readonly problems: readonly Problem[] } {
  const { host, workspace, gateway, parallelism, latencyMs } = run;
  const { kinds } = workspace.catalog;
  const rules = rulesOf(workspace);
  const today = todayOf(host);
  const known = { ...workspace.secrets.known, topics };
  const told = assessChanges(live, changes, kinds, rules.protection, known);
  const { effects, exposures, weakenings, unjudged } = told;
  const bounds = boundsFor(gateway.parallelism, parallelism);
  const timed = timeExposures(exposures, changes, bounds, latencyMs());
  const acceptance = { ...rules, accepted, today, removed };
  const marked = markAccepted(timed, acceptance);
  const weaker = markAccepted(weakenings, acceptance);
  const open = { exposures: marked, weakenings: weaker, unjudged };
  return { effects, ...open, problems: checkAssessed(run, open, changes) };
}

type Told = ReturnType<typeof assessChanges>;

/** What the project says against what changes mean for principals. */
function checkAssessed(
  { host, workspace }: Run,
  { exposures, ...weaker }: Pick<Told, 'exposures' | 'weakenings'> & Partial<Pick<Told, 'unjudged'>>,
  changes: readonly Change[],
): readonly Problem[] {
  const own = new Map(
    changes.flatMap((change) => (isStep(change) ? [] : [[change.address, change] as const])),
  );
  const rules = rulesOf(workspace);
  const world = { changes: own, desired: new Map(), removals: [], rules, today: todayOf(host) };
  const found = [...checkExposures({ exposures, ...world }), ...checkWeakenings({ ...weaker, ...world })];
  return applyLint(found, workspace.project.lint);
}

/**
 * Who would lose or lack more by the changes than a reviewed plan says, since the gateway or the project has changed. What is not
 * accepted makes the plan stale. What is made already is judged with the rest, as if it were not.
 */
export function findUnseen(
  run: Run,
  reviewed: Pick<Plan, 'exposures' | 'weakenings'>,
  { changes, already, live }: Judged,
  judging: Judging,
): readonly Problem[] {
  const start = withoutMade(live.resources, changes, already);
  // Who loses a protection for good lacks it for a while, too.
  const { exposures: lost = [], weakenings: weaker = [] } = reviewed;
  const seen = new Set(
    lost.flatMap((one) => (one.lasting ? [true, false] : [false]).map((lasting) => keyOf(one, lasting))),
  );
  const seenParts = new Map<string, Parts[]>();
  for (const one of weaker)
    for (const isPassing of one.until === undefined ? [false, true] : [true])
      addTo(seenParts, keyOf(one, weakerBy(one, isPassing)), one.parts);
  const now = assessNow(run, start, changes, judging);
  const unseen = {
    exposures: now.exposures.filter((one) => !seen.has(keyOf(one, one.lasting))),
    weakenings: now.weakenings.filter(
      (one) =>
        one.certainty !== 'cannot-tell' &&
        !seen.has(keyOf(one, true)) &&
        !areAmong(one.parts, seenParts.get(keyOf(one, weakerBy(one, one.until !== undefined))) ?? []),
    ),
  };
  return checkAssessed(run, unseen, changes).map(({ message, address }) =>
    makeProblem({
      code: 'stale-plan',
      message: `${message}; the plan does not say so`,
      ...(address === undefined ? {} : { address }),
      hint: 'plan again',
    }),
  );
}

type Parts = Weakening['parts'];

/** Whether what is less protected is among these: its name, the topic, and that nothing is left; what is hidden on one side may be any. */
function areAmong(parts: Parts, others: readonly Parts[]): boolean {
  const all = others.map(weakerIn);
  if (all.length === 0) return false;
  if (all.some(({ isOpen }) => isOpen)) return true;
  return weakerIn(parts).each.every(
    ({ name, topic, isWhole }) =>
      name.includes(HIDDEN) ||
      [topic, ANY_TOPIC].some((one) => all.some(({ keys }) => keys.has(keyOfPart(name, one, isWhole)))),
  );
}

/** Also where its class has nothing to do with topics, or which ones is hidden. */
const ANY_TOPIC = null;

const weakerIn = memoize((parts: Parts) => {
  const each = parts.flatMap(({ what, names, topics, loss }) =>
    (names.length === 0 ? [''] : names).flatMap((name) =>
      (topics === null || topics.length === 0 ? [ANY_TOPIC] : topics).map((topic) => ({
        ...{ name: `${what} ${name}`, topic, isWhole: loss !== 'part' },
      })),
    ),
  );
  const keys = each.flatMap(({ name, topic, isWhole }) =>
    (isWhole ? [true, false] : [false]).map((whole) => keyOfPart(name, topic, whole)),
  );
  return { each, keys: new Set(keys), isOpen: each.some(({ name }) => name.includes(HIDDEN)) };
});

function keyOfPart(name: string, topic: string | null, isWhole: boolean): string {
  return JSON.stringify([name, topic, isWhole]);
}

type Judged = {
  readonly changes: readonly Change[];
  readonly already: ReadonlySet<ChangeId>;
  readonly live: LiveState;
};

function weakerBy({ by }: Pick<Weakening, 'by'>, isPassing: boolean): string {
  return isPassing ? `${by} for a while` : by;
}

/** Who lacks what, for a while or for good, or has it weaker than by which interceptor. */
function keyOf(one: Exposure | Weakening, how: boolean | string): string {
  return JSON.stringify([shownKeyOf(one), one.protection, how]);
}

/**
 * Who is without protection since a run has made some of its changes, and not all, and for whom it is weaker although the plan does not
 * make it so for good: `before` is what it found.
 */
export function findUnprotected(
  run: Run,
  before: Live | undefined,
  {
    changes,
    shown,
  }: { readonly changes: readonly Change[]; readonly shown: Pick<Plan, 'exposures' | 'weakenings'> },
  entries: readonly Entry[],
): { readonly unprotected: readonly Exposure[]; readonly weaker: readonly Problem[] } {
  const outcomes = new Map(entries.map((entry) => [entry.id, entry]));
  const isComplete = entries.every(({ outcome }) => outcome === 'done' || outcome === 'already');
  if (before === undefined || isComplete) return { unprotected: [], weaker: [] };
  const already = new Set(entries.flatMap(({ id, outcome }) => (outcome === 'already' ? [id] : [])));
  const start = withoutMade(before, changes, already);
  const made = changes.flatMap((change): readonly Change[] => {
    const entry = outcomes.get(idOf(change));
    if (entry?.outcome === 'done' || entry?.outcome === 'already') return [change];
    const isHalf = change.action === 'replace' && entry?.outcome === 'failed' && entry.changed === true;
    return isHalf ? [{ ...change, action: 'delete' }] : [];
  });
  const { catalog, secrets } = run.workspace;
  const { protection } = rulesOf(run.workspace);
  const { exposures, weakenings } = assessChanges(start, made, catalog.kinds, protection, secrets.known);
  const isLasting = ({ until }: Weakening): boolean => until === undefined;
  const partsOf = (one: Weakening): readonly string[] =>
    one.parts.flatMap(({ names, topics, ...part }) =>
      (names.length === 0 ? [null] : names).flatMap((name) =>
        (topics === null || topics.length === 0 ? [null] : topics).map((topic) =>
          JSON.stringify([keyOf(one, ''), part, name, topic]),
        ),
      ),
    );
  const planned = new Set((shown.weakenings ?? []).filter(isLasting).flatMap(partsOf));
  const lost = new Set((shown.exposures ?? []).flatMap((one) => (one.lasting ? [keyOf(one, true)] : [])));
  const open = weakenings.filter(
    (one) =>
      isLasting(one) &&
      one.certainty !== 'cannot-tell' &&
      !lost.has(keyOf(one, true)) &&
      partsOf(one).some((part) => !planned.has(part)),
  );
  return {
    unprotected: exposures.filter(({ lasting }) => lasting),
    weaker: checkAssessed(run, { exposures: [], weakenings: open }, made).map((problem) => ({
      ...problem,
      message: `as a part of the changes is not made, ${problem.message}`,
      hint: 'go on with the run, or undo it',
    })),
  };
}

/** What was there before the changes that an earlier run has made. */
function withoutMade(live: Live, changes: readonly Change[], already: ReadonlySet<ChangeId>): Live {
  const state = new Map(live);
  for (const change of [...changes].reverse()) {
    if (!already.has(idOf(change))) continue;
    if (change.action === 'create') state.delete(change.address);
    else state.set(change.address, change.before);
  }
  return state;
}
