import type { Page } from '../page/page.ts';
import { bytesOf, type MarkdownOptions, codeSpan } from './prose.ts';
import { renderMarkdown } from './markdown.ts';

export type CommentOptions = MarkdownOptions & {
  /** Lines that readers do not see: the first of the comment, and the one before each earlier comment. */
  readonly marker: string;
  readonly separator: string;
  readonly commit: string | undefined;
  /** The address of the run of the job. */
  readonly run: string | undefined;
};

/** A page as a comment on a pull request, with the commit and the run that it is from. */
export function renderComment(page: Page, options: CommentOptions): string {
  const { marker, limit, commit, run } = options;
  const origin = [
    ...(commit === undefined ? [] : [`Commit ${codeSpan(commit.slice(0, 12))}`]),
    ...(run === undefined ? [] : [`${RUN}(${run})`]),
  ].join(' · ');
  const head = `${marker}\n\n`;
  const foot = origin === '' ? '' : `\n${origin}\n`;
  const text = renderMarkdown(page, { ...options, limit: limit - bytesOf(head) - bytesOf(foot) });
  return `${head}${text.trimEnd()}\n${foot}`;
}

const RUN = '[run]';

/** The commit of the newest report of a comment, as far as it is shown. */
export function commitIn(body: string, separator: string): string | undefined {
  const [newest = ''] = split(body, separator);
  return /\nCommit `([\da-f]{7,12})`(?: · [^\n]*)?$/.exec(newest)?.[1];
}

/** Whether a comment says the same already. A second run for the same commit says nothing new. */
export function saysTheSame(
  before: string,
  text: string,
  { separator }: CommentOptions,
  keepEarlier: boolean,
): boolean {
  const bare = (body: string): string => {
    const [newest = '', ...earlier] = split(body, separator);
    // Of a run only its number may differ: whoever edits the comment could link to anything.
    const own = newest.replace(/\[run\]\([^()\s]*\)$/, (link) => link.replace(/\d+/g, '0'));
    return JSON.stringify([own, ...(keepEarlier ? [] : earlier)]);
  };
  return bare(before) === bare(text);
}

/** The text with what the comment said before folded below it, as far as there is room. */
export function withEarlier(text: string, before: string, options: CommentOptions): string {
  const { separator, limit, marker } = options;
  const [last = '', ...folded] = split(before, separator);
  const earlier = [
    `<details><summary>Earlier</summary>\n\n${last.slice(marker.length).trim()}\n\n</details>`,
    ...folded,
  ];
  let all = text.trimEnd();
  for (const part of earlier) {
    const longer = `${all}\n\n${separator}\n\n${part}`;
    if (bytesOf(longer) > limit) break;
    all = longer;
  }
  return `${all}\n`;
}

function split(body: string, separator: string): readonly string[] {
  return body
    .replaceAll('\r\n', '\n')
    .split(`\n${separator}\n`)
    .map((part) => part.trim());
}
