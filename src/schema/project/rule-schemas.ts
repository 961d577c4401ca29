import type { JsonObject } from '../../model/json/json.ts';
import { closed, text } from '../closed.ts';

const limit = {
  type: ['integer', 'string'],
  minimum: 0,
  pattern: '^\\d{1,9}%?$',
  description: 'A number of objects, or a part of what is managed: 10%.',
};
const limited = { deletes: limit, updates: limit };

/** JSON Schemas of the keys of an environment that are about ownership. */
export const ruleSchemas: JsonObject = {
  manages: {
    type: 'array',
    minItems: 1,
    items: {
      ...text,
      ...closed([], { kind: text, virtualCluster: text, name: text }),
      type: ['string', 'object'],
    },
    description:
      'What this repository is responsible for: globs over addresses, or kind, virtualCluster and name.',
  },
  protect: {
    type: 'array',
    items: {
      ...closed([], {
        kind: { ...text, description: 'A glob.' },
        address: { ...text, description: 'A glob.' },
        pluginClass: { ...text, description: 'A glob over the whole name of the class.' },
        reason: { ...text, description: 'Shown when the rule blocks something.' },
      }),
      anyOf: [{ required: ['kind'] }, { required: ['address'] }, { required: ['pluginClass'] }],
    },
    description:
      'What is neither deleted nor replaced, and not changed in its pluginClass, config or scope, or for other kinds in its spec. A rule is for what all of its keys match.',
  },
  limits: {
    ...closed([], {
      ...limited,
      kinds: {
        type: 'object',
        additionalProperties: closed([], limited),
        description: 'Limits for single kinds, by name; they hold beside those for all kinds together.',
      },
    }),
    description:
      'How much one run may delete and update. Default: 5 objects and 10 % deleted, 5 objects and 50 % updated; a run is over it when it is over both.',
  },
  external: {
    type: 'array',
    items: text,
    description:
      'What others look after, as globs over addresses: it may be referred to and is never written.',
  },
  ignore: {
    type: 'array',
    items: {
      ...closed(['address', 'reason'], {
        address: { ...text, description: 'A glob.' },
        path: {
          type: 'string',
          pattern: '^/spec(/.*)?$',
          description: 'A JSON Pointer; * is any key. Left out: the whole object is left alone.',
        },
        reason: text,
        owner: { ...text, description: 'Who answers for it until that day.' },
        until: {
          type: 'string',
          pattern: '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
          description:
            'The last day, as YYYY-MM-DD; after it the entry is an error. Drift shows it as accepted.',
        },
      }),
      if: { anyOf: [{ required: ['owner'] }, { required: ['until'] }] },
      then: { required: ['owner', 'until'] },
    },
    description: 'What keeps the value that it has on the gateway. Plans count what was ignored.',
  },
};
