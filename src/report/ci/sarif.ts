import type { Location, Log, Notification, ReportingDescriptor, Result } from 'sarif';
import type { LocatedProblem, Position } from '../../model/problem.ts';
import { meaningOf, type Severity } from '../../model/problem-codes.ts';
import { forTerminal, onOneLine } from '../escape.ts';
import { fingerprints, formatMessage, formatPath, parseTool } from './problems.ts';

/**
 * SARIF 2.1.0 for code scanners. A problem in a file is a result. One in no file, such as a gateway that cannot be
 * reached, is a notification of the run, because scanners refuse results without a place. `failure` is the result that is one by none
 * of them.
 */
export function renderSarif(problems: readonly LocatedProblem[], tool: string, failure?: string): string {
  const { name, version } = parseTool(tool);
  const codes = [...new Set(problems.map(({ code }) => code))].sort();
  const printOf = fingerprints();
  const placed = problems.flatMap(({ at, ...problem }) => (at === undefined ? [] : [{ ...problem, at }]));
  const others = problems.filter(({ at }) => at === undefined);
  const log: Log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name,
            ...(version === undefined ? {} : { semanticVersion: version }),
            rules: codes.map(toRule),
          },
        },
        columnKind: 'utf16CodeUnits',
        invocations: [
          {
            executionSuccessful:
              failure === undefined && others.every(({ severity }) => severity !== 'error'),
            toolExecutionNotifications: others.map((problem) => toNotification(problem, codes)),
          },
        ],
        results: placed.map((problem) => toResult(problem, printOf, codes)),
      },
    ],
  };
  return forTerminal(`${JSON.stringify(log, null, 2)}\n`);
}

const LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const satisfies Record<
  Severity,
  Result.level
>;

function toRule(id: string): ReportingDescriptor {
  const { severity, meaning } = meaningOf(id) ?? { severity: 'error', meaning: id };
  return { id, shortDescription: { text: meaning }, defaultConfiguration: { level: LEVELS[severity] } };
}

function toResult(
  problem: LocatedProblem & { readonly at: Position },
  printOf: (problem: LocatedProblem) => string,
  codes: readonly string[],
): Result {
  const { code, severity, at, also, address, inBase } = problem;
  return {
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: LEVELS[severity],
    message: { text: formatText(problem) },
    locations: [
      {
        ...toLocation(at),
        ...(address && { logicalLocations: [{ fullyQualifiedName: onOneLine(address), kind: 'resource' }] }),
      },
    ],
    ...(also && {
      relatedLocations: [{ id: 1, ...toLocation(also), message: { text: 'the first is here' } }],
    }),
    ...(inBase === true ? { baselineState: 'unchanged' as const } : {}),
    partialFingerprints: { 'gwconf/v1': printOf(problem) },
  };
}

function toNotification(problem: LocatedProblem, codes: readonly string[]): Notification {
  return {
    descriptor: { id: problem.code, index: codes.indexOf(problem.code) },
    level: LEVELS[problem.severity],
    message: { text: formatText(problem) },
  };
}

// SARIF reads [text](target) as a link, which a message must not contain.
function formatText(problem: LocatedProblem): string {
  return formatMessage(problem).replaceAll('](', ']\\(');
}

function toLocation({ file, line, column }: Position): Location {
  return {
    physicalLocation: {
      artifactLocation: { uri: toUri(file) },
      region: { startLine: line, startColumn: column },
    },
  };
}

function toUri(file: string): string {
  const path = formatPath(file);
  // An unpaired surrogate cannot be encoded in a URI.
  const encoded = path
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
  const drive = /^[A-Za-z]%3A\//.test(encoded);
  if (drive) return `file:///${encoded.replace('%3A', ':')}`;
  return path.startsWith('/') ? `file://${encoded}` : encoded;
}
