import { groupBy } from '../../model/collect.ts';
import { formatCount, list } from '../../model/text/list.ts';
import type { CoverageRecord, TestCaseRecord, TestReport, ValidateReport } from '../../outcome/files.ts';
import type { Lazy } from '../../outcome/lazy.ts';
import type { NormalisationCount, SelftestReport } from '../../outcome/selftest.ts';
import { onOneLine } from '../escape.ts';
import { ifAny } from '../phrases.ts';
import { describeChange, signOf } from './changes.ts';
import { editsOf } from './edits.ts';
import { groupsOf, factOf, listSection, makeEntry, makePage, tableOf, toneOf } from './make-page.ts';
import type { Cases, Entry, Group, Page, Section, State } from './page.ts';
import { namePrincipals } from './principals.ts';

/** What is wrong with files. */
export function pageOfValidate(report: ValidateReport): Page {
  const { result, summary } = report;
  const { resources, errors, warnings, environments } = summary;
  const where = environments === undefined ? '' : ` in ${formatCount(environments.length, 'environment')}`;
  const headline = result === 'valid' ? 'Valid' : 'Not valid';
  const counted = (of: string): string =>
    `${headline}: ${formatCount(resources, 'resource')}${of}, ${formatCount(errors, 'error')}, ${formatCount(warnings, 'warning')}`;
  return makePage(report, {
    title: counted(''),
    tone: result === 'valid' && warnings > 0 ? 'review' : toneOf(result),
    facts: factOf('Environments', environments?.join(', ')),
    ending: { headline, rest: `${counted(where).slice(headline.length)}.` },
  });
}

const REASONS: Readonly<Record<NormalisationCount['reason'], string>> = {
  'unknown-field': 'field unknown to gwconf',
  null: 'null for a field that is not set',
  'server-managed': 'field owned by the gateway',
  spelling: 'different spelling of the same value',
  default: 'default filled in',
  case: 'upper and lower case',
  order: 'order of a set',
};

/** What is live, compared with itself. */
export function pageOfSelftest(report: Lazy<SelftestReport>): Page {
  const { result, gateway, summary, changes, normalisations, unavailable } = report;
  const entries = Array.from(changes, (change) =>
    makeEntry(change.address, {
      sign: signOf(change.action),
      notes: describeChange(change),
      isRisky: true,
      edits: editsOf(change),
    }),
  );
  const rows = normalisations.map(({ kind, reason, count, path }) => [
    kind,
    REASONS[reason],
    String(count),
    path,
  ]);
  const isDone = result === 'no-differences' || changes.length > 0;
  const found = !isDone
    ? 'not everything was compared'
    : result === 'no-differences'
      ? `no differences in ${formatCount(summary.objects, 'object')}`
      : `${formatCount(summary.differences, 'difference')} in ${formatCount(summary.objects, 'object')}`;
  return makePage(report, {
    title: `Self-test: ${found}`,
    facts: [
      ...factOf('Gateway', gateway),
      ...factOf('Not served', unavailable.join(', '), {
        isCode: false,
        line: `Not served by the gateway, so not tested: ${unavailable.join(', ')}`,
      }),
    ],
    blocks: [
      ...tableOf('Normalised before comparing', ['Kind', 'Why', 'Times', 'Field'], rows, 'numbers'),
      ...listSection('Differences', '!', entries, {
        heading: 'A plan of the gateway against itself should be empty, but has',
      }),
    ],
    ending: !isDone
      ? { headline: 'Not everything was compared', rest: '.' }
      : result === 'no-differences'
        ? { headline: 'No differences', rest: `: ${formatCount(summary.objects, 'object')} compared.` }
        : {
            headline: formatCount(summary.differences, 'difference'),
            rest: ` in ${formatCount(summary.objects, 'object')}.`,
          },
  });
}

/** What came of tests; in documents the cases that failed come first. */
export function pageOfTests(report: TestReport): Page {
  const { summary, cases, coverage } = report;
  const { passed, failed, notRun } = summary;
  const section = (
    title: string,
    sign: '!' | '?' | '✓',
    sort: TestCaseRecord['result'],
  ): readonly Section[] => listSection(title, sign, cases.filter((one) => one.result === sort).map(entryOf));
  const counts = [`${passed} passed`, ...ifAny(failed, 'failed'), ...ifAny(notRun, 'not run')].join(', ');
  return makePage(report, {
    title: `Tests: ${counts}`,
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
      groupsOf('Tested', '✓', coverage.map(describeCoverage), false),
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
  return makeEntry(name, {
    at: { file, line, column },
    notes: [
      ...(environment === undefined ? [] : [environment]),
      ...(result === 'not-run' ? [] : [`for ${formatCount(principals, 'client')}`]),
    ],
    isRisky: result === 'failed',
    lines: () => problems.map(({ message }) => ({ sign: '!', text: onOneLine(message) })),
  });
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
