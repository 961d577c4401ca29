import type { Problem } from '../../model/problem.ts';
import { parseTimeout } from '../../model/text/quantities.ts';
import type { Sourced, Variables } from '../../schema/yaml/interpolate.ts';
import type { Host } from '../host.ts';
import { reasonOf } from '../system-error.ts';
import { EXEC, findProgram, type SourceFault } from './variables.ts';
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
  const found = await Promise.all(
    [...new Set(names)].map(async (name): Promise<readonly [string, Resolved]> => {
      const resolved = await (name.startsWith(EXEC)
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
    'fault' in resolved ? [[name, problemOf(resolved.fault)] as const] : [],
  );
  return { value: { ...variables, source }, faults: new Map(faults) };
}

/** What came of a source; of a file with where it is, and all of its text. */
type Resolved =
  | { readonly text: string; readonly file?: { readonly path: string; readonly text: string } }
  | { readonly fault: SourceFault };

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
/** No secret is larger. */
export const MOST_SECRET_BYTES = 1_000_000;

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
  const ended = await host.runProgram({ command, folder, timeoutMs, mostBytes: MOST_SECRET_BYTES });
  const failed = (why: string): Resolved => {
    // Its output may be the secret, and its error message may repeat it.
    masker.learn(new TextDecoder().decode(ended.stdout.slice(0, MOST_REPEATED)));
    const words = masker.mask(ended.stderr.trim()).slice(0, MOST_WORDS);
    const hint = 'run it by hand, in the folder of gwconf.yaml';
    return { fault: { message: `${called} ${why}${words === '' ? '' : `: ${words}`}`, hint } };
  };
  if ('stopped' in ended) return failed(ended.stopped);
  if (ended.code !== 0) return failed(`ended with ${ended.code}`);
  try {
    const text = withoutNewline(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(ended.stdout),
    );
    return text === '' ? failed('printed nothing') : { text };
  } catch {
    return failed('printed something that is not UTF-8 text');
  }
}

const MOST_WORDS = 300;
const MOST_REPEATED = 10_000;

/** Text without the line break at its end. */
export function withoutNewline(text: string): string {
  return text.replace(/\r?\n$/, '');
}

/** A forged saved plan may use what it does not list. */
function notListed(name: string): SourceFault {
  return { message: `\${${name}} is not among the sources`, hint: 'plan again' };
}

function problemOf(fault: SourceFault): Problem {
  return { code: 'unresolved-source', severity: 'error', ...fault };
}
