import { largestOf } from '../../model/collect.ts';
import { isList, parsePointer, valueOf, type Json } from '../../model/json/json.ts';
import type { Kind, Variant } from '../../model/kind.ts';
import type { Catalog } from '../../model/own-kind.ts';
import { suggest } from '../../model/text/suggest.ts';
import { fieldsOf, itemOf } from '../fields.ts';
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

/** What there is to know of a kind, a plugin class or a field, without the fields below it. */
export type About = {
  readonly heading: string;
  /** Empty if there is none. */
  readonly summary: string;
  readonly facts: readonly Fact[];
};

export function aboutField({ place, named }: NamedField): About {
  const { form, variant } = named;
  const isWhole = place.tokens.length === 0;
  return {
    heading: isWhole && variant !== undefined ? variant.name : place.label,
    summary: isWhole ? (variant ?? form).summary : descriptionOf(place, named),
    facts: [...(isWhole ? aboutWhole(named) : []), ...factsOf(place, named)],
  };
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

export type Fact = readonly [name: string, fact: string];

function aboutWhole({ form, variant }: Named): readonly Fact[] {
  if (variant !== undefined) {
    const { since, deprecated, removed } = variant;
    return [
      ['Used in', `${form.name}, as ${dotted('variants' in form ? form.variants.by : '')}`],
      ...fact('Since', since, 'gateway '),
      ...fact('Deprecated', deprecated === true ? 'yes' : deprecated && `since gateway ${deprecated}`),
      ...fact('Removed', removed, 'in gateway '),
    ];
  }
  if ('whole' in form) return [];
  if (!('aliases' in form)) return [['Known to', 'gwconf only; it expands to resources of the gateway']];
  return [
    ...fact('Aliases', form.aliases.join(', ')),
    ...fact('Read-only', form.removal === undefined ? 'only the gateway creates it' : undefined),
    ...fact('Built in', form.builtIn.join(', ')),
    ...fact('Holds', form.holds),
    ...fact('Not with', form.absentIn.join(', ')),
  ];
}

/** A fact, if there is something to say. */
function fact(name: string, text: string | undefined, before = ''): readonly Fact[] {
  return text === undefined || text === '' ? [] : [[name, `${before}${text}`]];
}

const BOUNDS: Readonly<Record<string, string>> = {
  minimum: 'Minimum',
  maximum: 'Maximum',
  minLength: 'Min length',
  minItems: 'Min items',
  maxItems: 'Max items',
  patternErrorMessage: 'Form',
};

function factsOf(place: FieldPlace, named: Named): readonly Fact[] {
  if (place.tokens.length === 0) return [];
  const { schema, required } = place;
  const fallback = defaultOf(place, named);
  const marks = marksOf(named).filter(({ patterns }) =>
    patterns.some((pattern) => meets(pattern, place.tokens)),
  );
  return [
    ['Type', typeOf(schema)],
    ...(required === undefined ? [] : fact('Required', required ? 'yes' : 'no')),
    ...(fallback === undefined ? [] : fact('Default', JSON.stringify(fallback))),
    ...Object.entries(BOUNDS).flatMap(([keyword, name]) => {
      const bound = valueOf(schema, keyword);
      return bound === undefined ? [] : fact(name, bare(bound));
    }),
    ...marks.map(({ name, meaning }): Fact => [name, meaning]),
    ...agesOf(place, named),
  ];
}

function agesOf({ tokens }: FieldPlace, { form, variant }: Named): readonly Fact[] {
  const ages = variant?.ages ?? ('ages' in form ? form.ages : []);
  return ages
    .filter(({ at }) => meets(at, tokens))
    .flatMap(({ it: { value, since, deprecated, removed } }): readonly Fact[] => {
      const what = value === undefined ? '' : `${bare(value)}: `;
      const end = removed === undefined ? '' : `, to be removed in ${removed}`;
      return [
        ...fact('Since', since, `${what}gateway `),
        ...(deprecated === undefined ? [] : fact('Deprecated', `${what}since gateway ${deprecated}${end}`)),
      ];
    });
}

type Mark = {
  readonly name: string;
  readonly meaning: string;
  readonly patterns: readonly (readonly string[])[];
};

/** Properties of fields that a form lists by pattern. */
function marksOf({ form, variant }: Named): readonly Mark[] {
  const set = { name: 'Set', meaning: 'the order of its items does not matter' };
  const secret = { name: 'Secret', meaning: 'hidden in all output' };
  if (variant !== undefined) {
    return [
      { ...set, patterns: variant.sets.map(parsePointer) },
      { ...secret, patterns: variant.secrets.map(parsePointer) },
    ];
  }
  if (!('sets' in form)) return [];
  return [
    { ...set, patterns: form.sets(form.example) },
    { ...secret, patterns: form.secrets(form.example) },
    {
      name: 'Unique',
      meaning: 'no two resources of the kind can have the same value',
      patterns: form.unique,
    },
    {
      name: 'Immutable',
      meaning: 'a change deletes the resource and creates it again',
      patterns: form.immutable.map(parsePointer),
    },
    {
      name: 'Server-managed',
      meaning: 'set by the gateway; never compared or sent',
      patterns: form.serverManaged,
    },
    { name: 'Any case', meaning: 'upper and lower case are equal', patterns: form.upperCase },
  ];
}

export function defaultOf({ tokens, schema }: FieldPlace, { form, variant }: Named): Json | undefined {
  const inForm = variant === undefined && 'defaults' in form ? form.defaults : [];
  return inForm.find((entry) => meets(entry.tokens, tokens))?.value ?? valueOf(schema, 'default');
}

function meets(pattern: readonly string[], tokens: readonly string[]): boolean {
  const [wanted, ...rest] = pattern;
  if (wanted === undefined) return tokens.length === 0;
  if (wanted === '**') return tokens.some((_, at) => meets(rest, tokens.slice(at))) || meets(rest, []);
  const [token, ...behind] = tokens;
  return token !== undefined && (wanted === '*' || wanted === token) && meets(rest, behind);
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'integer',
  number: 'number',
  boolean: 'true or false',
  object: 'map',
  array: 'list',
  null: 'null',
};

function typeOf(schema: Json): string {
  const values = valueOf(schema, 'enum');
  if (isList(values)) return values.length === 1 ? bare(values[0]) : `one of ${values.map(bare).join(', ')}`;
  const items = itemOf(schema);
  if (items !== undefined) return `list of ${typeOf(items).replace(/^(?:map|integer|number)$/, '$&s')}`;
  const types = [valueOf(schema, 'type') ?? []].flat().map((type) => TYPES[bare(type)] ?? bare(type));
  return types.length === 0 ? 'any value' : types.join(' or ');
}

/** A value of a schema. */
function bare(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The description without the default, which is shown separately. */
function descriptionOf(place: FieldPlace, named: Named): string {
  const text = valueOf(place.schema, 'description');
  if (typeof text !== 'string') return '';
  const fallback = defaultOf(place, named);
  const shown = typeof fallback === 'string' ? fallback : JSON.stringify(fallback);
  const sentence = `Default: ${shown}.`;
  return text.endsWith(sentence) ? text.slice(0, -sentence.length).trimEnd() : text;
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
    const description = descriptionOf(place, named);
    const below = prefix === '' && description === '' ? rowsBelow(place, named, `${name}.`) : [];
    if (below.length > 0) return below;
    const values = valueOf(place.schema, 'enum');
    const type = isList(values) && values.length > 4 ? 'one of several' : typeOf(place.schema);
    return [[name, place.required === true ? `${type}, required` : type, description]];
  });
}

/** All fields at any depth, each below the one that it is in. */
function rowsWithin(from: FieldPlace, named: Named, prefix = ''): readonly Row[] {
  const free = freeFieldBelow(from);
  const places = [...fieldsBelow(from), ...(free === undefined ? [] : [free])];
  return places.flatMap((place): readonly Row[] => {
    const key = place.tokens.at(-1) ?? '';
    const name = `${prefix}${key === '*' ? '<name>' : key}`;
    const type = typeOf(place.schema);
    const row: Row = [
      name,
      place.required === true ? `${type}, required` : type,
      descriptionOf(place, named),
    ];
    return [row, ...rowsWithin(place, named, `${name}.`)];
  });
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

function dotted(pointer: string): string {
  return pointer.slice(1).replaceAll('/', '.');
}

function exampleOf(form: Form, known: readonly Variant[]): string {
  const text = JSON.stringify(form.example);
  const used = known.find(({ name }) => text.includes(JSON.stringify(name))) ?? known[0];
  return used === undefined ? form.name : shortName(used);
}
