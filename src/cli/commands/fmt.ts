import { addAll } from '../../model/collect.ts';
import { hasErrors, type Problem } from '../../model/problem.ts';
import { onOneLine } from '../../report/escape.ts';
import { formatFile } from '../../schema/fmt/fmt.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { MemoryBudget } from '../../workflow/project/memory.ts';
import { EXIT, type ExitCode, type Io } from '../io.ts';
import { finish } from '../present/finish.ts';
import { writeFile } from '../present/write-file.ts';

export type FmtArgs = { readonly check?: boolean };

/** Formats files in place and prints the names of those that change; stdin goes to stdout. */
export async function fmt(paths: readonly string[], args: FmtArgs, io: Io): Promise<ExitCode> {
  const memory = new MemoryBudget(io);
  const sources = await io.readSources(paths, { checkSize: (bytes) => memory.note('file', 'files', bytes) });
  const found: Problem[] = [...sources.problems];
  let changed = 0;
  for (const file of sources.value) {
    const formatted = formatFile(file, catalog);
    addAll(found, formatted.problems);
    const fromStdin = file.path === 'stdin' && paths.includes('-');
    if (args.check !== true && fromStdin) io.copy(formatted.value ?? file.text);
    if (formatted.value === undefined) continue;
    if (args.check !== true && !fromStdin) {
      const unwritten = await writeFile(file.path, formatted.value, io, { isShared: true });
      addAll(found, unwritten);
      if (unwritten.length > 0) continue;
    }
    changed += 1;
    if (args.check === true || !fromStdin) io.out(`${onOneLine(file.path)}\n`);
  }
  const problems = locateProblems(found);
  const isUnformatted = args.check === true && changed > 0;
  const hints = isUnformatted
    ? `${changed} of ${sources.value.length} files are not formatted; gwconf fmt formats them.\n`
    : '';
  const failed = hasErrors(problems);
  const result = failed ? 'error' : isUnformatted ? 'changes' : changed > 0 ? 'formatted' : 'no-changes';
  return finish({ result, code: failed || isUnformatted ? EXIT.failed : EXIT.ok, problems, hints }, io);
}
