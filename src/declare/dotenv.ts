import type { SecretVariable } from './declared.ts';
import { quoteForShell } from '../model/text/escape.ts';

/**
 * Variables as `NAME='value'` lines, which a POSIX shell and the parsers of .env files read alike. No quoting for a value with
 * both a single quote and another special character suits both: then it is written for shells. What a file has already stays as it is,
 * and names that it has are not written again. `forShellsOnly` are the names of those that only shells read correctly.
 */
export function printDotenv(
  variables: readonly Pick<SecretVariable, 'name' | 'value'>[],
  before?: string,
): { readonly text: string; readonly forShellsOnly: readonly string[] } {
  const forShellsOnly: string[] = [];
  const there = readDotenv(before ?? '');
  const lines = variables.map(({ name, value }) => {
    if (there.has(name)) return '';
    const unknown = `# ${name} is unknown: the gateway did not return its value\n# ${name}=''\n`;
    if (value === undefined) return before?.includes(unknown) === true ? '' : unknown;
    const quoted = quoteForBoth(value);
    if (quoted !== undefined) return `${name}=${quoted}\n`;
    forShellsOnly.push(name);
    return `# for shells only\n${name}=${quoteForShell(value)}\n`;
  });
  const gap = before === undefined ? HEAD : before === '' || before.endsWith('\n') ? '' : '\n';
  return { text: `${before ?? ''}${gap}${lines.join('')}`, forShellsOnly };
}

const HEAD = '# Secrets: keep this file out of git. To use it in a shell: set -a; . FILE; set +a\n';

const ASSIGNMENT =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)=((?:'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|[^\s'"\\])*)/gm;

/** The names that a file sets, with their values; undefined for a value that a shell would have to work out. The last of a name counts. */
export function readDotenv(text: string): ReadonlyMap<string, string | undefined> {
  return new Map(
    Array.from(text.matchAll(ASSIGNMENT), ([, name = '', written = '']) => [name, unquote(written)]),
  );
}

function unquote(written: string): string | undefined {
  let value = '';
  for (const [, single, double, escaped, bare] of written.matchAll(
    /'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])|([^'"\\]+)/g,
  )) {
    if (/[$`\\]/.test(`${double ?? ''}${bare ?? ''}`)) return undefined;
    value += single ?? double ?? escaped ?? bare ?? '';
  }
  return value;
}

function quoteForBoth(value: string): string | undefined {
  if (value.includes('\r')) return undefined;
  if (!value.includes("'")) return `'${value}'`;
  return /["$`\\]/.test(value) ? undefined : `"${value}"`;
}
