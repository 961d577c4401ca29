import { isList, parsePointer, valueOf, type Json } from '../../model/json/json.ts';
import { itemOf } from '../fields.ts';
import type { FieldPlace, NamedField } from './explain-place.ts';
import type { Named } from './names.ts';

/** What there is to know of a kind, a plugin class or a field, without the fields below it. */
type About = {
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

type Fact = readonly [name: string, fact: string];

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

/** Properties of fields that a form lists by pattern. */
function marksOf({ form, variant }: Named) {
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

export function typeOf(schema: Json): string {
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
export function descriptionOf(place: FieldPlace, named: Named): string {
  const text = valueOf(place.schema, 'description');
  if (typeof text !== 'string') return '';
  const fallback = defaultOf(place, named);
  const shown = typeof fallback === 'string' ? fallback : JSON.stringify(fallback);
  const sentence = `Default: ${shown}.`;
  return text.endsWith(sentence) ? text.slice(0, -sentence.length).trimEnd() : text;
}

export function dotted(pointer: string): string {
  return pointer.slice(1).replaceAll('/', '.');
}
