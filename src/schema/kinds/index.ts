import type { Kind } from '../../model/kind.ts';
import type { Catalog, OwnKind } from '../../model/own-kind.ts';
import { aliasTopic } from './alias-topic.ts';
import { concentratedTopic } from './concentrated-topic.ts';
import { concentrationRule } from './concentration-rule.ts';
import { group } from './group.ts';
import { interceptor } from './interceptor.ts';
import { plugin } from './plugin.ts';
import { removal } from './removal.ts';
import { serviceAccount } from './service-account.ts';
import { userMapping } from './user-mapping.ts';
import { virtualCluster } from './virtual-cluster.ts';

// In the order of the documentation.
const gatewayKinds: readonly Kind[] = [
  virtualCluster,
  aliasTopic,
  concentrationRule,
  serviceAccount,
  group,
  interceptor,
  concentratedTopic,
  plugin,
];
const ownKinds: readonly OwnKind[] = [userMapping, removal];

/** All kinds: those of the gateway, and those of gwconf. */
export const catalog: Catalog = {
  kinds: new Map(gatewayKinds.map((kind) => [kind.name, kind])),
  ownKinds: new Map(ownKinds.map((kind) => [kind.name, kind])),
};
