import type { LocatedProblem } from '../model/problem.ts';
import { describeProblem, type ProblemRecord } from './problem-record.ts';

/** A plugin class, on a gateway and in gwconf. */
export type PluginRecord = {
  readonly class: string;
  readonly onGateway: boolean;
  readonly known: boolean;
  readonly title?: string;
  readonly version?: string;
  readonly license?: string;
  readonly parent?: string;
  readonly description?: string;
  readonly deprecated?: string | true;
  readonly removed?: string;
  readonly note?: string;
};

/** What `gwconf plugins` found. */
export type PluginsReport = {
  readonly format: 'gwconf/plugins-report@1';
  readonly result: 'ok' | 'error' | 'blocked' | 'stale';
  readonly gateway: string;
  readonly summary: PluginCounts;
  readonly plugins: readonly PluginRecord[];
  readonly problems: readonly ProblemRecord[];
};

/** Classes on the gateway, those of them that gwconf does not know, and those that it knows and the gateway does not have. */
export type PluginCounts = {
  readonly onGateway: number;
  readonly unknown: number;
  readonly notOnGateway: number;
};

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
