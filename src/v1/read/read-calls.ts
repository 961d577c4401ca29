import { posix } from 'node:path';
import { asMap, isList, valueOf, type Json } from '../../model/json/json.ts';
import { makeProblem, type Problem, type SourceFile } from '../../model/problem.ts';
import { makeMasker } from '../../plan/secrets/masker.ts';
import { readTrees, textsIn, type Tree } from '../../schema/yaml/tree.ts';
import {
  type Call,
  joinParts,
  NO_CALLS,
  placeholderFor,
  type ReadPart,
  RESERVED,
  type UnreadCall,
} from './request.ts';
import { credentialsIn, withoutCredentials } from './credentials.ts';
import {
  isHar,
  readHar,
  readHttpFile,
  isPostman,
  isPostmanEnvironment,
  readEnvironment,
  readPostman,
} from './http-clients.ts';
import { readDockerfile, readMakefile } from './build-files.ts';
import { isWorkflow, readWorkflow } from './workflow.ts';
import { readYamlCommands } from './yaml-commands.ts';
import { mayCall } from './yaml-script.ts';
import { readShell } from './shell/read-shell.ts';
import { scriptOf } from './shell/shell-files.ts';
import type { FilesBeside } from './shell/shell-state.ts';
import { hasReserved } from './unknown.ts';
import { unreadIn, usesOf } from './uses.ts';
import { positionAt } from '../../schema/yaml/text-lines.ts';

export type ReadFiles = {
  readonly calls: readonly (Call | UnreadCall)[];
  readonly problems: readonly Problem[];
  /** Credentials of the calls, and what hides them in a text. No call has one in its URL. */
  readonly credentials: ReadonlySet<string>;
  readonly mask: (text: string) => string;
  /** How many requests do not go to the admin API of a gateway. */
  readonly others: number;
  /** Files that no reader is for. */
  readonly skipped: readonly string[];
};

/** The calls to gateways that files make, in the order of the files. Nothing is run, and only `files` reads others. */
export function readCalls(sources: readonly SourceFile[], files: FilesBeside): ReadFiles {
  const opened = sources.map((file) => open(file));
  const environment = joinEnvironments(
    opened.flatMap(({ trees }) =>
      trees.filter(({ value }) => isPostmanEnvironment(value)).map(({ value }) => readEnvironment(value)),
    ),
  );
  const parts = opened.map((one) => ({ file: one.file, ...readOne(one, files, environment) }));
  const included = findIncluded(parts);
  const kept = parts.filter(({ file }) => !included.has(posix.normalize(file.path)));
  const { calls, others, uses } = joinParts(kept);
  const inTrees = opened.flatMap(({ trees }) => trees.flatMap(({ value }) => credentialsIn(value)));
  const credentials = new Set([...(joinParts(parts).credentials ?? []), ...inTrees]);
  const { learn, mask } = makeMasker();
  for (const one of credentials) learn(one);
  const gateways = new Set(
    calls.flatMap((call) => ('gateway' in call && !call.path.startsWith('/health') ? [call.gateway] : [])),
  );
  const ours = calls.filter((call) => isOfGateway(call, gateways));
  return {
    calls: [...ours, ...(uses === undefined ? [] : unreadIn(uses))].map((call) =>
      withoutCredentials(call, mask),
    ),
    credentials,
    mask,
    problems: opened.flatMap(({ problems }) => problems),
    others: others + calls.length - ours.length,
    skipped: parts.flatMap(({ file, isSkipped }) => (isSkipped === true ? [file.path] : [])),
  };
}

/** What several environments of Postman set differently stays a variable: nothing tells which of them is meant. */
function joinEnvironments(all: readonly ReadonlyMap<string, string>[]): ReadonlyMap<string, string> {
  const names = new Set(all.flatMap((one) => [...one.keys()]));
  return new Map(
    Array.from(names, (name) => {
      const [value = '', ...others] = all.map((one) => one.get(name)).filter((one) => one !== undefined);
      return [name, others.every((other) => other === value) ? value : placeholderFor(name)];
    }),
  );
}

type Opened = {
  readonly file: SourceFile;
  readonly trees: readonly Tree[];
  readonly problems: readonly Problem[];
};

function open(file: SourceFile): Opened {
  if (hasReserved(file.text)) return refuse(file, RESERVED);
  if (!/\.(?:ya?ml|json|har)$/i.test(file.path)) return { file, trees: [], problems: [] };
  const trees = readTrees(file);
  if ('fault' in trees) return refuse(file, trees.fault, trees.offset);
  const isReserved = trees.some(({ value }) => [...textsIn(value)].some(hasReserved));
  return isReserved ? refuse(file, RESERVED) : { file, trees, problems: [] };
}

function refuse(file: SourceFile, fault: string, offset = 0): Opened {
  const message = `${file.path} ${fault.replace(/^it /, '')}`;
  const hint = 'correct it, or leave it out';
  const at = { file, offset };
  return {
    file,
    trees: [],
    problems: [makeProblem({ code: 'unreadable-file', message, at, confidential: true, hint })],
  };
}

type Read = ReadPart & { readonly isSkipped?: boolean };

function readOne(
  { file, trees, problems }: Opened,
  files: FilesBeside,
  environment: ReadonlyMap<string, string>,
): Read {
  // Such as a template of Helm: what it uses is there all the same.
  if (problems.length > 0) return { ...NO_CALLS, uses: usesOf(file) };
  if (trees.length > 0) return readDocuments(file, trees, files, environment);
  const name = posix.basename(file.path).toLowerCase();
  if (/\.(?:http|rest)$/.test(name)) return readHttpFile(file, files);
  if (/^(?:gnu)?makefile$|\.mk$/.test(name)) return readMakefile(file, files);
  if (/^(?:dockerfile|containerfile)|\.dockerfile$/.test(name)) return readDockerfile(file, files);
  const isShell = /\.(?:sh|bash|ksh|zsh)$/.test(name) || /^#!.*\b(?:ba|da|k|z)?sh\b/.test(file.text);
  // Other files are scripts only if their names say nothing else.
  if (isShell || (!name.slice(1).includes('.') && mayCall(file.text)))
    return readShell(scriptOf(file), files);
  return { ...NO_CALLS, isSkipped: true, uses: usesOf(file) };
}

function readDocuments(
  file: SourceFile,
  trees: readonly Tree[],
  files: FilesBeside,
  environment: ReadonlyMap<string, string>,
): Read {
  if (trees.some(({ value }) => isRecorded(value)))
    return { calls: trees.flatMap((tree) => readRecorded(tree, file)), others: 0 };
  const readers: readonly (readonly [(document: Json) => boolean, (tree: Tree) => ReadPart])[] = [
    [isPostman, (tree) => readPostman(tree, file, environment)],
    [isPostmanEnvironment, () => NO_CALLS],
    [isHar, (tree) => readHar(tree, file)],
    [isWorkflow, (tree) => readWorkflow(tree, file, files)],
    [() => /\.ya?ml$/i.test(file.path), (tree) => readYamlCommands(tree, file, files)],
  ];
  const parts = trees.map((tree) => readers.find(([is]) => is(tree.value))?.[1](tree));
  const read = parts.filter((part) => part !== undefined);
  return read.length === 0 ? { ...NO_CALLS, isSkipped: true, uses: usesOf(file) } : joinParts(read);
}

/** The scripts that another one runs. */
function findIncluded(parts: readonly (Read & { readonly file: SourceFile })[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { file, included = [] } of parts) {
    const path = posix.normalize(file.path);
    if (!found.has(path)) for (const one of included) found.add(posix.normalize(one));
  }
  return found;
}

/** Many servers have a /health: it counts where the server is a gateway. */
function isOfGateway(call: Call | UnreadCall, gateways: ReadonlySet<string>): boolean {
  if (call.path?.startsWith('/health') !== true || !('gateway' in call)) return true;
  return /:8888$|gateway|gw/i.test(call.gateway) || gateways.has(call.gateway);
}

/** Whether a document has recorded calls. */
function isRecorded(document: Json): boolean {
  const calls = valueOf(document, 'calls');
  return isList(calls) ? calls.some(isRequest) : isRequest(valueOf(document, 'request'));
}

function isRequest(value: Json | undefined): boolean {
  return typeof valueOf(value, 'method') === 'string' && typeof valueOf(value, 'path') === 'string';
}

/**
 * Reads calls that are kept as data: `baseUrl` and a list `calls`, or a document with a `request` for each. Where calls name
 * their gateway, that name tells gateways apart.
 */
function readRecorded(tree: Tree, file: SourceFile): readonly (Call | UnreadCall)[] {
  if (!isRecorded(tree.value)) return [];
  const base = textOf(valueOf(tree.value, 'baseUrl'));
  const calls = tree.children.get('calls');
  const requests =
    calls === undefined ? [tree.children.get('request') ?? tree] : [...calls.children.values()];
  return requests.map((request) => readRequest(request, base, file));
}

function readRequest({ value, offset }: Tree, base: string, file: SourceFile): Call | UnreadCall {
  const { line } = positionAt(file, offset);
  const place = { file: file.path, line };
  if (!isRequest(value)) return { ...place, why: 'expected a method and a path' };
  const query = Object.entries(asMap(valueOf(value, 'query'))).map(
    ([key, one]) => [key, textOf(one)] as const,
  );
  return {
    ...place,
    gateway: textOf(valueOf(value, 'gateway')) || base,
    method: textOf(valueOf(value, 'method')).toUpperCase(),
    path: textOf(valueOf(value, 'path')),
    query: Object.fromEntries(query),
    body: valueOf(value, 'body'),
  };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}
