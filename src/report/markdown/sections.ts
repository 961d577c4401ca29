import type { Entry, Section, Consequences } from '../page/page.ts';
import type { DiffLine } from '../page/edits.ts';
import { Budget, clip, codeSpan, fenced, type MarkdownOptions, prose, renderPlace } from './prose.ts';
import { code as htmlCode } from '../markup.ts';
import { listSome } from '../../model/text/list.ts';
import { countPrincipals, type Consequence } from '../page/principals.ts';

/** Up to this many objects are shown unfolded. */
const MOST_OPEN = 10;
/** Of longer lists of names in one entry, only the first are shown. */
const MOST_NAMES = 50;
/** What remains for names is kept from the fields. */
const SHARE_OF_NAMES = 0.6;

/** The sections, as far as the budget goes: names first, then fields, and each from the riskiest on. */
export function renderSections(
  sections: readonly Section[],
  budget: Budget,
  options: MarkdownOptions,
): string {
  const frames = sections.map((section) => frameOf(section));
  for (const { head, tail } of frames) budget.take(head + tail);
  const count = sections.reduce((sum, section) => sum + section.count, 0);
  const texts = chooseTexts(riskyFirst(sections), budget, { ...options, isOpen: count <= MOST_OPEN });
  return sections.map((section, at) => renderSection(section, frames[at]?.head ?? '', texts)).join('');
}

function* riskyFirst(sections: readonly Section[]): Generator<EntryInSection> {
  for (const isAside of [false, true])
    for (const isRisky of [true, false])
      for (const section of sections)
        if ((section.aside !== undefined) === isAside)
          for (const entry of section.entries) if (entry.isRisky === isRisky) yield { section, entry };
}

/** The heading, and room for the sentence on what is left out. */
function frameOf({ title, count, aside }: Section): { readonly head: string; readonly tail: string } {
  const why = aside === undefined ? '' : `${prose(aside)}.\n\n`;
  return { head: `#### ${title} (${count})\n\n${why}`, tail: leftOut(count, count) };
}

type EntryInSection = { readonly section: Section; readonly entry: Entry };
type EntryOptions = MarkdownOptions & { readonly isOpen: boolean };
/** What is shown of an object: its name, or all of it. */
type Printed = EntryInSection & { text: string; isWhole: boolean };

function chooseTexts(
  entries: Iterable<EntryInSection>,
  budget: Budget,
  options: EntryOptions,
): readonly Printed[] {
  const forNames = new Budget(budget.left * SHARE_OF_NAMES);
  const shown: Printed[] = [];
  for (const inSection of entries) {
    const text = renderName(inSection, options);
    if (!forNames.take(text)) break;
    budget.take(text);
    shown.push({ ...inSection, text, isWhole: false });
  }
  for (const one of shown) {
    const lines = one.entry.lines();
    const text = lines.length === 0 ? one.text : renderWhole(one, lines, options);
    if (!budget.exchange(one.text, text)) break;
    one.text = text;
    one.isWhole = true;
  }
  return shown;
}

function renderName({ section, entry }: EntryInSection, options: MarkdownOptions): string {
  return `- ${codeSpan(entry.sign ?? section.sign)} ${titleOf(entry, options)}\n`;
}

function titleOf({ names, notes, at, also }: Entry, options: MarkdownOptions): string {
  const places = placesOf({ at, also }, options);
  const why = notes.length === 0 ? '' : `: ${notes.map(prose).join('; ')}`;
  return `${listNames(names)}${why}${places.length === 0 ? '' : ` (${places.join(', ')})`}`;
}

function placesOf({ at, also }: Pick<Entry, 'at' | 'also'>, options: MarkdownOptions): readonly string[] {
  return [at, also].flatMap((one) => (one === undefined ? [] : [renderPlace(one, options)]));
}

function listNames(names: readonly string[]): string {
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return `${names.slice(0, MOST_NAMES).map(codeSpan).join(', ')}${more}`;
}

function renderWhole(inSection: EntryInSection, lines: readonly DiffLine[], options: EntryOptions): string {
  const { section, entry } = inSection;
  const block = fenced(lines.map(({ sign, text }) => `${sign} ${text}`));
  if (!options.dialect.hasHtml) return `${renderName(inSection, options)}\n${block}\n`;
  const [first, ...others] = entry.names;
  const more = others.length === 0 ? '' : ` and ${others.length} more with the same changes`;
  const notes = [
    ...(others.length === 0 ? [] : [`Also ${listNames(others)}.`]),
    ...entry.notes.map((note) => prose(`${note}.`)),
    ...placesOf(entry, options),
  ];
  const below = notes.length === 0 ? '' : `${notes.join(' ')}\n\n`;
  const summary = `${htmlCode(entry.sign ?? section.sign)} ${htmlCode(first)}${more}`;
  const isOpen = options.isOpen && section.aside === undefined;
  return `<details${isOpen ? ' open' : ''}><summary>${summary}</summary>\n\n${below}${block}\n</details>\n\n`;
}

function renderSection(section: Section, head: string, all: readonly Printed[]): string {
  const shown = all.filter((one) => one.section === section);
  const body = shown.map(({ text }) => text).join('');
  const unnamed = section.count - countNames(shown);
  const bare = countNames(shown.filter(({ isWhole }) => !isWhole));
  const rest = unnamed + bare === 0 ? '' : leftOut(unnamed, bare);
  return `${head}${body.trimEnd()}\n\n${rest}`;
}

function countNames(shown: readonly Printed[]): number {
  return shown.reduce((sum, { entry }) => sum + entry.names.length, 0);
}

function leftOut(unnamed: number, bare: number): string {
  const parts = [
    ...(unnamed === 0 ? [] : [`${unnamed} more objects`]),
    ...(bare === 0 ? [] : [`the fields of ${bare} objects`]),
  ];
  return `_There is no room here for ${parts.join(' and ')}. The JSON report has them all._\n\n`;
}

/** Of the principals of one line, only the first are named. */
const MOST_LISTED = 10;

/** What happens to principals, as one line of a list. */
export function renderConsequence({ text, names, notes }: Consequence): string {
  const who = names.length > 1 ? ` (${prose(clip(listSome(names, MOST_LISTED)))})` : '';
  return `- ${prose(clip(text))}${who}${notes.map((note) => `. ${prose(clip(note))}`).join('')}\n`;
}

/** A section of such lines, each with the chains below it, as many as the budget has room for. */
export function renderEffects({ title, consequences }: Consequences, budget: Budget): string {
  const shown: string[] = [];
  for (const one of consequences) {
    const chains = one.lines.map(({ text }) => `  - ${prose(clip(text))}\n`);
    const line = `${renderConsequence(one)}${chains.join('')}`;
    if (!budget.take(line)) break;
    shown.push(line);
  }
  const left = countPrincipals(consequences.slice(shown.length));
  const more = left === 0 ? '' : `- and other effects on ${left} clients\n`;
  return consequences.length === 0
    ? ''
    : `#### ${title} (${countPrincipals(consequences)})\n\n${shown.join('')}${more}\n`;
}
