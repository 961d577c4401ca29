import type { LocatedProblem } from '../model/problem.ts';
import { hasErrors } from '../model/problem.ts';
import { EXIT, exitCodeOf, type Result } from '../outcome/verdict.ts';
import { forOutput } from './escape.ts';
import { renderGithub } from './ci/github.ts';
import { renderCodeQuality, renderTerraformReport } from './ci/gitlab.ts';
import { renderJunit, renderTestJunit } from './ci/junit.ts';
import { renderSarif } from './ci/sarif.ts';
import { renderHtml, type HtmlOptions } from './html/html.ts';
import { jsonPieces } from '../model/json/pieces.ts';
import { renderNdjson } from './json/json.ts';
import { GITHUB } from './markdown/prose.ts';
import { renderMarkdown } from './markdown/markdown.ts';
import { pageOf } from './page/page-of.ts';
import type { Paint, TextOptions } from './text/layout.ts';
import { joinParts, type Parted, partPage } from './text/text.ts';
import type { TestReport } from '../outcome/files.ts';
import type { Report } from '../outcome/outcome.ts';

/** What a command has to show. */
export type View = {
  readonly report: Report;
  /** The problems of the report, with the lines of the files. */
  readonly problems: readonly LocatedProblem[];
  /** For people, instead of the whole report: an explanation of one address, or nothing. */
  readonly text?: ((paint: Paint) => Iterable<string> & object) | undefined;
  /** Whether the report on a terminal tells a problem, so that it need not follow again. */
  readonly isTold?: ((problem: LocatedProblem) => boolean) | undefined;
  /** Whether the command fails for what it found, such as drift: `--detailed-exitcode`. */
  readonly isDetailed?: boolean;
};

export type RenderOptions = TextOptions & HtmlOptions;

type Renderer = (view: View, options: RenderOptions) => Iterable<string>;

/** What GitHub takes as a comment, and as the summary of a step. */
const COMMENT_BYTES = 65_536;
const SUMMARY_BYTES = 1_048_576;

const RENDERERS = {
  human: (view, options) => joinParts(partText(view, options)),
  json: ({ report }) => jsonPieces(report),
  ndjson: ({ report }, { tool }) => renderNdjson(report, tool),
  sarif: (view, { tool }) => [renderSarif(view.problems, tool, failureOf(view))],
  junit: (view, { tool }) => {
    const tests = testsIn(view.report);
    return [
      tests === undefined
        ? renderJunit(view.problems, tool, failureOf(view, view.isDetailed))
        : renderTestJunit(tests, tool),
    ];
  },
  github: ({ problems }, { tool }) => [renderGithub(problems, tool)],
  'gitlab-quality': ({ problems }) => [renderCodeQuality(problems)],
  'gitlab-terraform': ({ report }) => [renderTerraformReport(report)],
  markdown: ({ report }, { linkTo }) => [
    renderMarkdown(pageOf(report), { limit: COMMENT_BYTES, dialect: GITHUB, linkTo }),
  ],
  html: ({ report }, { linkTo, tool, made }) => renderHtml(pageOf(report), { linkTo, tool, made }),
  'step-summary': ({ report }, { linkTo }) => [
    renderMarkdown(pageOf(report), { limit: SUMMARY_BYTES, dialect: GITHUB, linkTo }),
  ],
} satisfies Readonly<Record<string, Renderer>>;

/** The result of a command that has failed by no problem that the view shows, such as of a wave that was not begun. */
function failureOf({ report, problems }: View, isDetailed = false): Result | undefined {
  if (!('result' in report) || hasErrors(problems)) return undefined;
  return exitCodeOf(report.result, isDetailed) === EXIT.ok ? undefined : report.result;
}

/** The cases of tests, also of several environments; undefined for another report. */
function testsIn(report: Report): Pick<TestReport, 'cases' | 'problems'> | undefined {
  if (report.format === 'gwconf/test-report@1') return report;
  if (report.format !== 'gwconf/fleet-report@1' || report.command !== 'test') return undefined;
  const cases = report.environments.flatMap(({ outcome }) =>
    outcome.format === 'gwconf/test-report@1' ? outcome.cases : [],
  );
  return { cases, problems: report.problems };
}

/** A report for a terminal. */
export function renderText(report: Report, options: TextOptions): Iterable<string> {
  return joinParts(partPage(pageOf(report), options));
}

/** What a terminal shows above the problems of a view, and below them. */
export function partText({ report, text }: Pick<View, 'report' | 'text'>, options: TextOptions): Parted {
  const instead = text?.(options.paint);
  return instead === undefined ? partPage(pageOf(report), options) : { body: instead, end: '' };
}

export type Format = keyof typeof RENDERERS;

/** The formats of reports that are not plans. */
export const COMMON_FORMATS = (Object.keys(RENDERERS) as readonly Format[]).filter(
  (name) => name !== 'gitlab-terraform',
);

/** Every output format. CONTRIBUTING.md says how one is added. */
export const FORMATS = Object.fromEntries(
  Object.entries<Renderer>(RENDERERS).map(([name, render]) => [name, escaped(render)]),
) as Readonly<Record<Format, Renderer>>; // the same keys

function escaped(render: Renderer): Renderer {
  return function* (view, options) {
    for (const piece of render(view, options)) yield forOutput(piece);
  };
}
