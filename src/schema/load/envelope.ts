import type { JsonObject } from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import type { OwnKind } from '../../model/own-kind.ts';

/** What may stand beside the metadata of a document and is no part of the resource. */
export function marksOf(form: Kind | OwnKind): JsonObject {
  return 'guarded' in form ? { protect: PROTECT } : {};
}

const PROTECT: JsonObject = {
  type: 'boolean',
  description: 'Neither replaced nor changed in what its kind guards, until this is taken out.',
};

const envelopes = new WeakMap<Kind | OwnKind, JsonObject>();

/** The JSON Schema of a whole document. */
export function envelopeOf(form: Kind | OwnKind): JsonObject {
  const known = envelopes.get(form);
  if (known !== undefined) return known;
  const envelope = {
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    additionalProperties: false,
    properties: {
      apiVersion: {},
      kind: {},
      ...marksOf(form),
      metadata: form.schema.metadata,
      spec: form.schema.spec,
    },
  };
  envelopes.set(form, envelope);
  return envelope;
}
