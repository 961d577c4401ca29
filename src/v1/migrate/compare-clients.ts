import type { GatewayOperations } from '../../gateway/operations.ts';
import { modernise } from '../translate/modernise.ts';
import type { Client, TranslatedGateway } from '../translate/outcome.ts';
import { identify } from '../../model/identity.ts';
import { canonicalText, isObject, type JsonObject } from '../../model/json/json.ts';
import { chainFor } from '../../model/principal.ts';
import type { Problem } from '../../model/problem.ts';
import { asValid, type Resource } from '../../model/resource.ts';
import { interceptor } from '../../schema/kinds/interceptor.ts';

/** The interceptors that run for a client. */
export type Resolver = (client: Client) => Promise<readonly Resource[]>;

/** What the gateway itself says. */
export function resolverFor(gateway: Pick<GatewayOperations, 'resolveInterceptors'>): Resolver {
  return (client) => gateway.resolveInterceptors(interceptor, client);
}

/** By the rules of gateway-api B.4, from a list of v1. */
export function resolverOf(interceptors: readonly JsonObject[]): Resolver {
  const scoped = interceptors.map((one) => {
    const [vCluster, group, username] = ['vcluster', 'group', 'username'].map((axis) => textOf(one[axis]));
    const scope = { vCluster: vCluster ?? null, group: group ?? null, username: username ?? null };
    const { pluginClass = '', priority = 0, config = {} } = one;
    const name = textOf(one['name']) ?? '';
    const { apiVersion, name: kind } = interceptor;
    const resource = asValid({
      apiVersion,
      kind,
      metadata: { name, scope },
      spec: { pluginClass, priority, config },
    });
    return { resource, name, scope, priority: Number(priority) };
  });
  return ({ vCluster, username = null, groups }) => {
    const client = { virtualCluster: vCluster, username, groups };
    return Promise.resolve(chainFor(client, scoped).map(({ resource }) => resource));
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Compares the interceptors of each client before and after, under their new addresses and in the form of today. */
export async function compareClients(
  resolveBefore: Resolver,
  resolveAfter: Resolver,
  { clients, moved, state }: TranslatedGateway,
): Promise<readonly Problem[]> {
  const converted = new Set(moved.values());
  const problems: Problem[] = [];
  for (const { before, after } of clients) {
    const [was, is] = await Promise.all([resolveBefore(before), resolveAfter(after)]);
    const old = was.map((one) => ({ address: moved.get(identify(interceptor, one)), text: printOld(one) }));
    const isLost = old.some(({ address }) => address === undefined || !state.resources.has(address));
    const expected = old.flatMap(({ address, text }) =>
      address === undefined || !state.resources.has(address) ? [] : [`${address} ${text}`],
    );
    const found = is.flatMap((one) => {
      const address = identify(interceptor, one);
      return converted.has(address) ? [`${address} ${print(one.spec)}`] : [];
    });
    if (expected.sort().join('\n') !== found.sort().join('\n')) problems.push(differs(after, isLost));
  }
  return problems;
}

function printOld({ spec }: Resource): string {
  const { pluginClass, config } = spec;
  if (typeof pluginClass !== 'string' || !isObject(config)) return print(spec);
  return print({ ...spec, ...modernise(pluginClass, config) });
}

function print({ pluginClass = null, priority = null, config = null }: JsonObject): string {
  return canonicalText([pluginClass, priority, config]);
}

/** An interceptor that could not be converted may have overridden another one. */
function differs({ vCluster, username }: Client, isLost: boolean): Problem {
  const who = `${username ?? 'a client without a name'} in ${vCluster}`;
  return {
    code: 'changed-interceptors',
    severity: isLost ? 'warning' : 'error',
    message: `other interceptors would run for ${who} than now`,
    hint: isLost ? 'declare the interceptors that cannot be converted by hand' : 'please report it',
  };
}
