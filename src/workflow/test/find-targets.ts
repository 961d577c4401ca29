import { dirname } from 'node:path';
import { addAll } from '../../model/collect.ts';
import type { Problem, Checked, SourceFile } from '../../model/problem.ts';
import { type LocatedText, TEST_FILE_ENDING, type TestDocument } from '../../model/test-case.ts';
import { suggest } from '../../model/text/suggest.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { parseTests } from '../../schema/tests/parse-tests.ts';
import type { Host, SourceOptions } from '../host.ts';
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

/** A test of a file. */
type ReadTest = { readonly file: SourceFile; readonly document: TestDocument };

type ReadTests = Checked<readonly ReadTest[]> & { readonly files: readonly SourceFile[] };

/** Reads the tests of files and folders; without a path, all below the folder of the project. */
export async function readTests(
  host: Host,
  { project: { folder = '.', root }, memory }: Workspace,
  paths: readonly string[],
): Promise<ReadTests> {
  const checkSize: SourceOptions['checkSize'] = (bytes, values) =>
    memory.note('file', 'tests', bytes, values);
  const named = paths.length > 0 ? paths : [folder];
  const { value: files, problems: unread } = await host.readSources(named, {
    root,
    ending: TEST_FILE_ENDING,
    checkSize,
  });
  const value: ReadTest[] = [];
  const problems: Problem[] = [...unread];
  for (const file of files) {
    const parsed = parseTests(file, catalog.kinds);
    addAll(
      value,
      parsed.value.map((document) => ({ file, document })),
    );
    addAll(problems, parsed.problems);
  }
  return { value, files, problems };
}
