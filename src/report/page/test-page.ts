import { list } from '../../model/text/list.ts';
import { onOneLine } from '../escape.ts';
import { namePrincipals } from './principals.ts';
import type { CoverageRecord, TestCaseRecord, TestReport } from '../../outcome/test.ts';
import { listSection } from './groups.ts';
import type { Entry, Fact, Page } from './page.ts';

/** What came of tests; the cases that failed come first. */
export function pageOfTests({ result, summary, cases, coverage, problems }: TestReport): Page {
  const { passed, failed, notRun } = summary;
  const section = (title: string, sign: '!' | '?' | '✓', sort: TestCaseRecord['result']): Page['sections'] =>
    listSection(title, sign, cases.filter((one) => one.result === sort).map(entryOf));
  return {
    title: [
      `Tests: ${passed} passed`,
      ...(failed === 0 ? [] : [`${failed} failed`]),
      ...(notRun === 0 ? [] : [`${notRun} not run`]),
    ].join(', '),
    tone: result === 'passed' ? 'calm' : 'alarm',
    facts: coverage.flatMap(factsOf),
    risks: [],
    problems,
    sections: [
      ...section('Failed', '!', 'failed'),
      ...section('Not run', '?', 'not-run'),
      ...section('Passed', '✓', 'passed'),
    ],
    totals: [],
    closing: '',
  };
}

function entryOf({ name, environment, file, line, column, problems, result }: TestCaseRecord): Entry {
  return {
    names: [name],
    at: { file, line, column },
    notes: environment === undefined ? [] : [environment],
    isRisky: result === 'failed',
    lines: () => problems.map(({ message }) => ({ sign: '!' as const, text: onOneLine(message) })),
  };
}

function factsOf(record: CoverageRecord): readonly Fact[] {
  const { environment, files, principals, interceptors, untestedPrincipals, untestedInterceptors } = record;
  const where = environment ?? files?.join(', ');
  const place = where === undefined ? '' : ` in ${where}`;
  const without = (names: readonly string[]): string =>
    names.length === 0 ? '' : `; without: ${list(names)}`;
  return [
    {
      label: `Tested principals${place}`,
      text: `${principals - untestedPrincipals.length} of ${principals}${without(untestedPrincipals.map((one) => namePrincipals([one])))}`,
      isCode: false,
    },
    {
      label: `Tested interceptors${place}`,
      text: `${interceptors - untestedInterceptors.length} of ${interceptors}${without(untestedInterceptors)}`,
      isCode: false,
    },
  ];
}
