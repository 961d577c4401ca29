import { relative, resolve } from 'node:path';
import type { Position } from '../../model/problem.ts';
import { makePlanReport } from '../../outcome/plan.ts';
import type { ShownPlan } from '../../plan/secrets/redact.ts';
import { fileLinks } from '../../report/ci/links.ts';
import { onOneLine } from '../../report/escape.ts';
import { FORMATS, renderText, type Format, type RenderOptions, type View } from '../../report/formats.ts';
import type { LinkTo } from '../../report/markup.ts';
import { NO_PAINT } from '../../report/text/layout.ts';
import { isSystemError, hintOf, reasonOf } from '../../workflow/system-error.ts';
import { TOOL } from '../../workflow/tool.ts';
import type { Io } from '../io.ts';
import type { Output } from './parse-output.ts';

/** Writes a view in each of the formats that were asked for. Returns the files that could not be written. */
export async function emit(shown: View, output: Output, io: Io): Promise<readonly Unwritten[]> {
  const view = { ...shown, problems: fromTop(shown.problems, io) };
  return emitEach((format, options) => FORMATS[format as Format](view, options), output, io); // of the table
}

/** Writes what `render` makes of each format. Returns the files that could not be written. */
export async function emitEach<F extends string>(
  render: (format: F, options: RenderOptions) => Iterable<string>,
  output: Output<F>,
  io: Io,
): Promise<readonly Unwritten[]> {
  const { detail } = output;
  const linkTo = linksOf(io);
  const options = { paint: io.outPaint, width: io.columns.out, detail, tool: TOOL, linkTo };
  const unwritten: Unwritten[] = [];
  for (const { format, path, isAppended } of output.files) {
    try {
      const text = netted(render(format, { paint: NO_PAINT, detail, tool: TOOL, linkTo }), io);
      await (isAppended ? io.appendFile(path, [...text].join('')) : io.writeFile(path, text));
    } catch (error) {
      if (!isSystemError(error)) throw error;
      unwritten.push({ to: path, error });
    }
  }
  for (const text of render(output.stdout, options)) io.out(text);
  return unwritten;
}

/** Links to files of the repository, if this job has their address. */
export function linksOf(io: Io): LinkTo | undefined {
  const link = fileLinks(io.env);
  const pathOf = pathsFromTop(io);
  if (link === undefined || pathOf === undefined) return undefined;
  return ({ file, line }) => {
    const path = pathOf(file);
    return path === undefined ? undefined : link(path, line);
  };
}

/** Problems with the paths that build servers know, which run gwconf in a folder of the repository. */
export function fromTop(problems: View['problems'], io: Io): View['problems'] {
  const pathOf = pathsFromTop(io);
  if (pathOf === undefined) return problems;
  const moved = (at: Position): Position => ({ ...at, file: pathOf(at.file) ?? at.file });
  return problems.map(({ at, also, ...problem }) => ({
    ...problem,
    ...(at === undefined ? {} : { at: moved(at) }),
    ...(also === undefined ? {} : { also: moved(also) }),
  }));
}

/** The path of a file from the top of the repository; undefined if it is outside, or if there is no repository. */
function pathsFromTop(io: Io): ((file: string) => string | undefined) | undefined {
  const top = io.findUpwards('.git');
  if (top === undefined) return undefined;
  return (file) => {
    const path = relative(resolve(top), resolve(file)).replaceAll('\\', '/');
    return path.startsWith('../') ? undefined : path;
  };
}

/** What goes to stdout and stderr passes the same net, in `run`. */
function* netted(pieces: Iterable<string>, { masker }: Io): Generator<string> {
  for (const piece of pieces) yield masker.net(piece);
}

/** Prints a plan on stdout, or on stderr when stdout carries a report. */
export function showPlan(
  plan: ShownPlan,
  environment: string | undefined,
  { stdout, detail }: Output,
  io: Io,
): void {
  const [print, paint, width] =
    stdout === 'human' ? [io.out, io.outPaint, io.columns.out] : [io.err, io.errPaint, io.columns.err];
  const options = { paint, width, detail };
  const report = makePlanReport(plan, plan.gateway, [], { environment });
  for (const text of renderText(report, options)) print(text);
}

/** Output that was lost: to which file or stream, and why. */
export type Unwritten = { readonly to: string; readonly error: unknown };

export function renderUnwritten({ to, error }: Unwritten): string {
  const hint = hintOf(error);
  const why = `${reasonOf(error)}${hint === undefined ? '' : `; ${hint}`}`;
  return `gwconf: output is lost: ${onOneLine(to)} could not be written: ${onOneLine(why)}\n`;
}
