import { addAll } from '../../model/collect.ts';
import type { JsonObject } from '../../model/json/json.ts';
import { inPieces } from '../../model/json/pieces.ts';
import type { LocatedProblem } from '../../model/problem.ts';
import { makeGetReport } from '../../outcome/get.ts';
import { mapLazily } from '../../outcome/lazy.ts';
import { onOneLine } from '../../report/escape.ts';
import { renderJson } from '../../report/json/json.ts';
import { formatCount } from '../../report/phrases.ts';
import type { TextOptions } from '../../report/text/layout.ts';
import { renderResources } from '../../report/text/resource-table.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { escapePlaceholders } from '../../schema/load/as-declared.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { printYaml } from '../../schema/yaml/print.ts';
import {
  getLive,
  NOTHING_FOUND,
  type Depth,
  type Found,
  type FoundResource,
} from '../../workflow/live/get.ts';
import type { LiveSource } from '../../workflow/live/live-source.ts';
import { parseWanted } from '../../workflow/live/wanted.ts';
import { inputOf } from '../connect/flags.ts';
import type { Run } from '../given.ts';

/** Lists what is live. */
export const run: Run<'get'> = async ({ operand: terms, args, output, io, openWorkspace, openLive }) => {
  const wanted = parseWanted(terms, args.kind ?? [], catalog.kinds);
  const opened = await openLive(args, await openWorkspace(args));
  const isOpen = 'source' in opened;
  const { depth } = LIVE_FORMATS[output.stdout];
  const found = isOpen
    ? await getLive(io, opened.workspace, opened.source, wanted, { ...inputOf([], args), depth })
    : { ...NOTHING_FOUND, problems: opened.problems };
  const problems = locateProblems([...(isOpen ? opened.warnings : []), ...found.problems]);
  const source = isOpen ? opened.source : { url: '' };
  return {
    result: isOpen ? found.result : opened.result,
    problems,
    render: (format, options) => LIVE_FORMATS[format].render({ found, source, problems }, options),
  };
};

/** What was found, and where. */
type View = {
  readonly found: Found;
  readonly source: Pick<LiveSource, 'url' | 'age'>;
  readonly problems: readonly LocatedProblem[];
};

type Format = {
  readonly depth: Depth;
  /** In pieces. */
  readonly render: (view: View, options: TextOptions) => Iterable<string>;
};

/** The formats of `gwconf get`. */
const LIVE_FORMATS = {
  human: { depth: 'columns', render: printTables },
  json: { depth: 'values', render: printJson },
  yaml: { depth: 'values', render: printDocuments },
  name: { depth: 'names', render: printNames },
} as const satisfies Readonly<Record<string, Format>>;

function* printTables({ found, source }: View, options: TextOptions): Generator<string> {
  const kinds = found.kinds.filter(({ resources }) => resources.length > 0);
  for (const { kind, resources } of kinds) {
    yield `${options.paint.bold(`${kind.name} (${resources.length})`)}\n`;
    const rows = mapLazily(resources, ({ address, show }) => ({ address, resource: show() }));
    yield* inPieces(renderResources(kind, rows, options));
    yield '\n';
  }
  const count = formatCount(listAll(found).length, 'object');
  const when = source.age === undefined ? '' : `, in a snapshot of ${source.age.takenAt}`;
  if (found.result !== 'error') yield `${options.paint.bold(count)} on ${onOneLine(source.url)}${when}.\n`;
  for (const words of found.unavailable.values()) yield `${onOneLine(words)}\n`;
}

function printJson({ found, source, problems }: View): Iterable<string> {
  const { result, kinds, unavailable } = found;
  const summary = Object.fromEntries(kinds.map(({ kind, resources }) => [kind.name, resources.length]));
  const resources = mapLazily(listAll(found), ({ address, show }) => ({ address, ...show() }));
  const about = { result, gateway: source.url, snapshot: source.age, summary, resources, unavailable };
  return renderJson(makeGetReport(about, problems));
}

/** Documents in the form of files: a text with `${` stays one. */
function printDocuments(view: View): Iterable<string> {
  return inPieces(documentsOf(view));
}

function* documentsOf({ found }: View): Generator<string> {
  for (const [at, { show }] of listAll(found).entries()) {
    const { apiVersion, kind, metadata, spec, ...others } = show() as JsonObject;
    const value = escapePlaceholders({ apiVersion, kind, metadata, spec, ...others } as JsonObject);
    yield `${at === 0 ? '' : '---\n'}${printYaml([value], (text) => text.includes('${'))}`;
  }
}

function printNames({ found }: View): Iterable<string> {
  return inPieces(mapLazily(listAll(found), ({ address }) => `${onOneLine(address)}\n`));
}

function listAll({ kinds }: Found): readonly FoundResource[] {
  const all: FoundResource[] = [];
  for (const { resources } of kinds) addAll(all, resources);
  return all;
}
