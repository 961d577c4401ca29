import type { SourceFile } from '../../model/problem.ts';
import { inPart, joinParts, NO_CALLS, type ReadPart } from './request.ts';
import { readShell } from './shell/read-shell.ts';
import { scriptOf } from './shell/shell-files.ts';
import type { FilesBeside } from './shell/shell-state.ts';
import { usesLeftOut } from './uses.ts';

const ASSIGNMENT = /^(?:(?:export|override)\s+)*([A-Za-z_]\w*)\s*([?+]?=|:{0,3}=)(.*)$/;
const TARGET = /^([^\s:#=][^:#=]*)::?(?![=:])\s*(?:(?:export|override)\s+)?(?:([A-Za-z_]\w*)\s*[?+:]*=)?/;

/** Around a command that has a shell of its own; what closes it stands in the next line, behind a comment. */
const BEGINS = '(:; ';
const CLOSES = '); ';

/**
 * The recipes of a Makefile as one script, line by line: `$(X)` and `$$x` become what the shell gets, `ifeq` a condition. Each line of
 * a recipe has a shell of its own. A variable that a target has for itself stays open.
 */
export function readMakefile(file: SourceFile, files: FilesBeside): ReadPart {
  const lines = joinLines(file.text).split('\n');
  const open = new Set([...lines.map((line) => TARGET.exec(line)?.[2]), ...setAgain(lines)]);
  const targets: string[] = [];
  const variables = new Map<string, string>();
  const settingOf = (line: string): string => {
    const [, name, operator = '', written = ''] = ASSIGNMENT.exec(line) ?? [];
    if (name === undefined) return conditionOf(line);
    if (open.has(name)) return '';
    const [uncommented = ''] = written.split(/(?<!\\)#/, 1);
    const value = uncommented.trim();
    if (/\$(?![({]\w+[)}])/.test(value)) return '';
    // What is used before it is set has its value, too.
    if (!value.includes('$') && operator !== '+=' && !variables.has(name)) variables.set(name, value);
    const text = withVariables(value.replaceAll(/["\\`]/g, String.raw`\$&`));
    if (operator === '?=' && variables.get(name) !== value) return `: "\${${name}:=${text}}"`;
    return operator === '+=' ? `${name}="\${${name}-} ${text}"` : `${name}="${text}"`;
  };
  const [begins, closes] = /^\.ONESHELL\s*:/m.test(file.text) ? ['', ''] : [BEGINS, CLOSES];
  let goesOn = false;
  let before = '';
  const texts = lines.map((line) => {
    targets.push(TARGET.exec(line)?.[1] ?? targets.at(-1) ?? '');
    const isRecipe = line.startsWith('\t');
    const first = isRecipe && !goesOn ? `${begins}${line.replace(/^[\t @+-]*/, '')}` : line.slice(1);
    const text = `${before}${isRecipe ? withVariables(first) : settingOf(line)}`;
    goesOn = isRecipe && line.endsWith('\\');
    before = isRecipe && !goesOn ? closes : '';
    return text;
  });
  const script = scriptOf({ path: file.path, text: texts.join('\n') });
  const read = inPart(readShell(script, files, variables), (line) => targets[line - 1] ?? '');
  return joinParts([read, { ...NO_CALLS, uses: usesLeftOut(file, texts) }]);
}

/** Variables that are set again: recipes have the last value, also those above. */
function setAgain(lines: readonly string[]): readonly string[] {
  let depth = 0;
  const set = new Set<string>();
  const again: string[] = [];
  for (const line of lines) {
    if (/^ *ifn?(?:eq|def)\b/.test(line)) depth += 1;
    if (/^ *endif\b/.test(line)) depth -= 1;
    const [, name, operator = ''] = ASSIGNMENT.exec(line) ?? [];
    if (name === undefined || depth > 0 || /^[?+]/.test(operator)) continue;
    if (set.has(name)) again.push(name);
    set.add(name);
  }
  return again;
}

/** Lines that go on below, as one; those of a recipe begin with a tab, wherever they go on. */
function joinLines(text: string): string {
  return text.replaceAll(/^.*\\(?:\n.*\\)*\n.*$/gm, (whole) =>
    whole.startsWith('\t')
      ? whole.replaceAll(/\n\t?/g, '\n\t')
      : `${whole.replaceAll('\\\n', ' ')}${'\n'.repeat(whole.split('\n').length - 1)}`,
  );
}

function withVariables(text: string): string {
  return text.replaceAll(
    /\$(\$|\(([A-Za-z_]\w*)\)|\{([A-Za-z_]\w*)\})/g,
    (_, whole: string, one?: string, other?: string) => (whole === '$' ? '$' : `\${${one ?? other ?? ''}}`),
  );
}

/** `ifeq ($(X),y)` and the like, for the shell. */
function conditionOf(line: string): string {
  const [, otherwise, keyword, rest = ''] = /^ *(else\b *)?(ifn?eq|ifn?def|endif)?\b(.*)$/.exec(line) ?? [];
  if (keyword === 'endif') return 'fi';
  if (keyword === undefined) return otherwise === undefined ? '' : 'else :';
  const [, one = '', other = ''] =
    /^\s*\(([^,]*),(.*)\)\s*$/.exec(rest) ?? /^\s*["']([^"']*)["']\s+["']([^"']*)["']\s*$/.exec(rest) ?? [];
  const quoted = (text: string): string => `"${withVariables(text.trim().replaceAll(/["\\`]/g, ''))}"`;
  const test = keyword.endsWith('def')
    ? `[ ${keyword === 'ifdef' ? '-n' : '-z'} "\${${rest.replaceAll(/\W/g, '')}}" ]`
    : `[ ${quoted(one)} ${keyword === 'ifeq' ? '=' : '!='} ${quoted(other)} ]`;
  return `${otherwise === undefined ? 'if' : 'elif'} ${test}; then :`;
}

/** The commands of a Dockerfile, each in a shell of its own. */
export function readDockerfile(file: SourceFile, files: FilesBeside): ReadPart {
  let goesOn = false;
  let before = '';
  const lines = file.text.split('\n').map((line) => {
    const [keyword] = goesOn ? [] : (/^\s*(?:RUN|CMD|ENTRYPOINT|HEALTHCHECK.*?CMD)\s+/i.exec(line) ?? []);
    const isPart = goesOn || keyword !== undefined;
    const command = isPart ? line.slice(keyword?.length ?? 0) : '';
    const shown = /^\[.*\]$/.test(command.trim())
      ? command
          .trim()
          .slice(1, -1)
          .replaceAll(/"\s*,\s*"/g, '" "')
      : command;
    const text = `${before}${keyword === undefined ? '' : BEGINS}${shown}`;
    goesOn = isPart && line.trimEnd().endsWith('\\');
    before = isPart && !goesOn ? CLOSES : '';
    return text;
  });
  const read = readShell(scriptOf({ path: file.path, text: lines.join('\n') }), files);
  return joinParts([read, { ...NO_CALLS, uses: usesLeftOut(file, lines) }]);
}
