import { groupBy } from '../../model/collect.ts';
import type { Block, Entry, Section } from './page.ts';

/** A block as the items of its lists, from which one with some of them can be made. */
export type Apart = {
  /** The same for blocks that differ in nothing but their items. */
  readonly same: string;
  /** `key` is the same for items that look the same, but for their places in files. */
  readonly items: Iterable<{ readonly list: string; readonly item: unknown; readonly key: string }>;
  readonly build: (itemsOf: (list: string) => readonly unknown[]) => Block;
};

/** Takes a block apart. Whoever builds one again gives back items of the lists that they are from. */
export function takeApart(block: Block): Apart {
  switch (block.block) {
    case 'changes': {
      const { list, hasCauses } = block;
      return apartOf({ block: 'changes', hasCauses }, { list }, (of) =>
        block.narrow(of('list') as readonly (typeof list extends Iterable<infer Item> ? Item : never)[]),
      );
    }
    case 'section': {
      const { entries, count: _, ...about } = block;
      return apartOf(about, { entries }, (of) => sectionOf(about, of('entries') as readonly Entry[]));
    }
    case 'ledger':
    case 'groups':
    case 'runs': {
      const { list, sections, ...about } = block;
      return apartOf(about, { list, sections: entriesOf(sections()) }, (of) => {
        const some = of('list') as never; // items of the same list
        return { ...about, list: some, sections: () => asSections(of('sections')) };
      });
    }
    case 'cases': {
      const { list, sections, ...about } = block;
      const cases = list.flatMap(({ file, cases: inFile }) => inFile.map((one) => ({ file, one })));
      return apartOf(about, { cases, sections: entriesOf(sections()) }, (of) => ({
        ...about,
        list: Array.from(
          groupBy(of('cases') as typeof cases, ({ file }) => file),
          ([file, inFile]) => ({ file, cases: inFile.map(({ one }) => one) }),
        ),
        sections: () => asSections(of('sections')),
      }));
    }
    case 'part':
      return apartOf({ block: 'part', title: block.title }, { whole: [block] }, () => block);
    case 'notes':
      return apartBy('notes', block);
    case 'losses':
      return apartBy('losses', block);
    case 'consequences':
      return apartBy('consequences', block);
    case 'table':
      return apartBy('rows', block);
    case 'checks':
      return apartBy('list', block);
    default:
      return block satisfies never;
  }
}

/** A block with one list, in a field of it. */
function apartBy<F extends string>(
  field: F,
  { [field]: items, ...about }: Block & Readonly<Record<F, Iterable<unknown>>>,
): Apart {
  return apartOf(about, { [field]: items }, (of) => ({ ...about, [field]: of(field) }) as unknown as Block); // the same sort
}

function apartOf(
  about: object,
  lists: Readonly<Record<string, Iterable<unknown>>>,
  build: Apart['build'],
): Apart {
  return {
    same: JSON.stringify(about),
    items: {
      *[Symbol.iterator]() {
        for (const [list, items] of Object.entries(lists))
          for (const item of items) yield { list, item, key: keyOf(item) };
      },
    },
    build,
  };
}

/** What is shown of an item. Lines are made when they are asked for. */
function keyOf(item: unknown): string {
  return JSON.stringify(item, (name, value: unknown) => {
    if (name === 'at' || name === 'also') return undefined;
    return typeof value === 'function' && name === 'lines' ? (value as Entry['lines'])() : value;
  });
}

type About = Omit<Section, 'entries' | 'count' | 'names'>;
type InSection = { readonly about: About; readonly entry: Entry };

function* entriesOf(sections: readonly Section[]): Generator<InSection> {
  for (const { entries, count: _, names: __, ...about } of sections)
    for (const entry of entries) yield { about, entry };
}

function asSections(items: readonly unknown[]): readonly Section[] {
  const groups = groupBy(items as readonly InSection[], ({ about }) => about.title);
  return Array.from(groups.values(), (group) =>
    sectionOf(
      group[0].about,
      group.map(({ entry }) => entry),
    ),
  );
}

function sectionOf(about: About, entries: readonly Entry[]): Section {
  return { ...about, entries, count: entries.reduce((sum, { names }) => sum + names.length, 0) };
}
