import type { ReadableGateway } from '../../gateway/gateway.ts';
import { aboutKind, isUnserved, listKinds } from '../../gateway/read-live.ts';
import { groupBy } from '../../model/collect.ts';
import { identify } from '../../model/identity.ts';
import type { Kind } from '../../model/kind.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import type { Resource } from '../../model/resource.ts';
import type { Told } from '../../outcome/outcome.ts';
import { makePluginsReport, type PluginsReport } from '../../outcome/gateway.ts';
import { secretTexts } from '../../plan/secrets/hide-in-chains.ts';
import { comparePlugins } from '../../schema/compare-plugins.ts';
import { plugin } from '../../schema/kinds/plugin.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import type { Workspace } from '../project/workspace.ts';
import { type LiveSource, gatewaySource } from './live-source.ts';
import { type Opened, gatewayProblem, learnNames } from './read-live.ts';

/** What a gateway or snapshot has of a kind, or why that is unknown. */
export type Listing = { readonly kind: Kind } & (
  | { readonly resources: readonly Resource[] }
  /** `isServed`: the gateway has the kind, but could not list it. */
  | { readonly isServed: boolean; readonly problem: Problem }
);

/** Lists kinds, those that files cannot declare, too. One that cannot be listed does not keep the others from being listed. */
export async function listLive(
  { catalog, secrets: { masker } }: Workspace,
  source: LiveSource,
  kinds: readonly Kind[],
): Promise<readonly Listing[]> {
  if (source.gateway === undefined) return listSnapshot(source, kinds);
  const lists = await listKinds(source.gateway, kinds);
  const others = lists.some((list) => 'resources' in list);
  const listings = lists.map((list): Listing => {
    if (!('error' in list)) return list;
    const { kind, error } = list;
    return isUnserved(kind, error)
      ? unserved(kind, error.message)
      : { kind, isServed: true, problem: gatewayProblem(aboutKind(kind, error, { others })) };
  });
  for (const listing of listings) if ('resources' in listing) learnNames(masker, listing.resources);
  masker.learn(() => secretTexts(listings.flatMap(declaredIn), catalog.kinds));
  return listings;
}

async function listSnapshot(source: LiveSource, kinds: readonly Kind[]): Promise<readonly Listing[]> {
  const { resources, unavailable } = await source.read(new Map());
  const byKind = groupBy(resources.values(), ({ kind }) => kind);
  return kinds.map((kind): Listing => {
    if (kind.removal === undefined)
      return unserved(kind, 'snapshots do not have it', 'leave out --snapshot, to ask the gateway');
    const words = unavailable.get(kind.name);
    if (words !== undefined) return unserved(kind, words);
    return { kind, resources: [kind.name, ...kind.aliases].flatMap((name) => byKind.get(name) ?? []) };
  });
}

function unserved(
  kind: Kind,
  words: string,
  hint = 'check the version and security mode of the gateway',
): Listing {
  const message = `${kind.name} is not available: ${words}`;
  const problem: Problem = makeProblem({ code: 'kind-unavailable', message, hint });
  return { kind, isServed: false, problem };
}

function declaredIn(
  listing: Listing,
): readonly { readonly address: ReturnType<typeof identify>; readonly resource: Resource }[] {
  if (!('resources' in listing)) return [];
  return listing.resources.map((resource) => ({ address: identify(listing.kind, resource), resource }));
}

/** The classes of a gateway beside those that gwconf knows; none if the gateway does not list its own. */
export async function findPlugins(
  workspace: Workspace,
  opened: Opened<Pick<ReadableGateway, 'url' | 'list'>>,
): Promise<Told<PluginsReport>> {
  const isOpen = 'gateway' in opened;
  const found = isOpen ? await listPlugins(workspace, opened.gateway) : { ...opened, plugins: [] };
  const problems = locateProblems([...(isOpen ? opened.warnings : []), ...found.problems]);
  const { result, plugins } = found;
  const gateway = isOpen ? opened.gateway.url : '';
  return { outcome: makePluginsReport({ result, gateway, plugins }, problems), problems };
}

async function listPlugins(
  workspace: Workspace,
  gateway: Pick<ReadableGateway, 'url' | 'list'>,
): Promise<Pick<PluginsReport, 'result' | 'plugins'> & { readonly problems: readonly Problem[] }> {
  const [listing] = await listLive(workspace, gatewaySource(workspace, gateway), [plugin]);
  if (listing === undefined) throw new Error('no list was asked for');
  if ('problem' in listing) return { result: 'error', plugins: [], problems: [listing.problem] };
  const plugins = comparePlugins(listing.resources);
  const hasKnown = plugins.some(({ onGateway, known }) => onGateway && known);
  return { result: 'ok', plugins, problems: hasKnown ? [] : [unlikely] };
}

const unlikely: Problem = makeProblem({
  code: 'unusual-value',
  message: 'the gateway lists no class that gwconf knows, so plans are not checked against the list',
  hint: 'check that --url is the gateway itself, and its version',
});
