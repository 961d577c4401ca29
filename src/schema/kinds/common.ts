import type { JsonObject } from '../../model/json/json.ts';

/** Where gateways serve a kind. */
export function gatewayV2<Path extends string>(path: Path) {
  return { apiVersion: 'gateway/v2', collection: `/gateway/v2/${path}` } as const;
}

/** The virtual cluster that a resource lives in, where leaving it out means the built-in one. */
export const vClusterName: JsonObject = {
  type: 'string',
  pattern: '^[a-zA-Z0-9._-]+$',
  description: 'The virtual cluster it lives in. Default: passthrough.',
};

/** Security modes in which Kafka authenticates and authorises, and the gateway keeps nothing of it (gateway-api D.2). */
export const BACKED_BY_KAFKA = ['KAFKA_MANAGED', 'DELEGATED_SASL_PLAINTEXT', 'DELEGATED_SASL_SSL'] as const;
