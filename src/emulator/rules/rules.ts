import {
  parsePointer,
  sameJson,
  valueAt,
  type Json,
  type JsonObject,
  type Pointer,
} from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { atLeast } from '../../model/text/version.ts';
import type { State } from '../state/state.ts';
import { addConnection, checkPhysicalCluster, checkPrefix, checkTopics } from './constraints.ts';
import { findConfigFault, listPlugins, pluginItem } from './plugins.ts';
import { findLoginFault } from './security.ts';

/** What only a gateway knows of a kind, and its form does not say. */
type Rules = {
  /** Query parameters of its list. */
  readonly filters?: { readonly [parameter: string]: Filter };
  /** Values that a response omits, except with showDefaults. */
  readonly hidden?: readonly Hidden[];
  /** Whether the list has the parameter `showDefaults`; values are hidden without it, too. */
  readonly showDefaults?: boolean;
  /** Whether the response to a PUT shows defaults. */
  readonly putShowsDefaults?: boolean;
  /** Fields that the gateway does not fill in before this version. */
  readonly since?: Readonly<Partial<Record<Pointer, string>>>;
  /** Before this version the result of a PUT without changes is an update. */
  readonly alwaysUpdatedBefore?: string;
  /** What is wrong with the resource beyond its form: 400. */
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
    since: { '/spec/type': '3.5.0', '/spec/aclMode': '3.11.0', '/spec/acls': '3.11.0' },
    findFault: ({ metadata }, { version }) =>
      metadata.name.includes('.') && !atLeast(version, '3.7.0')
        ? `a dot in a virtual cluster name needs gateway 3.7.0; found ${metadata.name}`
        : undefined,
    checkConstraints: checkPrefix,
    fill: addConnection,
    countedAs: 'totalVirtualClusters',
    pathParameter: 'vCluster',
  },
  AliasTopic: {
    filters: { vcluster: inKnownVirtualCluster, name: byName },
    showDefaults: true,
    hidden: [hiddenVirtualCluster],
    since: { '/spec/physicalCluster': '3.5.0' },
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
