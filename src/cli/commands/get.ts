import { catalog } from '../../schema/kinds/index.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { getLive, NOTHING_FOUND, type Found } from '../../workflow/live/get.ts';
import type { LiveSource } from '../../workflow/live/live-source.ts';
import { parseWanted } from '../../workflow/live/wanted.ts';
import { inputOf, openWorkspaceFor, type InputArgs, type ProjectArgs } from '../connect/flags.ts';
import { openGatewaySource, openSnapshotSource } from '../connect/live-source.ts';
import type { ConnectionArgs } from '../table/flags.ts';
import { UsageError, type Io } from '../io.ts';
import type { ExitCode, Result } from '../../outcome/verdict.ts';
import { finish } from '../present/finish.ts';
import { LIVE_FORMATS, type LiveFormat } from '../present/live-formats.ts';

export type GetArgs = ProjectArgs &
  ConnectionArgs &
  Pick<InputArgs, 'file'> & {
    readonly kind?: readonly string[];
    readonly snapshot?: string;
    readonly output?: readonly string[];
  };

/** Lists what is live. It gets no gateway that can be written to. */
export async function get(terms: readonly string[], args: GetArgs, io: Io): Promise<ExitCode> {
  const { snapshot, kind = [] } = args;
  const format = parseFormat(args.output);
  const wanted = parseWanted(terms, kind, catalog.kinds);
  const workspace = await openWorkspaceFor(args, io);
  const opened =
    snapshot === undefined
      ? await openGatewaySource(args, workspace, io)
      : await openSnapshotSource(snapshot, args, workspace, io);
  if ('problems' in opened) {
    const found = { ...NOTHING_FOUND, problems: opened.problems };
    return print(found, { url: '' }, format, opened.result, io);
  }
  const { source, warnings } = opened;
  try {
    const { depth } = LIVE_FORMATS[format];
    const found = await getLive(io, opened.workspace, source, wanted, { ...inputOf([], args), depth });
    const all = { ...found, problems: [...warnings, ...found.problems] };
    return await print(all, source, format, found.result, io);
  } finally {
    await opened.close();
  }
}

function print(
  found: Found,
  source: Pick<LiveSource, 'url' | 'age'>,
  format: LiveFormat,
  result: Result,
  io: Io,
): Promise<ExitCode> {
  const problems = locateProblems(found.problems);
  const view = { found, source, problems };
  for (const text of LIVE_FORMATS[format].render(view, { paint: io.outPaint, width: io.columns.out }))
    io.out(text);
  return finish({ result, problems }, io);
}

function parseFormat([name = 'human', ...more]: readonly string[] = []): LiveFormat {
  const formats = Object.keys(LIVE_FORMATS) as readonly LiveFormat[]; // the keys of a literal
  const format = formats.find((known) => known === name);
  if (format !== undefined && more.length === 0) return format;
  throw new UsageError(`get prints -o ${formats.join(', -o ')}`);
}
