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
import { formNamed } from './recognise.ts';
import { describe } from '../wording.ts';
import { placeIn, type ParsedDocument } from '../yaml/document.ts';

/**
 * Merges documents with `overlay: true` into those with the same address in an earlier layer, as in RFC 7396. Each value
 * keeps its place. The documents are sorted by layer. A layer can have only one overlay of an address, so the order of files
 * in it does not matter.
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
      // An unreadable document may be its base.
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
  const form = formNamed(valueOf(value, 'kind'), catalog);
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
  const changed = new Set<Pointer>();
  const value = patchWith(base.value, patch, '', (pointer) => {
    changed.add(pointer);
    places.set(pointer, { document: over.ref, path: pointer, on: 'value' });
  });
  const templates = new Map<Pointer, Template>([
    ...[...base.templates].filter(([pointer]) => !isAtOrBelow(pointer, changed)),
    ...[...over.templates].filter(([pointer]) => isAtOrBelow(pointer, places)),
  ]);
  const overlays = [...(base.overlays ?? []), { document: over.ref, at: over.at }];
  return { ...base, value, places, templates, overlays, problems: [...base.problems, ...over.problems] };
}

/** Metadata without the identity, which is the same in both. */
function withoutIdentity(metadata: Json | undefined): JsonObject {
  if (!isObject(metadata)) return {};
  const { name: _name, vCluster: _vCluster, scope: _scope, ...others } = metadata;
  return others;
}

/** Whether the place, or one that it lies in, is among these. */
function isAtOrBelow(pointer: Pointer, places: { readonly has: (place: Pointer) => boolean }): boolean {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/')) as Pointer)
    // it begins with a slash
    if (places.has(at)) return true;
  return false;
}

/** RFC 7396; calls `changed` for each value that the patch sets or removes. */
function patchWith(target: Json, patch: Json, at: Pointer, changed: (pointer: Pointer) => void): Json {
  if (!isObject(patch)) {
    changed(at);
    return patch;
  }
  const result = new Map(isObject(target) ? Object.entries(target) : []);
  if (!isObject(target)) changed(at);
  for (const [key, value] of entriesOf(patch)) {
    const place = joinPointer(at, key);
    if (value === null) {
      result.delete(key);
      changed(place);
    } else {
      result.set(key, patchWith(result.get(key) ?? null, value, place, changed));
    }
  }
  return Object.fromEntries(result);
}

function unreachable(over: ParsedDocument, address?: Address, base?: ParsedDocument): Problem {
  const where =
    base === undefined ? 'no earlier layer declares it' : 'it is declared in the same or a later layer';
  return {
    ...problemOf(over, address),
    code: 'unreachable-overlay',
    message: `the overlay of ${nameOf(address)} changes nothing: ${where}`,
    ...(base === undefined ? {} : { also: placeIn(base, '/metadata/name') }),
    hint: 'move the base document to an earlier layer, or remove overlay to declare a new resource',
  };
}

function second(over: ParsedDocument, address: Address | undefined, before: ParsedDocument): Problem {
  return {
    ...problemOf(over, address),
    code: 'duplicate-resource',
    message: `${nameOf(address)} has two overlays in one layer`,
    also: { document: before.ref, path: PATH, on: 'key' },
    hint: 'merge them, or move one to another layer',
  };
}

function unclear(over: ParsedDocument, asked: Json): Problem {
  return {
    ...problemOf(over),
    code: 'invalid-value',
    message: `/overlay: expected true or false; found ${describe(asked)}`,
    at: { document: over.ref, path: PATH, on: 'value' },
    hint: 'write overlay: true, or remove it',
  };
}

const PATH: Pointer = '/overlay';

function problemOf(
  { ref }: ParsedDocument,
  address?: Address,
): Pick<Problem, 'severity' | 'at' | 'address' | 'path'> {
  const at = { document: ref, path: PATH, on: 'key' } as const;
  return { severity: 'error', at, ...(address === undefined ? {} : { address }), path: PATH };
}

function nameOf(address: Address | undefined): string {
  return address ?? 'a resource without a name';
}
