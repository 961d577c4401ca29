import { addAll } from '../../model/collect.ts';
import type { Problem, Checked, SourceFile } from '../../model/problem.ts';
import { TEST_FILE_ENDING, type TestDocument } from '../../model/test-case.ts';
import { hasEnding, isPassedOver, isYamlOrJson } from '../../model/text/file-ending.ts';
import { misnamedIn } from '../../schema/project/misnamed.ts';
import { parseTests } from '../../schema/tests/parse-tests.ts';
import type { Host } from '../host.ts';
import type { Workspace } from './workspace.ts';

export type ReadTest = { readonly file: SourceFile; readonly document: TestDocument };

/** Reads the tests of files and folders; without a path, all below the folder of the project. */
export async function readTests(
  host: Host,
  { project: { folder = '.', root }, memory, catalog }: Workspace,
  paths: readonly string[],
): Promise<Checked<readonly ReadTest[]> & { readonly files: readonly SourceFile[] }> {
  const named = paths.length > 0 ? paths : [folder];
  const { value: files, problems: unread } = await host.readSources(named, {
    root,
    ending: TEST_FILE_ENDING,
    checkSize: memory.checkFiles('tests'),
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

/** Tests below folders in files of other names, which nobody would run. Without a path, all below the folder of the project. */
export function findMisnamedTests(
  host: Pick<Host, 'walkFiles'>,
  { project: { folder = '.' } }: Workspace,
  paths: readonly string[],
): readonly Problem[] {
  const problems: Problem[] = [];
  const mayHaveTests = (name: string, isFolder: boolean): boolean =>
    isFolder ? !isPassedOver(name) : isYamlOrJson(name) && !hasEnding(name, TEST_FILE_ENDING);
  for (const file of host.walkFiles(paths.length > 0 ? paths : [folder], MOST_BYTES, mayHaveTests))
    if ('text' in file && !paths.includes(file.path) && /\bkind["']?\s*:\s*["']?Test\b/.test(file.text))
      addAll(problems, misnamedIn(file, 'Test'));
  return problems;
}

/** Larger files are state of something. */
const MOST_BYTES = 2_000_000;
