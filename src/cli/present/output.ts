import type { LocatedProblem } from '../../model/problem.ts';
import { github } from '../../report/ci/github.ts';
import { junit } from '../../report/ci/junit.ts';
import { sarif } from '../../report/ci/sarif.ts';
import { onOneLine } from '../../report/escape.ts';
import { jsonText } from '../../report/json/json-text.ts';
import { ndjson, type Report } from '../../report/json/ndjson.ts';
import { UsageError, type Io } from '../io.ts';
import { TOOL } from '../version.ts';

/** What a command made, to be written in any format. */
export type Product = {
  readonly report: Report;
  readonly problems: readonly LocatedProblem[];
  /** Makes the text for people, in pieces; a text alone would be one of letters. */
  readonly human: () => Iterable<string> & object;
};

const ABOUT = { tool: TOOL };
const FORMATS = {
  human: ({ human }) => human(),
  json: ({ report }) => jsonText(report),
  ndjson: ({ report }) => ndjson(report, TOOL),
  sarif: ({ problems }) => [sarif(problems, ABOUT)],
  junit: ({ problems }) => [junit(problems, ABOUT)],
  github: ({ problems }) => [github(problems, ABOUT)],
} satisfies Readonly<Record<string, (product: Product) => Iterable<string>>>;
export type Format = keyof typeof FORMATS;
const NAMES = Object.keys(FORMATS) as readonly Format[]; // the keys of a literal

/** Where a report goes: one format on stdout, any number in files. */
export type Output = {
  readonly stdout: Format;
  readonly files: readonly { readonly format: Format; readonly path: string }[];
};

/** Reads `-o FORMAT` and `-o FORMAT=FILE`; stdout carries one product only. Throws a UsageError. */
export function parseOutput(values: readonly string[] = []): Output {
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
    stdout: onStdout[0]?.format ?? 'human',
    files: parsed.flatMap(({ format, path }) => (path === undefined ? [] : [{ format, path }])),
  };
}

/** Writes a product in each of the formats that were asked for. */
export async function emit(product: Product, output: Output, io: Io): Promise<void> {
  for (const { format, path } of output.files) {
    await io.writeFile(path, FORMATS[format](product));
  }
  for (const text of FORMATS[output.stdout](product)) io.out(text);
}

/** The verdict, where wrappers that swallow exit codes can find it: the last line of stderr, and GITHUB_OUTPUT. */
export async function conclude(result: string, io: Io, narrowed = false): Promise<void> {
  io.err(
    `result: ${result}${narrowed && ['no-changes', 'no-drift'].includes(result) ? ' in what was looked at' : ''}\n`,
  );
  const path = io.env('GITHUB_OUTPUT');
  if (path !== undefined && path !== '') await io.appendFile(path, `result=${result}\n`);
}
