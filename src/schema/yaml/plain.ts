import { parseAllDocuments, Scalar, type Document } from 'yaml';
import type { Json } from '../../model/json/json.ts';
import { ExactNumber, isRounded, MOST_DIGITS } from '../../model/json/exact-number.ts';

/** The value of unquoted text in YAML; a number that JSON cannot represent exactly stays text. */
export function readPlain(text: string): Json {
  const value = exactPlain(text);
  return value === undefined ? text : value;
}

/** The same, but undefined for a number that JSON cannot represent exactly. */
export function exactPlain(text: string): Json | undefined {
  if (!NO_TEXT.test(text)) return text;
  if (USUAL_NUMBER.test(text)) return Number(text);
  const tag = plainTags().find(({ test }) => test?.test(text));
  const value: unknown = tag?.resolve?.(text, () => undefined, {}) ?? text;
  const scalar = value instanceof Scalar ? (value.value as unknown) : value;
  if (scalar === null || typeof scalar === 'boolean') return scalar;
  if (typeof scalar !== 'number') return text;
  return /^[-+]?0\d/.test(text) ? undefined : exactNumber(scalar, text);
}

/** The number as it is written; undefined for one that is not decimal and that JavaScript rounds, is infinite, or is too long. */
export function exactNumber(value: number, written: string): Json | undefined {
  if (/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d{1,9})?$/i.test(written)) {
    if (!isRounded(written)) return value;
    return written.length > MOST_DIGITS ? undefined : ExactNumber.of(written);
  }
  return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))
    ? undefined
    : value;
}

/** The start of scalars that are not text in the core schema: numbers, booleans, null and empty. */
const NO_TEXT = /^(?:[-+.\d~]|$|[nN]ull|NULL|[tT]rue|TRUE|[fF]alse|FALSE)/;
const USUAL_NUMBER = /^(?:0|-?[1-9]\d{0,14})$/;

type PlainTag = {
  readonly test?: RegExp;
  readonly resolve?: (text: string, onError: () => void, options: object) => unknown;
};
let tags: readonly PlainTag[] | undefined;

function plainTags(): readonly PlainTag[] {
  tags ??= (parseAllDocuments('x') as Document[])[0]?.schema.tags.filter(
    (tag) => tag.default === true && 'test' in tag,
  ) as readonly PlainTag[]; // the scalar tags of the core schema, which all parse text
  return tags;
}
