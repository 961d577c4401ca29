import { once } from './collect.ts';
import { defaultTreeOf, type Default } from './defaults.ts';
import { parsePointer, placesOf, valueOf, type Json, type Pattern, type Pointer } from './json/json.ts';
import {
  addressOf,
  isNullable,
  LISTS,
  PATTERNS,
  schemaAt,
  type Form,
  type Kind,
  type KindForm,
  type Part,
  type Reference,
  type Referred,
  type Rule,
  type Survey,
  type Tokens,
} from './kind.ts';
import { judge } from './problem.ts';
import { asValid, isSound, type Address, type Parsed, type Resource, type Scope } from './resource.ts';

/** Compiles a form. `read` checks a listed item against the schema of the kind. */
export function compileKind<R extends Resource>(form: KindForm<R>, read: Kind['read']): Kind {
  const filled = { guarded: ['/spec'], ...form } as unknown as Form; // its functions get valid resources
  const { sets, secrets, part } = compileVariants(filled);
  return {
    ...filled,
    ...forEach(LISTS, (field) => filled[field] ?? []),
    ...forEach(PATTERNS, (field) => (filled[field] ?? []).map(parsePointer)),
    read,
    example: asValid(form.example),
    ...compileKey(filled),
    sets,
    secrets,
    part,
    ...compileRules(filled),
  } as Kind; // as the two lists of fields say
}

function compileRules(form: Form): Pick<Kind, 'references' | 'check' | 'survey' | 'rules'> {
  const make = <T>(reads: readonly Pointer[], find: T): { reads: readonly Pointer[]; find: T } => ({
    reads,
    find,
  });
  // A rule of R gets resources of R.
  const rules = (form.rules?.(make) ?? []) as readonly Rule[];
  const places = Object.entries(form.references ?? {}).map(
    // Object.entries forgets the type of keys, and that undefined is never written there.
    ([pattern, to]): ReferencePlace => ({
      pattern: pattern as Pattern,
      tokens: parsePointer(pattern as Pattern),
      to: to as string | Referred,
    }),
  );
  return {
    references: (resource) => {
      const found: Reference[] = [];
      for (const place of places) addReferences(found, resource, place);
      return found;
    },
    check: (examined, context) =>
      rules
        .filter(({ reads }) => isSound(examined, reads))
        // The fields that it reads are valid.
        .flatMap(({ find }) => find(examined.resource as Resource, context))
        .map(judge),
    survey: form.survey?.(make) as Survey | undefined,
    rules: undefined,
  };
}

type ReferencePlace = {
  readonly pattern: Pattern;
  readonly tokens: Tokens;
  readonly to: string | Referred;
};

function addReferences(found: Reference[], resource: Parsed, { pattern, tokens, to }: ReferencePlace): void {
  const add = (path: Pointer, value: Json): void => {
    const address = typeof to === 'string' ? namedBy(to, value, {}) : addressIn(to, value);
    if (address !== undefined) found.push({ to: address, path });
  };
  if (tokens.includes('*')) {
    for (const { pointer, value } of placesOf(resource, tokens)) add(pointer, value);
    return;
  }
  // Most places are one field, whose pointer is the pattern.
  const value = tokens.reduce<Json | undefined>(valueOf, resource);
  if (value !== undefined) add(pattern, value);
}

function addressIn({ kind, axes }: Referred, value: Json): Address | undefined {
  const scope = axes.map((axis) => [axis, valueOf(value, axis) ?? null] as const);
  const isScope = scope.every(([, part]) => part === null || typeof part === 'string');
  return isScope ? namedBy(kind, valueOf(value, 'name'), Object.fromEntries(scope) as Scope) : undefined;
}

function namedBy(kind: string, name: Json | undefined, scope: Scope): Address | undefined {
  return typeof name === 'string' ? addressOf(kind, name, scope) : undefined;
}

/** The fields of the scope, and the defaults. */
export function compileKey({
  schema,
  scope = {},
  defaults: written = {},
}: Pick<Form, 'schema' | 'scope' | 'defaults'>): Pick<Kind, 'axes' | 'defaults' | 'defaultTree'> {
  const defaults = Object.entries(written).map(([pattern, value]): Default => {
    const tokens = parsePointer(pattern as Pattern); // Object.entries forgets the type of keys
    // Nor does it know that undefined is never written there.
    return { tokens, value: value as Json, nullable: isNullable(schemaAt(schema, tokens)) };
  });
  const axes = Object.entries(scope).map(([name, at]) => ({ name, tokens: parsePointer(at).slice(1) }));
  return { axes, defaults, defaultTree: defaultTreeOf(defaults) };
}

function forEach<F extends string, V>(fields: readonly F[], make: (field: F) => V): Readonly<Record<F, V>> {
  return Object.fromEntries(fields.map((field) => [field, make(field)])) as Record<F, V>;
}

type ByVariant = {
  readonly sets: readonly Tokens[];
  readonly secrets: readonly Tokens[];
  readonly part?: Part;
};

/** Compiles the properties that depend on the variant of a resource. */
function compileVariants({
  sets = [],
  secrets = [],
  variants,
}: Form): Pick<Kind, 'sets' | 'secrets' | 'part'> {
  const own: ByVariant = { sets: sets.map(parsePointer), secrets: secrets.map(parsePointer) };
  const { by = '', part = '', known = [] } = variants ?? {};
  const rooted = (patterns: readonly Pattern[]): readonly Tokens[] =>
    patterns.map((pattern) => parsePointer(`${part}${pattern}`));
  const byName = new Map<Json | undefined, () => ByVariant>(
    known.map((variant) => [
      variant.name,
      once(() => ({
        sets: [...own.sets, ...rooted(variant.sets)],
        secrets: [...own.secrets, ...rooted(variant.secrets)],
        part: { path: part, of: variant.title, schema: variant.schema },
      })),
    ]),
  );
  const [field = '', ...inside] = parsePointer(by);
  const variantOf = (resource: Parsed): ByVariant =>
    variants === undefined ? own : (byName.get(inside.reduce(valueOf, valueOf(resource, field)))?.() ?? own);
  return {
    sets: (resource) => variantOf(resource).sets,
    secrets: (resource) => variantOf(resource).secrets,
    part: (resource) => variantOf(resource).part,
  };
}
