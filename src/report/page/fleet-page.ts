import { groupBy, largestOf } from '../../model/collect.ts';
import { resultOfMember, type FleetReport, type MemberOutcome } from '../../outcome/fleet.ts';
import { inSome, mergeProblems } from '../../outcome/problem-record.ts';
import { capitalise } from '../phrases.ts';
import { makePage, tableOf } from './make-page.ts';
import type { Block, Fact, Page, Part, Table, Tone } from './page.ts';
import { takeApart, type Apart } from './take-apart.ts';
import { hasErrors } from '../../model/problem.ts';
import { formatCount, list } from '../../model/text/list.ts';

/** What a reader sees of several environments: a table of all, what they have alike, told once, and then what each has of its own. */
export function pageOfFleet(report: FleetReport, pageOf: (outcome: MemberOutcome) => Page): Page {
  const { command, environments, summary, problems } = report;
  const pages = new Map(environments.map(({ environment, outcome }) => [environment, pageOf(outcome)]));
  const all = [...pages.values()];
  const idle = environments.filter(({ state }) => state === 'not-begun');
  const counts = [
    ...summary.results.map(({ result, environments: count }) => ({
      word: words(result),
      count: count - idle.filter((member) => resultOfMember(member) === result).length,
    })),
    { word: NOT_BEGUN, count: idle.length },
  ]
    .flatMap(({ word, count }) => (count === 0 ? [] : [`${word} in ${count}`]))
    .join(', ');
  const count = formatCount(summary.environments, 'environment');
  const { shared, columns } = splitFacts(all);
  // Blocks of the pages tell some of the problems of outcomes.
  const told = mergeProblems(new Map(Array.from(pages, ([name, page]) => [name, page.problems])));
  const ofOutcomes = mergeProblems(
    new Map(environments.map(({ environment, outcome }) => [environment, outcome.problems])),
  ).map((one) => JSON.stringify(one));
  const own = problems.filter((one) => !ofOutcomes.includes(JSON.stringify(one)));
  return makePage(report, {
    title: `${capitalise(command)} for ${count}${counts === '' ? '' : `: ${counts}`}`,
    tone: worstTone([...all.map(({ tone }) => tone), hasErrors(own) ? 'alarm' : 'calm']),
    facts: shared,
    next: nextOf(pages),
    problems: [...own, ...told],
    blocks: [
      ...environmentsOf(report, pages, columns),
      ...undosOf(pages),
      ...wavesOf(report),
      ...partsOf(pages),
    ],
    ending: { headline: `${count}:`, rest: ` ${counts === '' ? 'nothing was done' : counts}.` },
  });
}

/** What to do next; where that is not the same, for which environments. */
function nextOf(pages: ReadonlyMap<string, Page>): string | undefined {
  const byText = groupBy(pages, ([, { next }]) => next ?? '');
  byText.delete('');
  const texts = Array.from(byText, ([text, same]) =>
    byText.size === 1 ? text : `${list(same.map(([name]) => name))}: ${text}`,
  );
  return texts.join(' ') || undefined;
}

/** In the table and in the totals. */
const NOT_BEGUN = 'not begun';

function words(result: string): string {
  return result.replaceAll('-', ' ');
}

const TONES: readonly Tone[] = ['calm', 'review', 'warning', 'alarm'];

function worstTone(tones: readonly Tone[]): Tone {
  return TONES[largestOf(tones.map((tone) => TONES.indexOf(tone)))] ?? 'calm';
}

/** What is the same for all, and the labels of what is not. */
function splitFacts(pages: readonly Page[]): {
  readonly shared: readonly Fact[];
  readonly columns: readonly string[];
} {
  const byLabel = groupBy(
    pages.flatMap(({ facts }) => facts),
    ({ label }) => label,
  );
  for (const label of ['Environment', UNDO]) byLabel.delete(label);
  const shared: Fact[] = [];
  const columns: string[] = [];
  for (const [label, facts] of byLabel) {
    const [first] = facts;
    const isSame = facts.length === pages.length && facts.every(({ text }) => text === first.text);
    if (!isSame || pages.length === 1) columns.push(label);
    // A line may name the environment.
    else shared.push(first.line === undefined ? first : { ...first, line: `${label} ${first.text}` });
  }
  return { shared, columns };
}

function environmentsOf(
  { environments }: FleetReport,
  pages: ReadonlyMap<string, Page>,
  columns: readonly string[],
): readonly Table[] {
  const rows = environments.map((member) => {
    const { environment, state } = member;
    const page = pages.get(environment);
    const factOf = (label: string): string =>
      page?.facts
        .filter((fact) => fact.label === label)
        .map(({ text }) => text)
        .join(', ') ?? '';
    return [
      environment,
      state === 'not-begun' ? NOT_BEGUN : words(resultOfMember(member)),
      ...columns.map((label) => factOf(label) || '-'),
      page === undefined ? '' : foundIn(page),
    ];
  });
  return tableOf('Environments', ['Environment', 'Result', ...columns, 'Found'], rows);
}

/** A command tells below its report how a run is taken back; documents tell it themselves. */
const UNDO = 'Undo';

function undosOf(pages: ReadonlyMap<string, Page>): readonly Table[] {
  const rows = [...pages].flatMap(([name, { facts }]) =>
    facts.filter(({ label }) => label === UNDO).map(({ text }) => [name, text]),
  );
  return tableOf(UNDO, ['Environment', UNDO], rows, 'hidden');
}

/** What came of it in a sentence or two. That of a page where something is wrong begins with what. */
export function foundIn({ title, tone, closing, ending }: Page): string {
  if (tone !== 'alarm' && ending !== undefined) return `${ending.headline}${ending.rest}`.trim();
  return closing === '' ? title : `${title}; ${closing}`;
}

function wavesOf({ waves = [] }: FleetReport): readonly Table[] {
  const rows = waves.map(({ environments, state, checks }, at) => [
    String(at + 1),
    environments.join(', '),
    words(state),
    checks
      .map(
        ({ check, environment, result, found }) => `${check} of ${environment}: ${words(result)} (${found})`,
      )
      .join('; ') || '-',
  ]);
  return tableOf('Waves', ['Wave', 'Environments', 'State', 'Checks'], rows, 'titled');
}

/** An item of a block, and the environments that have it. */
type Found = { readonly apart: Apart; readonly list: string; item: unknown; readonly places: number[] };

/** The blocks of all pages: those items first that most have, each told once. */
function partsOf(pages: ReadonlyMap<string, Page>): readonly Part[] {
  const names = [...pages.keys()];
  const found = new Map<string, Found>();
  for (const [place, { blocks }] of [...pages.values()].entries())
    for (const block of blocks) {
      const apart = takeApart(block);
      for (const { list, item, key } of apart.items) {
        const whole = `${apart.same}\n${list}\n${key}`;
        const known = found.get(whole);
        if (known === undefined) found.set(whole, { apart, list, item, places: [place] });
        else if (known.places.at(-1) !== place) {
          known.places.push(place);
          known.item = withoutOtherPlace(known.item, item);
        }
      }
    }
  const groups = [...groupBy(found.values(), ({ places }) => places.join()).values()];
  return groups
    .sort(([one], [other]) => {
      const [few, many] = [one.places.length, other.places.length];
      return few === many ? (one.places[0] ?? 0) - (other.places[0] ?? 0) : many - few;
    })
    .map((group): Part => {
      const some = group[0].places.flatMap((place) => names[place] ?? []);
      const [only = ''] = some;
      const title = some.length === 1 ? only : `The same ${inSome(some, names)}`;
      return { block: 'part', title, blocks: rebuild(group) };
    });
}

/** An item that is at different places of files in different environments is told without one. */
function withoutOtherPlace(item: unknown, other: unknown): unknown {
  const atOf = (one: unknown): unknown =>
    typeof one === 'object' && one !== null && 'at' in one ? one.at : undefined;
  const isSame = JSON.stringify(atOf(item)) === JSON.stringify(atOf(other));
  return isSame || typeof item !== 'object' ? item : { ...item, at: undefined };
}

function rebuild(items: readonly Found[]): readonly Block[] {
  return [...groupBy(items, ({ apart }) => apart.same).values()].map((group) =>
    group[0].apart.build((list) => group.flatMap((one) => (one.list === list ? [one.item] : []))),
  );
}
