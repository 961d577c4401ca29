import type { ReadableGateway } from '../../gateway/gateway.ts';
import type { Problem } from '../../model/problem.ts';
import { plugin } from '../../schema/kinds/plugin.ts';
import { comparePlugins, type ComparedPlugin } from '../../schema/compare-plugins.ts';
import type { Workspace } from '../project/workspace.ts';
import { listLive } from './list-live.ts';
import { gatewaySource } from './live-source.ts';

/** The classes of a gateway beside those that gwconf knows; none if the gateway does not list its own. */
export type FoundPlugins = {
  readonly result: 'ok' | 'error';
  readonly plugins: readonly ComparedPlugin[];
  readonly problems: readonly Problem[];
};

export async function findPlugins(
  workspace: Workspace,
  gateway: Pick<ReadableGateway, 'url' | 'list'>,
): Promise<FoundPlugins> {
  const [listing] = await listLive(workspace, gatewaySource(workspace, gateway), [plugin]);
  if (listing === undefined) throw new Error('no list was asked for');
  if ('problem' in listing) return { result: 'error', plugins: [], problems: [listing.problem] };
  const plugins = comparePlugins(listing.resources);
  const hasKnown = plugins.some(({ onGateway, known }) => onGateway && known);
  return { result: 'ok', plugins, problems: hasKnown ? [] : [unlikely] };
}

const unlikely: Problem = {
  code: 'unusual-value',
  severity: 'warning',
  message: 'the gateway lists no class that gwconf knows, so plans are not checked against the list',
  hint: 'check that --url is the gateway itself, and its version',
};
