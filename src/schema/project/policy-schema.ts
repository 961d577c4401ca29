import type { JsonObject } from '../../model/json/json.ts';
import type { BuiltInName } from '../../model/policy.ts';
import { closed, date, naming, text, textLike, why } from '../closed.ts';

const expression = { ...text, maxLength: 2000 };
const map = { type: 'object' };

const severity = {
  enum: ['mandatory', 'advisory'],
  description: 'Whether it blocks a run or only warns. Default: mandatory.',
};

/** Refers to a schema that occurs more than once. */
const ref = (name: string): JsonObject => ({ $ref: `#/definitions/${name}` });

const waivers = {
  type: 'array',
  maxItems: 1000,
  items: closed(['reason', 'until'], {
    address: {
      ...naming('address'),
      description: 'The objects, or for clients their names: a glob. Default: all.',
    },
    reason: why,
    owner: { ...text, description: 'Who is responsible until that day.' },
    until: { ...date, description: 'The last day, as YYYY-MM-DD.' },
  }),
  description: 'What may be as it is until a day.',
};

/** Sorts of protection. */
const sorts = { type: 'array', items: text };

const examples = {
  type: 'array',
  minItems: 1,
  maxItems: 100,
  items: closed([], {
    name: text,
    object: map,
    change: closed([], {
      action: { enum: ['create', 'update', 'replace', 'delete'] },
      before: { type: ['object', 'null'] },
      after: { type: ['object', 'null'] },
      loses: sorts,
      weakens: sorts,
    }),
    principal: map,
    environment: map,
    params: map,
  }),
};

const match = {
  ...closed([], {
    kind: { ...naming('kind'), description: 'A glob.' },
    address: { ...naming('address'), description: 'A glob.' },
    environment: { ...naming('environment'), description: 'A glob.' },
  }),
  description: 'What it looks at. Default: all.',
};

/** Definitions that the schemas below refer to, for the root of a schema. */
export const policyDefinitions: JsonObject = { waivers, match, examples };

/** The fields of a policy beside its name. */
const rule = {
  required: ['expression', 'message', 'examples'],
  properties: {
    description: text,
    match: ref('match'),
    expression: {
      ...expression,
      description:
        'An expression of CEL, true where the policy is met. It uses object, change or principal, and environment, params.',
    },
    message: { ...text, maxLength: 500, description: 'What is wrong where it is not met.' },
    messageExpression: { ...expression, description: 'An expression of CEL in place of message.' },
    path: {
      ...textLike('^/(metadata|spec)(/.*)?$', 'a JSON Pointer that starts with /metadata or /spec'),
      description: 'The field to point at. Default: /metadata/name.',
    },
    severity,
    params: { ...map, description: 'Values for the expression, as params.NAME.' },
    waivers: ref('waivers'),
    examples: {
      ...closed(['pass', 'fail'], { pass: ref('examples'), fail: ref('examples') }),
      description: 'At least one that passes and one that fails. They must hold, or the policy is an error.',
    },
  },
};

const name = {
  ...textLike('^[a-z0-9][a-z0-9-]{0,62}$', 'a name of lower-case letters, digits and -'),
  description: 'A name of lower-case letters, digits and -.',
};

/** The JSON Schema of a document of a policy file, for checking and for editors. */
export const policySchema: JsonObject = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'A policy of gwconf, in a file whose name ends in .policy.yaml',
  definitions: policyDefinitions,
  ...closed(['apiVersion', 'kind', 'metadata', 'spec'], {
    apiVersion: { enum: ['gwconf/v1'] },
    kind: { enum: ['Policy'] },
    metadata: closed(['name'], { name }),
    spec: closed(rule.required, rule.properties),
  }),
};

const names = { type: 'array', items: text, minItems: 1, maxItems: 1000 };
const environments = {
  ...names,
  items: naming('environment'),
  description: 'The environments: names or globs.',
};

/** A built-in policy in the project file: true, or its settings. */
function builtIn(description: string, params: JsonObject = {}, required: readonly string[] = []): JsonObject {
  return {
    ...closed(required, {
      severity,
      waivers: ref('waivers'),
      match: ref('match'),
      ...params,
    }),
    type: required.length > 0 ? 'object' : ['boolean', 'object'],
    description,
  };
}

/** The settings of the built-in policies, by name. */
const builtIns: Readonly<Record<BuiltInName, JsonObject>> = {
  'allowed-kms': builtIn(
    'Encryption keys come from these key management services only.',
    { prefixes: { ...names, description: 'How the identifiers of keys begin.' } },
    ['prefixes'],
  ),
  'no-chaos-in-prod': builtIn('No chaos plugins in production.', { environments }),
  'no-deletes-on-fridays': builtIn('Nothing is deleted or replaced on some days.', {
    days: {
      type: 'array',
      minItems: 1,
      items: { enum: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] },
      description: 'Days of the week, in UTC. Default: Friday.',
    },
  }),
  'no-global-interceptors': builtIn('Interceptors have a virtual cluster, group or user.'),
  'no-plain-http': builtIn('Interceptors use https only.'),
  'no-wildcard-acls': builtIn('ACLs do not allow anything to all clients, or to all topics.'),
  'no-wildcard-masks': builtIn('Interceptors that mask or encrypt name their topics.'),
  'priority-bands': builtIn(
    'Interceptors have a priority in the band of their owner.',
    {
      bands: {
        type: 'array',
        minItems: 1,
        maxItems: 1000,
        items: closed(['prefix', 'from', 'to'], {
          prefix: { type: 'string', description: 'How the names of the interceptors begin.' },
          from: { type: 'integer' },
          to: { type: 'integer' },
        }),
        description: 'For each owner, how names begin and the lowest and highest priority.',
      },
    },
    ['bands'],
  ),
  'required-comment': builtIn('Interceptors have a comment.', {
    pattern: { ...text, description: 'A regular expression in RE2 syntax for it. Default: any text.' },
  }),
  'required-protection': builtIn(
    'Every client has some protection.',
    { protections: { ...names, description: 'Protection types, such as audit.' } },
    ['protections'],
  ),
  'team-prefix': builtIn(
    'Names begin with the prefix of a team.',
    {
      prefixes: names,
      kinds: {
        ...names,
        items: naming('kind'),
        description: 'The kinds. Default: all but virtual clusters.',
      },
    },
    ['prefixes'],
  ),
  'token-lifetime': builtIn('Tokens of local accounts are valid for a limited time.', {
    maxDays: { type: 'integer', minimum: 1, description: 'Default: 90.' },
  }),
};

/** The JSON Schema of `policies` in the project file. */
export const policySettingsSchema: JsonObject = {
  ...closed([], {
    builtIn: {
      ...closed([], builtIns),
      description: 'Policies that come with gwconf, by name: true, or their settings.',
    },
    files: {
      type: 'array',
      items: naming('path'),
      maxItems: 1000,
      description: 'Files *.policy.yaml, and folders with them, relative to this file.',
    },
    rules: {
      type: 'array',
      maxItems: 1000,
      items: closed(['name', ...rule.required], { name, ...rule.properties }),
      description: 'Policies that are written here.',
    },
  }),
  description: 'Policies over objects, changes and clients. They apply to all environments.',
};
