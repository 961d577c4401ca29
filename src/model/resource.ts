import type { JsonObject } from './json/json.ts';

/** One shape from the file to the wire. */
export type Resource<
  Name extends string = string,
  Metadata extends JsonObject & Named = JsonObject & Named,
  Spec extends JsonObject = JsonObject,
> = {
  readonly apiVersion: string;
  readonly kind: Name;
  readonly metadata: Metadata;
  readonly spec: Spec;
};
export type Named = { readonly name: string };

/** What makes two resources the same one: `AliasTopic/orders@vCluster=prod`. */
export type Address = string & { readonly __brand: 'Address' };

/** What identifies a resource beside its kind and name. An axis that is absent does not exist for the kind. */
export type Scope = { readonly [axis in ScopeAxis]?: string | null };
export type ScopeAxis = (typeof SCOPE_AXES)[number];
const SCOPE_AXES = ['vCluster', 'group', 'username'] as const;

export type Identity = { readonly kind: string; readonly name: string; readonly scope: Scope };

/**
 * `Kind/name`, `Kind/name@vCluster=X`, `Interceptor/name@global` when every axis is null. The few characters that
 * would make two identities print alike are percent-encoded: `@` in names, `,` in axes, `%` in both.
 */
export function printAddress({ kind, name, scope }: Identity): Address {
  let where = '';
  let isGlobal = false;
  for (const axis of SCOPE_AXES) {
    const value = scope[axis];
    if (typeof value === 'string') where += `${where === '' ? '@' : ','}${axis}=${encode(value, IN_AXES)}`;
    else isGlobal ||= value !== undefined;
  }
  if (where === '' && isGlobal) where = '@global';
  return `${kind}/${encode(name, IN_NAMES)}${where}` as Address; // the one place that makes addresses
}

/** What is said in the text of an address; axes that it leaves open are left out. Undefined for another text. */
export function parseAddress(text: string): Identity | undefined {
  const [, kind, name, where] = /^([^/@]+)\/([^@]+)(?:@(.+))?$/s.exec(text) ?? [];
  if (kind === undefined || name === undefined) return undefined;
  const axes =
    where === undefined || where === 'global' ? [] : where.split(',').map((axis) => axis.split('='));
  const scope = axes.map(([axis, ...value]) => [axis, decode(value.join('='))]);
  if (!axes.every(([axis]) => SCOPE_AXES.some((known) => known === axis))) return undefined;
  return { kind, name: decode(name), scope: Object.fromEntries(scope) as Scope }; // its axes were just looked at
}

function decode(text: string): string {
  return text.replace(/%(25|40|2C)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** The kind of an address: what stands before the first slash. */
export function kindOf(address: Address): string {
  return address.slice(0, address.indexOf('/'));
}

const IN_NAMES = /[%@]/g;
const IN_AXES = /[%,]/g;

function encode(text: string, special: RegExp): string {
  return text.replace(special, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
