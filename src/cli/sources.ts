import { isAbsolute, join } from 'node:path';
import type { Problem } from '../model/problem.ts';
import { onOneLine } from '../report/escape.ts';
import type { Sourced, Variables } from '../schema/yaml/interpolate.ts';
import { millisecondsOf } from './connect/duration.ts';
import { reasonOf } from './host/files.ts';
import type { Io } from './io.ts';
import { EXEC, programOf, type Fault } from './named-programs.ts';
import type { OpenProject } from './project.ts';
import { isTrue, withoutNewline } from './connect/settings.ts';

export type SourceArgs = { readonly allowExec?: boolean; readonly secretRoot?: string };

/**
 * Reads each file and runs each program that is named, once and all together. The variables of the project, with what
 * came of it; and what went wrong with which, for those who have no place to tell it at.
 */
export async function resolveSources(
  names: Iterable<string>,
  args: SourceArgs,
  project: OpenProject,
  io: Io,
): Promise<{ readonly value: Variables; readonly faults: ReadonlyMap<string, Problem> }> {
  const found = await Promise.all(
    [...new Set(names)].map(async (name): Promise<readonly [string, Made]> => {
      const sourced = name.startsWith(EXEC)
        ? await runNamed(name, args, project, io)
        : await readNamed(name, args, project, io);
      if ('text' in sourced) io.masker.learn(sourced.text);
      return [name, sourced];
    }),
  );
  const known = new Map(found);
  const { variables } = project;
  const source = (name: string): Sourced => {
    const made = known.get(name) ?? { fault: notAsked(name) };
    // For those who write nothing it is as for those who do not even ask: open, unless there can be no such source.
    return 'fault' in made && variables.leavesOpen === true ? (variables.source?.(name) ?? made) : made;
  };
  const value = Object.assign((name: string) => variables(name), variables, { source });
  const faults = found.flatMap(([name, made]) =>
    'fault' in made ? [[name, problemOf(made.fault)] as const] : [],
  );
  return { value, faults: new Map(faults) };
}

type Made = Exclude<Sourced, 'open'>;

const FILE = 'file:';
/** More is no secret. */
const MOST_BYTES = 1_000_000;

/** The folder in which the files of secrets lie. */
export function secretRoot({ secretRoot: given }: SourceArgs, { folder }: OpenProject, io: Io): string {
  const set = given ?? io.env('GWCONF_SECRET_ROOT') ?? '';
  return set === '' ? (folder ?? '.') : set;
}

async function readNamed(name: string, args: SourceArgs, project: OpenProject, io: Io): Promise<Made> {
  const path = name.slice(FILE.length);
  const fault = (why: string): Made => ({
    fault: {
      message: `the secret file ${onOneLine(path)} cannot be read: ${why}`,
      hint: 'check the path, which begins at the folder of gwconf.yaml, or where --secret-root says',
    },
  });
  try {
    const root = secretRoot(args, project, io);
    const text = withoutNewline(
      await io.readWithin(root, isAbsolute(path) ? path : join(root, path), MOST_BYTES),
    );
    return text === '' ? fault('it is empty') : { text };
  } catch (error) {
    return fault(reasonOf(error));
  }
}

async function runNamed(name: string, args: SourceArgs, project: OpenProject, io: Io): Promise<Made> {
  const { command, timeout, fault } = programOf(name, project.environment);
  if (fault !== undefined) return { fault };
  const called = `the program ${name.slice(EXEC.length)}`;
  if (args.allowExec !== true && !isTrue(io.env('GWCONF_ALLOW_EXEC'))) {
    const hint = 'gwconf.yaml may come with a pull request; give --allow-exec where it is trusted';
    return { fault: { message: `${called} is not run: nothing allows it`, hint } };
  }
  const ended = await io.runProgram({
    command,
    folder: project.folder ?? '.',
    timeoutMs: millisecondsOf(timeout) ?? 10_000,
    mostBytes: MOST_BYTES,
  });
  const failed = (why: string): Made => {
    // What it printed may be the secret, and its complaint may repeat it.
    io.masker.learn(new TextDecoder().decode(ended.stdout.slice(0, MOST_REPEATED)));
    const said = onOneLine(io.masker.mask(ended.stderr.trim())).slice(0, MOST_TALK);
    const hint = 'run it by hand, in the folder of gwconf.yaml';
    return { fault: { message: `${called} ${why}${said === '' ? '' : `: ${said}`}`, hint } };
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

const MOST_TALK = 300;
const MOST_REPEATED = 10_000;

/** A saved plan that was forged may use what it does not list. */
function notAsked(name: string): Fault {
  return { message: `\${${onOneLine(name)}} is not among the sources`, hint: 'plan again' };
}

function problemOf(fault: Fault): Problem {
  return { code: 'unresolved-source', severity: 'error', ...fault };
}
