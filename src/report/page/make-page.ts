import type { Fact, Note, Notes, Page, Table } from './page.ts';

/** A page; what is not said of it, it does not have. */
export function makePage(said: Pick<Page, 'title' | 'tone' | 'problems'> & Partial<Page>): Page {
  return {
    ...{ facts: [], blocks: [], totals: () => ({ rows: [] }), closing: '', ending: undefined },
    ...said,
  };
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
