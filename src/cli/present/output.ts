import { relative, resolve } from 'node:path';
import type { Position } from '../../model/problem.ts';
import { makePlanReport } from '../../outcome/plan.ts';
import type { ShownPlan } from '../../plan/secrets/redact.ts';
import { fileLinks } from '../../report/ci/links.ts';
import { onOneLine } from '../../report/escape.ts';
import { FORMATS, partText, type Format, type RenderOptions, type View } from '../../report/formats.ts';
import type { Made } from '../../report/html/html.ts';
import type { LinkTo } from '../../report/markup.ts';
import { NO_PAINT } from '../../report/text/layout.ts';
import { joinParts, type Parted } from '../../report/text/text.ts';
import { isSystemError, hintOf, reasonOf } from '../../workflow/system-error.ts';
import { TOOL } from '../../workflow/tool.ts';
import type { Io } from '../io.ts';
import type { Output } from './parse-output.ts';

/** What is printed: a text in pieces, or one that problems are told in. */
export type Printed = Iterable<string> | Parted;

export function formatsOf(shown: View, io: Io): (format: string, options: RenderOptions) => Printed {
  const view = { ...shown, problems: fromTop(shown.problems, io) };
  return (format, options) =>
    format === 'human' ? partText(view, options) : FORMATS[format as Format](view, options); // of the table
}

/**
 * Writes what `render` makes of each format: files first, then stdout, where `tell` comes before the last lines. Returns the files
 * that could not be written.
 */
export async function emitEach<F extends string>(
  render: (format: F, options: RenderOptions) => Printed,
  output: Output<F>,
  io: Io,
  tell: (hasEnd: boolean) => void,
): Promise<readonly Unwritten[]> {
  const { detail } = output;
  const linkTo = linksOf(io);
  const made = await madeOf(output, io);
  const options = { paint: io.outPaint, width: io.columns.out, detail, tool: TOOL, made, linkTo };
  const unwritten: Unwritten[] = [];
  for (const { format, path, isAppended } of output.files) {
    try {
      const printed = render(format, { paint: NO_PAINT, detail, tool: TOOL, made, linkTo });
      const text = netted('end' in printed ? joinParts(printed) : printed, io);
      await (isAppended ? io.appendFile(path, [...text].join('')) : io.writeFile(path, text));
    } catch (error) {
      if (!isSystemError(error)) throw error;
      unwritten.push({ to: path, error });
    }
  }
  const printed = render(output.stdout, options);
  const { body, end } = 'end' in printed ? printed : { body: printed, end: '' };
  for (const text of body) io.out(text);
  tell(end !== '');
  io.out(end);
  return unwritten;
}

/** What an HTML page says of how it was made. Others are read where they are made. */
async function madeOf({ stdout, files, command }: Output, io: Io): Promise<Made | undefined> {
  if (![stdout, ...files.map(({ format }) => format)].includes('html')) return undefined;
  return { day: io.now().toISOString().slice(0, 10), commit: await findCommit(io), command };
}

/** The commit of this job, or else of the work tree. */
async function findCommit(io: Io): Promise<string | undefined> {
  const { readOrigin } = await import('../../workflow/plan/saved-plan.ts');
  const ofJob = readOrigin(io.env)?.commit;
  if (ofJob !== undefined || io.findUpwards('.git') === undefined) return ofJob;
  const git = await io.openGit('.');
  const ran = await git.run(['rev-parse', '--verify', 'HEAD']);
  git.close();
  return 'code' in ran && ran.code === 0 ? new TextDecoder().decode(ran.stdout).trim() : undefined;
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

/** Prints a plan on stdout, or on stderr when stdout carries a report. Its last line is for the caller to print, below the problems. */
export function showPlan(
  plan: ShownPlan,
  environment: string | undefined,
  { stdout, detail }: Output,
  io: Io,
): () => void {
  const [print, paint, width] =
    stdout === 'human' ? [io.out, io.outPaint, io.columns.out] : [io.err, io.errPaint, io.columns.err];
  const options = { paint, width, detail };
  const report = makePlanReport(plan, plan.gateway, [], { environment });
  const { body, end } = partText({ report }, options);
  for (const text of body) print(text);
  return () => print(end);
}

/** Output that was lost: to which file or stream, and why. */
export type Unwritten = { readonly to: string; readonly error: unknown };

export function renderUnwritten({ to, error }: Unwritten): string {
  const hint = hintOf(error);
  const why = `${reasonOf(error)}${hint === undefined ? '' : `; ${hint}`}`;
  return `gwconf: output is lost: ${onOneLine(to)} could not be written: ${onOneLine(why)}\n`;
}
