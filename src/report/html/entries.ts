import { kindOf, type Address } from '../../model/resource.ts';
import { onOneLine } from '../escape.ts';
import { virtualClusterOf } from '../page/sections.ts';
import type { Entry, Section } from '../page/page.ts';
import type { DiffLine } from '../page/edits.ts';
import { code, escapeHtml, link, type LinkTo } from '../markup.ts';

/** What identifies a section in the page. */
export function idOf({ title }: Section): string {
  return title.toLowerCase().replace(/[^a-z]+/g, '-');
}

/** The objects of a section, each folded if it has lines to show. */
export function* renderEntries(section: Section, linkTo: LinkTo | undefined): Generator<string> {
  for (const entry of section.entries) yield renderEntry(entry, section, linkTo);
}

function renderEntry(entry: Entry, section: Section, linkTo: LinkTo | undefined): string {
  const { names, at, also, notes, sign = section.sign } = entry;
  const [first, ...others] = names;
  const more =
    others.length === 0 ? '' : ` <span class="note">and ${others.length} more with the same changes</span>`;
  const place = [at, also].map((one) => (one === undefined ? '' : ` ${link(one, linkTo)}`)).join('');
  const why =
    notes.length === 0 ? '' : ` <span class="note">${escapeHtml(onOneLine(notes.join('; ')))}</span>`;
  const title = `<span class="sign">${sign}</span> ${code(first)}${more}${why}`;
  const below = others.length === 0 ? '' : `<p class="note">${others.map(code).join(', ')}</p>`;
  const lines = entry.lines();
  const body =
    lines.length + others.length === 0
      ? `${title}${place}`
      : `<details${entry.isRisky ? ' open' : ''}><summary>${title}</summary>${place}${below}${block(lines)}</details>`;
  return `<div role="listitem"${attributes(names)}>${body}</div>\n`;
}

function attributes(names: readonly string[]): string {
  const kinds = distinct(names, (name) => kindOf(name as Address)); // names are addresses
  return ` data-k="${kinds}" data-v="${distinct(names, virtualClusterOf)}"`;
}

/** What the filters compare with, a line for each value. */
function distinct(names: readonly string[], valueOf: (name: string) => string | undefined): string {
  // Most entries have one name, and there may be 100,000.
  if (names.length === 1) return escapeHtml(onOneLine(valueOf(names[0] ?? '') ?? ''));
  const values = new Set(names.flatMap((name) => valueOf(name) ?? []));
  return escapeHtml([...values].map(onOneLine).join('\n'));
}

const CLASSES: Readonly<Record<DiffLine['sign'], string>> = { '+': 'add', '-': 'del', '!': 'mod', ' ': '' };

/** Lines of a comparison. */
export function block(lines: readonly DiffLine[]): string {
  if (lines.length === 0) return '';
  const spans = lines.map(({ sign, text }) => {
    const line = escapeHtml(`${sign} ${text}`);
    return sign === ' ' ? `<span>${line}</span>` : `<span class="${CLASSES[sign]}">${line}</span>`;
  });
  return `<pre>${spans.join('')}</pre>`;
}
