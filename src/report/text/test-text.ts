import { groupBy } from '../../model/collect.ts';
import { list } from '../../model/text/list.ts';
import { onOneLine } from '../escape.ts';
import type { Paint } from '../paint.ts';
import { namePrincipals } from '../page/principals.ts';
import type { CoverageRecord, TestCaseRecord, TestReport } from '../../outcome/test.ts';
import { formatCount } from './phrases.ts';

/** The cases by file, then what no case is about; totals last. */
export function* renderTests({ cases, coverage, summary }: TestReport, paint: Paint): Generator<string> {
  const isOne = new Set(cases.map(({ environment }) => environment)).size < 2;
  for (const [file, inFile] of groupBy(cases, (one) => one.file)) {
    yield `${paint.bold(onOneLine(file))}\n`;
    for (const one of inFile) yield renderCase(one, paint, isOne);
    yield '\n';
  }
  for (const one of coverage) yield renderCoverage(one, paint);
  const { passed, failed, notRun } = summary;
  const counts = [
    `${passed} passed`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(notRun === 0 ? [] : [`${notRun} not run`]),
  ];
  yield `${paint.bold(`${formatCount(summary.cases, 'case')}: ${counts.join(', ')}`)}.\n`;
}

const RESULTS: Readonly<Record<TestCaseRecord['result'], readonly [word: string, colour: keyof Paint]>> = {
  passed: ['passed ', 'green'],
  failed: ['FAILED ', 'red'],
  'not-run': ['not run', 'yellow'],
};

function renderCase(
  { result, name, environment, line }: TestCaseRecord,
  paint: Paint,
  isOne: boolean,
): string {
  const [word, colour] = RESULTS[result];
  const where = environment === undefined || isOne ? '' : ` (${environment})`;
  return `  ${paint[colour](word)} ${onOneLine(`${name}${where}`)}${paint.dim(`  :${line}`)}\n`;
}

function renderCoverage(record: CoverageRecord, paint: Paint): string {
  const { environment, files, principals, interceptors, untestedPrincipals, untestedInterceptors } = record;
  const where = environment ?? files?.join(', ');
  const tested = (all: number, untested: readonly unknown[]): string => `${all - untested.length} of ${all}`;
  const counts = `${tested(principals, untestedPrincipals)} principals, ${tested(interceptors, untestedInterceptors)} interceptors`;
  return [
    `${paint.bold(onOneLine(`Tested${where === undefined ? '' : ` in ${where}`}: ${counts}`))}\n`,
    ...untestedLine(
      'without a case',
      untestedPrincipals.map((one) => namePrincipals([one])),
    ),
    ...untestedLine('without an expectation', untestedInterceptors),
    '\n',
  ].join('');
}

function untestedLine(what: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`  ${what}: ${onOneLine(list(names))}\n`];
}
