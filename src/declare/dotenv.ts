import type { SecretVariable } from './declared.ts';

/** The text of a file of variables, and the names of those that only shells read correctly. */
export type DotenvText = { readonly text: string; readonly forShellsOnly: readonly string[] };

/**
 * Variables as `NAME='value'` lines, which a POSIX shell and the parsers of .env files read alike. No quoting for a value with
 * both a single quote and another special character suits both: then it is written for shells.
 */
export function printDotenv(variables: readonly Pick<SecretVariable, 'name' | 'value'>[]): DotenvText {
  const forShellsOnly: string[] = [];
  const lines = variables.map(({ name, value }) => {
    if (value === undefined)
      return `# ${name} is unknown: the gateway did not return its value\n# ${name}=''\n`;
    const quoted = quoteForBoth(value);
    if (quoted !== undefined) return `${name}=${quoted}\n`;
    forShellsOnly.push(name);
    return `# for shells only\n${name}=${quoteForShell(value)}\n`;
  });
  return { text: `${HEAD}${lines.join('')}`, forShellsOnly };
}

const HEAD = '# Secrets: keep this file out of git. To use it in a shell: set -a; . FILE; set +a\n';

function quoteForBoth(value: string): string | undefined {
  if (value.includes('\r')) return undefined;
  if (!value.includes("'")) return `'${value}'`;
  return /["$`\\]/.test(value) ? undefined : `"${value}"`;
}

function quoteForShell(value: string): string {
  return `'${value.replaceAll("'", String.raw`'\''`)}'`;
}
