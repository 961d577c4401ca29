import { EXIT, exitCodeOf, type Result } from '../../outcome/verdict.ts';
import { onOneLine } from '../escape.ts';
import { linesOfEdits, type DiffLine } from './edits.ts';
import type { Entry, Fact, Group, Groups, Note, Notes, Page, Section, Sign, Table, Tone } from './page.ts';

/** A page of an outcome, with its problems, in the tone of its result; what is not said of it, it does not have. */
export function makePage(
  { problems = [], result = 'ok' }: { readonly problems?: Page['problems']; readonly result?: Result },
  said: Pick<Page, 'title'> & Partial<Page>,
): Page {
  return {
    ...{ tone: toneOf(result), facts: [], problems, blocks: [], totals: () => ({ rows: [] }) },
    ...{ closing: '', ending: undefined },
    ...said,
  };
}

/** By the exit code: something to look at, if `--detailed-exitcode` tells it from all being well. */
export function toneOf(result: Result): Tone {
  const code = exitCodeOf(result, true);
  return code === EXIT.pending ? 'review' : code === EXIT.ok ? 'calm' : 'alarm';
}

/** A fact, if there is a text for it. */
export function factOf(
  label: string,
  text: string | undefined,
  about: Partial<Omit<Fact, 'label' | 'text'>> = {},
): readonly Fact[] {
  return text === undefined || text === '' ? [] : [{ label, text, isCode: true, ...about }];
}

/** Notes below a title, if there are any. */
export function notesOf(
  title: string,
  noun: string,
  style: Notes['style'],
  notes: readonly Note[],
): readonly Notes[] {
  return notes.length === 0 ? [] : [{ block: 'notes', title, noun, notes, style }];
}

/** A table, if it has rows. */
export function tableOf(
  title: string,
  titles: readonly string[],
  rows: Table['rows'],
  look: NonNullable<Table['look']> = 'columns',
): readonly Table[] {
  return rows.length === 0 ? [] : [{ block: 'table', title, titles, rows, look }];
}

/** A section with entries of one object each, if there are any. */
export function listSection(
  title: string,
  sign: Sign,
  entries: readonly Entry[],
  about: Pick<Section, 'heading' | 'fold'> = {},
): readonly Section[] {
  return entries.length === 0
    ? []
    : [{ block: 'section', title, sign, count: entries.length, entries, ...about }];
}

/** An object in a section, with the lines of its edits; what is not said of it, it does not have. */
export function makeEntry(name: string, said: Partial<Omit<Entry, 'names'>> = {}): Entry {
  const { edits = [] } = said;
  return { names: [name], notes: [], isRisky: false, lines: () => linesOfEdits(edits), ...said };
}

/** Groups, which are objects of one section in a document. */
export function groupsOf(title: string, sign: Sign, list: readonly Group[], isRisky: boolean): Groups {
  const entryOf = ({ title: name, lines }: Group): Entry =>
    makeEntry(name, { isRisky, lines: () => lines.map(plainLine) });
  return { block: 'groups', list, sections: () => listSection(title, sign, list.map(entryOf)) };
}

/** A line of text that is no part of a comparison. */
export function plainLine(text: string): DiffLine {
  return { sign: ' ', text: onOneLine(text) };
}
