import { makeProblem, hasErrors, type Checked, type Problem, type SourceFile } from '../../model/problem.ts';
import type { Host } from '../host.ts';
import { pathFrom } from './find-project.ts';
import type { Workspace } from './workspace.ts';

/**
 * The topics that are known beside those that objects are, sorted: of the file that a user names, or `-` for stdin; else of that of
 * the environment, or of the project. Undefined where nobody names one. A file has a topic on each line.
 */
export async function readTopics(
  host: Host,
  { environment, project }: Pick<Workspace, 'environment' | 'project'>,
  named: string | undefined,
): Promise<Checked<readonly string[] | undefined>> {
  const own = environment?.topics ?? project.topics;
  const { folder = '.', root } = project;
  if (named === undefined && own === undefined) return { value: undefined, problems: [] };
  const { value: sources, problems } =
    named !== undefined || own === undefined
      ? await host.readSources([named ?? ''])
      : await host.readSources([pathFrom(folder, own.text)], { root, isConfined: true, places: [own.at] });
  if (hasErrors(problems)) return { value: [], problems };
  const read = sources.map(topicsIn);
  return {
    value: sortNames(read.flatMap(({ value }) => value)),
    problems: [...problems, ...read.flatMap((one) => one.problems)],
  };
}

/** Tells where the topics of today are not those that a plan was made with. */
export function checkSameTopics(made: readonly string[] = [], today: readonly string[]): readonly Problem[] {
  const [before, after] = [new Set(made), new Set(today)];
  const added = today.filter((name) => !before.has(name)).length;
  const gone = made.filter((name) => !after.has(name)).length;
  if (added + gone === 0) return [];
  return [
    makeProblem({
      code: 'other-topics',
      message: `the list of topics is not that of the plan: ${added} more, ${gone} fewer; the plan is judged by its own`,
      hint: 'plan again to judge it by the topics of today',
    }),
  ];
}

/** Empty lines, and those that begin with #, are left out. */
export function topicsIn({ path, text }: Pick<SourceFile, 'path' | 'text'>): Checked<readonly string[]> {
  const lines = text.split(/\r?\n/).map((line, at) => ({ name: line.trim(), at: at + 1 }));
  const named = lines.filter(({ name }) => name !== '' && !name.startsWith('#'));
  const problems = named
    .filter(({ name }) => !isTopicName(name))
    .map(({ at }): Problem =>
      makeProblem({
        code: 'invalid-value',
        message: `expected the name of a topic on line ${at} of ${path}`,
        hint: 'write one topic per line, up to 249 letters, digits, dots, - or _',
      }),
    );
  if (named.length === 0) problems.push(noTopic(`there is no topic in ${path}`, 'write one topic per line'));
  return { value: named.map(({ name }) => name), problems };
}

export function noTopic(message: string, hint: string): Problem {
  return makeProblem({ code: 'not-found', message, hint });
}

/** Sorted, each once. */
export function sortNames(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}

export function isTopicName(text: string): boolean {
  return /^[\w.-]{1,249}$/.test(text);
}
