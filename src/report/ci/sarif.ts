import type { Location, Log, Notification, ReportingDescriptor, Result } from 'sarif';
import type { LocatedProblem, Position } from '../../model/problem.ts';
import { PROBLEM_CODES, type Severity } from '../../model/problem-codes.ts';
import { forTerminal, onOneLine } from '../escape.ts';
import { filePath, messageWithHint, type About } from './located.ts';

/**
 * SARIF 2.1.0, as code scanners take it. What stands in a file is a result; what stands in none, such as a gateway that
 * cannot be reached, is said of the run, because scanners refuse results without a place.
 */
export function sarif(problems: readonly LocatedProblem[], { tool }: About): string {
  const [name = tool, version] = tool.split(' ');
  const seen = new Map<string, number>();
  const placed = problems.filter(({ at }) => at !== undefined);
  const others = problems.filter(({ at }) => at === undefined);
  const log: Log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name, ...(version === undefined ? {} : { semanticVersion: version }), rules: RULES },
        },
        columnKind: 'utf16CodeUnits',
        invocations: [
          {
            executionSuccessful: others.every(({ severity }) => severity !== 'error'),
            toolExecutionNotifications: others.map(notificationOf),
          },
        ],
        results: placed.map((problem) => resultOf(problem, seen)),
      },
    ],
  };
  return forTerminal(`${JSON.stringify(log, null, 2)}\n`);
}

const CODES = Object.keys(PROBLEM_CODES);
const LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const satisfies Record<
  Severity,
  Result.level
>;
const RULES: ReportingDescriptor[] = Object.entries(PROBLEM_CODES).map(([id, { severity, meaning }]) => ({
  id,
  shortDescription: { text: meaning },
  defaultConfiguration: { level: LEVELS[severity] },
}));

function resultOf(problem: LocatedProblem, seen: Map<string, number>): Result {
  const { code, severity, at, also, address } = problem;
  const print = fingerprint(problem);
  const before = seen.get(print) ?? 0;
  seen.set(print, before + 1);
  return {
    ruleId: code,
    ruleIndex: CODES.indexOf(code),
    level: LEVELS[severity],
    message: { text: textOf(problem) },
    ...(at === undefined
      ? {}
      : {
          locations: [
            {
              ...locationOf(at),
              ...(address === undefined
                ? {}
                : { logicalLocations: [{ fullyQualifiedName: onOneLine(address), kind: 'resource' }] }),
            },
          ],
        }),
    ...(also === undefined
      ? {}
      : { relatedLocations: [{ id: 1, ...locationOf(also), message: { text: 'the first is here' } }] }),
    partialFingerprints: { 'gwconf/v1': before === 0 ? print : `${print}:${before}` },
  };
}

function notificationOf(problem: LocatedProblem): Notification {
  return {
    descriptor: { id: problem.code, index: CODES.indexOf(problem.code) },
    level: LEVELS[problem.severity],
    message: { text: textOf(problem) },
  };
}

// SARIF reads [text](target) as a link; a file may not make one.
function textOf(problem: LocatedProblem): string {
  return messageWithHint(problem).replaceAll('](', ']\\(');
}

function locationOf({ file, line, column }: Position): Location {
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(file) },
      region: { startLine: line, startColumn: column },
    },
  };
}

function uriOf(file: string): string {
  const path = filePath(file);
  // Half a character would not be a URI.
  const encoded = path
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
  const drive = /^[A-Za-z]%3A\//.test(encoded);
  if (drive) return `file:///${encoded.replace('%3A', ':')}`;
  return path.startsWith('/') ? `file://${encoded}` : encoded;
}

/** The same wherever in its file a problem has moved to: what is wrong with which field of what. */
function fingerprint({ code, at, address, path, message }: LocatedProblem): string {
  const about = address === undefined || path === undefined ? [message] : [address, path];
  return hash(JSON.stringify([code, filePath(at?.file ?? ''), ...about]));
}

/** FNV-1a of 64 bits: short and the same everywhere; nobody is kept out by it. */
function hash(text: string): string {
  let value = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    value = BigInt.asUintN(64, (value ^ BigInt(byte)) * 0x100000001b3n);
  }
  return value.toString(16).padStart(16, '0');
}
