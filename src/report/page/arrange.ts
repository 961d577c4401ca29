import { addAll } from '../../model/collect.ts';
import type { Checks, Consequences, Losses, Note, Notes, Page, Part, Section, Step, Table } from './page.ts';
import type { LazyList } from '../../outcome/lazy.ts';

/** The blocks of a page in the order of a document. */
export type Arranged = {
  /** What nobody may overlook. */
  readonly boxes: readonly (Notes | Consequences)[];
  readonly sections: readonly Section[];
  readonly tables: readonly Table[];
  /** What changes for principals, without a loss. */
  readonly effects: readonly Consequences[];
  /** The order of the changes of a plan. */
  readonly steps: LazyList<Step> | undefined;
  readonly parts: readonly Part[];
};

/** Gives each block its place in a document. */
export function arrange({ blocks }: Pick<Page, 'blocks'>): Arranged {
  const boxes: (Notes | Consequences)[] = [];
  const sections: Section[] = [];
  const tables: Table[] = [];
  const effects: Consequences[] = [];
  const parts: Part[] = [];
  let steps: LazyList<Step> | undefined;
  for (const block of blocks)
    switch (block.block) {
      case 'notes':
        boxes.push(block);
        break;
      case 'losses':
        boxes.push(notesOf(block));
        break;
      case 'consequences':
        (block.weight === 'effect' ? effects : boxes).push(block);
        break;
      case 'changes':
        steps = block.steps;
        addAll(sections, block.sections());
        break;
      case 'ledger':
      case 'runs':
      case 'cases':
      case 'groups':
        addAll(sections, block.sections());
        break;
      case 'section':
        sections.push(block);
        break;
      case 'table':
        tables.push(block);
        break;
      case 'part':
        parts.push(block);
        break;
      case 'checks':
        tables.push(tableOf(block));
        break;
      default:
        block satisfies never;
    }
  return { boxes, sections, tables, effects, steps, parts };
}

function tableOf({ title, list }: Checks): Table {
  const rows = list.map(({ check, state, message, hint = '' }) => [check, state[0], message, hint]);
  return { block: 'table', title, titles: ['Check', 'Result', 'Found', 'Cure'], rows, look: 'columns' };
}

function notesOf({ losses }: Losses): Notes {
  const notes = losses.map(({ address, leftOut, reason }): Note => ({
    name: address,
    text: `${leftOut ? 'cannot be undone' : 'cannot be undone completely'}: ${reason}`,
  }));
  return { block: 'notes', title: 'Not restored by an undo', noun: 'loss', notes, style: 'marked' };
}
