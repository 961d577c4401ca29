import { memoize } from '../model/collect.ts';
import {
  isList,
  isObject,
  isTextOrNumber,
  joinPointer,
  keysOf,
  valueOf,
  type Json,
  type Pointer,
} from '../model/json/json.ts';
import { isContained } from '../model/regex/contain-regex.ts';
import type { Protected, Strength } from '../model/strength.ts';
import { hasPlaceholder } from '../model/text/placeholder.ts';
import { printJson } from '../model/json/json-text.ts';

/** One thing that an interceptor protects, with what limits that. */
export type Claim = {
  /** Claims with the same facet and name are about the same thing. */
  readonly facet: string;
  readonly what: Protected;
  /** The name that the config gives it; null if it has none. */
  readonly name: string | null;
  /** What it is called otherwise. */
  readonly label: string | null;
  /** What of it is protected is not documented, or a placeholder: all below its facet, perhaps. */
  readonly isVague: boolean;
  /** What says so. */
  readonly at: Pointer;
  readonly limits: readonly Limit[];
};

/** A value that limits what is protected, or how. */
export type Limit = {
  /** Limits of the same path are compared. */
  readonly path: string;
  readonly strength: Strength;
  readonly at: Pointer;
  readonly value: Json | undefined;
};

/** A part of a config. */
type Place = { readonly value: Json | undefined; readonly at: Pointer; readonly path: string };
/** What is known of an object that the part is in. */
type Scope = Pick<Claim, 'what' | 'name' | 'label' | 'limits'>;
type Fields = Readonly<Record<string, Strength | undefined>>;

/** What a config protects, by what is known of its class. Of a class that is not known, it is one claim. */
export function claimsOf(strength: Strength = { type: 'unknown' }, config: Json): readonly Claim[] {
  const place: Place = { value: config, at: '/spec/config', path: '' };
  const limits = strength.type === 'unknown' ? [{ ...place, strength }] : [];
  const scope: Scope = { what: 'interceptor', name: null, label: null, limits };
  return strength.type === 'object' ? claimsIn(strength, place, scope) : [claimOf(place, scope)];
}

/** Whether a config certainly protects nothing, such as a mask without fields. Whoever knows not all of its keys cannot say that. */
export function protectsNothing(strength: Strength | undefined, config: Json): boolean {
  return (
    strength !== undefined && claimsOf(strength, config).every(isForNothing) && isKnown(strength, config)
  );
}

function isForNothing({ limits }: Claim): boolean {
  return limits.some(({ strength, value }) => strength.absent === 'nothing' && isEmpty(value));
}

/** Whether a claim is about all of a payload, and another one about a field of it. */
export function isAllOf(one: Claim, { what, facet }: Claim): boolean {
  return one.what === 'payload' && what === 'field' && parentOf(one.facet) === parentOf(facet);
}

/** Whether two claims are about the same, on whichever topics. */
export function isAlike(own: Claim, claim: Claim): boolean {
  return own.facet === claim.facet && own.name === claim.name;
}

function isKnown(strength: Strength, value: Json): boolean {
  if (strength.type === 'list') return !isList(value) || value.every((item) => isKnown(strength.of, item));
  if (strength.type !== 'object' || !isObject(value)) return true;
  return Object.entries(value).every(([key, item]) => {
    const field = Object.hasOwn(strength.fields, key) ? strength.fields[key] : undefined;
    return field !== undefined && isKnown(field, item);
  });
}

function claimsIn({ what, fields }: ObjectStrength, place: Place, outer: Scope): readonly Claim[] {
  const [key, name] = nameIn(fields, place);
  const scope: Scope = {
    what: what ?? outer.what,
    label: what === 'rule' ? lastOf(place.path) : outer.label,
    name: key === undefined ? outer.name : name,
    limits: [
      ...outer.limits,
      ...(what === undefined ? [] : limitsIn(fields, place)),
      ...unknownIn(fields, place),
    ],
  };
  if (key !== undefined && name === null) return [];
  const protecting = protectingIn(fields);
  if (what !== undefined && protecting.length === 0)
    return place.path !== '' && keysOf(place.value ?? null).length === 0 ? [] : [claimOf(place, scope)];
  const path = key === undefined ? place.path : `${place.path}=${name ?? ''}`;
  return protecting.flatMap(([field, strength]) =>
    protectedBy(strength, field, childOf({ ...place, path }, field, strength), scope),
  );
}

/** The fields that say what is protected. */
const protectingIn = memoize((fields: Fields) => entriesOf(fields).filter(([, one]) => isProtecting(one)));

/** The fields that limit all that is protected, and the objects in which there may be some. */
const limitingIn = memoize((fields: Fields) => entriesOf(fields).filter(([, one]) => isLimiting(one)));

function entriesOf(fields: Fields): readonly (readonly [string, Strength])[] {
  return Object.entries(fields).flatMap(([key, one]) => (one === undefined ? [] : [[key, one] as const]));
}
type ObjectStrength = Strength & { readonly type: 'object' };

function protectedBy(strength: Strength, key: string, place: Place, scope: Scope): readonly Claim[] {
  const { value } = place;
  switch (strength.type) {
    case 'object':
      if (value === undefined || value === null) return [];
      if (!isObject(value) || isList(value)) return [oddClaim(place, scope)];
      return claimsIn(strength, place, {
        ...scope,
        label: strength.what === 'payload' ? lastOf(parentOf(place.path)) : scope.label,
      });
    case 'list':
      if (value === undefined || value === null) return [];
      if (!isList(value)) return [oddClaim(place, scope)];
      return value.flatMap((item, at) =>
        protectedBy(strength.of, key, { ...place, value: item, at: joinPointer(place.at, at) }, scope),
      );
    case 'each':
      return membersOf(strength, place, { ...scope, what: strength.what });
    case 'allows': {
      if (isEmpty(value)) return [];
      const allowed = isList(value) ? value : [value];
      const rule = labelled(scope, key, 'rule');
      const { path } = place;
      if (allowed.some(hasPlaceholder)) return [oddClaim(place, rule)];
      return strength.values
        .filter((one) => !allowed.includes(one))
        .map((one) => claimOf({ ...place, path: `${path}!${JSON.stringify(one)}` }, rule));
    }
    case 'most':
    case 'least':
    case 'matches': {
      if (isEmpty(value)) return [];
      const forbidsNothing = typeof value === 'string' && isContained('.*', [value]) === true;
      if (strength.type === 'matches' && forbidsNothing) return [];
      if (strength.type === 'least' && isTextOrNumber(value) && Number(value) <= NO_LIMIT) return [];
      const rule = labelled(scope, key, strength.type === 'matches' ? 'rule' : 'limit');
      return [claimOf(place, { ...rule, limits: [...rule.limits, { ...place, strength }] })];
    }
    default:
      return [];
  }
}

/** In Kafka: nothing is less. */
const NO_LIMIT = -1;

/** A rule without a value allows everything, and an empty name is that of nothing. */
function isEmpty(value: Json | undefined): value is undefined | null | '' {
  if (value === undefined || value === null || value === '') return true;
  return isList(value) ? value.every(isEmpty) : isObject(value) && keysOf(value).length === 0;
}

function labelled(scope: Scope, label: string, what: Protected): Scope {
  return scope.what === 'interceptor' ? { ...scope, label, what } : scope;
}

function membersOf(
  { absent }: Strength & { readonly type: 'each' },
  place: Place,
  scope: Scope,
): readonly Claim[] {
  const { value } = place;
  if (isEmpty(value)) return absent === 'nothing' ? [] : [oddClaim(place, { ...scope, name: null })];
  if (!isList(value)) return [oddClaim(place, scope)];
  return value.flatMap((item, at) =>
    isEmpty(item)
      ? []
      : claimOf({ ...place, at: joinPointer(place.at, at) }, { ...scope, name: textOf(item) }),
  );
}

function claimOf({ path, at }: Place, { what, name, label, limits }: Scope): Claim {
  return { facet: path, what, name, label, isVague: hasPlaceholder(name), at, limits };
}

/** Of a value that has not the documented type. */
function oddClaim(place: Place, scope: Scope): Claim {
  const strength: Strength = { type: 'unknown' };
  const limits = [...scope.limits, { ...place, strength }];
  return { ...claimOf(place, { ...scope, limits }), isVague: true };
}

/** What limits all that an object protects, also where it stands in objects of its own. */
function limitsIn(fields: Fields, place: Place): readonly Limit[] {
  return limitingIn(fields).flatMap(([key, strength]): readonly Limit[] => {
    const { when } = strength;
    if (when !== undefined && valueIn(place.value, when.field, fields[when.field]) !== when.is) return [];
    const child = childOf(place, key, strength);
    return strength.type === 'object' ? limitsIn(strength.fields, child) : [{ ...child, strength }];
  });
}

/** The keys of an object that are not known may limit it in any way. */
function unknownIn(fields: Fields, { value, at, path }: Place): readonly Limit[] {
  const found = keysOf(value ?? null).filter((key) => !Object.hasOwn(fields, key));
  const [first] = found;
  return [
    {
      path: `${path}/?`,
      strength: { type: 'unknown' },
      at: first === undefined ? at : joinPointer(at, first),
      value: Object.fromEntries(found.map((key) => [key, valueOf(value, key) ?? null])),
    },
  ];
}

function isLimiting(strength: Strength): boolean {
  switch (strength.type) {
    case 'reach':
    case 'order':
    case 'amount':
    case 'mask':
    case 'unknown':
      return true;
    case 'object':
      return strength.what === undefined && entriesOf(strength.fields).some(([, one]) => isLimiting(one));
    default:
      return false;
  }
}

/** The field that names what an object protects, and the name; null if it is missing. */
function nameIn(fields: Fields, { value }: Place): readonly [string | undefined, string | null] {
  const key = Object.keys(fields).find((one) => fields[one]?.type === 'name');
  const name = key === undefined ? undefined : valueOf(value, key);
  return [key, isEmpty(name) ? null : textOf(name)];
}

function isProtecting(strength: Strength): boolean {
  switch (strength.type) {
    case 'each':
    case 'allows':
    case 'most':
    case 'least':
    case 'matches':
      return true;
    case 'object':
      return strength.what !== undefined || entriesOf(strength.fields).some(([, one]) => isProtecting(one));
    case 'list':
      return isProtecting(strength.of);
    default:
      return false;
  }
}

function childOf({ value, at, path }: Place, key: string, strength: Strength): Place {
  const name = strength.same ?? key;
  return { value: valueIn(value, key, strength), at: joinPointer(at, key), path: `${path}/${name}` };
}

/** A null is as good as nothing. */
function valueIn(value: Json | undefined, key: string, strength: Strength | undefined): Json | undefined {
  return valueOf(value, key) ?? strength?.fallback;
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : printJson(value);
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}
