import { getOrAdd } from '../../model/collect.ts';
import { isList, isObject, valueOf, type Json, type JsonObject, isScalar } from '../../model/json/json.ts';
import type { SourceFile } from '../../model/problem.ts';
import { positionAt } from '../../schema/yaml/text-lines.ts';
import type { Tree } from '../../schema/yaml/tree.ts';
import { inPart, joinParts, mayBe, NO_CALLS, placeholderFor, readUrl, type ReadPart } from './request.ts';
import { usesBeside, VARIABLES } from './uses.ts';
import { readShell } from './shell/read-shell.ts';
import type { FilesBeside, Script } from './shell/shell-state.ts';

/** The commands in any YAML file: jobs of GitLab, services of Compose, tasks of Ansible, manifests of Kubernetes. */
export function readYamlCommands(tree: Tree, file: SourceFile, files: FilesBeside): ReadPart {
  const parts: ReadPart[] = [];
  const scripts = new Set<Tree>();
  const settings = settingsIn(tree.value);
  const isCompose = tree.children.has('services');
  const visit = (at: Tree, part: Tree, outer: ReadonlyMap<string, string>, above: string): void => {
    const { value, children } = at;
    const folder = folderOf([value, valueOf(value, 'args')]) ?? above;
    const own = settings.of(value);
    const isMore = own.length > 0 && own.length + outer.size <= MOST_VARIABLES;
    const variables = isMore ? new Map([...outer, ...own]) : outer;
    const read = (script: Script): void =>
      void parts.push(
        inPart(readShell(inFolder(script, fill(folder)), files, variables), () => `${part.offset}`),
      );
    const line = (): number => positionAt(file, at.offset).line;
    // Compose writes a dollar twice, and Kubernetes fills in `$(NAME)`.
    const fill = (text: string): string =>
      fillExpressions(isCompose ? text.replaceAll('$$', '$') : text, {}).replaceAll(
        /\$\((\w+)\)/g,
        (whole, name: string) => variables.get(name) ?? whole,
      );
    const know = (keys: readonly string[]): void => {
      for (const key of keys)
        for (const one of [children.get(key), ...(children.get(key)?.children.values() ?? [])])
          if (one !== undefined) scripts.add(one);
    };
    if (typeof value === 'string' && mayCall(value)) {
      scripts.add(at);
      read(scriptIn(at, file, fill));
    }
    const command = commandOf(value);
    if (command !== undefined) {
      know(COMMANDS);
      read({ path: file.path, text: fill(command), lineAt: line });
    }
    const script = scriptOfJob(at, file, tree);
    if (script !== undefined) {
      know(SCRIPTS);
      read(script);
    }
    const [url, method] = [valueOf(value, 'url'), valueOf(value, 'method')];
    const path = typeof url === 'string' ? readUrl(url)?.path : undefined;
    if (path !== undefined && method !== undefined) {
      know(['url']);
      parts.push({ calls: [{ file: file.path, line: line(), path, ...MODULE }], others: 0 });
    }
    for (const [key, child] of children)
      if (script === undefined || !SCRIPTS.includes(key))
        visit(child, isPartOf(at, child, tree) ? child : part, variables, folder);
  };
  visit(tree, tree, new Map(), '');
  return joinParts([...parts, { ...NO_CALLS, uses: usesBeside(tree, file, scripts) }]);
}

/** Every script of a file gets all of them. */
const MOST_VARIABLES = 200;

const SCRIPTS = ['before_script', 'script'];

/** The commands of a job of GitLab, which one shell runs: those before a job are its own, or those of all. */
function scriptOfJob({ children }: Tree, file: SourceFile, { children: all }: Tree): Script | undefined {
  if (!children.has('script')) return undefined;
  const items = SCRIPTS.flatMap((key) => {
    const list =
      children.get(key) ??
      (key === 'script' ? undefined : (all.get('default')?.children.get(key) ?? all.get(key)));
    return isList(list?.value) ? [...list.children.values()] : [];
  });
  const fill = (text: string): string => fillExpressions(text, {});
  const scripts = items
    .filter(({ value }) => typeof value === 'string')
    .map((one) => scriptIn(one, file, fill));
  if (!scripts.some(({ text }) => mayCall(text))) return undefined;
  const lineAt = (at: number): number => {
    let rest = at;
    for (const one of scripts) {
      if (rest <= one.text.length) return one.lineAt(rest);
      rest -= one.text.length + 1;
    }
    return 1;
  };
  return { path: file.path, text: scripts.map(({ text }) => text).join('\n'), lineAt };
}

/** The variables that maps of a document set for the commands in them. One that maps set differently is open outside of its own. */
function settingsIn(document: Json): {
  readonly of: (value: Json) => readonly (readonly [string, string])[];
} {
  const values = new Map<string, Set<string>>();
  const visit = (value: Json): void => {
    for (const [name, text] of variablesIn(value)) getOrAdd(values, name, () => new Set()).add(text);
    for (const child of isList(value) ? value : isObject(value) ? Object.values(value) : []) visit(child);
  };
  visit(document);
  const isOwn = (value: Json): boolean =>
    ['script', 'command', 'args', 'run', 'image'].some((key) => valueOf(value, key) !== undefined);
  return {
    of: (value) =>
      variablesIn(value).filter(
        ([name, text]) => !/[${]/.test(text) && (isOwn(value) || values.get(name)?.size === 1),
      ),
  };
}

/** `variables` of GitLab, `env` of Kubernetes and `environment` of Compose, as a map or a list. */
function variablesIn(value: Json): readonly (readonly [string, string])[] {
  return VARIABLES.flatMap((key) => {
    const all = valueOf(value, key);
    const items = isList(all)
      ? all.map((item) =>
          typeof item === 'string'
            ? [item.slice(0, item.indexOf('=')), item.slice(item.indexOf('=') + 1)]
            : [valueOf(item, 'name'), valueOf(item, 'value')],
        )
      : isObject(all)
        ? Object.entries(all)
        : [];
    return items.flatMap(([name, one]) =>
      typeof name === 'string' &&
      /^[A-Za-z_]\w*$/.test(name) &&
      one !== null &&
      one !== undefined &&
      isScalar(one)
        ? [[name, String(one)] as const]
        : [],
    );
  });
}

const MODULE = { why: 'it is made by a module, which gwconf does not read', needsRecording: true };

/** Jobs, services, and what runs on a condition: nothing tells in which order these run. */
function isPartOf(at: Tree, child: Tree, root: Tree): boolean {
  const isChoice = ['when', 'if', 'rules', 'only', 'profiles'].some(
    (key) => valueOf(child.value, key) !== undefined,
  );
  return isChoice || (at === root && isObject(at.value)) || at === root.children.get('services');
}

const COMMANDS = ['entrypoint', 'command', 'args', 'argv'];

/** A command as a list of words: `command`, `args` and `entrypoint` of a container, `argv` of a task. */
function commandOf(value: Json): string | undefined {
  const words = COMMANDS.flatMap((key) => {
    const list = valueOf(value, key);
    return isList(list) ? list.filter((word) => typeof word === 'string') : [];
  });
  if (!words.some((word) => !/\s/.test(word) && readUrl(word) !== undefined)) return undefined;
  const image = valueOf(value, 'image');
  const isCurl = typeof image === 'string' && /curl/.test(image) && !words.some((word) => /curl$/.test(word));
  const quoted = words.map((word) => `"${word.replaceAll(/["\\`]/g, String.raw`\$&`)}"`);
  return [...(isCurl ? ['curl'] : []), ...quoted].join(' ');
}

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
        const place = valueOf(step.value, 'if') === undefined ? job : step;
        scripts.add(run);
        const script = scriptIn(run, file, fill);
        parts.push(
          inPart(readShell(inFolder(script, fill(folder)), files, variables), () => `${place.offset}`),
        );
      }
    }
  }
  return joinParts([...parts, { ...NO_CALLS, uses: usesBeside(tree, file, scripts) }]);
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

const FOLDERS = [
  'working-directory',
  'working_directory',
  'working_dir',
  'workingDir',
  'workingDirectory',
  'chdir',
];

/** The first folder in which commands are said to run. */
function folderOf(levels: readonly (Json | undefined)[]): string | undefined {
  return levels
    .flatMap((level) => FOLDERS.map((key) => valueOf(level, key)))
    .find((one) => typeof one === 'string');
}

function inFolder(script: Script, folder: string): Script {
  return folder === '' ? script : { ...script, text: `cd "${folder}"; ${script.text}` };
}

/** What CircleCI fills in: `<< parameters.name >>`. */
const PARAMETER = /<<\s{0,9}((?:parameters|pipeline|matrix)\.[\w.-]{1,100})\s{0,9}>>/g;

/** A script in a YAML file, with the lines of the file. */
function scriptIn(
  { value, offset, textOffset }: Tree,
  file: SourceFile,
  fill: (text: string) => string,
): Script {
  const filled = typeof value === 'string' ? fill(value) : '';
  const text = filled.replaceAll(PARAMETER, (_, name: string) => placeholderFor(name));
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
      if (value !== null && isScalar(value) && found.size < MOST_VARIABLES)
        found.set(name, fill(String(value)));
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
