import type { ForgeName } from '../../forge/pull-request.ts';
import { markerOf, type PutComment, type Wanted, inHtml, inLink, type Hide } from '../../forge/sticky.ts';
import { hasErrors } from '../../model/problem.ts';
import { listSome } from '../../model/text/list.ts';
import { makeFleetReport, type Member } from '../../outcome/fleet.ts';
import { makePlanReport } from '../../outcome/plan.ts';
import type { ProblemRecord } from '../../outcome/problem-record.ts';
import { redactSaved } from '../../plan/saved/saved-plan.ts';
import { runLink } from '../../report/ci/links.ts';
import { forOutput, onOneLine } from '../../report/escape.ts';
import {
  commitIn,
  renderComment,
  saysTheSame,
  withEarlier,
  type CommentOptions,
} from '../../report/markdown/comment.ts';
import { BITBUCKET, GITHUB, GITLAB, type Dialect } from '../../report/markdown/prose.ts';
import { pageOf } from '../../report/page/page-of.ts';
import { type ReadableReport, isSavedPlan, readReport } from '../../report/read/read-report.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { writeComments } from '../../workflow/comment/write-comments.ts';
import { openSavedPlan, readOrigin } from '../../workflow/plan/saved-plan.ts';
import { findJob, readAccess, type Job } from '../connect/forge-access.ts';
import { readPlanKeys } from '../connect/plan-keys.ts';
import type { Run } from '../given.ts';
import { readGiven, UsageError, type Io, ProblemsError } from '../io.ts';
import { linksOf } from '../present/output.ts';
import type { Args } from '../table/commands.ts';

/** A comment, and what it is about in the output. */
type Planned = Wanted & { readonly title: string; readonly text: string };

/** Writes reports as comments on the pull request of the job: one for each environment, always the same one. */
export const run: Run<'comment'> = async ({ operand: paths, args, io }) => {
  io.expectMuch(); // the parser of the HTTP client is compiled
  const job = await findJob(args, io);
  const { place } = job;
  if (place === undefined && args.dryRun !== true)
    throw new UsageError(
      'this job is not for a pull request; run it for pull requests only, or name one with --pull-request',
    );
  if (args.expect !== undefined && args.together !== true)
    throw new UsageError('--expect is for --together: name that, too');
  const access = place === undefined || args.dryRun === true ? undefined : await readAccess(place, args, io);
  const planned: Planned[] = [];
  const opened: Opened[] = [];
  for (const path of paths) opened.push({ path, ...(await openReport(path, io)) });
  const here = readOrigin(io.env)?.commit;
  for (const { path, report, madeOf } of args.together === true
    ? [putTogether(opened, args.expect)]
    : opened) {
    const of = 'environment' in report ? report.environment : undefined;
    if (args.env !== undefined && of !== undefined && of !== args.env)
      throw new UsageError(`${path} is about ${of}, not about ${args.env}: leave out --env`);
    const one = planComment(
      report,
      args,
      madeOf === undefined || madeOf === here ? job : { place, commit: madeOf },
      io,
    );
    if (planned.some(({ marker }) => marker === one.marker))
      throw new UsageError(
        `${path} is for the same comment as another file: ${one.title}; comment on each in a command with its own --name`,
      );
    planned.push(one);
  }
  if (access === undefined) {
    for (const { text } of planned) io.out(text);
    return { result: 'ok' };
  }
  const outcomes = new Set<PutComment['outcome']>();
  await writeComments(io, access, planned, ({ title }, { outcome, url, learnt }) => {
    outcomes.add(outcome);
    if (learnt !== undefined) {
      const cure = access.pullRequest.forge === 'bitbucket-cloud' ? '; set BITBUCKET_ACCOUNT to it' : '';
      io.err(`The token is that of ${onOneLine(learnt)}, as a comment showed${cure}.\n`);
    }
    io.out(`${title}: ${WORDS[outcome]}${url === '' ? '' : ` ${onOneLine(url)}`}\n`);
  });
  const isWritten = ['created', 'updated', 'deleted'].some((one) =>
    outcomes.has(one as PutComment['outcome']),
  );
  return { result: isWritten ? 'commented' : 'unchanged' };
};

/** A report, and the environments that were planned with it, if it is that of a saved plan. */
type Opened = {
  readonly path: string;
  readonly report: ReadableReport;
  readonly plannedWith?: readonly string[] | undefined;
  /** The commit that a saved plan was made of, if a build server said so. */
  readonly madeOf?: string | undefined;
};

/** One report of all, as of one run for several environments. Throws a UsageError for those that cannot be. */
function putTogether(opened: readonly Opened[], expect: string | undefined): Opened {
  const members = new Map<string, Member>();
  const commands = new Set<string>();
  for (const { path, report } of opened) {
    const isFleet = report.format === 'gwconf/fleet-report@1';
    commands.add(isFleet ? report.command : report.format.replace(/^gwconf\/|-report@1$/g, ''));
    const environment = 'environment' in report ? report.environment : undefined;
    if (!isFleet && environment === undefined)
      throw new UsageError(
        `${path} does not say its environment: make it with --env, or leave out --together`,
      );
    const own = isFleet
      ? report.environments
      : [{ environment: environment ?? '', state: 'ended' as const, outcome: report }];
    for (const one of own) {
      if (members.has(one.environment))
        throw new UsageError(
          `${path} is about ${one.environment}, as another file is: leave out one of them`,
        );
      members.set(one.environment, one);
    }
  }
  const [command = '', other] = commands;
  if (other !== undefined)
    throw new UsageError(`--together takes reports of one command; found some of ${command} and of ${other}`);
  const found = [...members.keys()];
  const planned = new Set(opened.flatMap(({ plannedWith = [] }) => plannedWith));
  const problems =
    expect === undefined ? findMissing([...planned], found) : compareNames(namesIn(expect), found);
  const commits = [...new Set(opened.flatMap((one) => one.madeOf ?? []))];
  const ofSeveral =
    commits.length > 1
      ? [wrongReports(`the plans are of several commits: ${listSome(commits, 3)}`, 'plan all of them at one')]
      : [];
  return {
    ...{ path: opened.map(({ path }) => path).join(', '), madeOf: commits[0] },
    report: makeFleetReport(command, [...members.values()], { problems: [...problems, ...ofSeveral] }),
  };
}

function namesIn(expect: string): readonly string[] {
  const names = expect.split(',').map((name) => name.trim());
  if (!names.includes('')) return names;
  throw new UsageError(`expected names of environments after --expect; found '${expect}'`);
}

/** A job that failed before it made a report leaves one out, and a file of an earlier run may be one too many. */
function compareNames(names: readonly string[], found: readonly string[]): readonly ProblemRecord[] {
  const others = found.filter((name) => !names.includes(name));
  return [
    ...findMissing(names, found),
    ...others.map((name) => wrongReports(`there is a report of ${name}, which is not expected`)),
  ];
}

function findMissing(names: readonly string[], found: readonly string[]): readonly ProblemRecord[] {
  return names
    .filter((name) => !found.includes(name))
    .map((name) => wrongReports(`there is no report of ${name}`));
}

function wrongReports(message: string, hint = 'look at the job of that environment'): ProblemRecord {
  return { code: 'unreadable-file', severity: 'error', message, hint };
}

const WORDS: Readonly<Record<PutComment['outcome'], string>> = {
  created: 'comment created',
  updated: 'comment updated',
  unchanged: 'comment is up to date',
  deleted: 'comment deleted, because there is nothing to tell',
  outdated: 'comment stays, because it is about a newer commit',
  skipped: 'no comment, because there is nothing to tell',
};

function planComment(report: ReadableReport, args: Args<'comment'>, { place, commit }: Job, io: Io): Planned {
  const { limit, dialect, hide } = COMMENT_STYLES[place?.forge ?? 'github'];
  const { name, keepEarlier = false, whenEmpty } = args;
  if (keepEarlier && !dialect.hasHtml)
    throw new UsageError('--keep-earlier needs a forge that can fold text, which Bitbucket cannot');
  const environment = args.env ?? ('environment' in report ? report.environment : undefined);
  const marker = markerOf({ name, environment }, hide);
  const options: CommentOptions = {
    limit,
    dialect,
    linkTo: linksOf(io),
    marker,
    separator: hide('gwconf earlier'),
    commit,
    run: runLink(io.env),
  };
  const page = pageOf('gateway' in report ? { ...report, environment } : report);
  const facts =
    name === undefined ? page.facts : [{ label: 'Project', text: name, isCode: true }, ...page.facts];
  const text = forOutput(io.masker.net(renderComment({ ...page, facts }, options)));
  return {
    marker,
    commit,
    commitIn: (body) => commitIn(body, options.separator),
    title: onOneLine([name, environment].filter((one) => one !== undefined).join(' ') || 'gwconf'),
    text,
    isQuiet: QUIET.has(report.result) && report.problems.length === 0 && page.tone !== 'warning',
    whenQuiet: whenEmpty,
    textAfter: (before) => {
      if (before === undefined) return text;
      if (saysTheSame(before, text, options, keepEarlier)) return undefined;
      return keepEarlier ? withEarlier(text, before, options) : text;
    },
  };
}

/** The results that leave nothing to do. */
const QUIET: ReadonlySet<string> = new Set(['no-changes', 'no-drift', 'valid']);

/** What a forge takes as a comment. */
type CommentStyle = { readonly limit: number; readonly dialect: Dialect; readonly hide: Hide };

const ON_BITBUCKET = { limit: 32_000, dialect: BITBUCKET, hide: inLink };

const COMMENT_STYLES: Readonly<Record<ForgeName, CommentStyle>> = {
  github: { limit: 65_536, dialect: GITHUB, hide: inHtml },
  gitlab: { limit: 1_000_000, dialect: GITLAB, hide: inHtml },
  'bitbucket-cloud': ON_BITBUCKET,
  'bitbucket-server': ON_BITBUCKET,
};

/** The report of a saved plan, or of a JSON report. Throws a UsageError or a ProblemsError. */
async function openReport(path: string, io: Io): Promise<Omit<Opened, 'path'>> {
  const text = await readGiven(path, io);
  if (isSavedPlan(text)) return openPlan(path, text, io);
  const { value, problems } = readReport(text, path);
  if (value === undefined) throw new ProblemsError(problems);
  return { report: value };
}

async function openPlan(path: string, text: string, io: Io): Promise<Omit<Opened, 'path'>> {
  const {
    value: saved,
    kinds,
    problems,
  } = await openSavedPlan(io, path, await readPlanKeys(io), () => Promise.resolve(text));
  if (saved === undefined || hasErrors(problems)) throw new ProblemsError(problems);
  const { gateway, environment, partOf, origin } = saved;
  const report = makePlanReport(redactSaved(saved, kinds), gateway, locateProblems(problems), {
    environment,
  });
  return { report, plannedWith: partOf?.environments, madeOf: origin?.commit };
}
