import { isList, isObject, joinPointer, type Json, type Pointer } from '../json/json.ts';
import type { Parsed } from '../resource.ts';
import type { Template } from '../state.ts';

/**
 * A resource with its placeholders, not with the values that must not be shown: a problem found in it tells nothing about
 * these values, whatever they are compared with.
 */
export function asWritten<R extends Parsed>({
  resource,
  templates,
}: {
  readonly resource: R;
  readonly templates?: ReadonlyMap<Pointer, Template>;
}): R {
  if (templates === undefined || templates.size === 0) return resource;
  return withTexts(resource, '', templates) as R; // scalars are replaced by text
}

function withTexts(value: Json, pointer: Pointer, templates: ReadonlyMap<Pointer, Template>): Json {
  if (isList(value)) return value.map((item, at) => withTexts(item, joinPointer(pointer, at), templates));
  if (!isObject(value)) return templates.get(pointer)?.text ?? value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      withTexts(child, joinPointer(pointer, key), templates),
    ]),
  );
}
