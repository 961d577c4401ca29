import { groupBy } from '../../model/collect.ts';
import { list } from '../../model/text/list.ts';
import type { CoverageRecord, TestCaseRecord, TestReport } from '../../outcome/files.ts';
import { onOneLine } from '../escape.ts';
import { formatCount, ifAny } from '../phrases.ts';
import { makePage } from './make-page.ts';
import type { Cases, Entry, Group, Page, Section, State } from './page.ts';
import { namePrincipals } from './principals.ts';
import { entryOfGroup, listSection } from './sections.ts';

/** What came of tests; in documents the cases that failed come first. */
export function pageOfTests({ result, summary, cases, coverage, problems }: TestReport): Page {
  const { passed, failed, notRun } = summary;
  const section = (
    title: string,
    sign: '!' | '?' | '✓',
    sort: TestCaseRecord['result'],
  ): readonly Section[] => listSection(title, sign, cases.filter((one) => one.result === sort).map(entryOf));
  const counts = [`${passed} passed`, ...ifAny(failed, 'failed'), ...ifAny(notRun, 'not run')].join(', ');
  const tested = coverage.map(describeCoverage);
  return makePage({
    title: `Tests: ${counts}`,
    tone: result === 'passed' ? 'calm' : 'alarm',
    problems,
    blocks: [
      {
        block: 'cases',
        list: listByFile(cases),
        sections: () => [
          ...section('Failed', '!', 'failed'),
          ...section('Not run', '?', 'not-run'),
          ...section('Passed', '✓', 'passed'),
        ],
      },
      {
        block: 'groups',
        list: tested,
        sections: () =>
          listSection(
            'Tested',
            '✓',
            tested.map((one) => entryOfGroup(one, false)),
          ),
      },
    ],
    ending: { headline: `${formatCount(summary.cases, 'case')}: ${counts}`, rest: '.' },
  });
}

const STATES: Readonly<Record<TestCaseRecord['result'], State>> = {
  passed: ['passed ', 'green'],
  failed: ['FAILED ', 'red'],
  'not-run': ['not run', 'yellow'],
};

function listByFile(cases: readonly TestCaseRecord[]): Cases['list'] {
  const isOne = new Set(cases.map(({ environment }) => environment)).size < 2;
  return [...groupBy(cases, ({ file }) => file)].map(([file, inFile]) => ({
    file,
    cases: inFile.map(({ result, name, environment, line }) => ({
      state: STATES[result],
      name: environment === undefined || isOne ? name : `${name} (${environment})`,
      line,
    })),
  }));
}

function entryOf(record: TestCaseRecord): Entry {
  const { name, environment, file, line, column, problems, principals, result } = record;
  return {
    names: [name],
    at: { file, line, column },
    notes: [
      ...(environment === undefined ? [] : [environment]),
      ...(result === 'not-run' ? [] : [`for ${formatCount(principals, 'client')}`]),
    ],
    isRisky: result === 'failed',
    lines: () => problems.map(({ message }) => ({ sign: '!' as const, text: onOneLine(message) })),
  };
}

/** What the cases are about, and what no case is about. */
function describeCoverage(record: CoverageRecord): Group {
  const { environment, files, principals, interceptors, untestedPrincipals, untestedInterceptors } = record;
  const where = environment ?? files?.join(', ');
  const tested = (all: number, untested: readonly unknown[]): string => `${all - untested.length} of ${all}`;
  const without = (what: string, names: readonly string[]): readonly string[] =>
    names.length === 0 ? [] : [`without ${what}: ${list(names)}`];
  return {
    title: `Tested${where === undefined ? '' : ` in ${where}`}: ${tested(principals, untestedPrincipals)} clients, ${tested(interceptors, untestedInterceptors)} interceptors`,
    lines: [
      ...without(
        'a case',
        untestedPrincipals.map((one) => namePrincipals([one])),
      ),
      ...without('an expectation', untestedInterceptors),
    ],
  };
}
