import { changeAt, type Json, type JsonObject, type Pointer } from './json/json.ts';

/** A resource from a file or a response: unchecked JSON. */
export type Parsed = JsonObject;

/**
 * A resource that is valid against the schema of its kind. Functions of a kind accept only these. `asValid` creates one; copies
 * of a valid resource count as valid.
 */
export type Resource<
  Name extends string = string,
  Metadata extends JsonObject & Named = JsonObject & Named,
  Spec extends JsonObject = JsonObject,
> = Shape<Name, Metadata, Spec> & { readonly [valid]: true };
declare const valid: unique symbol;

type Shape<Name, Metadata, Spec> = {
  readonly apiVersion: string;
  readonly kind: Name;
  readonly metadata: Metadata;
  readonly spec: Spec;
};
export type Named = { readonly name: string };

/** A resource of a file: valid, or with the places where it violates the schema of its kind. */
export type Examined =
  | { readonly resource: Resource; readonly faults?: undefined }
  | { readonly resource: Parsed; readonly faults: readonly Pointer[] };

/** Whether these places are valid, with all that is above and below them. */
export function isSound({ faults }: Examined, places: readonly Pointer[]): boolean {
  if (faults === undefined) return true;
  const isIn = (one: Pointer, other: Pointer): boolean => one === other || one.startsWith(`${other}/`);
  return !faults.some((fault) => places.some((place) => isIn(fault, place) || isIn(place, fault)));
}

/** A resource that only the compiler has checked, such as an example. */
export type Unchecked<R extends Resource = Resource> = Shape<R['kind'], R['metadata'], R['spec']>;

/** Only for callers that have just validated it. */
export function asValid(checked: Parsed | Unchecked): Resource {
  return checked as Resource;
}

/** A copy with other values at these tokens below its metadata or spec, each as valid as the one that it replaces. */
export function changeResource(
  resource: Resource,
  tokens: readonly string[],
  change: (value: Json | undefined) => Json | undefined,
): Resource {
  return changeAt(resource, tokens, change) as Resource;
}

/** The identity of a resource as text: `AliasTopic/orders@vCluster=prod`. */
export type Address = string & { readonly __brand: 'Address' };

/** The identity of a resource beside kind and name: a value for each axis of its kind, in the order of addresses. */
export type Scope = { readonly [axis: string]: string | null };

export type Identity = { readonly kind: string; readonly name: string; readonly scope: Scope };

/**
 * `Kind/name`, `Kind/name@vCluster=X`, or `Interceptor/name@global` if every axis is null. Ambiguous characters are
 * percent-encoded: `@` in names, `,` in axes, `%` in both.
 */
export function printAddress({ kind, name, scope }: Identity): Address {
  let where = '';
  let isGlobal = false;
  for (const axis in scope) {
    const value = scope[axis];
    if (typeof value === 'string') where += `${where === '' ? '@' : ','}${axis}=${encode(value, IN_AXES)}`;
    else isGlobal ||= value === null;
  }
  if (where === '' && isGlobal) where = '@global';
  return `${kind}/${encode(name, IN_NAMES)}${where}` as Address; // the one place that makes addresses
}

/** Parses an address; absent axes are left out. Undefined if the text is not an address. */
export function parseAddress(text: string): Identity | undefined {
  const [, kind, name, where] = /^([^/@]+)\/([^@]+)(?:@(.+))?$/s.exec(text) ?? [];
  if (kind === undefined || name === undefined) return undefined;
  const axes = where === undefined || where === 'global' ? [] : where.split(',');
  const scope = axes.map((part): readonly [string, string] => {
    const [axis = '', ...value] = part.split('=');
    return [axis, decode(value.join('='))];
  });
  return { kind, name: decode(name), scope: Object.fromEntries(scope) };
}

/** The value of one axis of an address's scope. Faster than `parseAddress`, for lists of many addresses. */
export function axisOf(address: string, axis: string): string | undefined {
  const start = address.indexOf('@');
  if (start < 0) return undefined;
  const part = address
    .slice(start + 1)
    .split(',')
    .find((one) => one.startsWith(`${axis}=`));
  return part === undefined ? undefined : decode(part.slice(axis.length + 1));
}

function decode(text: string): string {
  // Most have nothing to decode, and looking is several times as fast as replacing.
  if (!text.includes('%')) return text;
  return text.replace(/%(25|40|2C)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** The name of the kind of an address. */
export function kindOf(address: Address): string {
  return address.slice(0, address.indexOf('/'));
}

const IN_NAMES = /[%@]/;
const IN_AXES = /[%,]/;

function encode(text: string, special: RegExp): string {
  // Most have nothing to encode, and looking is several times as fast as replacing.
  if (!special.test(text)) return text;
  return text.replace(
    new RegExp(special, 'g'),
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Whether a name can be a segment of a URL: not dots, and no half surrogate pair. */
export function fitsInPath(name: string): boolean {
  return name !== '.' && name !== '..' && !/\p{Cs}/u.test(name);
}
