import { isList, valueOf, type Json, type JsonObject, type Pattern, type Pointer } from './json/json.ts';
import type { Default, DefaultTree } from './defaults.ts';
import type { Fact, Named, ProtectionSort } from './principal.ts';
import type { Protected, Strength } from './strength.ts';
import type { Cure, Judged } from './problem.ts';
import type { ProblemCode, Severity } from './problem-codes.ts';
import {
  kindOf,
  printAddress,
  type Address,
  type Examined,
  type Parsed,
  type Resource,
  type Scope,
  type Unchecked,
} from './resource.ts';

/** An object that must exist before the resource. */
export type Reference = { readonly to: Address; readonly path: Pointer };

/** Version and security mode of the gateway in an environment; rules that need a missing one do not apply. */
export type Context = { readonly version?: string; readonly security?: string };

/** A violated rule for the fields of one resource. */
export type FieldProblem = {
  readonly code: ProblemCode;
  /** Default: that of the code. */
  readonly severity?: Severity;
  readonly path: Pointer;
  readonly on?: 'key' | 'value';
  readonly message: string;
  /** The invalid value, shown after the message unless it is a secret. */
  readonly found?: Json;
} & Cure;

/**
 * `chaos`: clients are disturbed on purpose; `everyone`: it applies to all clients; `identity`: somebody else has it; `data-loss`:
 * what it holds goes with it.
 */
export type RiskSort = 'chaos' | 'everyone' | 'identity' | 'other-data' | 'data-loss';
export type FoundRisk = { readonly risk: RiskSort; readonly message: string };

/** A protection that an object gives itself, as an interceptor does, and that ends for clients of a virtual cluster. */
export type Loosened = {
  readonly protection: string;
  readonly what: Protected;
  /** What of it ends the protection. */
  readonly at: Pointer;
  readonly virtualCluster: string;
  /** For whom: one client, or everybody but these. */
  readonly who: { readonly username: string } | { readonly allBut: readonly string[] };
  readonly loss: 'whole' | 'part';
  /** The topics that it is about, by name or pattern, if it is about some. */
  readonly topics: readonly string[] | null;
  readonly pattern: string | null;
};

/** A violated rule for several resources: one of them, and the other involved. */
export type SurveyProblem = FieldProblem & {
  readonly address: Address;
  readonly also?: { readonly address: Address; readonly path: Pointer };
};

/** The resources that a survey can look up, with defaults: declared ones, and live ones if the gateway was read. */
export type World = {
  get(address: Address): Resource | undefined;
  /** Whether the gateway was read, so that resources that are not found do not exist. */
  readonly complete: boolean;
};

/** A field of a resource: `/spec/type`. */
type FieldOf<R extends Resource> =
  | `/metadata/${keyof R['metadata'] & string}`
  | `/spec/${keyof R['spec'] & string}`;
type KeyIn<F, Parent extends string> = F extends `/${Parent}/${infer Key}` ? Key : never;
/** These fields of a resource. */
type PartOf<R extends Resource, F> = {
  readonly metadata: Pick<R['metadata'], KeyIn<F, 'metadata'> & keyof R['metadata']>;
  readonly spec: Pick<R['spec'], KeyIn<F, 'spec'> & keyof R['spec']>;
};

export type Referred = { readonly kind: string; readonly axes: readonly string[] };

/** A rule for several fields: it reads only these, and is skipped if one of them violates the schema. */
export type Rule<P = Resource> = {
  readonly reads: readonly Pointer[];
  readonly find: (part: P, context: Context) => readonly FieldProblem[];
};
/** A rule for all declared resources of the kind; those in which such a field violates the schema are left out. */
export type Survey<P = Resource> = {
  readonly reads: readonly Pointer[];
  readonly find: (mine: ReadonlyMap<Address, P>, world: World) => readonly SurveyProblem[];
};
type MakeRule<R extends Resource> = <F extends FieldOf<R>>(
  reads: readonly F[],
  find: Rule<PartOf<R, F>>['find'],
) => Rule<never>;
type MakeSurvey<R extends Resource> = <F extends FieldOf<R>>(
  reads: readonly F[],
  find: Survey<PartOf<R, F>>['find'],
) => Survey<never>;

/** A column of a table of resources. */
export type Column = {
  /** In capitals. */
  readonly title: string;
  /** The value; of a list, its items, each by its name if it has one. */
  readonly at: Pointer;
  /** Whether only the part after the last dot is shown, of names such as those of classes. */
  readonly short?: true;
};

/** The form of a kind of the gateway; leave out what does not apply. */
export type KindForm<R extends Resource> = {
  readonly name: R['kind'];
  /** Other names of the kind in files and responses. */
  readonly aliases?: readonly string[];
  /** For docs/reference/kinds.md and the editor schema. */
  readonly summary: string;
  /** The version of the API, and the path of the collection. */
  readonly apiVersion: string;
  readonly collection: `/${string}`;
  /** Made of the description of a gateway, so another one may not have it. */
  readonly isDescribed?: boolean;
  /** The resource of the Terraform provider for it, without the provider's name. */
  readonly terraform?: string;
  /** Converts a listed item to a resource, if the API returns another shape. */
  readonly read?: (item: JsonObject) => Parsed;
  /** The place of the identity in a DELETE request; absent for a read-only kind. */
  readonly removal?: 'path' | 'body' | 'path-and-body';
  /** Part of the gateway's software, configured by nobody: listed only when it is asked for. */
  readonly isBuiltIn?: true;
  /** JSON Schemas; closed objects, so that other fields are unknown. */
  readonly schema: { readonly metadata: JsonObject; readonly spec: JsonObject };
  /** Checked by the compiler, and against the schema by a test. */
  readonly example: Unchecked<R>;
  /** The columns of a table of resources, in addition to name and scope. */
  readonly columns?: readonly Column[];
  /** Further fields of the identity: metadata by axis, in the order of addresses. */
  readonly scope?: Readonly<Record<string, `/metadata/${string}`>>;
  /** Values that the gateway sets for absent fields, in that order. */
  readonly defaults?: Readonly<Partial<Record<Pattern, Json>>>;
  /** Values whose case does not matter. */
  readonly upperCase?: readonly Pattern[];
  /** Names of built-in resources, which files cannot declare. */
  readonly builtIn?: readonly string[];
  /** Lists whose order does not matter. */
  readonly sets?: readonly Pattern[];
  /**
   * Values that references and messages contain, with all that is below them. A secret variable cannot fill in one of them, nor
   * anything in the metadata.
   */
  readonly shown?: readonly Pattern[];
  /** Values that are hidden in all output. */
  readonly secrets?: readonly Pattern[];
  /** Fields that the gateway sets; never compared or sent. */
  readonly serverManaged?: readonly Pattern[];
  /** Fields that the gateway cannot change in place. */
  readonly immutable?: readonly Pattern[];
  /** Resources of the kind with the same value at `within` always have the same value at `on`. */
  readonly agree?: { readonly on: Pattern; readonly within: Pattern };
  /** Values that no two resources of the kind may share. */
  readonly unique?: readonly Pattern[];
  /** The topics of clients that its objects are, or that they make of all names that match. */
  readonly topics?: { readonly by: 'name' | 'pattern'; readonly at: Pointer };
  /** Data that is deleted with the resource and not restored by creating it again. */
  readonly holds?: string;
  /** Fields that protection covers. Default: the whole spec. */
  readonly guarded?: readonly Pattern[];
  /** Resources that share this value are never written at the same time. */
  readonly oneAtATime?: Pattern;
  /** Security modes of a gateway without this kind (gateway-api D). */
  readonly absentIn?: readonly string[];
  /** Versions of the gateway that have its fields. */
  readonly ages?: readonly AgedField[];
  /**
   * Kinds of objects that must exist before it, by the places of their names, with defaults; null refers to nothing. With
   * `axes` the place has a map with `name` and these fields of the scope.
   */
  readonly references?: Readonly<Partial<Record<Pattern, string | Referred>>>;
  /**
   * The object that it is for alone, by the axes of its own scope. That one need not exist: it comes after what is for it, and
   * goes before.
   */
  readonly meantFor?: { readonly kind: string; readonly name: string; readonly axes: readonly string[] };
  /** Schemas for a part of it, and the field that selects one. */
  readonly variants?: Variants;

  /** The spec in one form, if the rules above leave several. */
  normalise?(spec: R['spec']): JsonObject;
  /**
   * The resource without unique values that others need, in a form that the gateway accepts until its own change. Gets the
   * live resource with defaults. Absent: impossible.
   */
  release?(resource: R, values: readonly Json[]): R;
  /**
   * A temporary copy under another name, which gives the same protection while the object itself changes; undefined where a
   * second one would do harm. Gets the live resource as in a file.
   */
  bridge?(resource: R): R | undefined;
  /** Whether it is such a copy. */
  isBridge?(resource: R): boolean;
  /** Rules that the schema cannot express. They get the resource as in the file. */
  rules?(rule: MakeRule<R>): readonly Rule<never>[];
  /**
   * Consequences of a change that deserve a look first. Gets what was there, by its former name where it is renamed, and what will
   * be, with defaults; a message goes on after the address and holds no value. Of what is secret, only a change may be told.
   */
  risks?(
    before: R | undefined,
    after: R | undefined,
    isSecret: (place: Pointer) => boolean,
  ): readonly FoundRisk[];
  /** The topic that it is another name of: the fields that say which, the name of the topic first. */
  readonly standsFor?: readonly Pointer[];
  /** The physical topics that hold its topics, together with others. */
  readonly storedIn?: readonly Pointer[];
  /** What it enforces itself, and after a change no longer does. Gets what was there and what will be, with defaults. */
  loosens?(before: R, after: R): readonly Loosened[];
  /**
   * The resource with what it enforces itself for one topic, as if that had another name; undefined where it is of another virtual
   * cluster. Gets it with defaults.
   */
  forTopic?(
    resource: R,
    topic: { readonly virtualCluster: string; readonly name: string; readonly as: string },
  ): R | undefined;
  /** The resource as if a client that it names had another account. Gets it with defaults. */
  renaming?(resource: R, was: Named, is: Named): R;
  /** Its facts about principals and the interceptors that run for them. Gets the resource with defaults. */
  facts?(resource: R): readonly Fact[];
  /** A rule for all declared resources of the kind. Gets them with defaults. */
  survey?(survey: MakeSurvey<R>): Survey<never>;
};

/** A part of a resource with a separate JSON Schema; `of` is the title of its variant. */
export type Part = { readonly path: Pointer; readonly of: string; readonly schema: JsonObject };

/** The versions of the gateway that have a field, or one value of it. */
export type AgedField = {
  readonly at: Tokens;
  readonly it: {
    readonly value?: string | boolean;
    readonly since?: string;
    readonly deprecated?: string;
    readonly removed?: string;
  };
};
/**
 * A field that limits what a variant applies to: a regular expression for the whole name, one name, a SQL query of one topic, or
 * in a way that is not documented. Its default is in the schema.
 */
export type Narrowing = {
  readonly at: Tokens;
  readonly it: {
    readonly axis: 'topic' | 'virtualCluster' | 'username' | 'consumerGroup';
    readonly by: 'pattern' | 'name' | 'query' | 'undocumented';
  };
};
/** A protection that is taken off, as decryption takes off encryption. */
export type Undoes = {
  readonly protection: string;
  /** By the part of a record, the field that lists what of it is concerned; an empty list is no limit. */
  readonly only: Readonly<Record<string, string>>;
  /** The protection that is of no use to what it takes off later. */
  readonly after: ProtectionSort;
};

/** A topic that clients see by another name: the fields of the config with the name, and with the topic or a query on it. */
export type Shows = { readonly name: string; readonly of: string };

/** The schemas of a part, if another field selects its schema. */
export type Variants = {
  /** The field that selects: `/spec/pluginClass`. */
  readonly by: Pointer;
  /** The part: `/spec/config`. */
  readonly part: Pointer;
  readonly known: readonly Variant[];
  /** The kind whose list on a gateway names the values that it has. */
  readonly listedAs?: string;
  /** How all values of the vendor begin; a gateway lists these. */
  readonly namespace?: string;
};
export type Variant = {
  /** The value that selects it. */
  readonly name: string;
  /** The name in messages. */
  readonly title: string;
  readonly summary: string;
  /** A part that does something, for templates; absent: the fields with a default will do. */
  readonly example?: JsonObject;
  /** JSON Schema of the part. */
  readonly schema: JsonObject;
  /** Lists whose order does not matter, and secrets; rooted at the part. */
  readonly sets: readonly Pattern[];
  readonly secrets: readonly Pattern[];
  readonly ages: readonly AgedField[];
  readonly narrowings: readonly Narrowing[];
  /** What of the part protects less; absent where nothing is known of it. */
  readonly strength?: Strength;
  /** The protection of others that it takes off. */
  readonly undoes?: Undoes;
  readonly shows?: Shows;
  /** Gateway versions: the first with it, the one that deprecates it, the first without it. */
  readonly since?: string;
  readonly deprecated?: string | true;
  readonly removed?: string;
};

/** A pattern, parsed. */
export type Tokens = readonly string[];

/** Whether a place matches a pattern. */
export function isAt(pattern: Tokens, place: Tokens): boolean {
  return pattern.length === place.length && meets(pattern, place);
}

/** Whether a place is at, below or above what a pattern matches. */
export function meets(pattern: Tokens, place: Tokens): boolean {
  return pattern.every((token, at) => token === '*' || token === (place[at] ?? token));
}

export const LISTS = ['aliases', 'builtIn', 'absentIn', 'ages', 'immutable', 'columns'] as const;
export const PATTERNS = ['upperCase', 'shown', 'serverManaged', 'unique', 'guarded'] as const;

/** A compiled form: without its type parameter, with empty lists for absent ones, and with parsed patterns. */
export type Kind = Omit<Form, keyof Compiled> & Compiled;
export type Form = KindForm<Resource>;
type Compiled = Required<Pick<Form, (typeof LISTS)[number]>> &
  Readonly<Record<(typeof PATTERNS)[number], readonly Tokens[]>> & {
    /** Converts a listed item. Throws a TypeError if it is not a resource. */
    readonly read: (item: Json) => Resource;
    readonly example: Resource;
    /** The axes of the scope, as fields of the metadata. */
    readonly axes: readonly { readonly name: string; readonly tokens: Tokens }[];
    readonly defaults: readonly Default[];
    readonly defaultTree: DefaultTree;
    /** These depend on the variant, and accept resources that are not valid. */
    readonly sets: (resource: Parsed) => readonly Tokens[];
    readonly secrets: (resource: Parsed) => readonly Tokens[];
    readonly part: (resource: Parsed) => Part | undefined;
    /** The objects that must exist before a resource, which has its defaults and need not be valid. */
    readonly references: (resource: Parsed) => readonly Reference[];
    /** The violated rules of a resource as in the file. */
    readonly check: (examined: Examined, context: Context) => readonly Judged<FieldProblem>[];
    readonly survey: Survey | undefined;
    readonly rules?: undefined;
  };
export type KindSet = ReadonlyMap<string, Kind>;

/** The schema of a place; `*` is each item of a list. */
export function schemaAt(schema: Json | undefined, [field, ...tokens]: Tokens): Json | undefined {
  const start = field === undefined ? schema : valueOf(schema, field);
  return tokens.reduce(
    (found, token) =>
      token === '*' ? valueOf(found, 'items') : valueOf(valueOf(found, 'properties'), token),
    start,
  );
}

/** Whether null is a value. Otherwise it is the same as an absent field. */
export function isNullable(schema: Json | undefined): boolean {
  const type = valueOf(schema, 'type');
  return isList(type) && type.includes('null');
}

export function addressOf(kind: string, name: string, scope: Scope = {}): Address {
  return printAddress({ kind, name, scope });
}

/** The kind of an address. Throws if it is unknown. */
export function knownKind(address: Address, kinds: KindSet): Kind {
  const kind = kinds.get(kindOf(address));
  if (kind === undefined) throw new Error(`${address} is of an unknown kind`);
  return kind;
}
