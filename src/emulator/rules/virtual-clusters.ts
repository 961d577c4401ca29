import { valueAt } from '../../model/json/json.ts';
import { addressOf } from '../../model/kind.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { atLeast } from '../../model/text/version.ts';
import { Refusal } from '../responses/refusal.ts';
import type { State } from '../state/state.ts';
import { formatValue } from '../responses/text.ts';
import { physicalClusterTitles, prefixTitle, ROLES } from '../responses/wording.ts';

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
export function checkPhysicalCluster(alias: Resource, address: Address, { store, options }: State): void {
  const wanted = valueAt(alias, '/spec/physicalCluster') ?? 'main';
  const owner = addressOf(ROLES.virtualCluster, formatValue(alias.metadata['vCluster']));
  const type = store.get(owner)?.spec['type'];
  if (type !== 'Partner') {
    if (wanted !== 'main') throw new Refusal(409, physicalClusterTitles.notMain);
    return;
  }
  const neighbours = store.referrers(owner).get(ROLES.aliasTopic) ?? new Set<Address>();
  const neighbour = [...take(neighbours, 2)].find((other) => other !== address);
  const taken = neighbour === undefined ? undefined : store.get(neighbour)?.spec['physicalCluster'];
  if (!(options.physicalClusters ?? ['main']).some((name) => name === wanted)) {
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

function* take<T>(items: Iterable<T>, count: number): Generator<T> {
  let left = count;
  for (const item of items) {
    if (left === 0) return;
    left -= 1;
    yield item;
  }
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
