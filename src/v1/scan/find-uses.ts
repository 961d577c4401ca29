import type { SourceFile } from '../../model/problem.ts';
import { areaOf, type AreaName } from './areas.ts';

/** A place that uses v1, as an offset in its file. */
export type Use = {
  readonly area: AreaName;
  readonly offset: number;
  /** The path as it is written there. */
  readonly text: string;
};

/** What is between two segments of a path: a slash, also an escaped one, or the ends of two strings. */
const GAP = String.raw`["'\x60\\/+,.\s]{1,12}`;
/** A segment that the program fills in: `{}`, `%s`, `${area}`, `$area`, `<area>`, `:area`, or a variable between two strings. */
const HOLE = String.raw`(?:\$?\{[^{}\n]{0,40}\}|%[sv]|\$\w{1,40}|<[\w-]{1,40}>|:\w{1,40})`;
const SEGMENT = '(?:userMappings|interceptors|plugins|pclusters|vclusters|auth)';

const USE = new RegExp(
  [
    String.raw`(?<![\w.-])admin(?<gap>${GAP})(?<segment>${SEGMENT}|${HOLE})(?<next>${GAP})v1(?![\w.-])`,
    String.raw`(?<![\w.-])admin\\?/(?<tokens>username)\\?/`,
    String.raw`(?<![\w.-])internal\\?/(?<alias>alias-topic)(?![\w-])`,
    String.raw`(?<health>/health)(?![\w/-])`,
  ].join('|'),
  'g',
);

/** What shows that a /health is that of a gateway, near it. */
const NEAR = /conduktor|\b8888\b|\badmin\/\w{1,20}\/v1\b/i;
const NEAR_CHARACTERS = 300;
const LONGEST = 100;

/** The uses of v1 in a file of any language, in the order of the file. */
export function findUses({ text }: Pick<SourceFile, 'text'>): readonly Use[] {
  const uses: Use[] = [];
  for (const { index, groups = {}, 0: whole } of text.matchAll(USE)) {
    const area = areaAt(text, index, whole, groups);
    if (area === undefined) continue;
    const offset =
      /[/\\]/.test(text[index - 1] ?? '') && groups['health'] === undefined ? startOf(text, index) : index;
    uses.push({ area, offset, text: pathAt(text, offset, index + whole.length) });
  }
  return uses;
}

type Groups = Readonly<Record<string, string | undefined>>;

function areaAt(text: string, index: number, whole: string, groups: Groups): AreaName | undefined {
  const rest = lineFrom(text, index + whole.length);
  if (groups['tokens'] !== undefined) return 'tokens';
  if (groups['alias'] !== undefined) return 'topicMappings';
  if (groups['health'] !== undefined) {
    return NEAR.test(text.slice(Math.max(0, index - NEAR_CHARACTERS), index + NEAR_CHARACTERS))
      ? 'health'
      : undefined;
  }
  const [segment = '', gap = '', next = ''] = [groups['segment'], groups['gap'], groups['next']];
  // Words of a sentence are not segments of a path.
  const isPath = [gap, next].every((one) => /[/"'`]/.test(one));
  return isPath ? areaOf(segment, rest) : undefined;
}

/** The start of the path, with its slash. */
function startOf(text: string, index: number): number {
  return text.startsWith('\\/', index - 2) ? index - 2 : index - 1;
}

/** The rest of a line, or the beginning of it. */
function lineFrom(text: string, offset: number): string {
  return text.slice(offset, offset + NEAR_CHARACTERS).split('\n', 1)[0] ?? '';
}

/** The path up to the end of the string that it is in; of a query, nothing is shown. */
function pathAt(text: string, offset: number, end: number): string {
  const rest = /^[^\s"'`?#;|)\]<>,\\]*/.exec(text.slice(end, end + LONGEST))?.[0] ?? '';
  return `${text.slice(offset, end)}${rest}`.replaceAll(/\s+/g, ' ').slice(0, LONGEST);
}
