import { addAll } from '../../model/collect.ts';
import { makeProblem, hasErrors, type Checked, type Problem, type SourceFile } from '../../model/problem.ts';
import { onOneLine } from '../../report/escape.ts';
import { formatFile, toYaml, yamlPath } from '../../schema/fmt/fmt.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import type { SourceOptions } from '../../workflow/host.ts';
import { findCatalog } from '../../workflow/project/find-project.ts';
import { MemoryBudget } from '../../workflow/project/memory-budget.ts';
import { filesOf } from '../connect/read-flags.ts';
import type { Given, Run } from '../given.ts';
import { UsageError, type Io } from '../io.ts';
import { unwritable, writeFile } from '../../workflow/write-file.ts';

/** Formats files in place and prints the names of those that change; stdin goes to stdout. */
export const run: Run<'fmt'> = async (given) => {
  const { args, io } = given;
  if (args.to !== undefined && args.to !== 'yaml')
    throw new UsageError(`expected --to yaml; found ${args.to}`);
  const catalog = await findCatalog(io);
  const { sources, paths } = await readFiles(given);
  const found: Problem[] = [...sources.problems];
  if (sources.value.length === 0 && !hasErrors(found)) found.push(nothingRead(paths));
  let changed = 0;
  for (const file of sources.value) {
    const fromStdin = file.path === 'stdin' && paths.includes('-');
    const isJson = fromStdin ? /^\s*[[{]/.test(file.text) : /\.json$/i.test(file.path);
    const isTurned = args.to === 'yaml' && isJson;
    const formatted = isTurned ? toYaml(file, catalog) : formatFile(file, catalog);
    addAll(found, formatted.problems);
    if (args.check !== true && fromStdin) io.copy(formatted.value ?? file.text);
    if (formatted.value === undefined) continue;
    if (args.check !== true && !fromStdin) {
      const unwritten = await replace(file.path, formatted.value, isTurned, io);
      addAll(found, unwritten);
      if (unwritten.length > 0) continue;
    }
    changed += 1;
    const name = isTurned ? `${file.path} -> ${yamlPath(file.path)}` : file.path;
    if (args.check === true || !fromStdin) io.out(`${onOneLine(name)}\n`);
  }
  const problems = locateProblems(found);
  const isUnformatted = args.check === true && changed > 0;
  const hints = isUnformatted
    ? `${changed} of ${sources.value.length} files are not formatted; gwconf fmt formats them.\n`
    : '';
  const failed = hasErrors(problems);
  const result = failed ? 'error' : isUnformatted ? 'unformatted' : changed > 0 ? 'formatted' : 'no-changes';
  return { result, problems, hints };
};

/** A check of nothing would always pass. */
function nothingRead(paths: readonly string[]): Problem {
  return makeProblem({
    code: 'no-resources',
    message: `there is no file of YAML or JSON in ${paths.join(', ')}`,
    hint: 'check the path',
  });
}

type Read = { readonly paths: readonly string[]; readonly sources: Checked<readonly SourceFile[]> };

/** The files of the paths; without any, those of the environment, of all environments, or of this folder. */
async function readFiles({ operand, args, io, openWorkspace }: Given<'fmt'>): Promise<Read> {
  const memory = new MemoryBudget(io);
  const read = async (paths: readonly string[], options?: SourceOptions): Promise<Read> => ({
    paths,
    sources: await io.readSources(paths, { ...options, checkSize: memory.checkFiles() }),
  });
  const named = [...(args.file ?? []), ...operand];
  if (named.length > 0) return read(named);
  const workspace = await openWorkspace(args);
  const { project, environment, files, problems } = workspace;
  const { filesByEnvironment, root, folder } = project;
  if (hasErrors(problems)) return { paths: [], sources: { value: [], problems } };
  if (folder === undefined) return read(filesOf([], args, workspace, io).paths);
  const paths = environment === undefined ? [...new Set([...filesByEnvironment.values()].flat())] : files;
  if (paths.length === 0) throw new UsageError('gwconf.yaml names no files: name files or folders');
  return read(paths, { root, isConfined: true });
}

/** Writes a file; YAML that was JSON takes the place of that file. */
async function replace(path: string, text: string, isTurned: boolean, io: Io): Promise<readonly Problem[]> {
  if (!isTurned) return writeFile(path, text, io, { isShared: true });
  const target = yamlPath(path);
  if (io.exists(target)) return [unwritable(target, 'it exists', `move it, or remove ${onOneLine(path)}`)];
  const unwritten = await writeFile(target, text, io, { isShared: true });
  if (unwritten.length === 0) await io.removeFile(path);
  return unwritten;
}
