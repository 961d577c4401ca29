import { addDefaults } from '../model/defaults.ts';
import { defaultScope } from '../model/identity.ts';
import {
  changeAt,
  isObject,
  joinPointer,
  parsePointer,
  printPointer,
  valueAt,
  valueOf,
  type Json,
  type JsonObject,
  asMap,
} from '../model/json/json.ts';
import type { Kind, Reference } from '../model/kind.ts';
import type { Catalog, OwnKind, Piece } from '../model/own-kind.ts';
import { kindOf, parseAddress, printAddress, type Resource, type Scope } from '../model/resource.ts';
import { FIELDS_THAT_REFER, NAMEABLES_THAT_REFER } from '../schema/kinds/common.ts';
import type { Named } from '../schema/explain/names.ts';
import type { Typed } from '../schema/yaml/typed-at.ts';
import { nameablesOf } from './field-at.ts';
import type { FieldPlace } from '../schema/explain/explain-place.ts';

/** The sort of objects that a field names: their kind, and the scope that they are in, as far as it is known. */
export type Referred = { readonly kind: string; readonly scope: Scope };

/** What a resource refers to, and the object that it is meant for. It may be invalid. */
export function referencesOf(kind: Kind, resource: Json): readonly Reference[] {
  const filled = addDefaults(resource, kind.defaultTree);
  if (!isObject(filled)) return [];
  const { meantFor } = kind;
  const axis = kind.axes.find(({ name }) => name === meantFor?.name);
  const path = axis && printPointer(['metadata', ...axis.tokens]);
  const name = path && valueAt(filled, path);
  if (meantFor === undefined || path === undefined || typeof name !== 'string')
    return kind.references(filled);
  const scope = scopeIn(kind, filled, meantFor.axes);
  return [...kind.references(filled), { to: printAddress({ kind: meantFor.kind, name, scope }), path }];
}

function scopeIn(kind: Kind, filled: JsonObject, axes: readonly string[]): Scope {
  const parts = kind.axes.flatMap(({ name, tokens }): readonly (readonly [string, string])[] => {
    const value = axes.includes(name) ? valueAt(filled, printPointer(['metadata', ...tokens])) : undefined;
    return typeof value === 'string' ? [[name, value]] : [];
  });
  return Object.fromEntries(parts);
}

/** What the text that somebody writes may name, by the form of its kind. */
export function referredAt(
  { value, path }: Pick<Typed, 'value' | 'path'>,
  { form }: Named,
  place: FieldPlace | undefined,
  catalog: Catalog,
): Referred | undefined {
  const tokens = parsePointer(path);
  const field = tokens.findLast((token) => !/^\d+$/.test(token)) ?? '';
  const isOfGateway = !('whole' in form) && Object.hasOwn(FIELDS_THAT_REFER, field);
  const nameables = place === undefined ? [] : nameablesOf(place, value, tokens);
  const named = [...nameables, ...(isOfGateway ? [field] : [])];
  if ('references' in form) {
    const whole = changeAt(value, tokens, (written) =>
      written === '' || written === undefined || written === null ? 'x' : written,
    );
    const references = referencesOf(form, whole);
    const own = references.find((one) => one.path === path || joinPointer(one.path, 'name') === path);
    if (own !== undefined) return { kind: kindOf(own.to), scope: parseAddress(own.to)?.scope ?? {} };
  }
  if ('expand' in form) {
    const member = membersOf(form, value).find(({ from }) => from === path);
    if (member !== undefined) return { kind: kindOf(member.of), scope: {} };
  }
  return named.flatMap((one) => referredBy(one, value, tokens, catalog) ?? [])[0];
}

/** The members that a document adds to others; none if it cannot be expanded yet. */
function membersOf(form: OwnKind, value: Json): readonly (Piece & { readonly type: 'member' })[] {
  try {
    const filled = addDefaults(value, form.defaultTree);
    return form.expand(filled as Resource).filter((piece) => piece.type === 'member');
  } catch {
    return []; // a document that somebody still writes has not the shape of its kind
  }
}

/** What a field of this name, or a text that names this, refers to, in the scope that its neighbours say. */
export function referredBy(
  field: string,
  value: Json,
  path: readonly string[],
  { kinds }: Catalog,
): Referred | undefined {
  const to = Object.hasOwn(NAMEABLES_THAT_REFER, field) ? NAMEABLES_THAT_REFER[field] : undefined;
  if (to === undefined || typeof to === 'string')
    return to === undefined ? undefined : { kind: to, scope: {} };
  const kind = kinds.get(to.kind);
  const beside = valueAt(value, printPointer(path.slice(0, -1)));
  // A case of a test says beside its topic whose chain it is about.
  const around = { ...asMap(valueOf(beside, 'as')), ...asMap(beside) };
  const written = to.axes.flatMap((axis): readonly (readonly [string, string])[] => {
    const alike = Object.keys(FIELDS_THAT_REFER).filter(
      (key) => FIELDS_THAT_REFER[key] === FIELDS_THAT_REFER[axis],
    );
    const given = alike.map((key) => valueOf(around, key)).find((one) => typeof one === 'string');
    // What an object says of clients is about those in it.
    const own =
      valueOf(value, 'kind') === FIELDS_THAT_REFER[axis] ? valueAt(value, '/metadata/name') : undefined;
    const name = given ?? own;
    return typeof name === 'string' ? [[axis, name]] : [];
  });
  return { kind: to.kind, scope: { ...(kind && defaultScope(kind)), ...Object.fromEntries(written) } };
}
