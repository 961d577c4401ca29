import {
  entriesOf,
  isObject,
  joinPointer,
  valueOf,
  type Json,
  type JsonObject,
  type Pointer,
} from '../model/json.ts';
import { addressOf, type Catalog } from '../model/kind.ts';
import { identify } from '../model/normal-form.ts';
import type { Place, Problem } from '../model/problem.ts';
import type { Address, Resource } from '../model/resource.ts';
import type { Template } from '../model/state.ts';
import { kindNamed } from './check.ts';
import type { ParsedDocument } from './yaml.ts';

/**
 * Merges the documents that carry `overlay: true` onto those of the same address in an earlier layer, as RFC 7396
 * says; what identifies a resource is not merged, since it is the same. Each merged value keeps its place. The
 * documents come layer by layer.
 */
export function overlay(documents: readonly ParsedDocument[], catalog: Catalog): readonly ParsedDocument[] {
  const merged: ParsedDocument[] = [];
  const latest = new Map<Address, number>();
  for (const document of documents) {
    const asked = isObject(document.value) ? valueOf(document.value, 'overlay') : undefined;
    const address = addressIn(document.value, catalog);
    if (asked !== true) {
      if (address !== undefined && !latest.has(address)) latest.set(address, merged.length);
      merged.push(asked === false ? withoutMark(document) : document);
      continue;
    }
    const at = address === undefined ? undefined : latest.get(address);
    const base = at === undefined ? undefined : merged[at];
    if (at === undefined || base === undefined || layerOf(base) >= layerOf(document)) {
      merged.push({
        ...document,
        value: null,
        problems: [...document.problems, unreachable(document, address, base)],
      });
      continue;
    }
    merged[at] = merge(base, document);
  }
  return merged;
}

function layerOf({ ref }: ParsedDocument): number {
  return ref.file.layer ?? 0;
}

function addressIn(value: Json, catalog: Catalog): Address | undefined {
  if (!isObject(value)) return undefined;
  const kind = valueOf(value, 'kind');
  const metadata = valueOf(value, 'metadata');
  const name = valueOf(metadata, 'name');
  if (typeof kind !== 'string' || !isObject(metadata) || typeof name !== 'string') return undefined;
  const known = kindNamed(kind, catalog);
  const vCluster = valueOf(metadata, 'vCluster');
  return known === undefined
    ? addressOf(kind, name, { vCluster: typeof vCluster === 'string' ? vCluster : 'passthrough' })
    : identify(known, { apiVersion: '', kind, metadata: metadata as Resource['metadata'], spec: {} }); // its name was just seen
}

function withoutMark(document: ParsedDocument): ParsedDocument {
  const { overlay: _, ...value } = document.value as JsonObject; // it had the key
  return { ...document, value };
}

function merge(base: ParsedDocument, over: ParsedDocument): ParsedDocument {
  const { overlay: _, metadata: _same, ...patch } = over.value as JsonObject; // it had the key
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

function isAtOrBelow(pointer: Pointer, above: Pointer): boolean {
  return pointer === above || pointer.startsWith(`${above}/`);
}

/** RFC 7396, telling of each value that came from the patch. */
function patchWith(target: Json, patch: Json, at: Pointer, came: (pointer: Pointer) => void): Json {
  if (!isObject(patch)) {
    came(at);
    return patch;
  }
  const result = new Map(isObject(target) ? Object.entries(target) : []);
  if (!isObject(target)) came(at);
  for (const [key, value] of entriesOf(patch)) {
    const place = joinPointer(at, key);
    if (value === null) result.delete(key);
    else result.set(key, patchWith(result.get(key) ?? null, value, place, came));
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
