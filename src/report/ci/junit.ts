import type { LocatedProblem } from '../../model/problem.ts';
import { forTerminal, formatPlace, onOneLine } from '../escape.ts';
import { formatMessage, formatPath, parseTool } from './problem-text.ts';

/** JUnit XML: a test case for each problem, failed if it is an error; without problems, one that passes. */
export function renderJunit(problems: readonly LocatedProblem[], tool: string): string {
  const { name } = parseTool(tool);
  const failures = problems.filter(({ severity }) => severity === 'error').length;
  const cases =
    problems.length === 0
      ? [`    <testcase${attributes({ classname: name, name: 'no problems' })}/>`]
      : problems.map((problem) => renderCase(problem, name));
  const counts = { tests: cases.length, failures, errors: 0, skipped: 0 };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name, ...counts })}>`,
    `  <testsuite${attributes({ name, ...counts })}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>\n',
  ].join('\n');
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
