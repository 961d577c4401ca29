import {
  entriesOf,
  isObject,
  joinPointer,
  valueOf,
  type Json,
  type JsonObject,
  type Pointer,
} from '../../model/json/json.ts';
import type { Catalog } from '../../model/own-kind.ts';
import { addressIn } from '../../model/identity.ts';
import type { Place, Problem } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import type { Template } from '../../model/state.ts';
import { kindNamed } from './recognise.ts';
import { describe } from '../wording.ts';
import type { ParsedDocument } from '../yaml/parse.ts';

/**
 * Merges the documents that carry `overlay: true` onto those of the same address in an earlier layer, as RFC 7396
 * says; what identifies a resource is not merged, since it is the same. Each merged value keeps its place. The
 * documents come layer by layer, and in a layer there is one overlay of an address, so that no order of files counts.
 */
export function overlay(documents: readonly ParsedDocument[], catalog: Catalog): readonly ParsedDocument[] {
  const merged: ParsedDocument[] = [];
  const bases = new Map<Address, number>();
  const overlays = new Map<Address | undefined, ParsedDocument>();
  const refuse = (document: ParsedDocument, ...problems: readonly Problem[]): void => {
    const all = [...document.problems, ...problems];
    if (all.length > 0) merged.push({ ...document, value: null, problems: all });
  };
  for (const document of documents) {
    const asked = isObject(document.value) ? valueOf(document.value, 'overlay') : undefined;
    const address = addressOfDocument(document.value, catalog);
    if (asked === undefined || asked === false) {
      if (address !== undefined && !bases.has(address)) bases.set(address, merged.length);
      merged.push(asked === false ? withoutMark(document) : document);
      continue;
    }
    if (asked !== true) {
      refuse(document, unclear(document, asked));
      continue;
    }
    const at = address === undefined ? undefined : bases.get(address);
    const base = at === undefined ? undefined : merged[at];
    const before = overlays.get(address);
    if (at === undefined || base === undefined || layerOf(base) >= layerOf(document)) {
      // A document that could not be read may have been the one that it changes.
      const unread = base === undefined && merged.some(isUnread);
      refuse(document, ...(unread ? [] : [unreachable(document, address, base)]));
    } else if (before !== undefined && layerOf(before) === layerOf(document)) {
      refuse(document, second(document, address, before));
    } else {
      merged[at] = merge(base, document);
      overlays.set(address, document);
    }
  }
  return merged;
}

function isUnread({ value, problems }: ParsedDocument): boolean {
  return value === null && problems.some(({ code }) => code === 'invalid-yaml');
}

function layerOf({ ref }: ParsedDocument): number {
  return ref.file.layer ?? 0;
}

function addressOfDocument(value: Json, catalog: Catalog): Address | undefined {
  if (!isObject(value)) return undefined;
  const kind = valueOf(value, 'kind');
  if (typeof kind !== 'string') return undefined;
  const form = kindNamed(kind, catalog) ?? catalog.ownKinds.get(kind);
  return form === undefined ? undefined : addressIn(form, value);
}

function withoutMark(document: ParsedDocument): ParsedDocument {
  const { overlay: _, ...value } = document.value as JsonObject; // it had the key
  return { ...document, value };
}

function merge(base: ParsedDocument, over: ParsedDocument): ParsedDocument {
  const { overlay: _, metadata, ...rest } = over.value as JsonObject; // it had the key
  const patch = { metadata: withoutIdentity(metadata), ...rest };
  const places = new Map<Pointer, Place>(base.places);
  const templates = new Map<Pointer, Template>(base.templates);
  const value = patchWith(base.value, patch, '', (pointer) => {
    for (const template of templates.keys()) if (isAtOrBelow(template, pointer)) templates.delete(template);
    const template = over.templates.get(pointer);
    if (template !== undefined) templates.set(pointer, template);
    places.set(pointer, { document: over.ref, path: pointer, on: 'value' });
  });
  for (const [pointer, template] of over.templates) {
    if ([...places.keys()].some((place) => place !== '' && isAtOrBelow(pointer, place)))
      templates.set(pointer, template);
  }
  return { ...base, value, places, templates, problems: [...base.problems, ...over.problems] };
}

/** What identifies a resource is the same in both, however either spells it. */
function withoutIdentity(metadata: Json | undefined): JsonObject {
  if (!isObject(metadata)) return {};
  const { name: _name, vCluster: _vCluster, scope: _scope, ...others } = metadata;
  return others;
}

function isAtOrBelow(pointer: Pointer, above: Pointer): boolean {
  return pointer === above || pointer.startsWith(`${above}/`);
}

/** RFC 7396, telling of each value that the patch gave or took away. */
function patchWith(target: Json, patch: Json, at: Pointer, came: (pointer: Pointer) => void): Json {
  if (!isObject(patch)) {
    came(at);
    return patch;
  }
  const result = new Map(isObject(target) ? Object.entries(target) : []);
  if (!isObject(target)) came(at);
  for (const [key, value] of entriesOf(patch)) {
    const place = joinPointer(at, key);
    if (value === null) {
      result.delete(key);
      came(place);
    } else {
      result.set(key, patchWith(result.get(key) ?? null, value, place, came));
    }
  }
  return Object.fromEntries(result);
}

function unreachable(
  { ref }: ParsedDocument,
  address: Address | undefined,
  base: ParsedDocument | undefined,
): Problem {
  const path: Pointer = '/overlay';
  const where =
    base === undefined ? 'no earlier layer declares it' : 'it is declared in the same layer or a later one';
  return {
    code: 'unreachable-overlay',
    severity: 'error',
    message: `the overlay of ${address ?? 'a resource without a name'} has nothing under it: ${where}`,
    at: { document: ref, path, on: 'key' },
    ...(base === undefined ? {} : { also: { document: base.ref, path: '/metadata/name', on: 'value' } }),
    ...(address === undefined ? {} : { address }),
    path,
    hint: 'put the document that it changes into an earlier layer, or take overlay out to declare a new one',
  };
}

function second({ ref }: ParsedDocument, address: Address | undefined, before: ParsedDocument): Problem {
  const path: Pointer = '/overlay';
  return {
    code: 'duplicate-resource',
    severity: 'error',
    message: `${address ?? 'a resource without a name'} has two overlays in one layer`,
    at: { document: ref, path, on: 'key' },
    also: { document: before.ref, path, on: 'key' },
    ...(address === undefined ? {} : { address }),
    path,
    hint: 'write them as one, or put them into layers of their own',
  };
}

function unclear({ ref }: ParsedDocument, asked: Json): Problem {
  const path: Pointer = '/overlay';
  return {
    code: 'invalid-value',
    severity: 'error',
    message: `/overlay: expected true or false; found ${describe(asked)}`,
    at: { document: ref, path, on: 'value' },
    path,
    hint: 'write overlay: true, or take it out',
  };
}
