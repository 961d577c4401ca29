import { isList, isObject, valueOf, type Json, type JsonObject } from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import type { Catalog, OwnKind } from '../../model/own-kind.ts';
import { suggest } from '../../model/text/suggest.ts';
import { fieldsOf } from '../fields.ts';

/**
 * Whether a document of a file that was found in a folder is a resource, or was meant to be one: such a file is never
 * skipped, because a prune would delete what it declares. Documents of other tools have an apiVersion or kind of their own.
 */
export function looksOurs(value: Json, catalog: Catalog): boolean {
  if (isList(value)) return value.some((item) => isObject(item) && looksOurs(item, catalog));
  if (!isObject(value)) return false;
  const version = textAt(value, 'apiVersion');
  const kind = textAt(value, 'kind');
  if (/^(?:gateway|gwconf)(?:\/|$)/i.test(version)) return true;
  // Tekton has an Interceptor, too; its apiVersion is that of a domain.
  if (/^[^/]*\./.test(version)) return false;
  const lower = kind.toLowerCase();
  if (namesOf(catalog).some((name) => name.toLowerCase() === lower)) return true;
  if (lower === 'project') return isObject(inAnyCase(value, 'environments'));
  if (lower === 'list') return looksOurs(inAnyCase(value, 'items') ?? null, catalog);
  if (version !== '') return false;
  return kind === ''
    ? hasFieldsOfAKind(value, catalog)
    : hasBody(value) && suggest(kind, namesOf(catalog)) !== undefined;
}

/** A key as a user writes it. */
export function keyInAnyCase(value: JsonObject, wanted: string): string | undefined {
  if (Object.hasOwn(value, wanted)) return wanted;
  return Object.keys(value).find((key) => key.toLowerCase() === wanted.toLowerCase());
}

function inAnyCase(value: JsonObject, wanted: string): Json | undefined {
  return valueOf(value, keyInAnyCase(value, wanted) ?? wanted);
}

function textAt(value: JsonObject, key: string): string {
  const text = inAnyCase(value, key);
  return typeof text === 'string' ? text : '';
}

function formsOf({ kinds, ownKinds }: Catalog): readonly (Kind | OwnKind)[] {
  return [...kinds.values(), ...ownKinds.values()];
}

function namesOf(catalog: Catalog): readonly string[] {
  return formsOf(catalog).flatMap((form) => [form.name, ...('aliases' in form ? form.aliases : [])]);
}

function hasBody(value: JsonObject): boolean {
  return isObject(inAnyCase(value, 'metadata')) || isObject(inAnyCase(value, 'spec'));
}

/** Without apiVersion and kind: whether metadata and spec have only fields of one kind. */
function hasFieldsOfAKind(value: JsonObject, catalog: Catalog): boolean {
  const [metadata, spec] = [inAnyCase(value, 'metadata'), inAnyCase(value, 'spec')];
  if (!isObject(metadata) || !isObject(spec)) return false;
  const isTelling = Object.keys({ ...metadata, ...spec }).some((key) => key !== 'name');
  return (
    isTelling &&
    formsOf(catalog).some(({ schema }) => fits(metadata, schema.metadata) && fits(spec, schema.spec))
  );
}

function fits(value: JsonObject, schema: Json): boolean {
  const fields = fieldsOf(schema);
  return Object.keys(value).every((key) => fields.has(key));
}
