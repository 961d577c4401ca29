import type { JsonObject } from '../../model/json/json.ts';
import { inPieces, jsonPieces } from '../../model/json/pieces.ts';
import type { GetReport } from '../../outcome/gateway.ts';
import { onOneLine } from '../../report/escape.ts';
import { pageOfGet } from '../../report/page/get-page.ts';
import type { TextOptions } from '../../report/text/layout.ts';
import { partPage } from '../../report/text/text.ts';
import { escapePlaceholders } from '../../schema/load/as-declared.ts';
import { printYaml } from '../../schema/yaml/print.ts';
import { getLive, type Depth, type FoundKind } from '../../workflow/live/get.ts';
import { parseWanted, type Wanted } from '../../workflow/live/wanted.ts';
import type { KnownKinds } from '../../workflow/project/known-kinds.ts';
import { RequestError } from '../../workflow/system-error.ts';
import { inputOf } from '../connect/read-flags.ts';
import type { Run } from '../given.ts';
import type { Printed } from '../present/output.ts';

/** Lists what is live. */
export const run: Run<'get'> = async ({ operand: terms, args, output, io, openWorkspace, openLive }) => {
  const workspace = await openWorkspace(args);
  const opened = await openLive(args, workspace);
  const { depth } = LIVE_FORMATS[output.stdout];
  const options = { ...inputOf([], args), depth };
  const read = 'source' in opened ? opened.workspace : workspace;
  const { catalog } = read;
  const parse = (): Wanted => parseWanted(terms, args.kind ?? [], catalog.kinds);
  // Without a term all kinds are listed; with one, a kind may have to be looked up.
  if (terms.length === 0 && args.kind === undefined) await catalog.ask();
  const wanted = await withMoreKinds(catalog, parse);
  const { outcome, kinds, problems } = await getLive(io, read, opened, wanted, options);
  return {
    result: outcome.result,
    problems,
    render: (format, to) => LIVE_FORMATS[format].render({ outcome, kinds }, to),
  };
};

/** Asks the gateway for its kinds if a name is not that of one. */
async function withMoreKinds(catalog: KnownKinds, parse: () => Wanted): Promise<Wanted> {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof RequestError) || !(await catalog.ask())) throw error;
    return parse();
  }
}

/** What was found, also by kind. */
type View = { readonly outcome: GetReport; readonly kinds: readonly FoundKind[] };

type Format = {
  readonly depth: Depth;
  /** In pieces. */
  readonly render: (view: View, options: TextOptions) => Printed;
};

const LIVE_FORMATS = {
  human: {
    depth: 'columns',
    render: ({ outcome, kinds }, options) => partPage(pageOfGet(outcome, kinds), options),
  },
  json: { depth: 'values', render: ({ outcome }) => jsonPieces(outcome) },
  yaml: { depth: 'values', render: ({ outcome }) => inPieces(documentsOf(outcome)) },
  name: { depth: 'names', render: ({ kinds }) => inPieces(addressesOf(kinds)) },
} as const satisfies Readonly<Record<string, Format>>;

/** Documents in the form of files: a text with `${` stays one. */
function* documentsOf({ resources }: GetReport): Generator<string> {
  let isFirst = true;
  for (const { address: _, apiVersion, kind, metadata, spec, ...others } of resources) {
    const value = escapePlaceholders({ apiVersion, kind, metadata, spec, ...others } as JsonObject);
    yield `${isFirst ? '' : '---\n'}${printYaml([value], (text) => text.includes('${'))}`;
    isFirst = false;
  }
}

function* addressesOf(kinds: readonly FoundKind[]): Generator<string> {
  for (const { resources } of kinds) for (const { address } of resources) yield `${onOneLine(address)}\n`;
}
