import type { ShownPlan } from '../../plan/secrets/redact.ts';
import { onOneLine } from '../../report/escape.ts';
import { FORMATS, type Format, type View } from '../../report/formats.ts';
import { NO_PAINT } from '../../report/paint.ts';
import { renderPlan } from '../../report/text/plan-text.ts';
import type { Detail } from '../../report/text/text-options.ts';
import { makePlanReport } from '../../report/view/plan-report.ts';
import { UsageError, type Io } from '../io.ts';
import { isSystemError } from '../../workflow/system-error.ts';
import { TOOL } from '../../workflow/tool.ts';
import type { Unwritten } from './unwritten.ts';

const NAMES = Object.keys(FORMATS) as readonly Format[]; // the keys of a literal

/** Where a report goes: one format on stdout, any number in files. */
export type Output = {
  readonly detail?: Detail | undefined;
  readonly stdout: Format;
  readonly files: readonly { readonly format: Format; readonly path: string }[];
};

/** Reads `-o FORMAT`, `-o FORMAT=FILE` and `--detail`; stdout carries one product only. Throws a UsageError. */
export function parseOutput(values: readonly string[] = [], detail?: Detail): Output {
  const parsed = values.map((value) => {
    const [name = '', ...rest] = value.split('=');
    const format = NAMES.find((known) => known === name);
    if (format === undefined) {
      throw new UsageError(`expected -o ${NAMES.join(', ')} or FORMAT=FILE; found ${onOneLine(value)}`);
    }
    return { format, path: rest.length === 0 ? undefined : rest.join('=') };
  });
  const onStdout = parsed.filter(({ path }) => path === undefined);
  if (onStdout.length > 1)
    throw new UsageError('stdout carries one format; write the others with -o FORMAT=FILE');
  return {
    detail,
    stdout: onStdout[0]?.format ?? 'human',
    files: parsed.flatMap(({ format, path }) => (path === undefined ? [] : [{ format, path }])),
  };
}

/** Writes a view in each of the formats that were asked for. Returns the files that could not be written. */
export async function emit(view: View, output: Output, io: Io): Promise<readonly Unwritten[]> {
  const { detail } = output;
  const options = { paint: io.outPaint, width: io.columns.out, detail, tool: TOOL };
  const unwritten: Unwritten[] = [];
  for (const { format, path } of output.files) {
    try {
      await io.writeFile(path, netted(FORMATS[format](view, { paint: NO_PAINT, detail, tool: TOOL }), io));
    } catch (error) {
      if (!isSystemError(error)) throw error;
      unwritten.push({ to: path, error });
    }
  }
  for (const text of FORMATS[output.stdout](view, options)) io.out(text);
  return unwritten;
}

/** What goes to stdout and stderr passes the same net, in `run`. */
function* netted(pieces: Iterable<string>, { masker }: Io): Generator<string> {
  for (const piece of pieces) yield masker.net(piece);
}

/** Prints a plan on stdout, or on stderr when stdout carries a report. */
export function showPlan(plan: ShownPlan, { stdout, detail }: Output, io: Io): void {
  const [print, paint, width] =
    stdout === 'human' ? [io.out, io.outPaint, io.columns.out] : [io.err, io.errPaint, io.columns.err];
  const options = { paint, width, detail };
  for (const text of renderPlan(makePlanReport(plan, plan.gateway), options)) print(text);
}
