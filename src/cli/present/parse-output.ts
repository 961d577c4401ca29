import { onOneLine } from '../../report/escape.ts';
import type { Detail } from '../../report/text/layout.ts';
import { UsageError, type Io } from '../io.ts';
import type { Formats } from '../table/command.ts';
import { flagOf } from '../table/flag.ts';

/** Where a report goes: one format on stdout, any number in files. */
export type Output<F extends string = string> = {
  readonly detail?: Detail | undefined;
  /** The command line that asked for it, without secrets. */
  readonly command?: string;
  readonly stdout: F;
  readonly files: readonly {
    readonly format: F;
    readonly path: string;
    /** Whether the report is added to what the file has. */
    readonly isAppended: boolean;
  }[];
};

/** Formats that are added to a file which the job names. */
const APPENDED: Readonly<Record<string, string | undefined>> = { 'step-summary': 'GITHUB_STEP_SUMMARY' };

/** Reads `-o FORMAT` and `-o FORMAT=FILE` of a command; stdout carries one product only. Throws a UsageError. */
export function parseOutput(
  command: string,
  formats: Formats,
  args: { readonly output?: readonly string[]; readonly detail?: Detail },
  io: Pick<Io, 'env'>,
): Output {
  const { output: values = [], detail } = args;
  const others = formats.with !== undefined && formats.with.flag in args ? formats.with.names : undefined;
  const names: readonly string[] = others ?? formats.names;
  const hasFiles = formats.toFiles === true || others !== undefined;
  const parsed = values.map((value) => {
    const [name = '', ...rest] = value.split('=');
    const format = names.find((known) => known === name);
    if (format === undefined || (!hasFiles && (rest.length > 0 || values.length > 1)))
      throw new UsageError(
        hasFiles
          ? `expected -o ${names.join(', ')} or FORMAT=FILE; found ${onOneLine(value)}`
          : `${command} prints -o ${names.join(', -o ')}${otherReport(command, formats)}`,
      );
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
    stdout: onStdout[0]?.format ?? names[0] ?? 'human',
    files: parsed.flatMap(({ path, ...rest }) => (path === undefined ? [] : [{ ...rest, path }])),
  };
}

function otherReport(command: string, formats: Formats): string {
  if (formats.with === undefined) return '';
  return `; ${command} ${flagOf(formats.with.flag)} has a report in more formats`;
}

function namedBy(variable: string, format: string, { env }: Pick<Io, 'env'>): string {
  const path = env(variable) ?? '';
  if (path !== '') return path;
  throw new UsageError(`-o ${format} needs ${variable}, which GitHub sets; elsewhere use -o ${format}=FILE`);
}
