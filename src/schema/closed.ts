import type { JsonObject } from '../model/json/json.ts';

/** The JSON Schema of an object that has these keys and no others. */
export function closed(required: readonly string[], properties: JsonObject): JsonObject {
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    properties,
  };
}

/** The JSON Schema of text with a pattern, which messages and editors show in words. */
export function textLike(pattern: string, words: string): JsonObject {
  return { type: 'string', pattern, patternErrorMessage: words };
}

/** February 29th, in leap years. */
const LEAP_DAY = '(\\d\\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29';

/** The JSON Schema of a date, of a day that there is. */
export const date = textLike(
  `^(\\d{4}-((0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])|(0[469]|11)-(0[1-9]|[12]\\d|30)|02-(0[1-9]|1\\d|2[0-8]))|${LEAP_DAY})$`,
  'a date such as 2027-01-31',
);

/** The JSON Schema of text that is not empty. */
export const text = { type: 'string', minLength: 1 };

/** The JSON Schema of a reason: an exception without one is nobody's. */
export const why = textLike('\\S', 'words that say why');

/**
 * What a text of a file of gwconf can name: objects by their addresses or by globs for them, plugin classes, kinds, environments,
 * types of protection, topics, paths from the file, principals such as User:alice, or the name of one object, as in a field of a kind.
 */
export type Nameable =
  | 'address'
  | 'class'
  | 'kind'
  | 'environment'
  | 'protection'
  | 'topic'
  | 'path'
  | 'principal'
  | 'virtualCluster'
  | 'gatewayGroup'
  | 'serviceAccount';

/** The key in a schema that says what its text names, for editors. */
export const NAMES = 'x-names';

/** The key in a schema that says with which values beside it a text names that. */
export const NAMES_WHERE = 'x-names-where';

/** The JSON Schema of text that names something. */
export function naming(...what: readonly Nameable[]): JsonObject {
  return { ...text, [NAMES]: what };
}
