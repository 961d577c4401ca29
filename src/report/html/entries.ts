import { kindOf, type Address } from '../../model/resource.ts';
import { onOneLine } from '../escape.ts';
import { code, escapeHtml, link, text, type LinkTo } from '../markup.ts';
import type { DiffLine } from '../page/edits.ts';
import type { Entry, Section, Sign } from '../page/page.ts';
import { virtualClusterOf } from '../page/totals.ts';

/** What objects are shown with. */
type EntryOptions = {
  readonly linkTo: LinkTo | undefined;
  /** Whether the page is so short that everything is open. */
  readonly isShort: boolean;
  /** What follows from the change of an object, as HTML. */
  readonly below: (name: string) => string;
};

/** An object, in a fold if it has lines to show: open where it is deleted or deserves a look. */
export function renderEntry(
  entry: Entry,
  section: Section,
  { isShort, linkTo, below: effectsOf }: EntryOptions,
): string {
  const { names, at, also, notes, sign = section.sign } = entry;
  const [first, ...others] = names;
  const more =
    others.length === 0 ? '' : ` <span class="note">and ${others.length} more with the same changes</span>`;
  const place = [at, also].map((one) => (one === undefined ? '' : ` ${link(one, linkTo)}`)).join('');
  const why = notes.length === 0 ? '' : ` <span class="note">${text(notes.join('; '))}</span>`;
  const title = `<span class="sign">${sign}</span> ${code(first)}${more}${why}`;
  const below = others.length === 0 ? '' : `<p class="note">${others.map(code).join(', ')}</p>`;
  const lines = entry.lines();
  const effects = names.map(effectsOf).join('');
  const isOpen = isShort || entry.isRisky || OPEN.has(sign);
  const body =
    lines.length + others.length === 0 && effects === ''
      ? `${title}${place}`
      : `<details${isOpen ? ' open' : ''}><summary>${title}</summary>${place}${below}${block(lines)}${effects}</details>`;
  return `<div role="listitem"${attributes(names)}>${body}</div>\n`;
}

/** Deletes, and replaces, which delete as well. */
const OPEN: ReadonlySet<Sign> = new Set(['-', '±']);

function attributes(names: readonly string[]): string {
  const kinds = distinct(names, (name) => kindOf(name as Address)); // names are addresses
  return ` data-k="${kinds}" data-v="${distinct(names, virtualClusterOf)}"`;
}

/** What the filters compare with, a line for each value. */
function distinct(names: readonly string[], valueOf: (name: string) => string | undefined): string {
  // Most entries have one name, and there may be 100,000.
  if (names.length === 1) return text(valueOf(names[0] ?? '') ?? '');
  const values = new Set(names.flatMap((name) => valueOf(name) ?? []));
  return escapeHtml([...values].map(onOneLine).join('\n'));
}

const CLASSES: Readonly<Record<DiffLine['sign'], string>> = { '+': 'add', '-': 'del', '!': 'mod', ' ': '' };

/** Lines of a comparison. */
export function block(lines: readonly DiffLine[]): string {
  if (lines.length === 0) return '';
  let spans = '';
  for (const { sign, text: words } of lines) {
    const line = escapeHtml(`${sign} ${words}`);
    spans += sign === ' ' ? `<span>${line}</span>` : `<span class="${CLASSES[sign]}">${line}</span>`;
  }
  return `<pre>${spans}</pre>`;
}
