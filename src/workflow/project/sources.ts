import { pointerIn } from '../../schema/load/pointer.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import { parseTimeout } from '../../model/text/quantities.ts';
import type { Sourced, SourceFault, Variables } from '../../schema/yaml/interpolate.ts';
import type { Host } from '../host.ts';
import type { openStores } from './open-store.ts';
import { isInStore } from './stores.ts';
import { reasonOf } from '../system-error.ts';
import { BY_HAND, MOST_SECRET_BYTES, printedBy, type Resolved } from './printed.ts';
import { EXEC, findProgram } from './variables.ts';
import { pathFrom } from './find-project.ts';
import type { Workspace } from './workspace.ts';

/**
 * Reads each file and runs each program that is named, once and all together. The variables of the project, with what
 * came of it; and what went wrong with which, for those who have no place to report it at.
 */
export async function resolveSources(
  host: Host,
  workspace: Workspace,
  names: Iterable<string>,
): Promise<{ readonly value: Variables; readonly faults: ReadonlyMap<string, Problem> }> {
  const {
    secrets: { note },
    variables,
  } = workspace;
  const all = [...new Set(names)];
  const readStore = all.some(isInStore) ? await openStoresOf(host, workspace) : undefined;
  const found = await Promise.all(
    all.map(async (name): Promise<readonly [string, Resolved]> => {
      const resolved = await (isInStore(name) && readStore !== undefined
        ? readStore(name)
        : name.startsWith(EXEC)
          ? runSource(host, workspace, name)
          : readSource(host, workspace, name));
      return [name, resolved];
    }),
  );
  const published = await findPublished(host, workspace, found);
  const known = new Map<string, Exclude<Sourced, 'open'>>();
  for (const [name, one] of found) {
    const isPublic = published.has(name);
    if ('text' in one && !isPublic) note(one.text);
    known.set(name, 'text' in one ? { text: one.text, isPublic } : one);
  }
  const source = (name: string): Sourced => {
    const resolved = known.get(name) ?? { fault: notListed(name) };
    // Where nothing is written it is as if nothing were read: open, unless there can be no such source.
    return 'fault' in resolved && variables.missing !== 'fault' ? variables.source(name) : resolved;
  };
  const faults = found.flatMap(([name, resolved]) =>
    'fault' in resolved
      ? [[name, makeProblem({ code: 'unresolved-source', ...resolved.fault })] as const]
      : [],
  );
  return { value: { ...variables, source }, faults: new Map(faults) };
}

/**
 * The variables with the content of the files that git has as they are, among those that are named: it is no secret, so it is known
 * wherever files are read. All other sources stay as they are.
 */
export async function readPublished(
  host: Host,
  workspace: Workspace,
  names: Iterable<string>,
): Promise<Variables> {
  const { variables } = workspace;
  const files = [...new Set(names)].filter((name) => name.startsWith(FILE));
  if (files.length === 0) return variables;
  const read = await Promise.all(
    files.map(async (name) => [name, await readSource(host, workspace, name)] as const),
  );
  const published = await findPublished(host, workspace, read);
  const known = new Map(read.filter(([name]) => published.has(name)));
  return {
    ...variables,
    source: (name) => {
      const found = known.get(name);
      return found !== undefined && 'text' in found
        ? { text: found.text, isPublic: true }
        : variables.source(name);
    },
  };
}

/** Loaded on demand: few projects have secrets in stores. */
const openStoresOf: typeof openStores = async (...args) => {
  const { openStores: open } = await import('./open-store.ts');
  return open(...args);
};

/** The names of files of the work tree that git has as they are: they are no secrets, whatever `${file:…}` makes of them. */
async function findPublished(
  host: Host,
  { project: { root } }: Workspace,
  sources: readonly (readonly [string, Resolved])[],
): Promise<ReadonlySet<string>> {
  const files = sources.flatMap(([name, one]) =>
    'text' in one && one.file !== undefined ? [{ name, ...one.file }] : [],
  );
  if (files.length === 0) return new Set();
  const paths = await host.listPublished(new Map(files.map(({ path, text }) => [path, text])), root);
  return new Set(files.filter(({ path }) => paths.has(path)).map(({ name }) => name));
}

/** How the names of files begin, in `${file:PATH}`. */
export const FILE = 'file:';

async function readSource(
  host: Host,
  { access: { secretRoot }, memory }: Workspace,
  name: string,
): Promise<Resolved> {
  const path = name.slice(FILE.length);
  const fault = (why: string): Resolved => ({
    fault: {
      message: `the secret file ${path} cannot be read: ${why}`,
      hint: 'check the path, which begins at the folder of gwconf.yaml, or where --secret-root says',
    },
  });
  try {
    const at = pathFrom(secretRoot, path);
    const whole = await host.readWithin([secretRoot], at, MOST_SECRET_BYTES);
    const text = withoutNewline(whole);
    const tooLarge = memory.note('file', name, text.length);
    if (tooLarge !== undefined) return { fault: tooLarge };
    const pointer = pointerIn(whole);
    if (pointer !== undefined) return fault(`it is ${pointer}`);
    return text === '' ? fault('it is empty') : { text, file: { path: at, text: whole } };
  } catch (error) {
    return fault(reasonOf(error));
  }
}

async function runSource(
  host: Host,
  { project: { folder = '.' }, access: { allowExec }, secrets: { masker }, environment }: Workspace,
  name: string,
): Promise<Resolved> {
  const program = findProgram(name, environment);
  if (program.fault !== undefined) return program;
  const called = `the program ${name.slice(EXEC.length)}`;
  if (!allowExec) {
    const hint = 'a pull request can change gwconf.yaml; use --allow-exec only where you trust it';
    return { fault: { message: `${called} is not run: nothing allows it`, hint } };
  }
  const { command, timeout = '10s' } = program;
  const timeoutMs = parseTimeout(timeout) ?? 10_000;
  const printed = await printedBy(host, masker, { command, folder, timeoutMs }, called);
  if ('fault' in printed) return printed;
  const text = withoutNewline(printed.text);
  return text === '' ? { fault: { message: `${called} printed nothing`, hint: BY_HAND } } : { text };
}

/** Text without the line break at its end. */
export function withoutNewline(text: string): string {
  return text.replace(/\r?\n$/, '');
}

/** A forged saved plan may use what it does not list. */
function notListed(name: string): SourceFault {
  return { message: `\${${name}} is not among the sources`, hint: 'plan again' };
}
