import type { LocatedProblem } from '../../model/problem.ts';
import type { Severity } from '../../model/problem-codes.ts';
import { onOneLine } from '../escape.ts';
import { mostTelling } from '../most-telling.ts';
import { formatMessage, formatPath, parseTool } from './problems.ts';

/**
 * GitHub workflow commands, one on a line: GitHub shows each as an annotation of its file and line, and only the first ten of a
 * step and severity. Warnings that the base has as well are none of the branch.
 */
export function renderGithub(problems: readonly LocatedProblem[], tool: string): string {
  const { name } = parseTool(tool);
  return mostTelling(problems.filter(({ severity, inBase }) => severity === 'error' || inBase !== true))
    .map((problem) => renderCommand(problem, name))
    .join('');
}

const COMMANDS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'notice' };

function renderCommand(problem: LocatedProblem, tool: string): string {
  const { code, severity, at } = problem;
  const properties = {
    ...(at === undefined ? {} : { file: formatPath(at.file), line: at.line, col: at.column }),
    title: `${tool} ${code}`,
  };
  const list = Object.entries(properties)
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
    .join(',');
  return `::${COMMANDS[severity]} ${list}::${escapeData(formatMessage(problem))}\n`;
}

/** Escapes what would end the line or the command, like GitHub's own toolkit. */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(onOneLine(text)).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
