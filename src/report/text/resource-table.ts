import { isList, valueAt, valueOf, type Json } from '../../model/json/json.ts';
import type { Column, Kind } from '../../model/kind.ts';
import { withDefaults } from '../../model/normal/normal-form.ts';
import type { Address, Resource } from '../../model/resource.ts';
import type { TextOptions } from './layout.ts';
import { renderTable } from './table.ts';

/** The resources of a kind, without their secrets. */
export type TableRows = Iterable<{ readonly address: Address; readonly resource: Resource }>;

/** A table of resources of one kind: name, scope, and the columns of the kind. It is as wide as the terminal at most. */
export function* renderResources(
  kind: Kind,
  rows: TableRows,
  options: Pick<TextOptions, 'paint' | 'width'>,
): Generator<string> {
  const titles = [
    'NAME',
    ...(kind.axes.length === 0 ? [] : [scopeTitle(kind)]),
    ...kind.columns.map(({ title }) => title),
  ];
  yield* renderTable(
    titles,
    Array.from(rows, ({ address, resource }) => cellsOf(kind, address, resource)),
    options,
  );
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
  ];
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
