import type { ReadableGateway, ReadingOperations, GatewayOperations } from '../../gateway/gateway.ts';
import { identify } from '../../model/identity.ts';
import { canonicalText, isObject, type JsonObject } from '../../model/json/json.ts';
import { chainFor } from '../../model/principal.ts';
import { normalForm } from '../../model/normal/normal-form.ts';
import type { Problem } from '../../model/problem.ts';
import { asValid, type Resource } from '../../model/resource.ts';
import type { LiveState } from '../../model/state.ts';
import { formatCount } from '../../model/text/list.ts';
import { atLeast } from '../../model/text/version.ts';
import { interceptor } from '../../schema/kinds/interceptor.ts';
import { virtualCluster } from '../../schema/kinds/virtual-cluster.ts';
import { refuseToOverwrite } from '../../workflow/files/new-folder.ts';
import type { Host } from '../../workflow/host.ts';
import { type Opened, gatewayProblem, readGateway } from '../../workflow/live/read-live.ts';
import type { Workspace } from '../../workflow/project/workspace.ts';
import { callsOf, readV1, type V1State } from './read-v1.ts';
import { modernise } from '../translate/interceptors.ts';
import type { Client, TranslatedGateway } from '../translate/ledger.ts';
import {
  migrateCalls,
  NOTHING,
  tellMigration,
  type Migrated,
  type MigrateOptions,
  type ToldMigration,
} from './migrate.ts';

type OldGateway = ReadableGateway & ReadingOperations;

type MigrateLiveOptions = Omit<MigrateOptions, 'gateways'> & {
  /** Virtual clusters that v1 may not list. */
  readonly virtualClusters?: readonly string[] | undefined;
};

/**
 * Writes files that declare what is on a gateway with v1, once an embedded gateway without v1 has taken them and runs the same
 * interceptors for each known client; else nothing.
 */
export async function migrateLive(
  host: Host,
  workspace: Workspace,
  opened: Opened<OldGateway>,
  options: MigrateLiveOptions,
): Promise<ToldMigration> {
  if (!('gateway' in opened)) return tellMigration(opened);
  return tellMigration(await migrate(host, workspace, opened.gateway, options), opened.warnings);
}

async function migrate(
  host: Host,
  workspace: Workspace,
  gateway: OldGateway,
  options: MigrateLiveOptions,
): Promise<Migrated> {
  await refuseToOverwrite(host, options, 'migrate');
  options.tell?.('reading');
  const read = await readOld(gateway, workspace, options.virtualClusters ?? []).catch((error: unknown) => ({
    problems: [gatewayProblem(error)],
  }));
  if ('problems' in read) return { ...NOTHING, result: 'error', problems: read.problems };
  const { v1, live } = read;
  const calls = callsOf(gateway.url, v1, live && [...live.resources.values()]);
  const before = live === undefined ? resolverOf(v1.interceptors) : resolverFor(gateway);
  let count = 0;
  const migrated = await migrateCalls(host, workspace, calls, {
    ...options,
    prove: (translated, trial) => {
      count = translated.clients.length;
      options.tell?.(`comparing the interceptors of ${count} clients`);
      return compareClients(before, resolverFor(trial), translated);
    },
  });
  return { ...migrated, clients: count, problems: [...read.warnings, ...migrated.problems] };
}

type Read = {
  readonly v1: V1State;
  /** Undefined if the gateway has no v2. */
  readonly live: LiveState | undefined;
  /** What could not be read. */
  readonly warnings: readonly Problem[];
};

async function readOld(
  gateway: OldGateway,
  workspace: Workspace,
  known: readonly string[],
): Promise<Read | { readonly problems: readonly Problem[] }> {
  const version = await gateway.readVersion();
  const hasV2 = version === undefined || atLeast(version, '3.3.0');
  const live = hasV2 ? await readGateway(workspace, gateway) : undefined;
  const clusters = [...(live?.resources.values() ?? [])].filter(({ kind }) => kind === virtualCluster.name);
  const v1 = await readV1(gateway, [...known, ...clusters.map(({ metadata }) => metadata.name)]);
  if (v1 !== undefined)
    return { v1, live, warnings: live === undefined ? [hidden(version)] : hiddenFromV2(v1, live) };
  const warning = withoutV1(gateway.url, version);
  if (live === undefined) return { problems: [{ ...warning, severity: 'error' }] };
  return { v1: NOTHING_OF_V1, live, warnings: [warning] };
}

const NOTHING_OF_V1: V1State = { clusters: [], interceptors: [], mappings: [], topics: [], rules: [] };

/** What v1 has made stays when the gateway is upgraded, also under names that v2 refuses. */
function withoutV1(url: string, version: string | undefined): Problem {
  return {
    code: 'cannot-tell',
    severity: 'warning',
    message: `${url} has no v1${version === undefined ? '' : `: its version is ${version}`}; only v1 shows which alias topics are read-only`,
    hint: 'migrate before the upgrade, or migrate the scripts as well',
  };
}

/** Both are views of one state, and what v2 lists is what is declared. */
function hiddenFromV2({ interceptors }: V1State, { resources }: LiveState): readonly Problem[] {
  const listed = [...resources.values()].filter(({ kind }) => kind === interceptor.name).length;
  if (interceptors.length <= listed) return [];
  const message = `v1 lists ${formatCount(interceptors.length, 'interceptor')}, and v2 ${listed}; the files declare those of v2`;
  const hint = 'look whether the user may see all in v2, and migrate the scripts as well';
  return [{ code: 'cannot-tell', severity: 'warning', message, hint }];
}

/** gateway-api C.3: tokens are not listed, so accounts that only have tokens cannot be seen. */
function hidden(version: string | undefined): Problem {
  return {
    code: 'cannot-tell',
    severity: 'warning',
    message: `gateway ${version ?? ''} lists neither the accounts of tokens nor virtual clusters without topics and interceptors`,
    hint: 'name such virtual clusters with --virtual-cluster, and migrate the scripts that issue tokens, too',
  };
}

/** The interceptors that run for a client. */
type Resolver = (client: Client) => Promise<readonly Resource[]>;

/** What the gateway itself says. */
export function resolverFor(gateway: Pick<GatewayOperations, 'resolveInterceptors'>): Resolver {
  return (client) => gateway.resolveInterceptors(interceptor, client);
}

/** By the rules of gateway-api B.4, from a list of v1. */
function resolverOf(interceptors: readonly JsonObject[]): Resolver {
  const scoped = interceptors.map((one) => {
    const textAt = (key: string): string | null => (typeof one[key] === 'string' ? one[key] : null);
    const scope = { vCluster: textAt('vcluster'), group: textAt('group'), username: textAt('username') };
    const { pluginClass = '', priority = 0, config = {} } = one;
    const name = textAt('name') ?? '';
    const { apiVersion, name: kind } = interceptor;
    const spec = { pluginClass, priority, config };
    const resource = asValid({ apiVersion, kind, metadata: { name, scope }, spec });
    return { resource, name, scope, priority: Number(priority) };
  });
  return ({ vCluster, username = null, groups }) => {
    const client = { virtualCluster: vCluster, username, groups };
    return Promise.resolve(chainFor(client, scoped).map(({ resource }) => resource));
  };
}

/** Compares the interceptors of each client before and after, under their new addresses and in the form of today. */
export async function compareClients(
  resolveBefore: Resolver,
  resolveAfter: Resolver,
  { clients, moved, state }: TranslatedGateway,
): Promise<readonly Problem[]> {
  const converted = new Set(moved.values());
  const lost: Client[] = [];
  const changed: Client[] = [];
  for (const { before, after } of clients) {
    const [was, is] = await Promise.all([resolveBefore(before), resolveAfter(after)]);
    const expected = was.flatMap((one) => {
      const address = moved.get(identify(interceptor, one));
      return address === undefined || !state.resources.has(address) ? [] : [`${address} ${printOld(one)}`];
    });
    const found = is.flatMap((one) => {
      const address = identify(interceptor, one);
      return converted.has(address) ? [`${address} ${print(one)}`] : [];
    });
    if (expected.length < was.length) lost.push(after);
    else if (expected.sort().join('\n') !== found.sort().join('\n')) changed.push(after);
  }
  // An interceptor that could not be converted may also have overridden another one.
  return [
    ...differs(changed, 'error', 'please report it'),
    ...differs(lost, 'warning', 'declare the interceptors that cannot be converted by hand'),
  ];
}

function printOld(one: Resource): string {
  const { pluginClass, config, priority = null } = one.spec;
  if (typeof pluginClass !== 'string' || !isObject(config)) return print(one);
  const { choices: _, ...today } = modernise(pluginClass, config);
  return print({ ...one, spec: { priority, ...today } });
}

/** In its normal form: a list in which order means nothing is written sorted. */
function print(one: Resource): string {
  const { pluginClass = null, priority = null, config = null } = normalForm(interceptor, one).spec;
  return canonicalText([pluginClass, priority, config]);
}

function differs(
  [first, ...others]: readonly Client[],
  severity: Problem['severity'],
  hint: string,
): readonly Problem[] {
  if (first === undefined) return [];
  const who = `${first.username ?? 'a client without a name'} in ${first.vCluster}`;
  const more = others.length === 0 ? '' : ` and ${formatCount(others.length, 'other client')}`;
  const message = `other interceptors would run for ${who}${more} than now`;
  return [{ code: 'changed-interceptors', severity, message, hint }];
}
