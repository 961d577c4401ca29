import type { JsonObject, Pointer } from '../model/json/json.ts';
import type { Problem } from '../model/problem.ts';
import type { Address } from '../model/resource.ts';
import type { IsSecret } from '../plan/change/former-secrets.ts';

/** A live resource as a document of a file; its value has placeholders, and its keys are in canonical order. */
export type Document = {
  readonly address: Address;
  readonly value: JsonObject;
  /** Placeholders whose values are numbers, true or false: they stand without quotes. */
  readonly plain?: ReadonlySet<string>;
};

/** A variable for a secret. */
export type SecretVariable = {
  readonly name: string;
  /** Undefined if the gateway did not return it. */
  readonly value: string | undefined;
  readonly at: readonly { readonly address: Address; readonly path: Pointer }[];
};

export type Declared = {
  /** By address. */
  readonly documents: readonly Document[];
  /** By name. */
  readonly variables: readonly SecretVariable[];
  /** Errors for values that documents cannot express, warnings for values that they leave out. */
  readonly problems: readonly Problem[];
};

/**
 * Whether a variable cannot have a name, with the value that it is for; undefined if that is not known. One that is set to something
 * else must not be sent to a gateway that chose its name.
 */
export type IsTaken = (name: string, value: string | undefined) => boolean;

export type DeclareOptions = {
  /** Default: every resource that a file can declare. */
  readonly isSelected?: (address: Address) => boolean;
  /** Recognises the values of secret variables. */
  readonly isSecret?: IsSecret | undefined;
  /** Recognises the text that stands for a secret whose value is not known, as in a snapshot. Equal ones are the same secret. */
  readonly isSealed?: (text: string) => boolean;
  /** More places of secrets, in a resource in the form of a file. */
  readonly hidden?: (address: Address, value: JsonObject) => readonly Pointer[];
  /** Recognises text that a variable of the user fills in: no secret, whatever its place. */
  readonly isOpen?: (text: string) => boolean;
  /** Default: no name is. */
  readonly isTaken?: IsTaken;
  /** Whether kinds of gwconf are written where they say the same. */
  readonly ownKinds?: boolean;
};

/** How documents are spread over files; in this file, because the help prints them. */
export const LAYOUTS = ['by-virtual-cluster', 'by-kind', 'one-file'] as const;
export type Layout = (typeof LAYOUTS)[number];
