import { isList, parsePointer, valueOf, type Json } from '../model/json.ts';
import type { Catalog, Kind, OwnKind, Variant } from '../model/kind.ts';
import { suggest } from '../model/suggest.ts';
import { fieldOf, fieldsOf, itemOf } from './fields.ts';
import { nearName, readName, shortName, type Named } from './names.ts';
import { describe } from './wording.ts';

export type Explained =
  | { readonly text: string }
  | {
      /** The part of the question that nothing is known of. */
      readonly unknown: string;
      /** Where it was looked for; undefined for the name of a kind or class. */
      readonly within: string | undefined;
      readonly near: string | undefined;
    };

/**
 * What the forms know of a kind, a plugin class, or a field of either: `Interceptor.spec.priority`,
 * `CreateTopicPolicyPlugin.numPartition`. Lists are stepped into with or without `[]`.
 */
export function explain(question: string, catalog: Catalog): Explained {
  const named = readName(question, catalog);
  if (named === undefined) return { unknown: question, within: undefined, near: nearName(question, catalog) };
  let at: Place = { label: named.name, tokens: [], schema: schemaOf(named), required: undefined };
  const steps = named.rest
    .replace(/\[[^\]]*\]/g, '.*')
    .split('.')
    .filter((step) => step !== '');
  while (steps.length > 0) {
    const next = stepInto(at, steps);
    if (next === undefined) {
      const [unknown = ''] = steps;
      const known = fieldsOf(itemsUnder(at).schema).keys();
      return { unknown, within: at.label, near: suggest(unknown, known) };
    }
    at = next;
  }
  return { text: print(at, named) };
}

/** A field, with the pattern that leads to it. */
type Place = {
  readonly label: string;
  readonly tokens: readonly string[];
  readonly schema: Json;
  readonly required: boolean | undefined;
};

function schemaOf({ form, variant }: Named): Json {
  if (variant !== undefined) return variant.schema;
  return {
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    properties: {
      apiVersion: { enum: [form.apiVersion] },
      kind: { enum: [form.name, ...('aliases' in form ? form.aliases : [])] },
      ...form.schema,
    },
  };
}

/** Takes the steps that lead to the next field; keys may have dots. */
function stepInto(from: Place, steps: string[]): Place | undefined {
  const inside = itemsUnder(from);
  if (inside !== from && /^(?:\*|\d+)$/.test(steps[0] ?? '')) {
    steps.shift();
    return inside;
  }
  const known = fieldsOf(inside.schema);
  for (let length = steps.length; length > 0; length -= 1) {
    const key = steps.slice(0, length).join('.');
    const schema = known.get(key) ?? freeField(inside.schema, key, length === steps.length);
    if (schema === undefined) continue;
    steps.splice(0, length);
    return fieldAt(inside, key, schema);
  }
  return undefined;
}

/** A key that the user makes up: all that is left of the question, or a step that leads further. */
function freeField(schema: Json, key: string, isAll: boolean): Json | undefined {
  const free = fieldOf(schema, key);
  const leadsOn = fieldsOf(free).size > 0 || itemOf(free) !== undefined;
  return (leadsOn ? !key.includes('.') : isAll) ? free : undefined;
}

function itemsUnder(place: Place): Place {
  const schema = itemOf(place.schema);
  if (schema === undefined) return place;
  return { label: `${place.label}[]`, tokens: [...place.tokens, '*'], schema, required: undefined };
}

function fieldAt(within: Place, key: string, schema: Json): Place {
  const required = valueOf(within.schema, 'required');
  return {
    label: `${within.label}.${key}`,
    tokens: [...within.tokens, key],
    schema,
    required: isList(required) && required.includes(key),
  };
}

function print(place: Place, named: Named): string {
  const { form, variant } = named;
  const isWhole = place.tokens.length === 0;
  const summary = isWhole ? (variant ?? form).summary : descriptionOf(place, named);
  const heading = isWhole && variant !== undefined ? variant.name : place.label;
  const facts = [...(isWhole ? aboutWhole(named) : []), ...factsOf(place, named)];
  const width = Math.max(0, ...facts.map(([name]) => name.length));
  const fields = fieldsBelow(place, named);
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

type Fact = readonly [name: string, fact: string];

function aboutWhole({ form, variant }: Named): readonly Fact[] {
  if (variant !== undefined) {
    const { since, deprecated, removed } = variant;
    return [
      ['Used in', `${form.name}, as ${dotted('variants' in form ? (form.variants?.by ?? '') : '')}`],
      ...(since === undefined ? [] : [['Since', `gateway ${since}`] as const]),
      ...(deprecated === undefined
        ? []
        : [['Deprecated', deprecated === true ? 'yes' : `since gateway ${deprecated}`] as const]),
      ...(removed === undefined ? [] : [['Removed', `in gateway ${removed}`] as const]),
    ];
  }
  if (!('aliases' in form)) return [['Known to', 'gwconf only; it becomes other resources']];
  return [
    ...(form.aliases.length === 0 ? [] : [['Also called', form.aliases.join(', ')] as const]),
    ...(form.removal === undefined ? [['Read-only', 'the gateway makes it by itself'] as const] : []),
    ...(form.builtIn.length === 0 ? [] : [['Built in', form.builtIn.join(', ')] as const]),
    ...(form.holds === undefined ? [] : [['Holds', form.holds] as const]),
    ...(form.absentIn.length === 0 ? [] : [['Absent with', form.absentIn.join(', ')] as const]),
  ];
}

const BOUNDS: Readonly<Record<string, string>> = {
  minimum: 'At least',
  maximum: 'At most',
  exclusiveMinimum: 'More than',
  exclusiveMaximum: 'Less than',
  minLength: 'Least length',
  maxLength: 'Most length',
  minItems: 'Least items',
  maxItems: 'Most items',
  pattern: 'Pattern',
};

function factsOf(place: Place, named: Named): readonly Fact[] {
  if (place.tokens.length === 0) return [];
  const { schema, required } = place;
  const fallback = defaultOf(place, named);
  const marks = marksOf(named).filter(({ patterns }) =>
    patterns.some((pattern) => meets(pattern, place.tokens)),
  );
  return [
    ['Type', typeOf(schema)],
    ...(required === undefined ? [] : [['Required', required ? 'yes' : 'no'] as const]),
    ...(fallback === undefined ? [] : [['Default', JSON.stringify(fallback)] as const]),
    ...Object.entries(BOUNDS).flatMap(([keyword, name]): readonly Fact[] => {
      const bound = valueOf(schema, keyword);
      return bound === undefined ? [] : [[name, describe(bound)]];
    }),
    ...marks.map(({ name, meaning }): Fact => [name, meaning]),
  ];
}

type Mark = {
  readonly name: string;
  readonly meaning: string;
  readonly patterns: readonly (readonly string[])[];
};

/** What a form says of its fields by pattern. */
function marksOf({ form, variant }: Named): readonly Mark[] {
  const set = { name: 'Set', meaning: 'the order of its items means nothing' };
  const secret = { name: 'Secret', meaning: 'no report shows it' };
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
    { name: 'Unique', meaning: 'no two resources of the kind share it', patterns: form.unique },
    {
      name: 'Immutable',
      meaning: 'to change it, the resource is deleted and made anew',
      patterns: form.immutable.map(parsePointer),
    },
    {
      name: 'Server-managed',
      meaning: 'the gateway sets it; it is never compared and never sent',
      patterns: form.serverManaged,
    },
    { name: 'Any case', meaning: 'upper and lower case mean the same', patterns: form.upperCase },
  ];
}

function defaultOf({ tokens, schema }: Place, { form, variant }: Named): Json | undefined {
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
  if (isList(values))
    return values.length === 1 ? describe(values[0]) : `one of ${values.map(describe).join(', ')}`;
  const items = itemOf(schema);
  if (items !== undefined) return `list of ${typeOf(items).replace(/^(?:map|integer|number)$/, '$&s')}`;
  const types = [valueOf(schema, 'type') ?? []].flat().map((type) => TYPES[describe(type)] ?? describe(type));
  return types.length === 0 ? 'any value' : types.join(' or ');
}

/** Without the default where it is said once more. */
function descriptionOf(place: Place, named: Named): string {
  const text = valueOf(place.schema, 'description');
  if (typeof text !== 'string') return '';
  const fallback = defaultOf(place, named);
  const shown = typeof fallback === 'string' ? fallback : JSON.stringify(fallback);
  const sentence = `Default: ${shown}.`;
  return text.endsWith(sentence) ? text.slice(0, -sentence.length).trimEnd() : text;
}

type Row = readonly [name: string, type: string, description: string];

/** The fields right below, and in place of a map that says nothing of itself, its fields. */
function fieldsBelow(from: Place, named: Named, prefix = ''): readonly Row[] {
  const within = itemsUnder(from);
  return [...fieldsOf(within.schema)].flatMap(([key, schema]): readonly Row[] => {
    const place = fieldAt(within, key, schema);
    const name = `${prefix}${key}`;
    const description = descriptionOf(place, named);
    const below = prefix === '' && description === '' ? fieldsBelow(place, named, `${name}.`) : [];
    if (below.length > 0) return below;
    const values = valueOf(schema, 'enum');
    const type = isList(values) && values.length > 4 ? 'one of several' : typeOf(schema);
    return [[name, place.required === true ? `${type}, required` : type, description]];
  });
}

function table(rows: readonly Row[]): readonly string[] {
  const [names, types] = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    `  ${row[0].padEnd(names ?? 0)}  ${row[1].padEnd(types ?? 0)}  ${row[2]}`.trimEnd().concat('\n'),
  );
}

/** Where a field picks the shape of another: what it is known to pick from, or how to ask for that shape. */
function choicesOf({ tokens }: Place, { form, variant }: Named): readonly string[] {
  const variants: Kind['variants'] = variant === undefined && 'variants' in form ? form.variants : undefined;
  if (variants === undefined) return [];
  const isAt = (pointer: string): boolean => `/${tokens.join('/')}` === pointer;
  if (isAt(variants.part)) {
    return [
      `\nIts fields hang on ${dotted(variants.by)}: gwconf explain ${exampleOf(form, variants.known)}\n`,
    ];
  }
  if (!isAt(variants.by)) return [];
  return [
    '\nKnown values; any other is carried as it is:\n',
    ...table(variants.known.map(({ name, summary }) => [name, '', summary])),
  ];
}

function dotted(pointer: string): string {
  return pointer.slice(1).replaceAll('/', '.');
}

function exampleOf(form: Kind | OwnKind, known: readonly Variant[]): string {
  const text = JSON.stringify(form.example);
  const used = known.find(({ name }) => text.includes(JSON.stringify(name))) ?? known[0];
  return used === undefined ? form.name : shortName(used);
}
