import {
  isObject,
  sameJson,
  valueAt,
  valueOf,
  type JsonObject,
  type Pointer,
} from '../../model/json/json.ts';
import type { FieldProblem, FoundRisk } from '../../model/kind.ts';
import { isContained, TOPIC_CHARACTERS } from '../../model/regex/contain-regex.ts';
import { defineKind } from '../define-kind.ts';
import { closed, text } from '../closed.ts';
import type { Fact } from '../../model/principal.ts';
import type { Parsed, Resource } from '../../model/resource.ts';
import { checkClass, checkConfig } from '../plugins/check-plugin.ts';
import { pluginOf, plugins } from '../plugins/index.ts';
import { surveyInterceptors, type InterceptorScope } from './interceptor-survey.ts';
import { gatewayV2, groupName, kafkaName } from './common.ts';

export type Interceptor = Resource<
  'Interceptor',
  { readonly name: string; readonly scope?: InterceptorScope },
  {
    readonly comment?: string;
    readonly pluginClass: string;
    readonly priority: number;
    readonly config: JsonObject;
  }
>;

// gateway-api A.6 Interceptor and B.3: an omitted scope is the passthrough virtual cluster, three nulls are global.
export const interceptor = defineKind<Interceptor>({
  name: 'Interceptor',
  aliases: ['GatewayInterceptor'],
  summary: 'A plugin with its configuration, priority and scope.',
  ...gatewayV2('interceptor'),
  terraform: 'gateway_interceptor_v2',
  removal: 'path-and-body',
  schema: {
    metadata: closed(['name'], {
      name: text,
      scope: {
        ...closed([], {
          vCluster: {
            ...kafkaName,
            type: ['string', 'null'],
            description: 'Default: passthrough.',
          },
          group: { ...groupName, type: ['string', 'null'] },
          username: {
            type: ['string', 'null'],
            minLength: 1,
            description: 'The name of a client; it does not have to be a service account.',
          },
        }),
        description:
          'The clients that it applies to. Default: the passthrough virtual cluster. All three null: global.',
      },
    }),
    spec: closed(['pluginClass', 'priority', 'config'], {
      comment: { type: 'string' },
      pluginClass: text,
      priority: {
        type: 'integer',
        minimum: -2147483648,
        maximum: 2147483647,
        description: 'Interceptors with lower priority run first.',
      },
      config: {
        type: 'object',
        description: 'The configuration of the plugin; its fields depend on pluginClass.',
      },
    }),
  },
  example: {
    apiVersion: 'gateway/v2',
    kind: 'Interceptor',
    metadata: { name: 'read-only', scope: { vCluster: 'prod' } },
    spec: {
      comment: 'Clients must not write audit topics',
      pluginClass: 'io.conduktor.gateway.interceptor.safeguard.ReadOnlyTopicPolicyPlugin',
      priority: 100,
      config: { topic: 'audit-.*', action: 'BLOCK' },
    },
  },
  columns: [
    { title: 'PRIORITY', at: '/spec/priority' },
    { title: 'CLASS', at: '/spec/pluginClass', short: true },
  ],
  defaults: {
    '/metadata/scope': {},
    '/metadata/scope/vCluster': 'passthrough',
    '/metadata/scope/group': null,
    '/metadata/scope/username': null,
    '/spec/comment': '',
  },
  shown: ['/spec/pluginClass'],
  guarded: ['/spec/pluginClass', '/spec/config', '/metadata/scope'],
  oneAtATime: '/metadata/name',
  scope: {
    vCluster: '/metadata/scope/vCluster',
    group: '/metadata/scope/group',
    username: '/metadata/scope/username',
  },
  // The gateway does not check the username (gateway-api B.2), so it is not a reference.
  references: { '/metadata/scope/vCluster': 'VirtualCluster', '/metadata/scope/group': 'GatewayGroup' },
  meantFor: { kind: 'GatewayServiceAccount', name: 'username', axes: ['vCluster'] },
  rules: (rule) => [
    rule(['/metadata/scope'], ({ metadata: { scope } }) => checkScope(scope)),
    rule(['/spec/priority'], ({ spec }) => checkPriority(spec.priority)),
    rule(['/spec/pluginClass'], ({ spec }, context) => checkClass(spec.pluginClass, context)),
    rule(['/spec/pluginClass', '/spec/config'], ({ spec }, context) =>
      checkConfig(spec.pluginClass, spec.config, context),
    ),
  ],
  bridge: bridgeOf,
  isBridge: ({ metadata: { name }, spec: { comment } }) => name.endsWith(BRIDGE) && comment === TEMPORARY,
  facts: tellFacts,
  risks: findRisks,
  survey: (survey) => survey(['/metadata/name', '/metadata/scope', '/spec/priority'], surveyInterceptors),
  variants: {
    by: '/spec/pluginClass',
    part: '/spec/config',
    known: plugins,
    listedAs: 'Plugin',
    namespace: 'io.conduktor.',
  },
});

const BRIDGE = '-gwconf-bridge';
const TEMPORARY =
  'Temporary, of a run of gwconf: protects clients while the interceptor of this name changes';

/**
 * A second interceptor does no harm if it masks, records or checks what another one has. A second encryption would: records
 * would be encrypted twice, and stay so. What a class does that is not known, is not known either.
 */
function bridgeOf({ metadata, spec, ...rest }: Interceptor): Interceptor | undefined {
  const { protects = [] } = pluginOf(spec.pluginClass) ?? {};
  if (protects.length === 0 || protects.includes('encryption')) return undefined;
  return {
    ...rest,
    metadata: { ...metadata, name: `${metadata.name}${BRIDGE}` },
    spec: { ...spec, comment: TEMPORARY },
  };
}

function findRisks(
  before: Interceptor | undefined,
  after: Interceptor | undefined,
  isSecret: (place: Pointer) => boolean,
): readonly FoundRisk[] {
  const [was, is] = [before, after].map((one) => pluginOf(one?.spec.pluginClass));
  const risks: FoundRisk[] = [];
  const isSame = was === is && sameJson(before?.spec.config, after?.spec.config);
  const isForAll = (one: Interceptor | undefined, other: Interceptor | undefined): boolean =>
    (['vCluster', 'group', 'username'] as const).every((axis) =>
      [null, other?.metadata.scope?.[axis] ?? null].includes(one?.metadata.scope?.[axis] ?? null),
    );
  if (is?.effect === 'chaos' && !(isSame && isForAll(before, after)))
    risks.push({ risk: 'chaos', message: `disturbs clients on purpose (${is.title})` });
  const isKept = (place: Pointer): boolean => {
    const [one, other] = [before, after].map((each) => valueAt(each?.spec.config ?? {}, place));
    return one === undefined || sameJson(one, other);
  };
  if (was?.keepsIn !== undefined && (is !== was || !was.keepsIn.every(isKept)))
    risks.push({
      risk: 'data-loss',
      message: 'no longer reads records back that it has stored outside of Kafka',
    });
  else if (was?.keepsIn !== undefined && !(isForAll(after, before) && coversTopics(before, after, isSecret)))
    risks.push({
      risk: 'data-loss',
      message: 'may not read all records back that it has stored outside of Kafka',
    });
  if (after !== undefined && isGlobal(after) && (before === undefined || !isGlobal(before)))
    risks.push({ risk: 'everyone', message: 'applies to every client of the gateway' });
  return risks;
}

/** Whether it is certainly for all topics that it was for. */
function coversTopics(
  before: Interceptor | undefined,
  after: Interceptor | undefined,
  isSecret: (place: Pointer) => boolean,
): boolean {
  const [was, is] = [before, after].map((one) => valueOf(one?.spec.config ?? {}, 'topic') ?? '.*');
  if (sameJson(was, is)) return true;
  const isOpen = typeof was === 'string' && typeof is === 'string' && !isSecret('/spec/config/topic');
  return isOpen && isContained(was, [is], TOPIC_CHARACTERS) === true;
}

// A gateway or a forged snapshot may have values of any type.
function tellFacts({ metadata, spec }: Parsed): readonly Fact[] {
  const axis = (name: 'vCluster' | 'group' | 'username'): string | null => {
    const value = valueOf(valueOf(metadata, 'scope'), name);
    return typeof value === 'string' ? value : null;
  };
  const [pluginClass, priority, config] = ['pluginClass', 'priority', 'config'].map((key) =>
    valueOf(spec, key),
  );
  return [
    {
      type: 'interceptor',
      scope: { vCluster: axis('vCluster'), group: axis('group'), username: axis('username') },
      pluginClass: typeof pluginClass === 'string' ? pluginClass : '',
      priority: Number(priority),
      config: isObject(config) ? config : {},
      protects: pluginOf(pluginClass)?.protects ?? [],
    },
  ];
}

function isGlobal({ metadata: { scope } }: Interceptor): boolean {
  return scope?.vCluster === null && scope.group === null && scope.username === null;
}

const omittedScope: FieldProblem = {
  code: 'omitted-scope',
  path: '/metadata/name',
  message: 'without a scope it applies to the passthrough virtual cluster only',
  hint: 'write scope: { vCluster: passthrough } to confirm this, or three nulls for a global interceptor',
};

// Without a vCluster the other nulls say nothing: only three nulls are global (gateway-api B.3).
const misleadingScope: FieldProblem = {
  code: 'omitted-scope',
  severity: 'warning',
  path: '/metadata/scope',
  on: 'key',
  message:
    'a scope without vCluster applies to the passthrough virtual cluster only, also if group and username are null',
  hint: 'add vCluster: passthrough to confirm this, or vCluster: null for a global interceptor',
};

function checkScope(scope: InterceptorScope | undefined): readonly FieldProblem[] {
  if (scope === undefined) return [omittedScope];
  const axes = Object.values(scope);
  if (scope.vCluster === undefined && axes.length > 0 && axes.every((axis) => axis === null))
    return [misleadingScope];
  const inner = (['group', 'username'] as const).filter((axis) => typeof scope[axis] === 'string');
  if (inner.length === 2) {
    return [
      {
        code: 'conflicting-fields',
        path: '/metadata/scope/username',
        on: 'key',
        message: 'a scope can have a group or a username, not both',
        hint: 'write two interceptors, one for each',
      },
    ];
  }
  if (scope.vCluster === null && inner[0] !== undefined) {
    return [
      {
        code: 'conflicting-fields',
        path: '/metadata/scope/vCluster',
        message: `a scope with a ${inner[0]} needs a virtual cluster; null means global`,
        hint: 'set vCluster, or remove it for passthrough',
      },
    ];
  }
  return [];
}

function checkPriority(priority: number): readonly FieldProblem[] {
  if (priority >= 1) return [];
  return [
    {
      code: 'unusual-value',
      path: '/spec/priority',
      message: 'the Terraform provider rejects a priority below 1',
      found: priority,
      hint: 'use 1 to 2147483647',
    },
  ];
}
