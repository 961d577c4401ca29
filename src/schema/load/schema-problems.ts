import { memoize } from '../../model/collect.ts';
import { addressIn } from '../../model/identity.ts';
import {
  entriesOf,
  isObject,
  keysOf,
  joinPointer,
  valueAt,
  valueOf,
  type JsonObject,
  type Pointer,
  type Json,
} from '../../model/json/json.ts';
import { addressOf, type Kind, type Part } from '../../model/kind.ts';
import type { OwnKind } from '../../model/own-kind.ts';
import type { Problem, SourceFile } from '../../model/problem.ts';
import type { Address, Parsed } from '../../model/resource.ts';
import { secretPlaces } from '../../model/secrets/secrets.ts';
import { list } from '../../model/text/list.ts';
import { hasPlaceholder } from '../../model/text/placeholder.ts';
import { suggest } from '../../model/text/suggest.ts';
import { NEWEST_KNOWN } from '../../model/text/version.ts';
import { violationsOf, type Violation } from '../validate.ts';
import { describeViolation, describe } from '../wording.ts';
import { placeIn, type ParsedDocument } from '../yaml/document.ts';
import { writtenAt } from '../yaml/places.ts';

export function schemaProblems(
  violations: readonly Violation[],
  document: ParsedDocument,
  form: Kind | OwnKind,
  value: Parsed,
): readonly Problem[] {
  const known = 'secrets' in form ? addressIn(form, value) : undefined;
  const address = known ?? placeholderOf(form.name, value);
  const hidden = 'secrets' in form ? secretPlaces(form, value, document.templates) : undefined;
  return violationProblems(violations, { document, form, address, about: address, base: '', hidden });
}

/** The name of a resource without an address in messages. */
export function placeholderOf(kind: string, value: Parsed): Address {
  const name = valueAt(value, '/metadata/name');
  return addressOf(kind, typeof name === 'string' ? name : '?');
}

/** The part of a resource with a schema of its own; undefined if it is not a map, which violates the schema of the kind. */
export function partIn(kind: Kind, resource: Parsed): (Part & { readonly value: JsonObject }) | undefined {
  const part = kind.part(resource);
  const value = part === undefined ? undefined : valueAt(resource, part.path);
  return part !== undefined && isObject(value) ? { ...part, value } : undefined;
}

/** Violations of the schema of a part, such as the config of an interceptor, as problems. */
export function partProblems(
  document: ParsedDocument,
  kind: Kind,
  resource: Parsed,
  address: Address,
): readonly Problem[] {
  const part = partIn(kind, resource);
  if (part === undefined) return [];
  const violations = violationsOf(part.schema, part.value).filter(
    (one) => !hasPlaceholder(one.found) && mayTell(one, document, part.path),
  );
  if (violations.length === 0) return [];
  const hidden = secretPlaces(kind, resource, document.templates);
  return violationProblems(violations, {
    document,
    form: kind,
    address,
    about: part.of,
    base: part.path,
    names: namesIn(part.schema),
    hidden,
  });
}

/**
 * Whether a violation may be reported. An unknown value may be valid, but it is no list or map. Of a hidden value only its type
 * is checked, and whether it is empty or one of a few: a pattern or a limit beside a text of the author could tell its length and
 * parts.
 */
export function mayTell(
  { path, keyword, params, found }: Violation,
  { templates }: ParsedDocument,
  base: Pointer = '',
): boolean {
  const place: Pointer = `${base}${path}`;
  if (keyword === 'uniqueItems') return ![...templates.keys()].some((one) => one.startsWith(`${place}/`));
  const template = templates.get(place);
  if (template === undefined || (found === '' && template.open === undefined)) return true;
  const isComposed = keyword === 'type' && (params['type'] === 'array' || params['type'] === 'object');
  return isComposed || (template.open === undefined && (keyword === 'type' || keyword === 'enum'));
}

function violationProblems(
  violations: readonly Violation[],
  of: {
    readonly document: ParsedDocument;
    readonly form: Kind | OwnKind;
    readonly address: Address;
    readonly about: string;
    /** The place of the checked value in the resource. */
    readonly base: Pointer;
    /** All keys that are known of a config; others may be new. */
    readonly names?: ReadonlySet<string>;
    /** The places of secrets; undefined for a kind of gwconf. */
    readonly hidden: ReadonlySet<Pointer> | undefined;
  },
): readonly Problem[] {
  const { document, form, address, about, base, hidden } = of;
  const isHidden = (path: Pointer): boolean => document.templates.has(path) || hidden?.has(path) === true;
  // A missing variable or anchor is already a problem.
  const unread = new Set(document.problems.map(({ path }) => path));
  const told = violations.filter((one) => !unread.has(`${base}${one.path}`));
  let holders: ReadonlySet<Pointer> | undefined;
  const holdsHidden = (path: Pointer): boolean => (holders ??= placesAbove(hidden ?? [])).has(path);
  return told.flatMap((violation): readonly Problem[] => {
    const known = isHidden(`${base}${violation.path}`);
    const misplaced = isMisplaced(violation);
    const isAround = violation.keyword === 'type' && holdsHidden(`${base}${violation.path}`);
    const secret = known || misplaced || isAround;
    const { found } = violation;
    const { shown, hint } = describeFound(document, `${base}${violation.path}`, found, known);
    // A suggestion for a hidden text would tell most of it.
    const worded = describeViolation(
      known && typeof found === 'string' ? { ...violation, found: '' } : violation,
      about,
      misplaced && typeof found === 'string' && !known ? 'text' : shown,
    );
    if (worded === undefined) return [];
    const { on, path: inside, ...words } = worded;
    const path: Pointer = `${base}${inside}`;
    const at = placeIn(document, path, on);
    const isNew = isNewField(violation, of.names);
    return [
      {
        severity: isNew ? 'warning' : 'error',
        ...words,
        ...(isNew
          ? { message: `${words.message}, as far as gwconf knows gateway ${NEWEST_KNOWN}`, hint: CHECK_NEW }
          : {}),
        ...(words.code === 'invalid-value' && hint !== undefined ? { hint } : {}),
        ...movedFrom(violation, document, form, base),
        at,
        address,
        path,
        ...(secret ? { confidential: true } : {}),
      },
    ];
  });
}

/** A key that neither is nor resembles one of these, so that it may be one of a newer gateway. */
function isNewField({ keyword, params }: Violation, names: ReadonlySet<string> | undefined): boolean {
  if (keyword !== 'additionalProperties' || names === undefined) return false;
  const field = String(params['additionalProperty']);
  return !names.has(field) && suggest(field, names) === undefined;
}

/** All keys that a schema has at any depth. */
const namesIn = memoize((schema: JsonObject): ReadonlySet<string> => {
  const names = new Set<string>();
  const walk = (value: Json): void => {
    for (const key of keysOf(valueOf(value, 'properties') ?? null)) names.add(key);
    for (const [, child] of entriesOf(value)) walk(child);
  };
  walk(schema);
  return names;
});
const CHECK_NEW = 'check the name; it is sent as it is';

/** The places of all maps and lists around these places. */
function placesAbove(places: Iterable<Pointer>): ReadonlySet<Pointer> {
  const above = new Set<Pointer>();
  for (const place of places) {
    for (let end = place.lastIndexOf('/'); end > 0; end = place.lastIndexOf('/', end - 1)) {
      const outer = place.slice(0, end) as Pointer; // a pointer up to a slash
      if (above.has(outer)) break;
      above.add(outer);
    }
  }
  return above;
}

/** The hint for an unknown field that another part of the document has. */
function movedFrom(
  { keyword, params, path }: Violation,
  { value }: ParsedDocument,
  form: Kind | OwnKind,
  base: Pointer,
): Pick<Problem, 'hint'> {
  if (keyword !== 'additionalProperties' || base !== '' || path.lastIndexOf('/') > 0) return {};
  const field = String(params['additionalProperty']);
  if (path !== '' && ['metadata', 'spec'].includes(field))
    return { hint: `indent it less: ${field} is not part of ${path.slice(1)}` };
  const home = (['metadata', 'spec'] as const).find(
    (part) =>
      `/${part}` !== path && valueAt(form.schema[part], joinPointer('/properties', field)) !== undefined,
  );
  const nested = path === '/metadata' ? nestedHome(form, field) : undefined;
  if (nested !== undefined) return { hint: `move it into ${nested}: indent it below that key` };
  const config = 'variants' in form && path === '/spec' ? form.part(value as Parsed) : undefined;
  if (config !== undefined && valueAt(config.schema, joinPointer('/properties', field)) !== undefined)
    return { hint: `move it into ${config.path}` };
  return home === undefined ? {} : { hint: `move it into ${home}: indent it below that key` };
}

/** The map in metadata that has a field. */
function nestedHome({ schema }: Kind | OwnKind, field: string): string | undefined {
  const properties = valueOf(schema.metadata, 'properties');
  if (!isObject(properties)) return undefined;
  return Object.keys(properties).find(
    (key) => valueAt(valueOf(properties, key) ?? null, joinPointer('/properties', field)) !== undefined,
  );
}

/** Whether there is text or a list in place of a map: it may be or contain the secret that belongs in the map. */
function isMisplaced({ keyword, params, found }: Violation): boolean {
  return (
    keyword === 'type' && params['type'] === 'object' && (typeof found === 'string' || Array.isArray(found))
  );
}

/** A found value in words, and how to correct it if a variable is the cause. */
type FoundWords = { readonly shown: string; readonly hint?: string };

/** The value at a place for use in a sentence; of a hidden one, where it comes from. */
function describeFound(
  document: ParsedDocument,
  path: Pointer,
  value: Json | undefined,
  isHidden: boolean,
): FoundWords {
  const names = document.templates.get(path)?.variables ?? [];
  const source = names.length > 0 ? list([...new Set(names)]) : placeholderAt(document, path);
  if (source === undefined) return { shown: isHidden ? 'a hidden value' : describe(value) };
  if (value === null || value === '')
    return { shown: `nothing, because ${source} is empty`, hint: `set ${source} to a value` };
  return {
    shown: isHidden ? `the hidden value of ${source}` : `${describe(value)}, the value of ${source}`,
    hint: `set ${source} to a value that fits`,
  };
}

/** Searched once for all problems of a file. */
const searched = memoize(({ text }: SourceFile) => ({ hasPlaceholder: text.includes('${') }));

/** The placeholder that is the value at a place in a file, as it is written. */
function placeholderAt(document: ParsedDocument, path: Pointer): string | undefined {
  const { places, ref } = document;
  if (places === undefined && !searched(ref.file).hasPlaceholder) return undefined;
  return /^["']?(\$\{[^}:]*\})["']?$/.exec(writtenAt(placeIn(document, path)))?.[1];
}
