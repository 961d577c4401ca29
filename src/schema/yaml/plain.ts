import { parseAllDocuments, Scalar, type Document } from 'yaml';
import type { Json } from '../../model/json.ts';
import { isExact } from './numbers.ts';

/** The value that YAML gives to unquoted text; never a map or a list. */
export function readPlain(text: string): Json {
  const tag = plainTags().find(({ test }) => test?.test(text));
  const value: unknown = tag?.resolve?.(text, () => undefined, {}) ?? text;
  const scalar = value instanceof Scalar ? (value.value as unknown) : value;
  const exact = typeof scalar === 'number' ? isExact(scalar, text) && !/^[-+]?0\d/.test(text) : true;
  const plain = scalar === null || typeof scalar === 'boolean' || (typeof scalar === 'number' && exact);
  return plain ? scalar : text;
}

type PlainTag = {
  readonly test?: RegExp;
  readonly resolve?: (text: string, onError: () => void, options: object) => unknown;
};
let tags: readonly PlainTag[] | undefined;

function plainTags(): readonly PlainTag[] {
  tags ??= (parseAllDocuments('x') as Document[])[0]?.schema.tags.filter(
    (tag) => tag.default === true && 'test' in tag,
  ) as readonly PlainTag[]; // the scalar tags of the core schema, which all read text
  return tags;
}
