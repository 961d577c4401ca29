import {
  isList,
  isObject,
  parsePointer,
  valueOf,
  type Json,
  type JsonObject,
  type Pattern,
  type Pointer,
} from './json/json.ts';
import { fillingOf, type Default, type Filling } from './defaults.ts';
import type { ProblemCode, Severity } from './problem-codes.ts';
import type { OwnKind } from './own-kind.ts';
import { misfit } from './json/shape.ts';
import { kindOf, printAddress, type Address, type Resource, type Scope } from './resource.ts';

/** Something that must exist before the resource may. */
export type Reference = { readonly to: Address; readonly path: Pointer };

/** What an environment says of its gateway; what is not said is not held against anybody. */
export type Context = { readonly version?: string; readonly security?: string };

/** A rule across the fields of one resource that it breaks. */
export type Fault = {
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
export type Finding = Fault & {
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
  readonly collection: `/gateway/v2/${string}`;
  /** A listed item as a resource, where the API's shape is another one. */
  readonly read?: (item: JsonObject) => Resource;
  /** How the API is told what to delete; absent for a kind that can only be read. */
  readonly removal?: 'path' | 'body' | 'path-and-body';
  /** JSON Schemas; closed objects, so that what they do not name is unknown. */
  readonly schema: { readonly metadata: JsonObject; readonly spec: JsonObject };
  /** Held to the type by the compiler, to the schema by a test. */
  readonly example: R;
  /** What the gateway fills in when the file is silent, in the order in which it does. */
  readonly defaults?: Readonly<Partial<Record<Pattern, Json>>>;
  /** Values of the spec whose case means nothing. */
  readonly upperCase?: readonly Pattern[];
  /** What two spellings of a spec have in common beyond the rules above. */
  readonly normalise?: (spec: JsonObject) => JsonObject;
  /** Names that always exist and no file may declare. */
  readonly builtIn?: readonly string[];
  /** Lists whose order means nothing. */
  readonly sets?: ByResource<Pattern>;
  /** Values that no report may show. */
  readonly secrets?: ByResource<Pattern>;
  /**
   * Secrets, outside of lists, that the gateway may keep to itself: it leaves them out, or answers with a placeholder.
   * What it says so is not compared, since nobody can tell whether it changed.
   */
  readonly withheld?: ByResource<Pattern>;
  /** Fields the gateway owns: never compared, never sent. */
  readonly serverManaged?: readonly Pattern[];
  /** Fields the gateway will not change in place. */
  readonly immutable?: readonly Pattern[];
  /** All resources of the kind that have one value at `within` have one at `on`, at every moment. */
  readonly agree?: { readonly on: Pattern; readonly within: Pattern };
  /** Values that no two resources of the kind may share. */
  readonly unique?: readonly Pattern[];
  /**
   * The resource without unique values that others wait for, in a form that the gateway takes until its own change
   * comes; gets the live one with the defaults filled in. Absent: it cannot be without them.
   */
  release?(resource: R, values: readonly Json[]): Resource;
  /** What is lost with the resource and does not come back with a new one of the same name. */
  readonly holds?: string;
  /** Fields that are not changed in what is protected. Default: the whole spec. */
  readonly guarded?: readonly Pattern[];
  /** Resources that share this value are never written at the same time. */
  readonly oneAtATime?: Pattern;
  /** What identifies it beside its name; gets metadata with the defaults filled in. */
  scope?(metadata: R['metadata']): Scope;
  /** What must exist before it may; gets the resource with the defaults filled in. */
  references?(resource: R): readonly Reference[];
  /** Security modes of a gateway in which there are no resources of the kind (gateway-api D). */
  readonly absentIn?: readonly string[];
  /** Rules across fields; gets the resource as it stands in the file. */
  faults?(resource: R, context: Context): readonly Fault[];
  /** Rules across the declared resources of the kind, given with their defaults. */
  survey?(mine: ReadonlyMap<Address, R>, world: World): readonly Finding[];
  /** The part whose shape hangs on the rest of the resource, as an interceptor's config does on its plugin class. */
  part?(resource: R): Part | undefined;
  /** What gateways of which versions make of its fields. */
  readonly ages?: readonly AgedField[];
  /** The shapes that such a part is known to have, and the field that picks one. */
  readonly variants?: Variants;
};
/** A part of a resource that is held to a JSON Schema of its own; `of` names the owner of that schema. */
export type Part = { readonly path: Pointer; readonly of: string; readonly schema: JsonObject };

/** Since when gateways have what stands at a pattern's tokens, or one value there, and until when. */
export type AgedField = {
  readonly at: readonly string[];
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
type ByResource<T> = readonly T[] | ((resource: Resource) => readonly T[]);

/** The form with its blanks filled, and its own type forgotten. */
export type Kind = {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly apiVersion: string;
  readonly collection: `/gateway/v2/${string}`;
  /** Throws a TypeError when the item is no resource. */
  readonly read: (item: Json) => Resource;
  readonly removal: 'path' | 'body' | 'path-and-body' | undefined;
  readonly schema: { readonly metadata: JsonObject; readonly spec: JsonObject };
  readonly example: Resource;
  readonly defaults: readonly Default[];
  /** The defaults once more, for those who fill them in. */
  readonly filling: Filling;
  readonly upperCase: readonly (readonly string[])[];
  readonly normalise: ((spec: JsonObject) => JsonObject) | undefined;
  readonly builtIn: readonly string[];
  readonly sets: (resource: Resource) => readonly (readonly string[])[];
  readonly secrets: (resource: Resource) => readonly (readonly string[])[];
  readonly withheld: (resource: Resource) => readonly (readonly string[])[];
  readonly serverManaged: readonly (readonly string[])[];
  readonly immutable: readonly Pattern[];
  readonly agree: { readonly on: Pattern; readonly within: Pattern } | undefined;
  readonly unique: readonly (readonly string[])[];
  readonly release: ((resource: Resource, values: readonly Json[]) => Resource) | undefined;
  readonly holds: string | undefined;
  readonly guarded: readonly (readonly string[])[];
  readonly oneAtATime: Pattern | undefined;
  readonly scope: (metadata: Resource['metadata']) => Scope;
  readonly references: (resource: Resource) => readonly Reference[];
  readonly absentIn: readonly string[];
  readonly faults: (resource: Resource, context: Context) => readonly Fault[];
  readonly survey: ((mine: ReadonlyMap<Address, Resource>, world: World) => readonly Finding[]) | undefined;
  readonly part: (resource: Resource) => Part | undefined;
  readonly ages: readonly AgedField[];
  readonly variants: Variants | undefined;
};
export type KindSet = ReadonlyMap<string, Kind>;

/** A form becomes a kind: blanks filled, pointers parsed once. */
export function defineKind<R extends Resource>(form: KindForm<R>): Kind {
  const defaults = Object.entries(form.defaults ?? {}).map(([pattern, value]): Default => {
    const tokens = parsePointer(pattern as Pattern); // Object.entries forgets the type of keys
    // Nor does it know that undefined is never written there.
    return { tokens, value: value as Json, nullable: isNullable(schemaAt(form.schema, tokens)) };
  });
  return {
    name: form.name,
    aliases: form.aliases ?? [],
    summary: form.summary,
    apiVersion: 'gateway/v2',
    collection: form.collection,
    read: reader(form),
    removal: form.removal,
    schema: form.schema,
    example: form.example,
    defaults,
    filling: fillingOf(defaults),
    upperCase: parseAll(form.upperCase),
    normalise: form.normalise,
    builtIn: form.builtIn ?? [],
    sets: byResource(form.sets),
    secrets: byResource(form.secrets),
    withheld: byResource(form.withheld),
    serverManaged: parseAll(form.serverManaged),
    immutable: form.immutable ?? [],
    agree: form.agree,
    unique: parseAll(form.unique),
    release:
      form.release === undefined
        ? undefined
        : (resource, values) => form.release?.(resource as R, values) ?? resource,
    holds: form.holds,
    guarded: parseAll(form.guarded ?? ['/spec']),
    oneAtATime: form.oneAtATime,
    // A kind's own functions see its own type; the schema has held the resource to it before they are called.
    scope: (metadata) => form.scope?.(metadata) ?? {},
    references: (resource) => form.references?.(resource as R) ?? [],
    absentIn: form.absentIn ?? [],
    faults: (resource, context) => form.faults?.(resource as R, context) ?? [],
    survey:
      form.survey === undefined
        ? undefined
        : (mine, world) => form.survey?.(mine as ReadonlyMap<Address, R>, world) ?? [],
    part: (resource) => form.part?.(resource as R),
    ages: form.ages ?? [],
    variants: form.variants,
  };
}

function schemaAt(schema: Json | undefined, [field, ...tokens]: readonly string[]): Json | undefined {
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

function reader<R extends Resource>({
  name,
  aliases = [],
  read,
  schema,
}: KindForm<R>): (item: Json) => Resource {
  const envelope = { type: 'object', properties: { ...schema, kind: { type: 'string' } } };
  const names: readonly string[] = [name, ...aliases];
  return (item) => {
    const resource = read !== undefined && isObject(item) ? (read(item) as JsonObject) : item;
    const fault = misfit(resource, envelope);
    if (fault !== undefined) throw new TypeError(fault);
    const kind = valueOf(resource, 'kind') ?? name;
    if (typeof kind === 'string' && !names.includes(kind)) {
      throw new TypeError(`expected kind ${name}, found ${kind}`);
    }
    const metadata = valueOf(resource, 'metadata');
    if (typeof valueOf(metadata, 'name') !== 'string' || !isObject(valueOf(resource, 'spec'))) {
      throw new TypeError('expected metadata.name and spec');
    }
    return resource as Resource; // just held to it
  };
}

function parseAll(patterns: readonly Pattern[] = []): readonly (readonly string[])[] {
  return patterns.map(parsePointer);
}

function byResource(
  patterns: ByResource<Pattern> = [],
): (resource: Resource) => readonly (readonly string[])[] {
  if (typeof patterns === 'function') return (resource) => parsedOnce(patterns(resource));
  const parsed = parseAll(patterns);
  return () => parsed;
}

const known = new WeakMap<readonly Pattern[], readonly (readonly string[])[]>();

/** Thousands of resources have the same few lists of patterns. */
function parsedOnce(patterns: readonly Pattern[]): readonly (readonly string[])[] {
  const before = known.get(patterns);
  if (before !== undefined) return before;
  const parsed = parseAll(patterns);
  known.set(patterns, parsed);
  return parsed;
}

/** Everything that can stand in a file. */
export type Catalog = {
  readonly kinds: KindSet;
  readonly ownKinds: ReadonlyMap<string, OwnKind>;
};

/** The address of `name` in a kind that is identified by name and, where given, virtual cluster. */
export function addressOf(kind: string, name: string, scope: Scope = {}): Address {
  return printAddress({ kind, name, scope });
}

/** The kind of an address. Throws for one that is not among them. */
export function knownKind(address: Address, kinds: KindSet): Kind {
  const kind = kinds.get(kindOf(address));
  if (kind === undefined) throw new Error(`${address} is of a kind that nobody knows here`);
  return kind;
}
