import { entriesOf, valueAt } from '../../model/json/json.ts';
import { addressOf } from '../../model/kind.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { atLeast } from '../../model/text/version.ts';
import { formatValue, Refusal } from '../responses/response.ts';
import type { State } from '../state/state.ts';
import { physicalClusterTitles, prefixTitle, ROLES, topicTitles } from '../responses/wording.ts';

/** Off by default: unknown what the real gateway treats as a conflict, except equal names (gateway-api B.9). */
export function checkPrefix({ metadata: { name } }: Resource, _: Address, { options, store }: State): void {
  if (options.prefixCollision !== true) return;
  for (const { metadata } of store.all(ROLES.virtualCluster)) {
    const other = metadata.name;
    if (other !== name && (other.startsWith(name) || name.startsWith(other))) {
      throw new Refusal(409, prefixTitle, `The prefix ${name} collides with the virtual cluster ${other}`);
    }
  }
}

/** In a Standard virtual cluster only main; in a Partner one a configured cluster, the same for all its aliases. */
export function checkPhysicalCluster(
  alias: Resource,
  address: Address,
  { store, physicalClusters, version }: State,
): void {
  const wanted = valueAt(alias, '/spec/physicalCluster') ?? 'main';
  const owner = addressOf(ROLES.virtualCluster, formatValue(alias.metadata['vCluster']));
  const isConfigured = physicalClusters.some((name) => name === wanted);
  if (!atLeast(version, '3.5.0')) {
    // Before there were types, any alias topic could be on another cluster (gateway-api C.4, F).
    if (!isConfigured) throw new Refusal(400, physicalClusterTitles.unknown);
    return;
  }
  const type = store.get(owner)?.spec['type'];
  if (type !== 'Partner') {
    if (wanted !== 'main') throw new Refusal(409, physicalClusterTitles.notMain);
    return;
  }
  const [one, other] = store.referrers(owner).get(ROLES.aliasTopic) ?? [];
  const neighbour = one === address ? other : one;
  const taken = neighbour === undefined ? undefined : store.get(neighbour)?.spec['physicalCluster'];
  if (!isConfigured) {
    throw new Refusal(409, physicalClusterTitles.notValid);
  }
  if (taken !== undefined && taken !== wanted) {
    throw new Refusal(
      409,
      physicalClusterTitles.notValid,
      'All alias topics of a Partner virtual cluster must have the same physical cluster',
    );
  }
}

/**
 * Every physical topic of a concentration rule must exist, unless the rule is autoManaged and creates it, and must have the
 * cleanup.policy that the rule uses it for.
 */
export function checkTopics(rule: Resource, _: Address, { options: { topics } }: State): void {
  if (topics === undefined) return;
  for (const [use, topic] of entriesOf(valueAt(rule, '/spec/physicalTopics') ?? {})) {
    const name = formatValue(topic);
    const policy = topics.get(name);
    const wanted = policies[use];
    if (policy === undefined && rule.spec['autoManaged'] !== true) {
      throw new Refusal(404, topicTitles.missing, `The physical topic ${name} does not exist`);
    }
    if (policy !== undefined && wanted !== undefined && ordered(policy) !== wanted) {
      const message = `The physical topic ${name} has cleanup.policy ${policy}, not ${wanted}`;
      throw new Refusal(409, topicTitles.wrongPolicy, message);
    }
  }
}

const policies: { readonly [use: string]: string | undefined } = {
  delete: 'delete',
  compact: 'compact',
  deleteCompact: 'delete,compact',
};

function ordered(policy: string): string {
  return policy.replaceAll(' ', '') === 'compact,delete' ? 'delete,compact' : policy.replaceAll(' ', '');
}

/** A Partner virtual cluster with an alias topic shows how to connect to it, since 3.6.0. */
export function addConnection(resource: Resource, { store, version }: State): Resource {
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
