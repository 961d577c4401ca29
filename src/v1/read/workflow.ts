import { isList, isObject, isScalar, valueOf, type Json, type JsonObject } from '../../model/json/json.ts';
import type { SourceFile } from '../../model/problem.ts';
import type { Tree } from '../../schema/yaml/tree.ts';
import { inPart, joinParts, mayBe, NO_CALLS, type ReadPart } from './request.ts';
import { readShell } from './shell/read-shell.ts';
import type { FilesBeside } from './shell/shell-state.ts';
import { usesBeside } from './uses.ts';
import { fillExpressions, folderOf, inFolder, MOST_VARIABLES, scriptIn } from './yaml-script.ts';

export function isWorkflow(document: Json): boolean {
  const jobs = valueOf(document, 'jobs');
  return isObject(jobs) && Object.values(jobs).some((job) => isList(valueOf(job, 'steps')));
}

const MOST_COMBINATIONS = 256;

/** The calls of the `run` steps of a GitHub workflow, for each combination of its matrix. */
export function readWorkflow(tree: Tree, file: SourceFile, files: FilesBeside): ReadPart {
  const parts: ReadPart[] = [];
  const scripts = new Set<Tree>();
  for (const job of tree.children.get('jobs')?.children.values() ?? []) {
    for (const matrix of combinationsOf(valueOf(valueOf(job.value, 'strategy'), 'matrix'))) {
      const set = new Set<string | undefined>();
      for (const step of job.children.get('steps')?.children.values() ?? []) {
        const written = step.children.get('run');
        // CircleCI has them in a map, too.
        const run = written?.children.get('command') ?? written;
        const before = new Set(set);
        for (const name of setForLater(step.value)) set.add(name);
        if (typeof run?.value !== 'string') continue;
        const fillMatrix = (text: string): string => fillExpressions(text, matrix);
        const outer = variablesOf([tree, job].map(envOf), fillMatrix);
        const kept = [...outer].filter(([name]) => !mayBe(before, name));
        const variables = new Map([...kept, ...variablesOf([envOf(step)], fillMatrix)]);
        const folder = folderOf([step.value, ...[job, tree].map(runDefaults)]) ?? '';
        const fill = (text: string): string => fillExpressions(text, matrix, variables);
        const condition = valueOf(step.value, 'if');
        const place = condition === undefined ? job : step;
        scripts.add(run);
        const script = scriptIn(run, file, fill);
        const read = readShell(inFolder(script, fill(folder)), files, variables);
        const isNever = [condition, valueOf(job.value, 'if')].some(isNo);
        parts.push(inPart(isNever ? neverMade(read) : read, () => `${place.offset}`));
      }
    }
  }
  return joinParts([...parts, { ...NO_CALLS, uses: usesBeside(tree, file, scripts) }]);
}

function isNo(condition: Json | undefined): boolean {
  const text = typeof condition === 'string' ? condition.trim() : condition;
  return text === false || (typeof text === 'string' && /^(?:\$\{\{ *false *\}\}|false)$/.test(text));
}

/** What a step or job that is switched off would call. */
function neverMade(read: ReadPart): ReadPart {
  const why = 'it is never made: its step or job is switched off';
  const calls = read.calls.map(({ file, line, method = '', path = '' }) => ({
    file,
    line,
    method,
    path,
    why,
  }));
  return { ...read, calls };
}

function envOf({ value }: Tree): Json | undefined {
  return valueOf(value, 'env');
}

/** What a step writes to GITHUB_ENV, or exports in a program. */
const EXPORTS = /^.*(?:GITHUB_ENV|exportVariable).*$/gm;
const EXPORTED = /(?:echo|printf) +["']?([A-Za-z_]\w*)(?:=|<<)|exportVariable\(\s*["'`](\w+)/;

/** The variables that a step sets for those after it; undefined for one whose name is calculated. */
function setForLater(step: Json): readonly (string | undefined)[] {
  const texts = [valueOf(step, 'run'), valueOf(valueOf(step, 'with'), 'script')];
  const lines = texts.flatMap((text) => (typeof text === 'string' ? (text.match(EXPORTS) ?? []) : []));
  return lines.map((line) => EXPORTED.exec(line)?.slice(1).join(''));
}

function runDefaults({ value }: Tree): Json | undefined {
  return valueOf(valueOf(value, 'defaults'), 'run');
}

function variablesOf(
  levels: readonly (Json | undefined)[],
  fill: (text: string) => string,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const level of levels) {
    for (const [name, value] of isObject(level) ? Object.entries(level) : []) {
      if (value !== null && isScalar(value) && found.size < MOST_VARIABLES)
        found.set(name, fill(String(value)));
    }
  }
  return found;
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
