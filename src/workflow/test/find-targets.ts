import { dirname } from 'node:path';
import type { Problem } from '../../model/problem.ts';
import type { LocatedText } from '../../model/test-case.ts';
import { suggest } from '../../model/text/suggest.ts';
import type { Host } from '../host.ts';
import type { ReadTest } from '../project/load-tests.ts';
import { pathFrom } from '../project/find-project.ts';
import { openBeside } from '../project/open-workspace.ts';
import type { Workspace } from '../project/workspace.ts';

/** What a test is about: files, with the rules of an environment if it names one. */
export type Target = {
  /** The name of the environment. */
  readonly environment: string | undefined;
  readonly workspace: Workspace;
  /** Files that the test names. */
  readonly files: readonly LocatedText[] | undefined;
  /** Equal for targets that are read once. */
  readonly key: string;
};

/** The targets of a test; none if it is for another environment than the chosen one. */
export function findTargets(
  host: Host,
  { file, document }: ReadTest,
  workspace: Workspace,
  chosen: string | undefined,
): { readonly value: readonly Target[]; readonly problems: readonly Problem[] } {
  const { environment: named, files: written } = document;
  const files = written?.map(({ text, at }) => ({ text: pathFrom(dirname(file.path), text), at }));
  const targetOf = (name: string | undefined, one: Workspace): Target => ({
    environment: name,
    workspace: one,
    files,
    key: JSON.stringify([name ?? '', files?.map(({ text }) => text)]),
  });
  if (named !== undefined) {
    if (!workspace.project.filesByEnvironment.has(named.text))
      return { value: [], problems: [unknown(named, workspace)] };
    if (chosen !== undefined && chosen !== named.text) return { value: [], problems: [] };
    return { value: [targetOf(named.text, openBeside(host, workspace, named.text))], problems: [] };
  }
  const { environment } = workspace;
  if (environment !== undefined || files !== undefined || workspace.project.filesByEnvironment.size === 0)
    return { value: [targetOf(environment?.name, workspace)], problems: [] };
  const all = [...workspace.project.filesByEnvironment].filter(([, layers]) => layers.length > 0);
  return { value: all.map(([name]) => targetOf(name, openBeside(host, workspace, name))), problems: [] };
}

function unknown({ text, at }: LocatedText, { project: { folder, filesByEnvironment } }: Workspace): Problem {
  const names = [...filesByEnvironment.keys()];
  const near = suggest(text, names);
  const known =
    folder === undefined
      ? 'write a gwconf.yaml with it, or name files instead'
      : names.length === 0
        ? 'add it to gwconf.yaml'
        : `use one of ${names.join(', ')}`;
  return {
    code: 'invalid-value',
    severity: 'error',
    message: `there is no environment ${text}`,
    at,
    hint: near === undefined ? known : `did you mean ${near}?`,
  };
}
