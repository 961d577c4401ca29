import { largestOf } from '../../model/collect.ts';
import { isList, valueOf } from '../../model/json/json.ts';
import type { Kind, Variant } from '../../model/kind.ts';
import type { Catalog } from '../../model/own-kind.ts';
import { suggest } from '../../model/text/suggest.ts';
import { fieldsOf } from '../fields.ts';
import { aboutField, descriptionOf, dotted, typeOf } from './about-field.ts';
import {
  itemsUnder,
  rootPlace,
  stepInto,
  fieldNames,
  findFields,
  type NamedField,
  fieldsBelow,
  freeFieldBelow,
  type FieldPlace,
} from './explain-place.ts';
import { nearName, readName, shortName, type Form, type Named } from './names.ts';

/** Nothing is known of a name. */
export type UnknownName = {
  /** The part of the question that nothing is known of. */
  readonly unknown: string;
  /** The place in which it is unknown; undefined for a name at the start. */
  readonly within: string | undefined;
  readonly near: string | undefined;
};
/** Different fields have the name. */
export type Choices = { readonly choices: readonly string[] };
export type FoundField = NamedField & {
  /** Other places that have the same field. */
  readonly others: readonly string[];
};

export type ExplainOptions = {
  /** Whether fields of fields are listed, too. */
  readonly isRecursive?: boolean;
};

/**
 * What the forms know of a kind, a plugin class, the project file, or a field: `Interceptor.spec.priority`,
 * `CreateTopicPolicyPlugin.numPartition`, `vault`. Lists are stepped into with or without `[]`.
 */
export function explain(
  question: string,
  catalog: Catalog,
  { isRecursive = false }: ExplainOptions = {},
): { readonly text: string } | Choices | UnknownName {
  const found = findField(question, catalog);
  if (!('place' in found)) return found;
  const { place, named, others } = found;
  const also = others.length === 0 ? '' : `\nAlso in:\n${others.map((label) => `  ${label}\n`).join('')}`;
  return { text: `${explainText(place, named, isRecursive)}${also}` };
}

/** The place that a question is about. */
export function findField(question: string, catalog: Catalog): FoundField | Choices | UnknownName {
  const named = readName(question, catalog);
  if (named !== undefined) {
    const place = follow({ named, place: rootPlace(named) }, named.rest);
    return 'unknown' in place ? place : { ...place, others: [] };
  }
  const [name = ''] = question.split(/[.[]/, 1);
  const groups = findFields(name, catalog);
  const [group = []] = groups;
  const [first, ...alike] = group;
  if (first === undefined)
    return { unknown: question, within: undefined, near: nearName(question, catalog, fieldNames(catalog)) };
  if (groups.length > 1) return { choices: groups.flatMap(([one]) => one?.place.label ?? []) };
  const rest = question.slice(name.length);
  const place = follow(first, rest);
  return 'unknown' in place ? place : { ...place, others: alike.map((one) => `${one.place.label}${rest}`) };
}

/** Steps from a place to a field below it. */
function follow({ named, place }: NamedField, rest: string): NamedField | UnknownName {
  const steps = rest
    .replace(/\[[^[\]]*\]/g, '.*')
    .split('.')
    .filter((step) => step !== '');
  let at = place;
  while (steps.length > 0) {
    const next = stepInto(at, steps);
    if (next === undefined) {
      const [unknown = ''] = steps;
      const { label, schema } = itemsUnder(at);
      const keys = [...fieldsOf(schema).keys()];
      // As in `Interceptor.priority`.
      const between = keys.find((key) => {
        const into = stepInto(at, [key]);
        return into !== undefined && fieldsOf(itemsUnder(into).schema).has(unknown);
      });
      const near = between === undefined ? suggest(unknown, keys) : `${label}.${between}.${unknown}`;
      return { unknown, within: label, near };
    }
    at = next;
  }
  return { named, place: at };
}

/** The explanation of a kind, a plugin class or a field, as text. */
function explainText(place: FieldPlace, named: Named, isRecursive: boolean): string {
  const { heading, summary, facts } = aboutField({ place, named });
  const width = largestOf(facts.map(([name]) => name.length));
  const fields = isRecursive ? rowsWithin(place, named) : rowsBelow(place, named);
  return [
    `${heading}\n`,
    ...(summary === '' ? [] : [`\n${summary}\n`]),
    ...(facts.length === 0
      ? []
      : ['\n', ...facts.map(([name, fact]) => `${`${name}:`.padEnd(width + 1)}  ${fact}\n`)]),
    ...(fields.length === 0 ? [] : ['\nFields:\n', ...table(fields)]),
    ...choicesOf(place, named),
  ].join('');
}

type Row = readonly [name: string, type: string, description: string];

/** The direct fields; a map without a description is replaced by its fields. */
function rowsBelow(from: FieldPlace, named: Named, prefix = ''): readonly Row[] {
  const fields = fieldsBelow(from);
  const free = freeFieldBelow(from);
  if (fields.length === 0 && free !== undefined && fieldsOf(free.schema).size > 0)
    return rowsBelow(free, named, `${prefix}<name>.`);
  return fields.flatMap((place): readonly Row[] => {
    const name = `${prefix}${place.tokens.at(-1) ?? ''}`;
    const isOpen = prefix === '' && descriptionOf(place, named) === '';
    const below = isOpen ? rowsBelow(place, named, `${name}.`) : [];
    if (below.length > 0) return below;
    const values = valueOf(place.schema, 'enum');
    const isLong = isList(values) && values.length > 4;
    return [rowOf(name, place, named, isLong ? 'one of several' : undefined)];
  });
}

/** All fields at any depth, each below the one that it is in. */
function rowsWithin(from: FieldPlace, named: Named, prefix = ''): readonly Row[] {
  const free = freeFieldBelow(from);
  const places = [...fieldsBelow(from), ...(free === undefined ? [] : [free])];
  return places.flatMap((place): readonly Row[] => {
    const key = place.tokens.at(-1) ?? '';
    const name = `${prefix}${key === '*' ? '<name>' : key}`;
    return [rowOf(name, place, named), ...rowsWithin(place, named, `${name}.`)];
  });
}

function rowOf(name: string, place: FieldPlace, named: Named, type = typeOf(place.schema)): Row {
  return [name, place.required === true ? `${type}, required` : type, descriptionOf(place, named)];
}

function table(rows: readonly Row[]): readonly string[] {
  const [names, types] = [0, 1].map((column) => largestOf(rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    `  ${row[0].padEnd(names ?? 0)}  ${row[1].padEnd(types ?? 0)}  ${row[2]}`.trimEnd().concat('\n'),
  );
}

/** For a field that selects the schema of another: its known values. For the other: an example of a query. */
function choicesOf({ tokens }: FieldPlace, { form, variant }: Named): readonly string[] {
  const variants: Kind['variants'] = variant === undefined && 'variants' in form ? form.variants : undefined;
  if (variants === undefined) return [];
  const isAt = (pointer: string): boolean => `/${tokens.join('/')}` === pointer;
  if (isAt(variants.part)) {
    return [
      `\nIts fields depend on ${dotted(variants.by)}: gwconf explain ${exampleOf(form, variants.known)}\n`,
    ];
  }
  if (!isAt(variants.by)) return [];
  return [
    '\nKnown values; others are sent unchanged:\n',
    ...table(variants.known.map(({ name, summary }) => [name, '', summary])),
  ];
}

function exampleOf(form: Form, known: readonly Variant[]): string {
  const text = JSON.stringify(form.example);
  const used = known.find(({ name }) => text.includes(JSON.stringify(name))) ?? known[0];
  return used === undefined ? form.name : shortName(used);
}
