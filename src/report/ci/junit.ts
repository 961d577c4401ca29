import type { LocatedProblem } from '../../model/problem.ts';
import { forTerminal, onOneLine } from '../escape.ts';
import { filePath, messageWithHint, type About } from './located.ts';
import { placeText } from '../text/problems-text.ts';

/** JUnit XML: a test case for each problem, of which errors are failures; where there is none, one that passes. */
export function junit(problems: readonly LocatedProblem[], { tool }: About): string {
  const [name = tool] = tool.split(' ');
  const failures = problems.filter(({ severity }) => severity === 'error').length;
  const cases =
    problems.length === 0
      ? [`    <testcase${attributes({ classname: name, name: 'no problems' })}/>`]
      : problems.map((problem) => caseOf(problem, name));
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

function caseOf(problem: LocatedProblem, suite: string): string {
  const { code, severity, message, at, also, hint } = problem;
  const place = at === undefined ? '' : ` at ${at.line}:${at.column}`;
  const about = attributes({
    classname: at === undefined ? suite : filePath(at.file),
    name: `${code}${place}: ${onOneLine(message)}`,
    ...(at === undefined ? {} : { file: filePath(at.file), line: at.line }),
  });
  const text = [
    ...(at === undefined ? [] : [placeText(at)]),
    `${severity}: ${onOneLine(message)}`,
    ...(also === undefined ? [] : [`see also ${placeText(also)}`]),
    ...(hint === undefined ? [] : [onOneLine(hint)]),
  ].join('\n');
  const said =
    severity === 'error'
      ? `<failure${attributes({ type: code, message: messageWithHint(problem) })}>${escape(text)}</failure>`
      : `<system-out>${escape(text)}</system-out>`;
  return `    <testcase${about}>\n      ${said}\n    </testcase>`;
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${onOneLineOfXml(escape(String(value)))}"`)
    .join('');
}

/** An attribute as it is: readers take a line break or a tab in one for a space. */
function onOneLineOfXml(text: string): string {
  return text.replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** XML has no way to write control characters and halves of characters: they are spelled out. */
function escape(text: string): string {
  return forTerminal(text)
    .replace(/\p{Surrogate}|[\uFFFE\uFFFF]/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`)
    .replace(/[&<>"']/g, (special) => ENTITIES[special] ?? special);
}
