import type { Json } from '../../model/json/json.ts';
import type { PluginsReport } from '../../outcome/gateway.ts';
import { jsonPieces } from '../../model/json/pieces.ts';
import { pageOfPlugins } from '../../report/page/gateway-pages.ts';
import type { TextOptions } from '../../report/text/layout.ts';
import { partPage } from '../../report/text/text.ts';
import { printYaml } from '../../schema/yaml/print.ts';
import { findPlugins } from '../../workflow/live/list-live.ts';
import type { Run } from '../given.ts';
import type { Printed } from '../present/output.ts';

/** Lists the plugin classes of the gateway beside those that gwconf knows. */
export const run: Run<'plugins'> = async ({ args, openWorkspace, connect }) => {
  const workspace = await openWorkspace(args);
  const { outcome, problems } = await findPlugins(workspace, await connect(args, workspace));
  return {
    result: outcome.result,
    problems,
    render: (format, options) => PLUGIN_FORMATS[format](outcome, options),
  };
};

const PLUGIN_FORMATS = {
  human: (report, options) => printTable(report, false, options),
  wide: (report, { paint }) => printTable(report, true, { paint, width: undefined }),
  json: jsonPieces,
  yaml: ({ plugins }) => [printYaml([plugins as Json])], // what is not known is left out
} as const satisfies Readonly<Record<string, (report: PluginsReport, options: TextOptions) => Printed>>;

function printTable(report: PluginsReport, isWide: boolean, options: TextOptions): Printed {
  return report.result === 'ok' ? partPage(pageOfPlugins(report, isWide), options) : [];
}
