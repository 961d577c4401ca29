import type { JsonObject, Pattern } from '../../model/json/json.ts';
import { addressOf, defineKind, type Fault, type Reference, type Variant } from '../../model/kind.ts';
import type { Resource, Scope } from '../../model/resource.ts';
import { pluginFaults } from '../plugins/faults.ts';
import { pluginOf, pluginVariants } from '../plugins/index.ts';
import { surveyInterceptors } from './interceptor-survey.ts';

export type Interceptor = Resource<
  'Interceptor',
  { readonly name: string; readonly scope?: Scope },
  {
    readonly comment?: string;
    readonly pluginClass: string;
    readonly priority: number;
    readonly config: JsonObject;
  }
>;

/** What is known of the config of each plugin class, rooted at the resource. */
const inConfig = new Map<unknown, Pick<Variant, 'sets' | 'secrets'>>(
  pluginVariants.map(({ name, sets, secrets }) => [
    name,
    { sets: sets.map(rooted), secrets: secrets.map(rooted) },
  ]),
);

// gateway-api A.6 Interceptor and B.3: an omitted scope is the passthrough virtual cluster, three nulls are global.
export const interceptor = defineKind<Interceptor>({
  name: 'Interceptor',
  aliases: ['GatewayInterceptor'],
  summary: 'A plugin that sees the traffic of those in its scope.',
  collection: '/gateway/v2/interceptor',
  removal: 'path-and-body',
  schema: {
    metadata: {
      type: 'object',
      required: ['name'],
      additionalProperties: false,
      properties: {
        name: { type: 'string', minLength: 1 },
        scope: {
          type: 'object',
          additionalProperties: false,
          description: 'Whom it sees. Left out: the passthrough virtual cluster. Three nulls: everybody.',
          properties: {
            vCluster: {
              type: ['string', 'null'],
              pattern: '^[a-zA-Z0-9._-]+$',
              description: 'Default: passthrough.',
            },
            group: { type: ['string', 'null'], pattern: '^[a-zA-Z0-9_-]{1,100}$' },
            username: {
              type: ['string', 'null'],
              minLength: 1,
              description: 'Need not be a service account.',
            },
          },
        },
      },
    },
    spec: {
      type: 'object',
      required: ['pluginClass', 'priority', 'config'],
      additionalProperties: false,
      properties: {
        comment: { type: 'string' },
        pluginClass: { type: 'string', minLength: 1 },
        priority: {
          type: 'integer',
          minimum: -2147483648,
          maximum: 2147483647,
          description: 'Lower runs first.',
        },
        config: { type: 'object', description: 'What the plugin class asks for.' },
      },
    },
  },
  example: {
    apiVersion: 'gateway/v2',
    kind: 'Interceptor',
    metadata: { name: 'read-only', scope: { vCluster: 'prod' } },
    spec: {
      comment: 'Audit topics are not written by clients',
      pluginClass: 'io.conduktor.gateway.interceptor.safeguard.ReadOnlyTopicPolicyPlugin',
      priority: 100,
      config: { topic: 'audit-.*', action: 'BLOCK' },
    },
  },
  defaults: {
    '/metadata/scope': {},
    '/metadata/scope/vCluster': 'passthrough',
    '/metadata/scope/group': null,
    '/metadata/scope/username': null,
    '/spec/comment': '',
  },
  sets: ({ spec }) => inConfig.get(spec['pluginClass'])?.sets ?? [],
  secrets: ({ spec }) => inConfig.get(spec['pluginClass'])?.secrets ?? [],
  guarded: ['/spec/pluginClass', '/spec/config', '/metadata/scope'],
  oneAtATime: '/metadata/name',
  scope: ({ scope }) => ({
    vCluster: scope?.vCluster ?? null,
    group: scope?.group ?? null,
    username: scope?.username ?? null,
  }),
  references: scopeReferences,
  faults: ({ metadata, spec }, context) => [
    ...(metadata.scope === undefined ? [omittedScope] : scopeFaults(metadata.scope)),
    ...priorityFaults(spec.priority),
    ...pluginFaults(spec.pluginClass, spec.config, context),
  ],
  survey: surveyInterceptors,
  part: ({ spec }) => {
    const plugin = pluginOf(spec.pluginClass);
    return plugin === undefined
      ? undefined
      : { path: '/spec/config', of: plugin.name, schema: plugin.config };
  },
  variants: { by: '/spec/pluginClass', part: '/spec/config', known: pluginVariants },
});

function rooted(pattern: Pattern): Pattern {
  return `/spec/config${pattern}`;
}

// The username is not checked by the gateway (gateway-api B.2), so it is no reference.
function scopeReferences({ metadata: { scope = {} } }: Interceptor): readonly Reference[] {
  const references: Reference[] = [];
  if (typeof scope.vCluster === 'string') {
    references.push({ to: addressOf('VirtualCluster', scope.vCluster), path: '/metadata/scope/vCluster' });
  }
  if (typeof scope.group === 'string') {
    references.push({ to: addressOf('GatewayGroup', scope.group), path: '/metadata/scope/group' });
  }
  return references;
}

const omittedScope: Fault = {
  code: 'omitted-scope',
  severity: 'info',
  path: '/metadata/name',
  message: 'without a scope it is for the passthrough virtual cluster only',
  hint: 'write scope: { vCluster: passthrough } if that is meant, or three nulls for everybody',
};

function scopeFaults(scope: Scope): readonly Fault[] {
  const inner = (['group', 'username'] as const).filter((axis) => typeof scope[axis] === 'string');
  if (inner.length === 2) {
    return [
      {
        severity: 'error',
        path: '/metadata/scope/username',
        on: 'key',
        message: 'a scope has a group or a username, not both',
        hint: 'write two interceptors, one for each',
      },
    ];
  }
  if (scope.vCluster === null && inner[0] !== undefined) {
    return [
      {
        severity: 'error',
        path: '/metadata/scope/vCluster',
        message: `a scope with a ${inner[0]} needs a virtual cluster; null means everybody`,
        hint: 'name the virtual cluster, or leave vCluster out for passthrough',
      },
    ];
  }
  return [];
}

function priorityFaults(priority: number): readonly Fault[] {
  if (priority >= 1) return [];
  return [
    {
      severity: 'warning',
      path: '/spec/priority',
      message: `the Terraform provider refuses a priority below 1; found ${priority}`,
      hint: 'use 1 to 2147483647',
    },
  ];
}
