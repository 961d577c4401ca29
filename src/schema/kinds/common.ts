import type { JsonObject } from '../../model/json/json.ts';
import { textLike } from '../closed.ts';

/** The API version and collection of a kind. */
export function gatewayV2<Path extends string>(path: Path) {
  return { apiVersion: 'gateway/v2', collection: `/gateway/v2/${path}` } as const;
}

/** The name of a virtual cluster. */
export const kafkaName = textLike('^[a-zA-Z0-9._-]+$', 'letters, digits, dots, - or _');

export const accountName = textLike('^[a-zA-Z0-9_-]{3,64}$', '3 to 64 letters, digits, - or _');
export const groupName = textLike('^[a-zA-Z0-9_-]{1,100}$', '1 to 100 letters, digits, - or _');

export const topicName: JsonObject = { ...kafkaName, maxLength: 249 };

/** The virtual cluster of a resource; the built-in one by default. */
export const vClusterName: JsonObject = {
  ...kafkaName,
  description: 'The virtual cluster of the resource. Default: passthrough.',
};

/** The scope and references of a kind whose resources are in a virtual cluster. */
export const inVirtualCluster = {
  scope: { vCluster: '/metadata/vCluster' },
  references: { '/metadata/vCluster': 'VirtualCluster' },
} as const;

/** Security modes in which Kafka, not the gateway, authenticates and authorises clients (gateway-api D.2). */
export const BACKED_BY_KAFKA = ['KAFKA_MANAGED', 'DELEGATED_SASL_PLAINTEXT', 'DELEGATED_SASL_SSL'] as const;

/** Fields by whose name alone a schema refers to objects of our own: their kind, and whether one is named by its scope, too. */
export const FIELDS_THAT_REFER: Readonly<Record<string, string | { kind: string; axes: readonly string[] }>> =
  {
    vCluster: 'VirtualCluster',
    virtualCluster: 'VirtualCluster',
    gatewayGroup: 'GatewayGroup',
    gatewayGroups: 'GatewayGroup',
    serviceAccount: { kind: 'GatewayServiceAccount', axes: ['vCluster'] },
    serviceAccounts: { kind: 'GatewayServiceAccount', axes: ['vCluster'] },
    members: { kind: 'GatewayServiceAccount', axes: ['vCluster'] },
  };

/** The same of what a schema says that a text names. */
export const NAMEABLES_THAT_REFER: typeof FIELDS_THAT_REFER = {
  ...FIELDS_THAT_REFER,
  principal: { kind: 'GatewayServiceAccount', axes: ['vCluster'] },
  topic: { kind: 'AliasTopic', axes: ['vCluster'] },
};
