import { ndjson, onOneLine, type ApplyReport, type PlanReport, type ValidateReport } from '../index.ts';
import { UsageError, type Io } from './io.ts';
import { TOOL } from './version.ts';

const FORMATS = ['human', 'json', 'ndjson'] as const;
export type Format = (typeof FORMATS)[number];

/** Where a report goes: one format on stdout, any number in files. */
export type Output = {
  readonly stdout: Format;
  readonly files: readonly { readonly format: Format; readonly path: string }[];
};

type Report = ValidateReport | PlanReport | ApplyReport;

/** Reads `-o FORMAT` and `-o FORMAT=FILE`; stdout carries one product only. Throws a UsageError. */
export function parseOutput(values: readonly string[] = []): Output {
  const parsed = values.map((value) => {
    const [name = '', ...rest] = value.split('=');
    const format = FORMATS.find((known) => known === name);
    if (format === undefined) {
      throw new UsageError(`expected -o ${FORMATS.join(', ')} or FORMAT=FILE; found ${onOneLine(value)}`);
    }
    return { format, path: rest.length === 0 ? undefined : rest.join('=') };
  });
  const onStdout = parsed.filter(({ path }) => path === undefined);
  if (onStdout.length > 1)
    throw new UsageError('stdout carries one format; write the others with -o FORMAT=FILE');
  return {
    stdout: onStdout[0]?.format ?? 'human',
    files: parsed.flatMap(({ format, path }) => (path === undefined ? [] : [{ format, path }])),
  };
}

/** Writes a report in each of the formats that were asked for; `human` makes the text for people. */
export async function emit(report: Report, human: () => string, output: Output, io: Io): Promise<void> {
  for (const { format, path } of output.files) {
    await io.writeFile(path, [...render(report, human, format)].join(''));
  }
  for (const text of render(report, human, output.stdout)) io.out(text);
}

function* render(report: Report, human: () => string, format: Format): Generator<string> {
  if (format === 'human') yield human();
  else if (format === 'json') yield `${JSON.stringify(report, null, 2)}\n`;
  else yield* ndjson(report, TOOL);
}

/** The verdict, where wrappers that swallow exit codes can find it: the last line of stderr, and GITHUB_OUTPUT. */
export async function conclude(result: string, io: Io): Promise<void> {
  io.err(`result: ${result}\n`);
  const path = io.env('GITHUB_OUTPUT');
  if (path !== undefined && path !== '') await io.appendFile(path, `result=${result}\n`);
}
