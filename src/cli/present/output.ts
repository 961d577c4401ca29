import { relative, resolve } from 'node:path';
import type { Position } from '../../model/problem.ts';
import type { ShownPlan } from '../../plan/secrets/redact.ts';
import { fileLinks } from '../../report/ci/links.ts';
import { COMMON_FORMATS, FORMATS, type Format, type RenderOptions, type View } from '../../report/formats.ts';
import type { LinkTo } from '../../report/markup.ts';
import { NO_PAINT } from '../../report/paint.ts';
import { renderPlan } from '../../report/text/plan-text.ts';
import { makePlanReport } from '../../outcome/plan.ts';
import { UsageError, type Io } from '../io.ts';
import { onOneLine } from '../../report/escape.ts';
import type { Detail } from '../../report/text/text-options.ts';
import { isSystemError } from '../../workflow/system-error.ts';
import { TOOL } from '../../workflow/tool.ts';
import type { Output } from './parse-output.ts';
export type { Output };
import type { Unwritten } from './unwritten.ts';

export const PLAN_FORMATS = Object.keys(FORMATS) as readonly Format[]; // the keys of a literal

/** The formats of reports for people and programs that are no results of a check. */
export const PAGE_FORMATS: readonly Format[] = ['human', 'json', 'markdown', 'html', 'step-summary'];

/** Formats that are added to a file which the job names. */
const APPENDED: Readonly<Partial<Record<Format, string>>> = { 'step-summary': 'GITHUB_STEP_SUMMARY' };

/** Reads `-o FORMAT`, `-o FORMAT=FILE` and `--detail`; stdout carries one product only. Throws a UsageError. */
export function parseOutput(
  values: readonly string[] = [],
  io: Pick<Io, 'env'>,
  {
    detail,
    formats = COMMON_FORMATS,
  }: { readonly detail?: Detail | undefined; readonly formats?: readonly Format[] } = {},
): Output<Format> {
  const parsed = values.map((value) => {
    const [name = '', ...rest] = value.split('=');
    const format = formats.find((known) => known === name);
    if (format === undefined) {
      throw new UsageError(`expected -o ${formats.join(', ')} or FORMAT=FILE; found ${onOneLine(value)}`);
    }
    const variable = APPENDED[format];
    const isAppended = rest.length === 0 && variable !== undefined;
    const path = isAppended ? namedBy(variable, format, io) : rest.length === 0 ? undefined : rest.join('=');
    return { format, path, isAppended };
  });
  const onStdout = parsed.filter(({ path }) => path === undefined);
  if (onStdout.length > 1)
    throw new UsageError('stdout carries one format; write the others with -o FORMAT=FILE');
  return {
    detail,
    stdout: onStdout[0]?.format ?? 'human',
    files: parsed.flatMap(({ path, ...rest }) => (path === undefined ? [] : [{ ...rest, path }])),
  };
}

function namedBy(variable: string, format: Format, { env }: Pick<Io, 'env'>): string {
  const path = env(variable) ?? '';
  if (path !== '') return path;
  throw new UsageError(`-o ${format} needs ${variable}, which GitHub sets; elsewhere use -o ${format}=FILE`);
}

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
  for (const text of renderPlan(report, options)) print(text);
}
