import { isList, isObject, valueOf, type Json } from '../../model/json/json.ts';
import type { SourceFile } from '../../model/problem.ts';
import { positionAt } from '../../schema/yaml/text-lines.ts';
import type { Tree } from '../../schema/yaml/tree.ts';
import { inPart, joinParts, NO_CALLS, readUrl, type ReadPart } from './request.ts';
import { settingsIn } from './settings.ts';
import { readShell } from './shell/read-shell.ts';
import type { FilesBeside, Script } from './shell/shell-state.ts';
import { usesBeside } from './uses.ts';
import { fillExpressions, folderOf, inFolder, mayCall, MOST_VARIABLES, scriptIn } from './yaml-script.ts';

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
          if (typeof one?.value === 'string') scripts.add(one);
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
    const commands = commandsOfJob(at, tree);
    const isJob = commands.some(({ value: one }) => mayCall(one));
    if (isJob) {
      for (const one of commands) scripts.add(one);
      read(joinScripts(commands, file));
    }
    const [url, method] = [valueOf(value, 'url'), valueOf(value, 'method')];
    const path = typeof url === 'string' ? readUrl(url)?.path : undefined;
    if (path !== undefined && method !== undefined) {
      know(['url']);
      parts.push({ calls: [{ file: file.path, line: line(), path, ...MODULE }], others: 0 });
    }
    for (const [key, child] of children)
      if (!isJob || !SCRIPTS.includes(key))
        visit(child, isPartOf(at, child, tree) ? child : part, variables, folder);
  };
  visit(tree, tree, new Map(), '');
  return joinParts([...parts, { ...NO_CALLS, uses: usesBeside(tree, file, scripts) }]);
}

/** Lists that one shell runs: of GitLab and Bitbucket, Drone and Woodpecker, Buildkite. */
const LISTS = ['script', 'commands', 'command'];
const SCRIPTS = ['before_script', ...LISTS];

type Command = Tree & { readonly value: string };

/** The commands of a job, which one shell runs. With GitLab, those before a job are its own, or those of all. */
function commandsOfJob({ value, children }: Tree, root: Tree): readonly Command[] {
  const list = LISTS.map((key) => children.get(key)).find((one) => isList(one?.value));
  if (list === undefined || commandOf(value) !== undefined) return [];
  const before =
    children.get('before_script') ??
    root.children.get('default')?.children.get('before_script') ??
    root.children.get('before_script');
  const found: Command[] = [];
  let left = MOST_ITEMS;
  // Lists in lists come from aliases, and from `!reference [NAME, script]`.
  const take = (at: Tree | undefined): void => {
    left -= 1;
    if (left < 0 || at === undefined) return;
    if (isCommand(at)) found.push(at);
    else if (isList(at.value)) for (const one of at.children.values()) take(referred(one, root) ?? one);
  };
  for (const one of [before, list]) if (isList(one?.value)) take(one);
  // Words of one command have options among them.
  return found.some(({ value: text }) => text.startsWith('-')) ? [] : found;
}

/** References can refer to each other. */
const MOST_ITEMS = 1000;

/** What the keys in a list lead to, from the root of a document. */
function referred({ value }: Tree, root: Tree): Tree | undefined {
  if (!isList(value) || value.length === 0) return undefined;
  return value.reduce<Tree | undefined>(
    (at, key) => (typeof key === 'string' ? at?.children.get(key) : undefined),
    root,
  );
}

function isCommand(tree: Tree): tree is Command {
  return typeof tree.value === 'string';
}

function joinScripts(commands: readonly Command[], file: SourceFile): Script {
  const scripts = commands.map((one) => scriptIn(one, file, (text) => fillExpressions(text, {})));
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
