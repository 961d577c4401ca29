import type { Catalog } from '../../model/own-kind.ts';
import { suggest } from '../../model/text/suggest.ts';
import { itemsUnder, placeOf, stepInto } from './explain-place.ts';
import { explainText } from './explain-text.ts';
import { fieldsOf } from '../fields.ts';
import { fieldNames, findFields, type Found } from './find-fields.ts';
import { nearName, readName } from './names.ts';

/** Nothing is known of a name. */
export type Unknown = {
  /** The part of the question that nothing is known of. */
  readonly unknown: string;
  /** Where it was looked for; undefined for a name at the start. */
  readonly within: string | undefined;
  readonly near: string | undefined;
};
/** Different fields have the name. */
export type Choices = { readonly choices: readonly string[] };
export type Place = Found & {
  /** Other places that have the same field. */
  readonly others: readonly string[];
};

/**
 * What the forms know of a kind, a plugin class, the project file, or a field: `Interceptor.spec.priority`,
 * `CreateTopicPolicyPlugin.numPartition`, `vault`. Lists are stepped into with or without `[]`.
 */
export function explain(question: string, catalog: Catalog): { readonly text: string } | Choices | Unknown {
  const found = find(question, catalog);
  if (!('place' in found)) return found;
  const { place, named, others } = found;
  const also = others.length === 0 ? '' : `\nAlso in:\n${others.map((label) => `  ${label}\n`).join('')}`;
  return { text: `${explainText(place, named)}${also}` };
}

/** The place that a question is about. */
export function find(question: string, catalog: Catalog): Place | Choices | Unknown {
  const named = readName(question, catalog);
  if (named !== undefined) {
    const place = follow({ named, place: placeOf(named) }, named.rest);
    return 'unknown' in place ? place : { ...place, others: [] };
  }
  const [name = ''] = question.split(/[.[]/, 1);
  const groups = findFields(name, catalog);
  const [group = []] = groups;
  const [first, ...alike] = group;
  if (first === undefined)
    return { unknown: question, within: undefined, near: nearName(question, catalog, fieldNames(catalog)) };
  if (groups.length > 1) return { choices: groups.flatMap(([one]) => one?.place.label ?? []) };
  const rest = question.slice(name.length);
  const place = follow(first, rest);
  return 'unknown' in place ? place : { ...place, others: alike.map((one) => `${one.place.label}${rest}`) };
}

/** Steps from a place to a field below it. */
function follow({ named, place }: Found, rest: string): Found | Unknown {
  const steps = rest
    .replace(/\[[^[\]]*\]/g, '.*')
    .split('.')
    .filter((step) => step !== '');
  let at = place;
  while (steps.length > 0) {
    const next = stepInto(at, steps);
    if (next === undefined) {
      const [unknown = ''] = steps;
      const { label, schema } = itemsUnder(at);
      return { unknown, within: label, near: suggest(unknown, fieldsOf(schema).keys()) };
    }
    at = next;
  }
  return { named, place: at };
}
