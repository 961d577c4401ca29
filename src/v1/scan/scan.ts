import { addTo } from '../../model/collect.ts';
import { makeProblem, type Problem, type SourceFile } from '../../model/problem.ts';
import type { Told } from '../../outcome/outcome.ts';
import { makeScanReport, type AreaRecord, type ScanReport } from '../../outcome/migrate.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { positionAt } from '../../schema/yaml/text-lines.ts';
import type { Host } from '../../workflow/host.ts';
import { unreadable } from '../../workflow/system-error.ts';

/** Larger files are data. */
export const MOST_BYTES = 10_000_000;

/** Finds the uses of v1 in files and folders. One file at a time is in memory. */
export function scanFiles(host: Host, paths: readonly string[]): Told<ScanReport> {
  const uses = new Map<AreaName, AreaRecord['uses'][number][]>();
  const skipped: ScanReport['skipped'][number][] = [];
  const found: Problem[] = [];
  let files = 0;
  for (const file of host.walkFiles(paths, MOST_BYTES)) {
    if ('skipped' in file && file.isUnreadable === true) {
      found.push(unreadable(file.path, file.skipped));
      continue;
    }
    if ('skipped' in file) {
      skipped.push({ path: file.path, why: file.skipped });
      continue;
    }
    files += 1;
    for (const { area, offset, text } of findUses(file))
      addTo(uses, area, { ...positionAt(file, offset), text });
  }
  const areas = (Object.keys(AREAS) as readonly AreaName[]).flatMap((name) => {
    const ones = uses.get(name);
    return ones === undefined ? [] : [{ ...AREAS[name], uses: ones }];
  });
  if (files === 0 && found.length === 0) found.push(nothingRead(paths));
  const problems = locateProblems(found);
  return { outcome: makeScanReport({ areas, skipped, read: files }, problems), problems };
}

/** A search of nothing would always find nothing. */
function nothingRead(paths: readonly string[]): Problem {
  return makeProblem({
    code: 'no-resources',
    message: `there is no file to search in ${paths.join(', ')}`,
    hint: 'check the path',
  });
}

/** A place that uses v1, as an offset in its file. */
type Use = {
  readonly area: AreaName;
  readonly offset: number;
  /** The path as it is written there. */
  readonly text: string;
};

/** The separator of two segments of a path: a slash, also an escaped one, or the ends of two strings. */
const GAP = String.raw`["'\x60\\/+,.\s]{1,12}`;
/** A variable between two strings: `"/admin/" + area + "/v1"`, `"admin", area, "v1"`. */
const BETWEEN = String.raw`(?<=["'\x60]\s{0,3}[+,.&]{1,2}\s{0,3})[A-Za-z_][\w.]{0,40}(?=\s{0,3}[+,.&]{1,2}\s{0,3}["'\x60])`;
/** A segment that the program fills in: `{}`, `{{ area }}`, `%s`, `%(area)s`, `${area}`, `#{area}`, `$(area)`, `$area`, `<area>`, `:area`. */
const HOLE = String.raw`(?:[$#]?\{{1,2}[^{}\n]{0,40}\}{1,2}|%[sv]|[%$]\(\w{1,40}\)s?|\$(?:env:)?\w{1,40}|<[\w-]{1,40}>|:\w{1,40}|${BETWEEN})`;
const SEGMENT = '(?:userMappings|interceptors|plugins|pclusters|vclusters|auth)';
/** Without `admin`, which is in a variable or comes before: at the start of a string, or behind `${BASE}/`. */
const REST = String.raw`(?<=(?:["'\x60}]|%[sv]|\$\w{1,40})/?)(?<rest>userMappings|interceptors|pclusters|vclusters)`;

const USE = new RegExp(
  [
    String.raw`(?<![\w.-])admin(?<gap>${GAP})(?<segment>${SEGMENT}|${HOLE})(?<next>${GAP})v1(?![\w.-])`,
    // Only v1 has these below /admin, whatever gives the version. Another product may have `/admin/interceptors/{id}`.
    String.raw`(?<![\w.-])admin(?<before>${GAP})(?<versioned>userMappings|interceptors|pclusters|vclusters)(?<after>${GAP})(?![:<]|[$#]?\{{1,2}\s?\w{0,20}(?:[iI]d|[nN]ame)\b)${HOLE}`,
    String.raw`${REST}(?<behind>${GAP})v1(?![\w.-])`,
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
    // The slash before it is of the path, also an escaped one.
    const before = groups['health'] === undefined ? text.slice(Math.max(0, index - 2), index) : '';
    const [slash = ''] = /\\\/$|[/\\]$/.exec(before) ?? [];
    const offset = index - slash.length;
    uses.push({ area, offset, text: pathAt(text, offset, index + whole.length) });
  }
  return uses;
}

function areaAt(
  text: string,
  index: number,
  whole: string,
  groups: Readonly<Record<string, string | undefined>>,
): AreaName | undefined {
  if (groups['tokens'] !== undefined) return 'tokens';
  if (groups['alias'] !== undefined) return 'topicMappings';
  if (groups['health'] !== undefined) {
    return NEAR.test(text.slice(Math.max(0, index - NEAR_CHARACTERS), index + NEAR_CHARACTERS))
      ? 'health'
      : undefined;
  }
  const segment = groups['segment'] ?? groups['versioned'] ?? groups['rest'] ?? '';
  const names = ['gap', 'next', 'before', 'after', 'behind'];
  const gaps = names.map((name) => groups[name]).filter((one) => one !== undefined);
  // Words of a sentence are not segments of a path.
  const isPath = gaps.every((one) => /[/"'`]/.test(one));
  const end = index + whole.length;
  const [rest = ''] = text.slice(end, end + NEAR_CHARACTERS).split('\n', 1);
  return isPath ? areaOf(segment, rest) : undefined;
}

/** The path up to the end of the string that it is in; of a query, nothing is shown. */
function pathAt(text: string, offset: number, end: number): string {
  const rest = /^[^\s"'`?#;|)\]<>,\\]*/.exec(text.slice(end, end + LONGEST))?.[0] ?? '';
  return `${text.slice(offset, end)}${rest}`.replaceAll(/\s+/g, ' ').slice(0, LONGEST);
}

const V1 = { deprecated: '3.15.0', removed: '3.21.0' };

/** The parts of the API that a version of the gateway removes, and what takes their places, in the order of a report. */
export const AREAS = {
  tokens: { ...V1, name: 'Auth tokens v1', replacement: 'POST /gateway/v2/token' },
  virtualClusters: { ...V1, name: 'Virtual clusters v1', replacement: '/gateway/v2/virtual-cluster' },
  userMappings: {
    ...V1,
    name: 'User mappings v1',
    replacement: '/gateway/v2/service-account and /gateway/v2/group',
  },
  interceptors: {
    ...V1,
    name: 'Interceptors v1',
    replacement: '/gateway/v2/interceptor and /gateway/v2/interceptor/resolve',
  },
  plugins: { ...V1, name: 'Plugins v1', replacement: 'GET /gateway/v2/plugin' },
  concentrationRules: {
    ...V1,
    name: 'Concentration rules v1',
    replacement: '/gateway/v2/concentration-rule',
  },
  clusterSwitching: { ...V1, name: 'Cluster switching v1', replacement: '/gateway/v2/cluster-switching' },
  topicMappings: {
    ...V1,
    name: 'Topic mappings v1',
    replacement: '/gateway/v2/alias-topic, /gateway/v2/concentrated-topic and topic views',
  },
  unknown: { ...V1, name: 'Admin API v1', replacement: 'the API below /gateway/v2' },
  health: {
    name: 'Legacy health endpoint',
    deprecated: '3.12.0',
    removed: '3.21.0',
    replacement: '/health/live and /health/ready',
  },
} as const satisfies Readonly<Record<string, Omit<AreaRecord, 'uses'>>>;
type AreaName = keyof typeof AREAS;

const BY_SEGMENT: Readonly<Record<string, AreaName>> = {
  userMappings: 'userMappings',
  interceptors: 'interceptors',
  plugins: 'plugins',
  pclusters: 'clusterSwitching',
  vclusters: 'virtualClusters',
};

/** The area of a path below /admin, by its first segment and what follows in the line. */
function areaOf(segment: string, rest: string): AreaName {
  const area = BY_SEGMENT[segment] ?? 'unknown';
  if (area !== 'virtualClusters') return area;
  if (rest.includes('/concentration-rules')) return 'concentrationRules';
  if (/\/topics\b/.test(rest)) return 'topicMappings';
  return /\/username\b/.test(rest) ? 'tokens' : area;
}
