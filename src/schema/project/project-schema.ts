import type { JsonObject } from '../../model/json/json.ts';
import { closed, naming, text, textLike, date, why } from '../closed.ts';
import { policyDefinitions, policySettingsSchema } from './policy-schema.ts';

const limit = {
  ...textLike('^\\d{1,9}%?$', 'a number of objects, or a percentage such as 10%'),
  type: ['integer', 'string'],
  minimum: 0,
  maximum: 999_999_999,
  description: 'A number of objects, or a part of the managed ones, for example 10%.',
};
const limited = { deletes: limit, updates: limit };

const glob = { ...naming('address'), description: 'A glob.' };
const path = {
  ...textLike('^/spec(/.*)?$', 'a JSON Pointer that starts with /spec'),
  description: 'A JSON Pointer; * is any key. Default: the whole object.',
};

/** The JSON Schema of what is meant to differ between environments. */
const differsSchema: JsonObject = {
  type: 'array',
  items: closed(['address', 'reason'], {
    address: glob,
    path,
    between: {
      type: 'array',
      items: naming('environment'),
      minItems: 2,
      maxItems: 2,
      description: 'The names of two environments. Default: any two.',
    },
    reason: why,
  }),
  description:
    'Objects and fields that are meant to differ between environments. gwconf diff sets them apart.',
};

const lifetime = {
  ...textLike('^\\d+(\\.\\d+)?[smhd]$', 'a duration such as 12h or 30d'),
  description: 'The longest lifetime of a token, such as 12h or 30d.',
};

/** JSON Schemas of the ownership rules of an environment. */
const ruleSchemas: JsonObject = {
  manages: {
    type: 'array',
    minItems: 1,
    items: {
      ...naming('address'),
      ...closed([], { kind: naming('kind'), virtualCluster: naming('virtualCluster'), name: text }),
      type: ['string', 'object'],
    },
    description:
      'Objects that this repository manages: globs for addresses, or kind, virtualCluster and name.',
  },
  protect: {
    type: 'array',
    items: {
      ...closed([], {
        kind: { ...naming('kind'), description: 'A glob.' },
        address: glob,
        pluginClass: {
          ...naming('class'),
          description: 'A glob for the class, in full or by its last part.',
        },
        secrets: {
          type: 'boolean',
          description:
            'Whether secrets must not change, either. Default: false, so that they can be rotated.',
        },
        reason: { ...why, description: 'Shown when the rule blocks something.' },
      }),
      anyOf: [{ required: ['kind'] }, { required: ['address'] }, { required: ['pluginClass'] }],
    },
    description:
      'Objects that must not be deleted or replaced, and whose pluginClass, config and scope, or for other kinds spec, must not change, except for the values of secrets. All globs of a rule must match.',
  },
  overlays: {
    type: 'array',
    items: naming('path'),
    maxItems: 1000,
    description:
      'Files and folders whose documents may overlay those of other files, relative to this file; [] for none. Default: all.',
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
          reason: { ...why, description: 'Shown when the rule blocks a token.' },
        }),
        description: 'Lifetimes for the accounts that match, in addition to that for all.',
      },
    }),
    description: 'How long the tokens that gwconf token issue makes may be valid.',
  },
  protection: {
    type: 'object',
    additionalProperties: {
      type: 'array',
      items: { ...naming('class', 'address'), description: 'A glob.' },
      minItems: 1,
    },
    description:
      'Protection types beside encryption, masking, audit, access, safeguard and data-quality, by name: globs for the plugin classes of the interceptors that give it, or, with a slash, for their addresses.',
  },
  exposures: {
    type: 'array',
    items: closed(['address', 'reason', 'until'], {
      address: { ...naming('address'), description: 'A glob for the interceptors that may be missing.' },
      protection: { ...naming('protection'), description: 'A protection type. Default: every type.' },
      reason: why,
      until: {
        ...date,
        description: 'The last day, as YYYY-MM-DD; afterwards the exposure is blocked again.',
      },
    }),
    description: 'Losses of protection that are accepted until a day.',
  },
  external: {
    type: 'array',
    items: naming('address'),
    description:
      'Objects that others manage, as globs for addresses: resources can refer to them, but they are never written.',
  },
  ignore: {
    type: 'array',
    items: {
      ...closed(['address', 'reason'], {
        address: glob,
        path,
        reason: why,
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

const environmentGlob = { ...naming('environment'), description: 'A glob.' };

/** The order in which gwconf apply takes several environments. */
const wavesSchema: JsonObject = {
  type: 'array',
  items: {
    ...closed(['environments'], {
      environments: { type: 'array', items: environmentGlob, minItems: 1 },
      wait: {
        ...textLike('^\\d+(\\.\\d+)?[smhd]$', 'a duration such as 10m'),
        description: 'How long to wait once the wave is applied, before its checks and the next wave.',
      },
      check: {
        type: 'array',
        items: { enum: ['drift', 'test', 'doctor'] },
        description:
          'Commands that must find nothing wrong in the environments of the wave, before the next one begins.',
      },
    }),
    type: ['array', 'object'],
    items: environmentGlob,
    minItems: 1,
  },
  description:
    'The order in which gwconf apply takes several environments: globs for their names, or environments with wait and check. An environment is in the first wave that matches; others come last.',
};

/** How a gateway can authenticate its clients. */
export const SECURITY_MODES = [
  'PLAINTEXT',
  'SSL',
  'SASL_PLAINTEXT',
  'SASL_SSL',
  'DELEGATED_SASL_PLAINTEXT',
  'DELEGATED_SASL_SSL',
  'GATEWAY_MANAGED',
  'KAFKA_MANAGED',
] as const;

const topics = {
  ...naming('path'),
  description:
    'A file with a topic on each line, relative to this file. Patterns of interceptors are judged by these topics, too.',
};

/** A setting whose value a variable fills in is checked once it has one. */
const FILLED = '\\$\\{';

const texts = { type: 'array', items: text };

/** The JSON Schema of the project file, for checking and for editors. */
export const projectSchema: JsonObject = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'The project file of gwconf, gwconf.yaml',
  definitions: policyDefinitions,
  ...closed(['apiVersion', 'kind'], {
    apiVersion: { enum: ['gwconf/v1'] },
    kind: { enum: ['Project'] },
    environments: {
      type: 'object',
      description: 'The environments, by name.',
      // Commas and * choose several, and ! excludes; half a surrogate pair is in no name of a file.
      propertyNames: textLike(
        '^(?!!)[^*,\\ud800-\\udfff]+$',
        'a name without * and commas that does not begin with !',
      ),
      additionalProperties: closed([], {
        gateway: closed([], {
          url: textLike(
            `${FILLED}|^\\s*(embedded|[hH][tT][tT][pP][sS]?):`,
            'an http or https URL, or embedded:FILE',
          ),
          user: text,
          password: text,
          ca: naming('path'),
          cert: naming('path'),
          key: naming('path'),
          timeout: textLike(`${FILLED}|^\\d+(\\.\\d+)?(ms|[smhd])?$`, 'a duration such as 30s'),
        }),
        version: {
          ...textLike('^\\d+\\.\\d+(\\.\\d+)?$', 'a version such as 3.21 or 3.21.1, in quotes'),
          description:
            'The version of the gateway. Default: 3.21, with warnings instead of errors for what depends on the version.',
        },
        security: { enum: SECURITY_MODES, description: 'How the gateway authenticates its clients.' },
        pin: closed(['host'], { host: text }),
        files: {
          ...texts,
          items: naming('path'),
          description: 'Folders and files, relative to this file; later ones can overlay earlier ones.',
        },
        topics,
        variables: {
          type: 'object',
          additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
          description:
            'Variables for resources: ${var.NAME}, with their type. They can use environment variables.',
        },
        publicVariables: {
          ...texts,
          maxItems: 1000,
          description: 'Environment variables whose values can be shown, and used in names; globs.',
        },
        exec: {
          type: 'object',
          propertyNames: textLike('^[\\w.-]+$', 'a name of letters, digits, dots, - or _'),
          additionalProperties: closed(['command'], {
            command: {
              type: 'array',
              items: { ...text, ...textLike('^[^\\u0000]*$', 'text without the character U+0000') },
              minItems: 1,
              description: 'A program and its arguments; runs without a shell.',
            },
            timeout: textLike('^\\d+(\\.\\d+)?(ms|s|m)?$', 'a duration such as 30s'),
          }),
          description: 'Programs for ${exec:NAME}, by name; only with --allow-exec.',
        },
        ...ruleSchemas,
      }),
    },
    kinds: {
      ...naming('path'),
      description:
        "A copy of the gateway's description of its API, relative to this file, for kinds that gwconf does not know. gwconf schema --gateway writes it.",
    },
    topics: { ...topics, description: `${topics.description} Of each environment without its own.` },
    differs: differsSchema,
    waves: wavesSchema,
    policies: policySettingsSchema,
    lint: {
      type: 'object',
      additionalProperties: { enum: ['error', 'warning', 'info', 'off'] },
      description: 'Severities by problem code.',
    },
  }),
};
