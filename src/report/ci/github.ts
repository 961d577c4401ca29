import type { LocatedProblem } from '../../model/problem.ts';
import type { Severity } from '../../model/problem-codes.ts';
import { onOneLine } from '../escape.ts';
import { filePath, messageWithHint, type About } from './located.ts';

/** Commands of a GitHub workflow, one a line: GitHub shows each beside the line of the file that it is about. */
export function github(problems: readonly LocatedProblem[], { tool }: About): string {
  const [name = tool] = tool.split(' ');
  return problems.map((problem) => commandOf(problem, name)).join('');
}

const COMMANDS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'notice' };

function commandOf(problem: LocatedProblem, tool: string): string {
  const { code, severity, at } = problem;
  const properties = {
    ...(at === undefined ? {} : { file: filePath(at.file), line: at.line, col: at.column }),
    title: `${tool} ${code}`,
  };
  const written = Object.entries(properties)
    .map(([name, value]) => `${name}=${property(String(value))}`)
    .join(',');
  return `::${COMMANDS[severity]} ${written}::${data(messageWithHint(problem))}\n`;
}

/** What would end the line or the command, as GitHub's own toolkit writes it. */
function data(text: string): string {
  return onOneLine(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
