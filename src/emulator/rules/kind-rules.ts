import {
  parsePointer,
  sameJson,
  valueAt,
  type Json,
  type JsonObject,
  type Pointer,
  entriesOf,
} from '../../model/json/json.ts';
import { type Kind, addressOf } from '../../model/kind.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { atLeast } from '../../model/text/version.ts';
import { formatValue, Refusal, ROLES, titles, wordingOf } from '../responses.ts';
import type { State, Options, SecurityMode } from '../embedded-state.ts';
import { findConfigFault, listPlugins, pluginItem } from './plugins.ts';

/** What only a gateway knows of a kind, and its form does not say. */
type Rules = {
  /** Query parameters of its list. */
  readonly filters?: { readonly [parameter: string]: Filter };
  /** Values that a response omits, except with showDefaults. */
  readonly hidden?: readonly Hidden[];
  /** Whether the list has the parameter `showDefaults`; values are hidden without it, too. */
  readonly showDefaults?: boolean;
  readonly putShowsDefaults?: boolean;
  /** Before this version the result of a PUT without changes is an update. */
  readonly alwaysUpdatedBefore?: string;
  /** A fault of the resource beyond its form: 400. */
  readonly findFault?: (resource: Resource, state: State, dryMode: boolean) => string | undefined;
  /** Fields that only `findFault` checks, and a dry run does not. */
  readonly checkedOnWrite?: readonly Pointer[];
  /** Throws a Refusal for a conflict with other resources. */
  readonly checkConstraints?: (resource: Resource, address: Address, state: State) => void;
  /** The resource with the fields that the gateway owns. */
  readonly fill?: (resource: Resource, state: State) => Resource;
  /** Listed items that are not stored. */
  readonly items?: (state: State) => readonly JsonObject[];
  /** The JSON Schema of such an item. */
  readonly itemSchema?: JsonObject;
  /** The field that counts it in analytics (gateway-api A.8). */
  readonly countedAs?: string;
  /** Whether v1 takes any text as a name, such as a DN. v2 shows it, and refuses it in a PUT. */
  readonly anyNameInV1?: boolean;
  /** The parameter of its path in the vendor's API description. */
  readonly pathParameter?: string;
};

type Filter = {
  readonly type: 'string' | 'boolean';
  readonly keeps: (resource: Resource, text: string) => boolean;
  /** The kind that the value must name; 404 otherwise. */
  readonly names?: string;
};

type Hidden = {
  readonly tokens: readonly string[];
  readonly value: Json;
  readonly unless?: (resource: Resource) => boolean;
};

/** The rules of a kind; none if it is not in the table. */
export function rulesOf(kind: Kind): Rules {
  return rules[kind.name] ?? {};
}

const equals = (path: Pointer): Filter => ({
  type: 'string',
  keeps: (resource, text) => valueAt(resource, path) === text,
});
const byName = equals('/metadata/name');
const inVirtualCluster = equals('/metadata/vCluster');
const inKnownVirtualCluster: Filter = { ...inVirtualCluster, names: 'VirtualCluster' };
const hide = (path: Pointer, value: Json, unless?: Hidden['unless']): Hidden => ({
  tokens: parsePointer(path),
  value,
  ...(unless === undefined ? {} : { unless }),
});
const hiddenVirtualCluster = hide('/metadata/vCluster', 'passthrough');

// gateway-api A.3 to A.6, with the stances of section G.
const rules: { readonly [kind: string]: Rules | undefined } = {
  VirtualCluster: {
    hidden: [hide('/spec/acls', [], ({ spec }) => spec['aclMode'] === 'REST_API')],
    findFault: ({ metadata }, { version }) =>
      metadata.name.includes('.') && !atLeast(version, '3.7.0')
        ? `a dot in a virtual cluster name needs gateway 3.7.0; found ${metadata.name}`
        : undefined,
    fill: addConnection,
    countedAs: 'totalVirtualClusters',
    pathParameter: 'vCluster',
  },
  AliasTopic: {
    filters: { vcluster: inKnownVirtualCluster, name: byName },
    showDefaults: true,
    hidden: [hiddenVirtualCluster],
    checkConstraints: checkPhysicalCluster,
    countedAs: 'totalAliasTopics',
  },
  ConcentrationRule: {
    filters: { vcluster: inKnownVirtualCluster, name: byName },
    showDefaults: true,
    hidden: [hiddenVirtualCluster, hide('/spec/autoManaged', false), hide('/spec/offsetCorrectness', false)],
    checkConstraints: checkTopics,
    anyNameInV1: true,
  },
  GatewayServiceAccount: {
    filters: {
      vcluster: inVirtualCluster,
      name: byName,
      type: { type: 'string', keeps: ({ spec }, text) => spec['type'] === text.toUpperCase() },
    },
    showDefaults: true,
    hidden: [hiddenVirtualCluster],
    putShowsDefaults: true,
    alwaysUpdatedBefore: '3.4.0',
    findFault: (account, { options }) => findLoginFault(account, options),
    anyNameInV1: true,
    countedAs: 'totalGatewayServiceAccounts',
  },
  GatewayGroup: {
    showDefaults: true,
    hidden: [hide('/spec/members/*/vCluster', 'passthrough'), hide('/spec/externalGroups', [])],
    countedAs: 'totalGatewayGroups',
    anyNameInV1: true,
  },
  Interceptor: {
    filters: {
      name: byName,
      global: {
        type: 'boolean',
        keeps: ({ metadata }, text) => text !== 'true' || sameJson(metadata['scope'], everybody),
      },
      vcluster: equals('/metadata/scope/vCluster'),
      group: equals('/metadata/scope/group'),
      username: equals('/metadata/scope/username'),
    },
    findFault: (resource, state, dryMode) => (dryMode ? undefined : findConfigFault(resource, state)),
    checkedOnWrite: ['/spec/pluginClass', '/spec/config'],
    anyNameInV1: true,
  },
  ConcentratedTopic: {
    filters: { vcluster: inKnownVirtualCluster, name: byName },
    showDefaults: true,
    hidden: [hiddenVirtualCluster],
    countedAs: 'totalConcentratedTopics',
  },
  Plugin: {
    items: ({ options, version }) => listPlugins(options.plugins ?? [], version),
    itemSchema: pluginItem,
  },
};

const everybody = { vCluster: null, group: null, username: null };

/** In a Standard virtual cluster only main; in a Partner one a configured cluster, the same for all its aliases. */
function checkPhysicalCluster(
  alias: Resource,
  address: Address,
  { store, physicalClusters, version }: State,
): void {
  const wanted = valueAt(alias, '/spec/physicalCluster') ?? 'main';
  const owner = addressOf(ROLES.virtualCluster, formatValue(alias.metadata['vCluster']));
  const isConfigured = physicalClusters.some((name) => name === wanted);
  if (!atLeast(version, '3.5.0')) {
    // Before there were types, any alias topic could be on another cluster (gateway-api C.4, F).
    if (!isConfigured) throw new Refusal(400, titles.unknownCluster);
    return;
  }
  const type = store.get(owner)?.spec['type'];
  if (type !== 'Partner') {
    if (wanted !== 'main') throw new Refusal(409, titles.notMain);
    return;
  }
  if (!isConfigured) throw new Refusal(409, titles.notValid);
  const [one, other] = store.referrers(owner).get(ROLES.aliasTopic) ?? [];
  const neighbour = one === address ? other : one;
  const taken = neighbour === undefined ? undefined : store.get(neighbour)?.spec['physicalCluster'];
  if (taken === undefined || taken === wanted) return;
  const message = 'All alias topics of a Partner virtual cluster must have the same physical cluster';
  throw new Refusal(409, titles.notValid, message);
}

/**
 * Every physical topic of a concentration rule must exist, unless the rule is autoManaged and creates it, and must have the
 * cleanup.policy that the rule uses it for.
 */
function checkTopics(rule: Resource, _: Address, { options: { topics } }: State): void {
  if (topics === undefined) return;
  for (const [use, topic] of entriesOf(valueAt(rule, '/spec/physicalTopics') ?? {})) {
    const name = formatValue(topic);
    const policy = topics.get(name);
    const wanted = policies[use];
    if (policy === undefined && rule.spec['autoManaged'] !== true) {
      throw new Refusal(404, titles.noTopic, `The physical topic ${name} does not exist`);
    }
    const cleanup = policy?.replaceAll(' ', '').replace(/^compact,delete$/, 'delete,compact');
    if (cleanup !== undefined && wanted !== undefined && cleanup !== wanted) {
      const message = `The physical topic ${name} has cleanup.policy ${policy ?? ''}, not ${wanted}`;
      throw new Refusal(409, titles.wrongPolicy, message);
    }
  }
}

const policies: { readonly [use: string]: string | undefined } = {
  delete: 'delete',
  compact: 'compact',
  deleteCompact: 'delete,compact',
};

/** A Partner virtual cluster with an alias topic shows how to connect to it, since 3.6.0. */
function addConnection(resource: Resource, { store, version }: State): Resource {
  const { name } = resource.metadata;
  if (resource.spec['type'] !== 'Partner' || !atLeast(version, '3.6.0')) return resource;
  if (!store.referrers(addressOf(ROLES.virtualCluster, name)).has(ROLES.aliasTopic)) return resource;
  const properties = {
    'security.protocol': 'SASL_PLAINTEXT',
    'sasl.mechanism': 'PLAIN',
    'sasl.jaas.config':
      'org.apache.kafka.common.security.plain.PlainLoginModule required username={{username}} password={{password}};',
  };
  const connection = {
    bootstrapServers: `${name}.gateway.test:6969`,
    clientProperties: atLeast(version, '3.9.0') ? { PLAIN: properties } : properties,
  };
  return { ...resource, spec: { ...resource.spec, ...connection } };
}

/**
 * Throws a Refusal 400 if the security mode has no objects of the kind (gateway-api D). Reads are known to be refused on
 * PLAINTEXT only (A.2); in other modes there is nothing to list.
 */
export function checkPresence(kind: Kind, { options }: State, call: 'read' | 'write'): void {
  const { security } = options;
  if (security === undefined || !kind.absentIn.includes(security)) return;
  const { needsSecurity, noun } = wordingOf(kind);
  if (security === 'PLAINTEXT' && needsSecurity !== undefined) throw new Refusal(400, needsSecurity);
  if (call === 'write')
    throw new Refusal(400, titles.badRequest, `A gateway with ${security} has no ${noun}s`);
}

/** What an EXTERNAL account needs in a security mode (gateway-api D.1). */
const NEEDS: Readonly<Partial<Record<SecurityMode, 'mtls' | 'oauth'>>> = {
  SSL: 'mtls',
  SASL_PLAINTEXT: 'oauth',
  SASL_SSL: 'oauth',
};
const NAMES = { mtls: 'mTLS', oauth: 'OAuth' } as const;

/** Why clients cannot log in as an account in this security mode; the form of the kind has the rules for LOCAL ones. */
function findLoginFault({ spec }: Resource, { security, ...options }: Options): string | undefined {
  const need = security === undefined ? undefined : NEEDS[security];
  if (need === undefined || options[need] === true || spec['type'] !== 'EXTERNAL') return undefined;
  return `A gateway with ${formatValue(security)} and without ${NAMES[need]} has no ${formatValue(spec['type'])} accounts`;
}
