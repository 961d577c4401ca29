import { list } from '../../model/text/list.ts';
import type { CoverageRecord, UncoveredRecord } from '../../outcome/coverage-record.ts';
import type { Note } from './page.ts';

/** What is to say about topics without protection, a line for those for which it is certain and one for the others. */
export function formatUncovered(
  { topics }: UncoveredRecord,
  { protection }: CoverageRecord,
): readonly string[] {
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
  const names = topics.slice(0, MOST_NAMES).map(({ topic }) => topic);
  const more = topics.length - names.length;
  return `${names.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}

/** What is wrong with an interceptor. */
export function formatFinding({ address, finding, by }: CoverageRecord['interceptors'][number]): Note {
  switch (finding) {
    case 'unmatched':
      return { name: address, text: 'never runs: no known principal is in its scope' };
    case 'overridden':
      return {
        name: address,
        text: `never runs: ${list(by)} ${by.length === 1 ? 'overrides' : 'override'} it for every known principal`,
      };
    case 'tied':
      return { name: address, text: `and ${list(by)} have the same priority; their order is undefined` };
    default:
      return finding satisfies never;
  }
}

/** `2 of 5 topics`, and how many are not certain. */
export function formatCoverage({
  topics = 0,
  uncovered = 0,
  uncertain = 0,
}: {
  readonly topics?: number | undefined;
  readonly uncovered?: number | undefined;
  readonly uncertain?: number | undefined;
}): string {
  return `${uncovered} of ${topics} ${topics === 1 ? 'topic' : 'topics'}${uncertain === 0 ? '' : `, perhaps ${uncertain} more,`}`;
}
