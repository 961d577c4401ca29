import {
  isList,
  parsePointer,
  valueOf,
  type Json,
  type JsonObject,
  type Pattern,
  type Pointer,
} from './json/json.ts';
import { fillingOf, type Default, type Filling } from './defaults.ts';
import type { ProblemCode, Severity } from './problem-codes.ts';
import {
  asValid,
  kindOf,
  printAddress,
  type Address,
  type Parsed,
  type Resource,
  type Scope,
  type Unchecked,
} from './resource.ts';

/** Something that must exist before the resource may. */
export type Reference = { readonly to: Address; readonly path: Pointer };

/** What an environment says of its gateway; rules that need what it leaves out do not apply. */
export type Context = { readonly version?: string; readonly security?: string };

/** A rule across the fields of one resource that it breaks. */
export type FieldProblem = {
  /** Default: `conflicting-fields` for an error, `unusual-value` for less. */
  readonly code?: ProblemCode;
  readonly severity: Severity;
  readonly path: Pointer;
  readonly on?: 'key' | 'value';
  readonly message: string;
  /** The value that is wrong; it is shown behind the message unless it is a secret, which the rule cannot know. */
  readonly found?: Json;
  readonly hint: string;
};

/** A rule across resources that one of them breaks, and the other that is involved. */
export type SurveyProblem = FieldProblem & {
  readonly code: ProblemCode;
  readonly address: Address;
  readonly also?: { readonly address: Address; readonly path: Pointer };
};

/** What a survey can look up: declared resources, and live ones where a gateway was asked; with defaults. */
export type World = {
  get(address: Address): Resource | undefined;
  /** Whether the gateway was asked, so that what is not found is not there. */
  readonly complete: boolean;
};

/** The form that a kind of the gateway's fills in; what does not apply is left out. */
export type KindForm<R extends Resource> = {
  readonly name: R['kind'];
  /** Other spellings of the kind that files and servers use. */
  readonly aliases?: readonly string[];
  /** README row and schema description. */
  readonly summary: string;
  /** The version of the API that serves it, and the path of its collection there. */
  readonly apiVersion: string;
  readonly collection: `/${string}`;
  /** A listed item in the shape of a resource, where the API answers with another one. */
  readonly read?: (item: JsonObject) => Parsed;
  /** How the API is told what to delete; absent for a kind that can only be read. */
  readonly removal?: 'path' | 'body' | 'path-and-body';
  /** JSON Schemas; closed objects, so that what they do not name is unknown. */
  readonly schema: { readonly metadata: JsonObject; readonly spec: JsonObject };
  /** Held to the type by the compiler, to the schema by a test. */
  readonly example: Unchecked<R>;
  /** What identifies it beside its name: fields of the metadata by axis, in the order in which addresses print them. */
  readonly scope?: Readonly<Record<string, `/metadata/${string}`>>;
  /** What the gateway fills in when the file is silent, in the order in which it does. */
  readonly defaults?: Readonly<Partial<Record<Pattern, Json>>>;
  /** Values of the spec whose case means nothing. */
  readonly upperCase?: readonly Pattern[];
  /** Names that always exist and no file may declare. */
  readonly builtIn?: readonly string[];
  /** Lists whose order means nothing. */
  readonly sets?: readonly Pattern[];
  /** Values that no report may show. */
  readonly secrets?: readonly Pattern[];
  /**
   * Secrets, outside of lists, that the gateway may keep to itself: it leaves them out, or answers with a placeholder.
   * What it keeps is not compared: whether it changed is unknown.
   */
  readonly withheld?: readonly Pattern[];
  /** Fields the gateway owns: never compared, never sent. */
  readonly serverManaged?: readonly Pattern[];
  /** Fields the gateway will not change in place. */
  readonly immutable?: readonly Pattern[];
  /** All resources of the kind that have one value at `within` have one at `on`, at every moment. */
  readonly agree?: { readonly on: Pattern; readonly within: Pattern };
  /** Values that no two resources of the kind may share. */
  readonly unique?: readonly Pattern[];
  /** What is lost with the resource and does not come back with a new one of the same name. */
  readonly holds?: string;
  /** Fields that are not changed in what is protected. Default: the whole spec. */
  readonly guarded?: readonly Pattern[];
  /** Resources that share this value are never written at the same time. */
  readonly oneAtATime?: Pattern;
  /** Security modes of a gateway in which there are no resources of the kind (gateway-api D). */
  readonly absentIn?: readonly string[];
  /** What gateways of which versions make of its fields. */
  readonly ages?: readonly AgedField[];
  /** The shapes that a part of it can have, and the field that picks one. */
  readonly variants?: Variants;

  /** The spec in one spelling, where the rules above leave two. */
  normalise?(spec: R['spec']): JsonObject;
  /**
   * The resource without unique values that others wait for, in a form that the gateway takes until its own change
   * comes; gets the live one with the defaults filled in. Absent: it cannot be without them.
   */
  release?(resource: R, values: readonly Json[]): R;
  /** What must exist before it may; gets the resource with the defaults filled in. */
  references?(resource: R): readonly Reference[];
  /** Rules across fields; gets the resource as it stands in the file. */
  check?(resource: R, context: Context): readonly FieldProblem[];
  /** Rules across the declared resources of the kind, given with their defaults. */
  survey?(mine: ReadonlyMap<Address, R>, world: World): readonly SurveyProblem[];
};

/** A part of a resource that is held to a JSON Schema of its own; `of` names the owner of that schema. */
export type Part = { readonly path: Pointer; readonly of: string; readonly schema: JsonObject };

/** Since when gateways have what stands at a pattern's tokens, or one value there, and until when. */
export type AgedField = {
  readonly at: Tokens;
  readonly it: {
    readonly value?: string | boolean;
    readonly since?: string;
    readonly deprecated?: string;
    readonly removed?: string;
  };
};
/** What an editor completes and what there is to explain where the value of one field picks the shape of another. */
export type Variants = {
  /** The field that picks: `/spec/pluginClass`. */
  readonly by: Pointer;
  /** The part whose shape it picks: `/spec/config`. */
  readonly part: Pointer;
  readonly known: readonly Variant[];
};
export type Variant = {
  /** The value that picks it. */
  readonly name: string;
  /** What messages call it. */
  readonly title: string;
  readonly summary: string;
  /** JSON Schema of the part. */
  readonly schema: JsonObject;
  /** Lists whose order means nothing, and values that no report may show; rooted at the part. */
  readonly sets: readonly Pattern[];
  readonly secrets: readonly Pattern[];
  readonly ages: readonly AgedField[];
  /** Gateway versions: the first that has it, the one that advises against it, the first that has it no more. */
  readonly since?: string;
  readonly deprecated?: string | true;
  readonly removed?: string;
};

/** A pattern, parsed. */
export type Tokens = readonly string[];

const LISTS = ['aliases', 'builtIn', 'absentIn', 'ages', 'immutable'] as const;
const PATTERNS = ['upperCase', 'withheld', 'serverManaged', 'unique', 'guarded'] as const;

/** The form with its own type forgotten, empty lists for those left out, and its patterns parsed. */
export type Kind = Omit<Form, keyof Compiled> & Compiled;
type Form = KindForm<Resource>;
type Compiled = Required<Pick<Form, (typeof LISTS)[number] | 'references' | 'check'>> &
  Readonly<Record<(typeof PATTERNS)[number], readonly Tokens[]>> & {
    /** A listed item as a resource. Throws a TypeError when it is none. */
    readonly read: (item: Json) => Resource;
    readonly example: Resource;
    /** What identifies it beside its name, as fields of the metadata. */
    readonly axes: readonly { readonly name: string; readonly tokens: Tokens }[];
    readonly defaults: readonly Default[];
    /** The defaults once more, for those who fill them in. */
    readonly filling: Filling;
    /** These three go by the field that picks a variant, and take what has not held the schema, too. */
    readonly sets: (resource: Parsed) => readonly Tokens[];
    readonly secrets: (resource: Parsed) => readonly Tokens[];
    readonly part: (resource: Parsed) => Part | undefined;
  };
export type KindSet = ReadonlyMap<string, Kind>;

/** A form becomes a kind: blanks filled, patterns parsed once. `read` holds a listed item to the schema of the kind. */
export function compileKind<R extends Resource>(form: KindForm<R>, read: Kind['read']): Kind {
  const blanks = { references: () => [], check: () => [], guarded: ['/spec'] as const };
  const filled = { ...blanks, ...form } as unknown as Form; // its functions get what has held its schema
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
  } as Kind; // as the two lists of fields say
}

/** What the key of a resource hangs on: the fields of its scope, and what is filled in where they are left out. */
export function compileKey({
  schema,
  scope = {},
  defaults: written = {},
}: Pick<Form, 'schema' | 'scope' | 'defaults'>): Pick<Kind, 'axes' | 'defaults' | 'filling'> {
  const defaults = Object.entries(written).map(([pattern, value]): Default => {
    const tokens = parsePointer(pattern as Pattern); // Object.entries forgets the type of keys
    // Nor does it know that undefined is never written there.
    return { tokens, value: value as Json, nullable: isNullable(schemaAt(schema, tokens)) };
  });
  const axes = Object.entries(scope).map(([name, at]) => ({ name, tokens: parsePointer(at).slice(1) }));
  return { axes, defaults, filling: fillingOf(defaults) };
}

function forEach<F extends string, V>(fields: readonly F[], make: (field: F) => V): Readonly<Record<F, V>> {
  return Object.fromEntries(fields.map((field) => [field, make(field)])) as Record<F, V>;
}

type ByVariant = {
  readonly sets: readonly Tokens[];
  readonly secrets: readonly Tokens[];
  readonly part?: Part;
};

/** What is known of a resource by the field that picks its variant. */
function compileVariants({
  sets = [],
  secrets = [],
  variants,
}: Form): Pick<Kind, 'sets' | 'secrets' | 'part'> {
  const own: ByVariant = { sets: sets.map(parsePointer), secrets: secrets.map(parsePointer) };
  const { by = '', part = '', known = [] } = variants ?? {};
  const rooted = (patterns: readonly Pattern[]): readonly Tokens[] =>
    patterns.map((pattern) => parsePointer(`${part}${pattern}`));
  const byName = new Map<Json | undefined, ByVariant>(
    known.map((variant) => [
      variant.name,
      {
        sets: [...own.sets, ...rooted(variant.sets)],
        secrets: [...own.secrets, ...rooted(variant.secrets)],
        part: { path: part, of: variant.title, schema: variant.schema },
      },
    ]),
  );
  const [field = '', ...inside] = parsePointer(by);
  const variantOf = (resource: Parsed): ByVariant =>
    variants === undefined ? own : (byName.get(inside.reduce(valueOf, valueOf(resource, field))) ?? own);
  return {
    sets: (resource) => variantOf(resource).sets,
    secrets: (resource) => variantOf(resource).secrets,
    part: (resource) => variantOf(resource).part,
  };
}

/** What a schema says of a place: `*` is each item of a list. */
export function schemaAt(schema: Json | undefined, [field, ...tokens]: Tokens): Json | undefined {
  const start = field === undefined ? schema : valueOf(schema, field);
  return tokens.reduce(
    (found, token) =>
      token === '*' ? valueOf(found, 'items') : valueOf(valueOf(found, 'properties'), token),
    start,
  );
}

/** Whether null is a value to this schema, and not one more way to leave the field out. */
export function isNullable(schema: Json | undefined): boolean {
  const type = valueOf(schema, 'type');
  return isList(type) && type.includes('null');
}

/** The address of `name` in a kind that is identified by name and, where given, virtual cluster. */
export function addressOf(kind: string, name: string, scope: Scope = {}): Address {
  return printAddress({ kind, name, scope });
}

/** The kind of an address. Throws for one that is not among them. */
export function knownKind(address: Address, kinds: KindSet): Kind {
  const kind = kinds.get(kindOf(address));
  if (kind === undefined) throw new Error(`${address} is of an unknown kind`);
  return kind;
}
