import {
  checkCase,
  type CheckedCase,
  measureCoverage,
  type TestCoverage,
} from '../../effective/expect/check-case.ts';
import { addAll } from '../../model/collect.ts';
import {
  applyLint,
  makeProblem,
  hasErrors,
  type LocatedProblem,
  type Problem,
  type SourceFile,
} from '../../model/problem.ts';
import { TEST_FILE_ENDING, type TestCase } from '../../model/test-case.ts';
import type { Told } from '../../outcome/outcome.ts';
import { describeProblem } from '../../outcome/problem-record.ts';
import {
  makeTestReport,
  type CoverageRecord,
  type TestCaseRecord,
  type TestReport,
} from '../../outcome/files.ts';
import { locateProblems, positionOf } from '../../schema/load/locate.ts';
import type { Host } from '../host.ts';
import type { LiveSource } from '../live/live-source.ts';
import { hasPolicies, type Workspace } from '../project/workspace.ts';
import { findNotCheckedOut } from '../project/input.ts';
import { findMisnamedTests, readTests } from '../project/load-tests.ts';
import { findTargets, makeTested, type Target, type MadeTested, type RanCase } from './make-tested.ts';

/** How tests ended, and all files that were read. */
export type TestRun = Told<TestReport> & { readonly files: readonly SourceFile[] };

type RanTests = {
  readonly cases: readonly RanCase[];
  readonly coverage: readonly TargetCoverage[];
  /** Of test files, and of the files that are tested; not those of cases. */
  readonly problems: readonly Problem[];
  /** All files that were read. */
  readonly files: readonly SourceFile[];
};

/** Of an environment, or of the files that a test names. */
type TargetCoverage = TestCoverage & {
  readonly environment: string | undefined;
  readonly files: readonly string[] | undefined;
};

/** A gateway or a snapshot for cases that are about a plan, or why there is none. */
export type OpenLive = (
  workspace: Workspace,
) => Promise<
  | { readonly source: LiveSource; readonly workspace: Workspace; close(): Promise<void> }
  | { readonly problems: readonly Problem[] }
>;

export type TestOptions = {
  /** Test files, and folders with some. Default: all of the project. */
  readonly paths?: readonly string[];
  /** The environment that the user chose: the tests of others are left out. */
  readonly chosen?: string | undefined;
  readonly openLive: OpenLive;
};

/** Runs tests. A gateway is read only if a case is about a plan. */
export async function runTests(host: Host, workspace: Workspace, options: TestOptions): Promise<TestRun> {
  const found = await runAll(host, workspace, options);
  const problems = locateAllOf(found);
  const { cases, coverage, files } = found;
  const outcome = makeTestReport(cases.map(describeCase), coverage.map(describeCoverage), problems);
  return { outcome, problems, files };
}

/** All problems; those of a file that several environments read are told once. */
function locateAllOf({ problems, cases }: RanTests): readonly LocatedProblem[] {
  const all: readonly Problem[] = [...problems, ...cases.flatMap((one) => one.problems)];
  const distinct = new Map(locateProblems(all).map((problem) => [JSON.stringify(problem), problem]));
  return [...distinct.values()];
}

function describeCase({ name, at, environment, result, principals, problems }: RanCase): TestCaseRecord {
  return {
    ...{ name, ...positionOf(at), environment, result, principals },
    problems: locateProblems(problems).map(describeProblem),
  };
}

function describeCoverage(one: TargetCoverage): CoverageRecord {
  return { ...one, untestedInterceptors: one.untestedInterceptors.map(({ address }) => address) };
}

async function runAll(
  host: Host,
  workspace: Workspace,
  { paths = [], chosen, openLive }: TestOptions,
): Promise<RanTests> {
  const named = paths.length > 0 ? paths : [workspace.project.folder ?? '.'];
  const notThere = await findNotCheckedOut(host, workspace, named, { ending: TEST_FILE_ENDING });
  const read = await readTests(host, workspace, paths);
  const problems: Problem[] = [
    ...workspace.problems,
    ...(notThere === undefined ? [] : [notThere]),
    ...read.problems,
    ...findMisnamedTests(host, workspace, paths),
  ];
  const nothing = { cases: [], coverage: [], files: read.files };
  if (hasErrors(workspace.problems)) return { ...nothing, problems };
  const runs = new Map<string, TargetRun>();
  for (const test of read.value) {
    const { value: targets, problems: unknown } = findTargets(host, test, workspace, chosen);
    addAll(problems, unknown);
    for (const target of targets) {
      const known = runs.get(target.key);
      if (known === undefined) runs.set(target.key, { target, cases: [...test.document.cases] });
      else addAll(known.cases, test.document.cases);
    }
  }
  const examples =
    paths.length === 0 && hasPolicies(workspace.project)
      ? await (await import('./run-examples.ts')).runExamples(host, workspace)
      : { cases: [], problems: [] };
  addAll(problems, examples.problems);
  if (runs.size + examples.cases.length === 0 && problems.length === 0) problems.push(noTests(paths, chosen));
  const ran: Ran[] = [];
  for (const one of runs.values()) ran.push(await runTarget(host, one, openLive));
  const several = new Set([...runs.values()].map(({ target }) => target.environment)).size > 1;
  return {
    cases: [...ran.flatMap(({ cases }) => (several ? cases.map(withEnvironment) : cases)), ...examples.cases],
    coverage: ran.flatMap(({ coverage }) => coverage ?? []),
    problems: [...problems, ...ran.flatMap((one) => one.problems)],
    files: [...read.files, ...ran.flatMap((one) => one.files)],
  };
}

function noTests(paths: readonly string[], chosen: string | undefined): Problem {
  const where = paths.length > 0 ? paths.join(', ') : 'the folder of the project';
  return makeProblem({
    code: 'no-resources',
    message: `no test${chosen === undefined ? '' : ` for ${chosen}`} is in ${where}`,
    hint: `check the path; gwconf template Test prints a test for a file named NAME${TEST_FILE_ENDING}`,
  });
}

type TargetRun = { readonly target: Target; readonly cases: TestCase[] };

type Ran = Pick<RanTests, 'cases' | 'problems' | 'files'> & {
  readonly coverage: TargetCoverage | undefined;
};

/** All cases of a target, in their order; its files and its gateway are read once. */
async function runTarget(host: Host, { target, cases }: TargetRun, openLive: OpenLive): Promise<Ran> {
  const { environment, workspace } = target;
  const files = cases.some((one) => !one.isAfterPlan) ? await makeTested(host, target) : undefined;
  const plan =
    cases.some((one) => one.isAfterPlan) && !hasErrors(files?.problems ?? [])
      ? await planTarget(host, target, openLive)
      : undefined;
  const checked: CheckedCase[] = [];
  const ran = cases.map((one): RanCase => {
    const about = { name: one.name, at: one.at, environment };
    const made = one.isAfterPlan ? plan : files;
    const tested = made?.value;
    if (tested === undefined) return { ...about, result: 'not-run', principals: 0, problems: [] };
    const found = checkCase(one, tested);
    checked.push(found);
    return {
      ...about,
      result: hasErrors(found.problems) ? 'failed' : 'passed',
      principals: found.principals.length,
      problems: [...found.problems, ...applyLint(checkDefaults(one, found, made), workspace.project.lint)],
    };
  });
  const tested = (files ?? plan)?.value;
  return {
    cases: ran,
    coverage:
      tested === undefined
        ? undefined
        : {
            environment,
            files: target.files?.map(({ text }) => text),
            ...measureCoverage(tested, checked),
          },
    problems: [...(files?.problems ?? []), ...(plan?.problems ?? [])],
    files: [...(files?.files ?? []), ...(plan?.files ?? [])],
  };
}

/** Whether a case holds by defaults alone: a job that has the variables sends their values. */
function checkDefaults(
  one: TestCase,
  { problems }: CheckedCase,
  made: MadeTested | undefined,
): readonly Problem[] {
  const { withoutDefaults: without } = made ?? {};
  if (without === undefined || hasErrors(problems)) return [];
  if (without.value !== undefined && !hasErrors(checkCase(one, without.value).problems)) return [];
  const [why] = without.value === undefined ? without.problems : [];
  return [
    makeProblem({
      code: 'cannot-tell',
      message:
        why === undefined
          ? 'holds by the default of a variable whose value is not known here'
          : `cannot tell whether it holds without a default: ${why.message}`,
      at: one.at,
      hint: 'run the test with the variables of the job that applies, or write the value plainly',
    }),
  ];
}

async function planTarget(host: Host, target: Target, openLive: OpenLive): Promise<MadeTested> {
  const opened = await openLive(target.workspace);
  if (!('source' in opened)) return { value: undefined, files: [], problems: opened.problems };
  try {
    return await makeTested(host, target, opened);
  } finally {
    await opened.close();
  }
}

function withEnvironment(one: RanCase): RanCase {
  const { environment, problems } = one;
  if (environment === undefined) return one;
  return {
    ...one,
    problems: problems.map((problem) => ({ ...problem, message: `${problem.message} (in ${environment})` })),
  };
}
