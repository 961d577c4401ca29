import { isList, isObject, valueOf, type Json, type JsonObject, isScalar } from '../../model/json/json.ts';
import type { SourceFile } from '../../model/problem.ts';
import { positionAt } from '../../schema/yaml/text-lines.ts';
import type { Tree } from '../../schema/yaml/tree.ts';
import { joinParts, type ReadPart, placeholderFor } from './request.ts';
import { readShell } from './shell/read-shell.ts';
import { scriptOf } from './shell/shell-files.ts';
import type { FilesBeside, Script } from './shell/shell-state.ts';

/** The recipes of a Makefile as one script, line by line: `$(X)` and `$$x` become what the shell gets. */
export function readMakefile(file: SourceFile, files: FilesBeside): ReadPart {
  const lines = file.text.split('\n').map((line) => {
    if (line.startsWith('\t'))
      return line
        .replace(/^\t[@+-]*/, '')
        .replaceAll(
          /\$(\$|\(([A-Za-z_]\w*)\)|\{([A-Za-z_]\w*)\})/g,
          (_, whole: string, one?: string, other?: string) =>
            whole === '$' ? '$' : `\${${one ?? other ?? ''}}`,
        );
    const [, name, operator, value = ''] =
      /^(?:export\s+)?([A-Za-z_]\w*)\s*(\?=|:{0,2}=)(.*)$/.exec(line) ?? [];
    if (name === undefined || value.includes('$')) return '';
    const text = `'${value.trim().replaceAll("'", String.raw`'\''`)}'`;
    return operator === '?='
      ? `: "\${${name}:=${value.trim().replaceAll(/["\\`]/g, '')}}"`
      : `${name}=${text}`;
  });
  return readShell(scriptOf({ path: file.path, text: lines.join('\n') }), files);
}

/** The commands of a Dockerfile. */
export function readDockerfile(file: SourceFile, files: FilesBeside): ReadPart {
  let isCommand = false;
  const lines = file.text.split('\n').map((line) => {
    const [keyword] = /^\s*(?:RUN|CMD|ENTRYPOINT|HEALTHCHECK.*?CMD)\s+/i.exec(line) ?? [];
    const isPart = isCommand || keyword !== undefined;
    isCommand = isPart && line.trimEnd().endsWith('\\');
    if (!isPart) return '';
    const command = line.slice(keyword?.length ?? 0);
    return /^\[.*\]$/.test(command.trim())
      ? command
          .trim()
          .slice(1, -1)
          .replaceAll(/"\s*,\s*"/g, '" "')
      : command;
  });
  return readShell(scriptOf({ path: file.path, text: lines.join('\n') }), files);
}

/** The commands in any YAML file: jobs of GitLab, services of Compose, tasks of Ansible, manifests of Kubernetes. */
export function readYamlCommands(tree: Tree, file: SourceFile, files: FilesBeside): ReadPart {
  const parts: ReadPart[] = [];
  const visit = (at: Tree): void => {
    if (typeof at.value === 'string' && mayCall(at.value)) parts.push(readShell(scriptIn(at, file), files));
    for (const child of at.children.values()) visit(child);
  };
  visit(tree);
  return joinParts(parts);
}

export function isWorkflow(document: Json): boolean {
  const jobs = valueOf(document, 'jobs');
  return isObject(jobs) && Object.values(jobs).some((job) => isList(valueOf(job, 'steps')));
}

const MOST_COMBINATIONS = 256;

/** The calls of the `run` steps of a GitHub workflow, for each combination of its matrix. */
export function readWorkflow(tree: Tree, file: SourceFile, files: FilesBeside): ReadPart {
  const parts: ReadPart[] = [];
  for (const job of tree.children.get('jobs')?.children.values() ?? []) {
    for (const matrix of combinationsOf(valueOf(valueOf(job.value, 'strategy'), 'matrix'))) {
      for (const step of job.children.get('steps')?.children.values() ?? []) {
        const run = step.children.get('run');
        if (typeof run?.value !== 'string') continue;
        const env = [tree, job, step].map(({ value }) => valueOf(value, 'env'));
        const variables = variablesOf(env, (text) => fillExpressions(text, matrix));
        const fill = (text: string): string => fillExpressions(text, matrix, variables);
        parts.push(readShell(scriptIn(run, file, fill), files, variables));
      }
    }
  }
  return joinParts(parts);
}

/** A script in a YAML file, with the lines of the file. */
function scriptIn(
  { value, offset, textOffset }: Tree,
  file: SourceFile,
  fill: (text: string) => string = (text) => text,
): Script {
  const text = typeof value === 'string' ? fill(value) : '';
  const first = positionAt(file, textOffset ?? offset).line;
  const within = { path: file.path, text };
  // The text of other strings may be folded: its lines are not those of the file.
  const lineAt = (at: number): number =>
    first + (textOffset === undefined ? 0 : positionAt(within, at).line - 1);
  return { path: file.path, text, lineAt };
}

function variablesOf(
  levels: readonly (Json | undefined)[],
  fill: (text: string) => string,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const level of levels) {
    for (const [name, value] of isObject(level) ? Object.entries(level) : []) {
      if (value !== null && isScalar(value)) found.set(name, fill(String(value)));
    }
  }
  return found;
}

/** Fills in `${{ matrix.x }}` and `${{ env.X }}`; other expressions become placeholders. */
function fillExpressions(text: string, matrix: JsonObject, env?: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\{\{([^{}]{0,300})\}\}/g, (_, written: string) => {
    const expression = written.trim();
    const value = expression.startsWith('matrix.')
      ? expression.slice('matrix.'.length).split('.').reduce<Json | undefined>(valueOf, matrix)
      : expression.startsWith('env.')
        ? env?.get(expression.slice('env.'.length))
        : undefined;
    if (value !== undefined && value !== null && isScalar(value)) return String(value);
    return placeholderFor(expression.replace(/^(?:secrets|vars|env|inputs|github\.event\.inputs)\./, ''));
  });
}

/** The combinations of a matrix, without those of `exclude` and with those of `include`. */
function combinationsOf(matrix: Json | undefined): readonly JsonObject[] {
  if (!isObject(matrix)) return [{}];
  let all: readonly JsonObject[] = [{}];
  for (const [name, values] of Object.entries(matrix)) {
    if (name === 'include' || name === 'exclude' || !isList(values)) continue;
    all = all
      .flatMap((one) => values.map((value) => ({ ...one, [name]: value })))
      .slice(0, MOST_COMBINATIONS);
  }
  const excluded = listOf(valueOf(matrix, 'exclude'));
  const included = listOf(valueOf(matrix, 'include'));
  const left = all.filter(
    (one) => !excluded.some((other) => Object.entries(other).every(([name, value]) => one[name] === value)),
  );
  const isOnlyIncluded =
    included.length > 0 && Object.keys(matrix).every((name) => name === 'include' || name === 'exclude');
  return [...(isOnlyIncluded ? [] : left), ...included].slice(0, MOST_COMBINATIONS);
}

function listOf(value: Json | undefined): readonly JsonObject[] {
  return isList(value) ? value.filter(isObject) : [];
}

/** Whether a text can be a script that makes HTTP calls. */
export function mayCall(text: string): boolean {
  return /(?:^|[\s/"'`(;|&])(?:curl|wget|https?|xh)[\s"'\\]/.test(text) && text.includes('/');
}
