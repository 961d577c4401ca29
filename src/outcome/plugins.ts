import type { Plain } from '../model/shape.ts';
import type { pluginsReport } from './shapes/plugins.ts';
import type { LocatedProblem } from '../model/problem.ts';
import { describeProblem } from './problem-record.ts';

/** A plugin class, on a gateway and in gwconf. */
export type PluginRecord = PluginsReport['plugins'][number];

/** What `gwconf plugins` found. */
export type PluginsReport = Plain<typeof pluginsReport>;

export function makePluginsReport(
  { result, gateway, plugins }: Pick<PluginsReport, 'result' | 'gateway' | 'plugins'>,
  problems: readonly LocatedProblem[],
): PluginsReport {
  const onGateway = plugins.filter((plugin) => plugin.onGateway);
  return {
    format: 'gwconf/plugins-report@1',
    result,
    gateway,
    summary: {
      onGateway: onGateway.length,
      unknown: onGateway.filter(({ known }) => !known).length,
      notOnGateway: plugins.length - onGateway.length,
    },
    plugins,
    problems: problems.map(describeProblem),
  };
}
