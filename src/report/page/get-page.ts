import { formatCount } from '../../model/text/list.ts';
import { isList, valueAt, valueOf, type Json } from '../../model/json/json.ts';
import type { Column, Kind } from '../../model/kind.ts';
import { withDefaults } from '../../model/normal/normal-form.ts';
import type { Address, Resource } from '../../model/resource.ts';
import type { GetReport } from '../../outcome/gateway.ts';
import { makePage, notesOf } from './make-page.ts';
import type { Page, Table } from './page.ts';
import { printJson } from '../../model/json/json-text.ts';

/** Resources of a kind, without their secrets; each is made when it is shown. */
type OfKind = {
  readonly kind: Kind;
  readonly resources: readonly { readonly address: Address; readonly show: () => Resource }[];
};

/** What is live: a table for each kind, with its columns. */
export function pageOfGet(outcome: GetReport, kinds: readonly OfKind[]): Page {
  const { result, gateway, snapshot, resources, unavailable } = outcome;
  const headline = formatCount(resources.length, 'object');
  const rest = ` on ${gateway}${snapshot === undefined ? '' : `, in a snapshot of ${snapshot.takenAt}`}.`;
  const isFound = result === 'ok' || result === 'incomplete' || result === 'not-found';
  return makePage(outcome, {
    title: result === 'ok' ? headline : `${headline}: ${result}`,
    facts: [{ label: 'Gateway', text: gateway, isCode: true }],
    blocks: [
      ...kinds.filter((one) => one.resources.length > 0).map(tableOfResources),
      ...notesOf(
        'Not available',
        'kind',
        'sentences',
        unavailable.map(({ words }) => ({ text: words })),
      ),
    ],
    ending: isFound ? { headline, rest } : undefined,
  });
}

/** A table of resources of one kind: name, scope, and the columns of the kind. */
export function tableOfResources({ kind, resources }: OfKind): Table {
  return {
    block: 'table',
    title: `${kind.name} (${resources.length})`,
    look: 'titled',
    titles: [
      'NAME',
      ...(kind.axes.length === 0 ? [] : [scopeTitle(kind)]),
      ...kind.columns.map(({ title }) => title),
    ],
    get rows() {
      return resources.map(({ address, show }) => cellsOf(kind, address, show()));
    },
  };
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
  if (typeof value !== 'string') return printJson(value);
  return short === true ? value.slice(value.lastIndexOf('.') + 1) : value;
}
