import { formatCount, list, listSome } from '../../model/text/list.ts';
import type {
  CoverageRecord,
  UncoveredRecord,
  EffectiveReport,
  LinkRecord,
} from '../../outcome/effective.ts';
import { describeWeakening } from '../../plan/change/name-principals.ts';
import { onOneLine } from '../escape.ts';
import { ifAny, capitalise } from '../phrases.ts';
import { explainLink, formatChain, formatProtection, nameOf, reasonOf, scopeIn } from './chain-lines.ts';
import { groupsOf, listSection, makeEntry, makePage, notesOf, plainLine, toneOf } from './make-page.ts';
import type { Block, Ending, Entry, Fact, Group, Groups, Page, Rows, Note } from './page.ts';
import { groupPrincipals, namePrincipals } from './principals.ts';

/** Which interceptors run for whom; principals with equal chains are told of once. After a comparison, only what differs. */
export function pageOfEffective(report: EffectiveReport): Page {
  const { result, source, summary, environment, gateway, drift, topic, coverage } = report;
  const where = environment === undefined ? '' : ` in ${environment}`;
  const counts =
    coverage === undefined
      ? `${formatCount(summary.principals, 'client')}, ${formatCount(summary.chains, 'chain')}${topic === undefined ? '' : ` for topic ${topic}`}`
      : `${formatCoverage(summary)} without ${coverage.protection ?? 'protection'}`;
  const found = drift !== undefined && drift.length > 0 ? `different for ${drift.length} of ` : '';
  const facts: readonly Fact[] = [
    { label: 'Chains', text: source === 'files' ? 'by the files' : 'on the gateway', isCode: false },
    ...(gateway === undefined ? [] : [{ label: 'Gateway', text: gateway, isCode: true }]),
  ];
  return makePage(report, {
    title: `Effective chains${where}: ${toneOf(result) === 'alarm' ? result : `${found}${counts}`}`,
    tone: isWeaker(drift ?? []) && result === 'drift' ? 'warning' : toneOf(result),
    facts,
    blocks:
      coverage !== undefined
        ? listCoverage(coverage)
        : [drift === undefined ? listChains(report) : listDrift(drift)],
    closing: [
      ...(coverage === undefined ? [] : [`${formatCount(summary.principals, 'client')} looked at`]),
      ...ifAny(summary.unchecked ?? 0, 'not compared'),
      ...ifAny(summary.unmanaged ?? 0, 'not managed by this project'),
    ].join(', '),
    ending: coverage === undefined ? endingOf(report) : endingOfCoverage(report, coverage),
  });
}

function listChains({ principals }: EffectiveReport): Groups {
  const groups = groupPrincipals(principals, ({ chain }) => [chain]);
  const entriesOf = (isProtected: boolean): readonly Entry[] =>
    groups
      .filter(([{ chain }]) => chain.some(({ protects }) => protects.length > 0) === isProtected)
      .map((group) => entryOf(namePrincipals(group), group[0].chain, !isProtected));
  return {
    block: 'groups',
    list: {
      *[Symbol.iterator]() {
        for (const group of groups) yield groupOf(namePrincipals(group), group[0].chain);
      },
    },
    sections: () => [
      ...listSection('Without protection', '!', entriesOf(false)),
      ...listSection('Protected', '✓', entriesOf(true)),
    ],
  };
}

function groupOf(title: string, chain: readonly LinkRecord[]): Group {
  const note = `protection: ${formatProtection(chain)}`;
  return isExplained(chain)
    ? { title, lines: [], table: tableOf(chain), note }
    : { title, lines: [formatChain(chain)], note };
}

function isExplained(chain: readonly LinkRecord[]): boolean {
  return chain.some(({ overrides }) => overrides !== undefined);
}

const TITLES = ['PRIORITY', 'NAME', 'CLASS', 'WHY', 'INSTEAD OF', 'DECLARED AT'];

function tableOf(chain: readonly LinkRecord[]): Rows {
  const isNarrowed = chain.some(({ topic }) => topic !== undefined);
  return { titles: isNarrowed ? [...TITLES, 'TOPIC'] : TITLES, rows: chain.map(rowOf) };
}

function rowOf({ address, pluginClass, priority, overrides = [], at, topic }: LinkRecord): readonly string[] {
  return [
    String(priority),
    nameOf(address),
    pluginClass.slice(pluginClass.lastIndexOf('.') + 1),
    reasonOf(address),
    overrides.length === 0 ? '-' : overrides.map(scopeIn).join('; '),
    at === undefined ? '-' : `${at.file}:${at.line}`,
    ...(topic === undefined ? [] : [topic.covers === 'yes' ? topic.reason : `not certain: ${topic.reason}`]),
  ];
}

function entryOf(who: string, chain: readonly LinkRecord[], isRisky: boolean): Entry {
  const about = isExplained(chain) ? chain.map(explainLink) : [];
  return makeEntry(who, {
    notes: isRisky ? [] : [formatProtection(chain)],
    isRisky,
    lines: () => [formatChain(chain), ...about].map(plainLine),
  });
}

type Drift = NonNullable<EffectiveReport['drift']>;
type DriftRecord = Drift extends Iterable<infer One> ? One : never;

function listDrift(drift: Drift): Groups {
  const groups = groupPrincipals(drift, ({ declared, live, weaker = NONE }) => [declared, live, weaker]).map(
    (group) => {
      const [first] = group;
      const [declared, live] = [first.declared, first.live].map(formatChain);
      const title = namePrincipals(group);
      return { title, declared, live, weaker: formatWeaker(first), isSame: hasSameChain(first) };
    },
  );
  const entries = groups.map(({ title, declared, live, isSame, weaker }) =>
    makeEntry(title, {
      notes: weaker,
      isRisky: true,
      lines: () =>
        isSame
          ? [plainLine(`both     ${declared}`)]
          : [
              { sign: '-', text: onOneLine(`declared ${declared}`) },
              { sign: '+', text: onOneLine(`live     ${live}`) },
            ],
    }),
  );
  return {
    block: 'groups',
    list: groups.map(({ title, declared, live, isSame, weaker }) => ({
      title,
      lines: [
        ...(isSame ? [`both:     ${declared}`] : [`declared: ${declared}`, `live:     ${live}`]),
        ...weaker,
      ],
    })),
    sections: () => listSection('Declared and live differ', '~', entries),
  };
}

const NONE: NonNullable<DriftRecord['weaker']> = [];

function formatWeaker({ weaker = NONE }: DriftRecord): readonly string[] {
  return weaker.map((one) => `${describeWeakening('live', 'gives', one)}; declared in ${one.by}`);
}

/** Whether only protection differs. */
function hasSameChain({ declared, live }: DriftRecord): boolean {
  const [here, there] = [declared, live].map((chain) =>
    JSON.stringify(chain.map(({ address, pluginClass, priority }) => [address, pluginClass, priority])),
  );
  return here === there;
}

function isWeaker(drift: Drift): boolean {
  return Array.from(drift).some(({ weaker = NONE }) =>
    weaker.some(({ certainty }) => certainty !== 'cannot-tell'),
  );
}

/** `Different chains or weaker protection` */
function nameDrift(drift: Drift): string {
  const all = Array.from(drift);
  const protection = isWeaker(drift) ? 'weaker protection' : 'protection that may be weaker';
  const what = [
    ...(all.some((one) => !hasSameChain(one)) ? ['different chains'] : []),
    ...(all.some(({ weaker }) => weaker !== undefined) ? [protection] : []),
  ].join(' or ');
  return all.length === 0 ? 'The same chains' : capitalise(what);
}

/** Which topics have no protection, for whom; and what is wrong with interceptors. */
function listCoverage(coverage: CoverageRecord): readonly Block[] {
  const list = coverage.uncovered.map((group): Group => ({
    title: namePrincipals(group.principals),
    lines: formatUncovered(group, coverage),
  }));
  const notes = coverage.interceptors.map(formatFinding);
  return [
    groupsOf('Topics without protection', '!', list, true),
    ...notesOf('Interceptors to look at', 'interceptor', 'sentences', notes),
  ];
}

function endingOf({ summary, source, gateway = '', drift, topic, problems }: EffectiveReport): Ending {
  const { principals, chains, unchecked = 0, unmanaged = 0 } = summary;
  const counted = formatCount(principals, 'client');
  if (drift === undefined) {
    const from = source === 'files' ? 'by the files' : `on ${gateway}`;
    const narrowed = topic === undefined ? '' : ` for topic ${topic}`;
    return { headline: `${counted}, ${formatCount(chains, 'chain')}${narrowed}`, rest: ` ${from}.` };
  }
  const found = nameDrift(drift);
  const of = drift.length === 0 ? counted : `${drift.length} of ${counted}`;
  const fields = problems.filter(({ code, path }) => code === 'cannot-tell' && path !== undefined).length;
  const rest = [
    ...(unchecked === 0 ? [] : [` ${unchecked} not compared.`]),
    ...(fields === 0 ? [] : [` ${formatCount(fields, 'field')} not compared.`]),
    ...(unmanaged === 0
      ? []
      : [` Without ${formatCount(unmanaged, 'interceptor')} that this project does not manage.`]),
  ].join('');
  const where = drift.length === 0 && fields > 0 ? ' in what was compared' : '';
  return {
    headline: `${found} for ${of}${where}.`,
    rest: ` Compared ${formatCount(chains, 'chain')} of the files with ${gateway}.${rest}`,
  };
}

function endingOfCoverage(
  { summary, source, gateway = '' }: EffectiveReport,
  coverage: CoverageRecord,
): Ending {
  const where = source === 'files' ? 'by the files' : `on ${gateway}`;
  return {
    headline: `${formatCoverage(summary)} without ${coverage.protection ?? 'protection'}`,
    rest: ` for at least one of ${formatCount(summary.principals, 'client')} ${where}.`,
  };
}

/** What is to say about topics without protection, a line for those for which it is certain and one for the others. */
function formatUncovered({ topics }: UncoveredRecord, { protection }: CoverageRecord): readonly string[] {
  const open = topics.filter(({ uncertain }) => uncertain.length > 0);
  const certain = topics.filter(({ uncertain }) => uncertain.length === 0);
  const by = [...new Set(open.flatMap(({ uncertain }) => uncertain))];
  const what = protection ?? 'protection';
  return [
    ...(certain.length === 0 ? [] : [`without ${what}: ${namesOf(certain)}`]),
    ...(open.length === 0 ? [] : [`perhaps without ${what}: ${namesOf(open)}; it depends on ${list(by)}`]),
  ];
}

const MOST_NAMES = 20;

function namesOf(topics: UncoveredRecord['topics']): string {
  const names = topics.map(({ topic }) => topic);
  return listSome(names, MOST_NAMES);
}

/** What is wrong with an interceptor. */
function formatFinding({ address, finding, by }: CoverageRecord['interceptors'][number]): Note {
  switch (finding) {
    case 'unmatched':
      return { name: address, text: 'never runs: no known client is in its scope' };
    case 'overridden':
      return {
        name: address,
        text: `never runs: ${list(by)} ${by.length === 1 ? 'overrides' : 'override'} it for every known client`,
      };
    case 'tied':
      return { name: address, text: `and ${list(by)} have the same priority; their order is undefined` };
    default:
      return finding satisfies never;
  }
}

/** `2 of 5 topics`, and how many are not certain. */
function formatCoverage({ topics = 0, uncovered = 0, uncertain = 0 }: EffectiveReport['summary']): string {
  return `${uncovered} of ${formatCount(topics, 'topic')}${uncertain === 0 ? '' : `, perhaps ${uncertain} more,`}`;
}
