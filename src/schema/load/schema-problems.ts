import { isObject, valueAt, type Pointer } from '../../model/json/json.ts';
import { addressOf, type Kind } from '../../model/kind.ts';
import type { OwnKind } from '../../model/own-kind.ts';
import { addressIn } from '../../model/identity.ts';
import type { Problem } from '../../model/problem.ts';
import type { Address, Parsed } from '../../model/resource.ts';
import { secretPlaces } from '../../model/secrets/secrets.ts';
import { hasPlaceholder } from '../plugins/patterns.ts';
import { violationsOf, type Violation } from '../validate.ts';
import { describe, word } from '../wording.ts';
import { placeIn, type ParsedDocument } from '../yaml/document.ts';

/** Violations of the schema of a kind, as problems. */
export function schemaProblems(
  violations: readonly Violation[],
  document: ParsedDocument,
  form: Kind | OwnKind,
  value: Parsed,
): readonly Problem[] {
  const known = 'secrets' in form ? addressIn(form, value) : undefined;
  const address = known ?? placeholderOf(form.name, value);
  const hidden = 'secrets' in form ? secretPlaces(form, value, document.templates) : undefined;
  // A missing variable is already a problem.
  const unfilled = new Set(document.problems.map(({ path }) => path));
  const told = violations.filter(({ path }) => !unfilled.has(path));
  return violationProblems(told, { document, address, about: address, base: '', hidden });
}

/** What a resource without an address is called in messages. */
export function placeholderOf(kind: string, value: Parsed): Address {
  const name = valueAt(value, '/metadata/name');
  return addressOf(kind, typeof name === 'string' ? name : '?');
}

/** Violations of the schema of a part, such as the config of an interceptor, as problems. */
export function partProblems(
  document: ParsedDocument,
  kind: Kind,
  resource: Parsed,
  address: Address,
): readonly Problem[] {
  const part = kind.part(resource);
  if (part === undefined) return [];
  const value = valueAt(resource, part.path);
  if (!isObject(value)) return []; // a violation of the kind's schema
  const violations = violationsOf(part.schema, value).filter(
    (one) => !hasPlaceholder(one.found) && mayTell(one, document, part.path),
  );
  if (violations.length === 0) return [];
  const hidden = secretPlaces(kind, resource, document.templates);
  return violationProblems(violations, { document, address, about: part.of, base: part.path, hidden });
}

/**
 * Whether a violation may be reported. An unknown value may be valid, but it is no list or map. Of a hidden value only its type
 * is checked, and whether it is one of a few: a pattern or a limit beside a text of the author could tell its length and parts.
 */
export function mayTell(
  { path, keyword, params }: Violation,
  { templates }: ParsedDocument,
  base: Pointer = '',
): boolean {
  const place: Pointer = `${base}${path}`;
  if (keyword === 'uniqueItems') return ![...templates.keys()].some((one) => one.startsWith(`${place}/`));
  const template = templates.get(place);
  if (template === undefined) return true;
  const isComposed = keyword === 'type' && (params['type'] === 'array' || params['type'] === 'object');
  return isComposed || (template.open === undefined && (keyword === 'type' || keyword === 'enum'));
}

function violationProblems(
  violations: readonly Violation[],
  of: {
    readonly document: ParsedDocument;
    readonly address: Address;
    readonly about: string;
    /** The place of the checked value in the resource. */
    readonly base: Pointer;
    /** The places of secrets; undefined for a kind of gwconf. */
    readonly hidden: ReadonlySet<Pointer> | undefined;
  },
): readonly Problem[] {
  const { document, address, about, base, hidden } = of;
  const isHidden = (path: Pointer): boolean => document.templates.has(path) || hidden?.has(path) === true;
  let holders: ReadonlySet<Pointer> | undefined;
  const holdsHidden = (path: Pointer): boolean => (holders ??= placesAbove(hidden ?? [])).has(path);
  return violations.flatMap((violation): readonly Problem[] => {
    const known = isHidden(`${base}${violation.path}`);
    const misplaced = isMisplaced(violation);
    const isAround = violation.keyword === 'type' && holdsHidden(`${base}${violation.path}`);
    const secret = known || misplaced || isAround;
    const shown = known ? 'a hidden value' : misplaced ? 'text' : describe(violation.found);
    const { found } = violation;
    // A suggestion for a hidden text would tell most of it.
    const worded = word(
      known && typeof found === 'string' ? { ...violation, found: '' } : violation,
      about,
      shown,
    );
    if (worded === undefined) return [];
    const { on, path: inside, ...words } = worded;
    const path: Pointer = `${base}${inside}`;
    const at = placeIn(document, path, on);
    return [{ severity: 'error', ...words, at, address, path, ...(secret ? { confidential: true } : {}) }];
  });
}

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

/** Whether there is text in place of a map: it may be or contain the secret that belongs in the map. */
function isMisplaced({ keyword, params, found }: Violation): boolean {
  return keyword === 'type' && params['type'] === 'object' && typeof found === 'string';
}
