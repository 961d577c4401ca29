import { largestOf } from '../../model/collect.ts';
import { isList, valueAt, valueOf, type Json } from '../../model/json/json.ts';
import type { Column, Kind } from '../../model/kind.ts';
import { withDefaults } from '../../model/normal/normal-form.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { onOneLine } from '../escape.ts';
import type { TextOptions } from './text-options.ts';
import { cutToWidth, widthOf } from './width.ts';

/** The resources of a kind, without their secrets. */
export type TableRows = Iterable<{ readonly address: Address; readonly resource: Resource }>;

/** A table of resources of one kind: name, scope, and the columns of the kind. It is as wide as the terminal at most. */
export function* renderResources(
  kind: Kind,
  rows: TableRows,
  { paint, width }: Pick<TextOptions, 'paint' | 'width'>,
): Generator<string> {
  const titles = [
    'NAME',
    ...(kind.axes.length === 0 ? [] : [scopeTitle(kind)]),
    ...kind.columns.map(({ title }) => title),
  ];
  const cells = Array.from(rows, ({ address, resource }) => cellsOf(kind, address, resource));
  const widths = fitColumns(
    titles.map((title, at) => largestOf([title, ...cells.map((row) => row[at] ?? '')].map(widthOf))),
    width,
  );
  const isCut = width !== undefined;
  yield `${paint.dim(renderRow(titles, widths, isCut))}\n`;
  for (const row of cells) yield `${renderRow(row, widths, isCut)}\n`;
}

function scopeTitle({ axes }: Kind): string {
  return axes.length === 1 ? (axes[0]?.name ?? '').toUpperCase() : 'SCOPE';
}

function cellsOf(kind: Kind, address: Address, resource: Resource): readonly string[] {
  const filled = withDefaults(kind, resource);
  return [
    resource.metadata.name,
    ...(kind.axes.length === 0 ? [] : [scopeIn(address, kind)]),
    ...kind.columns.map((column) => textOf(valueAt(filled, column.at), column)),
  ].map(onOneLine);
}

/** What is behind the `@` of an address; of a single axis, its value. */
function scopeIn(address: Address, { axes }: Kind): string {
  const scope = address.slice(address.indexOf('@') + 1);
  return axes.length === 1 ? scope.slice(scope.indexOf('=') + 1) : scope;
}

/** More items of a list are counted. */
const MOST_ITEMS = 3;

function textOf(value: Json | undefined, { short }: Pick<Column, 'short'> = {}): string {
  if (value === undefined || value === null || value === '') return '-';
  if (isList(value)) {
    const more = value.length - MOST_ITEMS;
    const names = value.slice(0, MOST_ITEMS).map((item) => textOf(valueOf(item, 'name') ?? item));
    return names.length === 0 ? '-' : [...names, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
  }
  if (typeof value !== 'string') return JSON.stringify(value);
  return short === true ? value.slice(value.lastIndexOf('.') + 1) : value;
}

/** Without a terminal, longer cells stick out: one long name would fill every row with blanks. */
const MOST_PADDING = 60;
const INDENT = '  ';
const GAP = '  ';

/** The widths of columns: on a terminal, the widest become narrower until all fit. */
function fitColumns(wanted: readonly number[], terminal: number | undefined): readonly number[] {
  if (terminal === undefined) return wanted.map((width) => Math.min(width, MOST_PADDING));
  let room = terminal - INDENT.length - GAP.length * (wanted.length - 1);
  const ascending = [...wanted].sort((one, other) => one - other);
  for (const [at, width] of ascending.entries()) {
    const share = Math.max(1, Math.floor(room / (ascending.length - at)));
    if (width > share) return wanted.map((one) => Math.min(one, share));
    room -= width;
  }
  return wanted;
}

function renderRow(cells: readonly string[], widths: readonly number[], isCut: boolean): string {
  const padded = cells.map((cell, at) => {
    const width = widths[at] ?? 0;
    const shown = isCut ? cutToWidth(cell, width) : cell;
    return at === cells.length - 1 ? shown : shown + ' '.repeat(Math.max(0, width - widthOf(shown)));
  });
  return `${INDENT}${padded.join(GAP)}`;
}
