import { memoize } from '../../model/collect.ts';
import type { JsonObject } from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import type { OwnKind } from '../../model/own-kind.ts';
import { closed } from '../closed.ts';

/** JSON Schemas of fields of a document that are not part of the resource. */
export function marksOf(form: Kind | OwnKind): JsonObject {
  return 'guarded' in form ? { protect: PROTECT } : {};
}

const PROTECT: JsonObject = {
  type: 'boolean',
  description: 'Protects the object against replacement and change.',
};

/** The JSON Schema of a whole document. */
export const envelopeOf = memoize((form: Kind | OwnKind): JsonObject =>
  closed(['apiVersion', 'kind', 'metadata', 'spec'], {
    apiVersion: {},
    kind: {},
    ...marksOf(form),
    ...form.schema,
  }),
);
