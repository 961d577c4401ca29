import type { ReadableGateway, ReadingOperations, GatewayOperations } from '../../gateway/gateway.ts';
import { identify } from '../../model/identity.ts';
import { canonicalText, isObject, type JsonObject } from '../../model/json/json.ts';
import { chainFor } from '../../model/principal.ts';
import { normalForm } from '../../model/normal/normal-form.ts';
import type { Problem } from '../../model/problem.ts';
import { asValid, type Resource } from '../../model/resource.ts';
import type { LiveState } from '../../model/state.ts';
import { formatCount } from '../../model/text/list.ts';
import type { Kind } from '../../model/kind.ts';
import { atLeast } from '../../model/text/version.ts';
import { aliasTopic } from '../../schema/kinds/alias-topic.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { concentratedTopic } from '../../schema/kinds/concentrated-topic.ts';
import { concentrationRule } from '../../schema/kinds/concentration-rule.ts';
import { interceptor } from '../../schema/kinds/interceptor.ts';
import { virtualCluster } from '../../schema/kinds/virtual-cluster.ts';
import { refuseToOverwrite } from '../../workflow/files/new-folder.ts';
import type { Host } from '../../workflow/host.ts';
import { type Opened, gatewayProblem, readGateway } from '../../workflow/live/read-live.ts';
import type { Workspace } from '../../workflow/project/workspace.ts';
import { callsOf, mappingOf, readV1, ruleOf, shownIn, type V1State } from './read-v1.ts';
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
  if (!hasV2) {
    const v1 = await readV1(gateway, known, true);
    if (v1 === undefined) return { problems: [{ ...withoutV1(gateway.url, version), severity: 'error' }] };
    return { v1, live: undefined, warnings: [hidden(version)] };
  }
  const live = await readGateway(workspace, gateway, KINDS);
  const clusters = ofKind(virtualCluster, live).map(({ metadata }) => metadata.name);
  const v1 = await readV1(gateway, [...known, ...clusters]);
  const compared = v1 === undefined ? [withoutV1(gateway.url, version)] : comparedViews(v1, live);
  return { v1: withConcentrated(v1, live), live, warnings: [...unserved(live), ...compared] };
}

/** What files can declare, and the concentrated topics, of which some are in no rule. */
const KINDS = [...catalog.kinds.values()].filter(
  ({ name, removal }) => removal !== undefined || name === concentratedTopic.name,
);

function ofKind({ name }: Kind, { resources }: LiveState): readonly Resource[] {
  return [...resources.values()].filter(({ kind }) => kind === name);
}

/** Adds the concentrated topics that only v2 lists, which no call of v2 makes, and the rules that some of them come from. */
function withConcentrated(v1: V1State = NOTHING_OF_V1, live: LiveState): V1State {
  const isShown = shownIn(v1);
  const others = ofKind(concentratedTopic, live).filter((one) => !isShown(one));
  const rules = ofKind(concentrationRule, live).map(ruleOf);
  return { ...v1, topics: [...v1.topics, ...others.map(mappingOf)], rules: [...v1.rules, ...rules] };
}

const NOTHING_OF_V1: V1State = { clusters: [], interceptors: [], mappings: [], topics: [], rules: [] };

function unserved({ unavailable }: LiveState): readonly Problem[] {
  return Array.from(unavailable, ([kind, words]) => ({
    code: 'kind-unavailable',
    severity: 'warning',
    message: `the gateway does not serve ${kind}, and so the files declare none: ${words}`,
    hint: 'check the version and security mode of the gateway, and any proxy in between',
  }));
}

/** What v1 has made stays when the gateway is upgraded, also under names that v2 refuses. */
function withoutV1(url: string, version: string | undefined): Problem {
  return {
    code: 'cannot-tell',
    severity: 'warning',
    message: `${url} has no v1${version === undefined ? '' : `: its version is ${version}`}; only v1 shows which alias topics are read-only`,
    hint: 'migrate before the upgrade, or migrate the scripts as well',
  };
}

/** Both are views of one state, and what v2 lists is what is declared. Of alias topics, v1 alone shows whether they are read-only. */
function comparedViews(v1: V1State, live: LiveState): readonly Problem[] {
  const listed = ofKind(interceptor, live).length;
  const isShown = shownIn(v1);
  const unshown = ofKind(aliasTopic, live).filter((one) => !isShown(one)).length;
  const found: Pick<Problem, 'message' | 'hint'>[] = [];
  if (v1.interceptors.length > listed)
    found.push({
      message: `v1 lists ${formatCount(v1.interceptors.length, 'interceptor')}, and v2 ${listed}; the files declare those of v2`,
      hint: 'look whether the user may see all in v2, and migrate the scripts as well',
    });
  if (unshown > 0)
    found.push({
      message: `v2 lists ${formatCount(unshown, 'alias topic')} that v1 does not; only v1 shows which of them are read-only`,
      hint: 'look whether the user may see all in v1, and check any proxy in between; migrate the scripts as well',
    });
  return found.map((one) => ({ ...one, code: 'cannot-tell', severity: 'warning' }));
}

/** gateway-api C.3, C.9: tokens are not listed, so accounts that only have tokens cannot be seen; ACLs were a setting of the gateway. */
function hidden(version: string | undefined): Problem {
  return {
    code: 'cannot-tell',
    severity: 'warning',
    message: `gateway ${version ?? ''} lists neither the accounts of tokens, nor virtual clusters without topics and interceptors, nor whether ACLs are on`,
    hint: 'name such virtual clusters with --virtual-cluster, migrate the scripts that issue tokens, too, and write aclEnabled: true where the gateway has GATEWAY_ACL_STORE_ENABLED',
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
