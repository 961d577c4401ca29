import { groupBy } from '../../model/collect.ts';
import type { LocatedProblem } from '../../model/problem.ts';
import { forTerminal, formatPlace, onOneLine } from '../escape.ts';
import type { ProblemRecord } from '../../outcome/problem-record.ts';
import type { TestCaseRecord, TestReport } from '../../outcome/files.ts';
import { formatMessage, formatPath, parseTool } from './problems.ts';

/**
 * JUnit XML: a test case for each problem, failed if it is an error, and one for a result that is a failure by none of them; without any,
 * one that passes.
 */
export function renderJunit(problems: readonly LocatedProblem[], tool: string, failure?: string): string {
  const { name } = parseTool(tool);
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const failures = errors + (failure === undefined ? 0 : 1);
  const cases = problems.map((problem) => renderCase(problem, name));
  if (failure !== undefined) cases.push(renderFailure(`result: ${failure}`, name));
  if (cases.length === 0)
    cases.push(`    <testcase${attributes({ classname: name, name: 'no problems' })}/>`);
  const counts = { tests: cases.length, failures, errors: 0, skipped: 0 };
  return renderSuites([{ name, counts, cases }], tool);
}

/** JUnit XML of tests: a suite for each file, and one for mistakes in files, which are errors. */
export function renderTestJunit(
  { cases, problems }: Pick<TestReport, 'cases' | 'problems'>,
  tool: string,
): string {
  const { name } = parseTool(tool);
  const suites = [...groupBy(cases, ({ file }) => file)].map(([file, inFile]): Suite => ({
    name: formatPath(file),
    counts: {
      tests: inFile.length,
      failures: inFile.filter(({ result }) => result === 'failed').length,
      errors: 0,
      skipped: inFile.filter(({ result }) => result === 'not-run').length,
    },
    cases: inFile.map(renderTestCase),
  }));
  const ofCases = new Set(cases.flatMap((one) => one.problems.map((problem) => JSON.stringify(problem))));
  const mistakes = problems.filter(
    (problem) => problem.severity === 'error' && !ofCases.has(JSON.stringify(problem)),
  );
  if (mistakes.length > 0) {
    const counts = { tests: mistakes.length, failures: 0, errors: mistakes.length, skipped: 0 };
    suites.push({ name, counts, cases: mistakes.map((mistake) => renderMistake(mistake, name)) });
  }
  return renderSuites(suites, tool);
}

type Counts = {
  readonly tests: number;
  readonly failures: number;
  readonly errors: number;
  readonly skipped: number;
};
type Suite = { readonly name: string; readonly counts: Counts; readonly cases: readonly string[] };

function renderSuites(suites: readonly Suite[], tool: string): string {
  const total = (count: keyof Counts): number => suites.reduce((sum, { counts }) => sum + counts[count], 0);
  const counts = {
    tests: total('tests'),
    failures: total('failures'),
    errors: total('errors'),
    skipped: total('skipped'),
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: parseTool(tool).name, ...counts })}>`,
    ...suites.flatMap((suite) => [
      `  <testsuite${attributes({ name: suite.name, ...suite.counts })}>`,
      ...suite.cases,
      '  </testsuite>',
    ]),
    '</testsuites>\n',
  ].join('\n');
}

function renderTestCase({ name, environment, file, line, result, problems }: TestCaseRecord): string {
  const about = attributes({
    classname: formatPath(file),
    name: onOneLine(environment === undefined ? name : `${name} (${environment})`),
    file: formatPath(file),
    line,
  });
  const failures = problems.filter(({ severity }) => severity === 'error');
  const bodies =
    result === 'not-run'
      ? ['<skipped/>']
      : failures.map(
          (problem) =>
            `<failure${attributes({ type: problem.code, message: formatMessage(problem) })}>${escape(textOf(problem))}</failure>`,
        );
  if (bodies.length === 0) return `    <testcase${about}/>`;
  return [`    <testcase${about}>`, ...bodies.map((body) => `      ${body}`), '    </testcase>'].join('\n');
}

function renderMistake(problem: ProblemRecord, suite: string): string {
  const about = attributes({
    classname: problem.file === undefined ? suite : formatPath(problem.file),
    name: `${problem.code}: ${onOneLine(problem.message)}`,
  });
  const message = attributes({ type: problem.code, message: formatMessage(problem) });
  return `    <testcase${about}>\n      <error${message}>${escape(textOf(problem))}</error>\n    </testcase>`;
}

function textOf({ file, line = 1, column = 1, message, hint }: ProblemRecord): string {
  return [
    ...(file === undefined ? [] : [formatPlace({ file, line, column })]),
    onOneLine(message),
    ...(hint === undefined ? [] : [onOneLine(hint)]),
  ].join('\n');
}

function renderFailure(words: string, suite: string): string {
  const failure = `<failure${attributes({ message: words })}/>`;
  return `    <testcase${attributes({ classname: suite, name: words })}>\n      ${failure}\n    </testcase>`;
}

function renderCase(problem: LocatedProblem, suite: string): string {
  const { code, severity, message, at, also, hint } = problem;
  const place = at === undefined ? '' : ` at ${at.line}:${at.column}`;
  const about = attributes({
    classname: at === undefined ? suite : formatPath(at.file),
    name: `${code}${place}: ${onOneLine(message)}`,
    ...(at === undefined ? {} : { file: formatPath(at.file), line: at.line }),
  });
  const text = [
    ...(at === undefined ? [] : [formatPlace(at)]),
    `${severity}: ${onOneLine(message)}`,
    ...(also === undefined ? [] : [`see also ${formatPlace(also)}`]),
    ...(hint === undefined ? [] : [onOneLine(hint)]),
  ].join('\n');
  const body =
    severity === 'error'
      ? `<failure${attributes({ type: code, message: formatMessage(problem) })}>${escape(text)}</failure>`
      : `<system-out>${escape(text)}</system-out>`;
  return `    <testcase${about}>\n      ${body}\n    </testcase>`;
}

// XML readers turn a line break or a tab in an attribute into a space, unless it is escaped.
function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(
      ([name, value]) =>
        ` ${name}="${escape(String(value)).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')}"`,
    )
    .join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Also spells out control characters and unpaired surrogates, which XML cannot hold. */
function escape(text: string): string {
  return forTerminal(text)
    .replace(/\p{Surrogate}|[\uFFFE\uFFFF]/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`)
    .replace(/[&<>"']/g, (special) => ENTITIES[special] ?? special);
}
