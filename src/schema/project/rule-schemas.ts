import type { JsonObject } from '../../model/json/json.ts';
import { closed, date, text, textLike } from '../closed.ts';

const limit = {
  ...textLike('^\\d{1,9}%?$', 'a number of objects, or a percentage such as 10%'),
  type: ['integer', 'string'],
  minimum: 0,
  description: 'A number of objects, or a part of the managed ones, for example 10%.',
};
const limited = { deletes: limit, updates: limit };

const glob = { ...text, description: 'A glob.' };
const path = {
  ...textLike('^/spec(/.*)?$', 'a JSON Pointer that starts with /spec'),
  description: 'A JSON Pointer; * is any key. Default: the whole object.',
};

/** The JSON Schema of what is meant to differ between environments. */
export const differsSchema: JsonObject = {
  type: 'array',
  items: closed(['address', 'reason'], {
    address: glob,
    path,
    between: {
      type: 'array',
      items: text,
      minItems: 2,
      maxItems: 2,
      description: 'The names of two environments. Default: any two.',
    },
    reason: text,
  }),
  description:
    'Objects and fields that are meant to differ between environments. gwconf diff sets them apart.',
};

const lifetime = {
  ...textLike('^\\d+(\\.\\d+)?[smhd]$', 'a duration such as 12h or 30d'),
  description: 'The longest lifetime of a token, such as 12h or 30d.',
};

/** JSON Schemas of the ownership rules of an environment. */
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
      'Objects that this repository manages: globs for addresses, or kind, virtualCluster and name.',
  },
  protect: {
    type: 'array',
    items: {
      ...closed([], {
        kind: { ...text, description: 'A glob.' },
        address: { ...text, description: 'A glob.' },
        pluginClass: { ...text, description: 'A glob for the full name of the class.' },
        secrets: {
          type: 'boolean',
          description:
            'Whether secrets must not change, either. Default: false, so that they can be rotated.',
        },
        reason: { ...text, description: 'Shown when the rule blocks something.' },
      }),
      anyOf: [{ required: ['kind'] }, { required: ['address'] }, { required: ['pluginClass'] }],
    },
    description:
      'Objects that must not be deleted or replaced, and whose pluginClass, config and scope, or for other kinds spec, must not change, except for the values of secrets. All globs of a rule must match.',
  },
  limits: {
    ...closed([], {
      ...limited,
      kinds: {
        type: 'object',
        additionalProperties: closed([], limited),
        description: 'Limits for kinds, by name, in addition to those for all kinds.',
      },
    }),
    description:
      'How much a run may delete and update. Default: 5 objects and 10 % deleted, 5 objects and 50 % updated; a run must exceed both to be blocked.',
  },
  token: {
    ...closed([], {
      maxLifetime: lifetime,
      accounts: {
        type: 'array',
        items: closed(['address', 'maxLifetime'], {
          address: glob,
          maxLifetime: lifetime,
          reason: { ...text, description: 'Shown when the rule blocks a token.' },
        }),
        description: 'Lifetimes for the accounts that match, in addition to that for all.',
      },
    }),
    description: 'How long the tokens that gwconf token issue makes may be valid.',
  },
  protection: {
    type: 'object',
    additionalProperties: { type: 'array', items: { ...text, description: 'A glob.' }, minItems: 1 },
    description:
      'Sorts of protection beside encryption, masking, audit, access, safeguard and data-quality, by name: globs for the plugin classes of the interceptors that give it, or, with a slash, for their addresses.',
  },
  exposures: {
    type: 'array',
    items: closed(['address', 'reason', 'until'], {
      address: { ...text, description: 'A glob for the interceptors that may be missing.' },
      protection: { ...text, description: 'A sort of protection. Default: every sort.' },
      reason: text,
      until: {
        ...date,
        description: 'The last day, as YYYY-MM-DD; afterwards the exposure is blocked again.',
      },
    }),
    description: 'Losses of protection that are accepted until a day.',
  },
  external: {
    type: 'array',
    items: text,
    description:
      'Objects that others manage, as globs for addresses: resources can refer to them, but they are never written.',
  },
  ignore: {
    type: 'array',
    items: {
      ...closed(['address', 'reason'], {
        address: glob,
        path,
        reason: text,
        owner: { ...text, description: 'Who is responsible until that day.' },
        until: {
          ...date,
          description:
            'The last day, as YYYY-MM-DD; afterwards the entry is an error. Drift shows it as accepted.',
        },
      }),
      if: { anyOf: [{ required: ['owner'] }, { required: ['until'] }] },
      then: { required: ['owner', 'until'] },
    },
    description: 'Fields and objects that keep their value on the gateway. Plans count them.',
  },
};
