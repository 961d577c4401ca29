import type { Examinable, GatewayOperations, Gateway } from '../../gateway/gateway.ts';
import { identify } from '../../model/identity.ts';

/** A gateway that is open: its state and its operations. */
export type OpenGateway = Gateway & GatewayOperations & Examinable;

/** Makes a call of a gateway; `name` and `about` are for logs, without secrets. */
type Around = <T>(
  call: (gateway: OpenGateway) => Promise<T>,
  name: keyof OpenGateway,
  about: string,
) => Promise<T>;

/** The same gateway, with each call made by `around`. */
export function aroundCalls(gateway: OpenGateway, around: Around): OpenGateway {
  return {
    ...gateway,
    list: (kind) => around((to) => to.list(kind), 'list', kind.name),
    put: (kind, resource) => around((to) => to.put(kind, resource), 'put', identify(kind, resource)),
    remove: (kind, resource) => around((to) => to.remove(kind, resource), 'remove', identify(kind, resource)),
    issueToken: (request) => around((to) => to.issueToken(request), 'issueToken', request.username),
    resolveInterceptors: (kind, principal) =>
      around((to) => to.resolveInterceptors(kind, principal), 'resolveInterceptors', kind.name),
    readHealth: () => around((to) => to.readHealth(), 'readHealth', ''),
    readVersion: () => around((to) => to.readVersion(), 'readVersion', ''),
    switchCluster: (request) => around((to) => to.switchCluster(request), 'switchCluster', request.to),
    readV1: (path) => around((to) => to.readV1(path), 'readV1', path),
    readDescription: () => around((to) => to.readDescription(), 'readDescription', ''),
    readConnection: (cluster) => around((to) => to.readConnection(cluster), 'readConnection', cluster),
  };
}
