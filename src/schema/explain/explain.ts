import type { Catalog } from '../../model/own-kind.ts';
import { suggest } from '../../model/text/suggest.ts';
import { itemsUnder, placeOf, stepInto } from './explain-place.ts';
import { explainText } from './explain-text.ts';
import { fieldsOf } from '../fields.ts';
import { nearName, readName } from './names.ts';

export type Explained =
  | { readonly text: string }
  | {
      /** The part of the question that nothing is known of. */
      readonly unknown: string;
      /** Where it was looked for; undefined for the name of a kind or class. */
      readonly within: string | undefined;
      readonly near: string | undefined;
    };

/**
 * What the forms know of a kind, a plugin class, or a field of either: `Interceptor.spec.priority`,
 * `CreateTopicPolicyPlugin.numPartition`. Lists are stepped into with or without `[]`.
 */
export function explain(question: string, catalog: Catalog): Explained {
  const named = readName(question, catalog);
  if (named === undefined) return { unknown: question, within: undefined, near: nearName(question, catalog) };
  let at = placeOf(named);
  const steps = named.rest
    .replace(/\[[^[\]]*\]/g, '.*')
    .split('.')
    .filter((step) => step !== '');
  while (steps.length > 0) {
    const next = stepInto(at, steps);
    if (next === undefined) {
      const [unknown = ''] = steps;
      const { label, schema } = itemsUnder(at);
      return { unknown, within: label, near: suggest(unknown, fieldsOf(schema).keys()) };
    }
    at = next;
  }
  return { text: explainText(at, named) };
}
