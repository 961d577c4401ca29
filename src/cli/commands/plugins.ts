import { makePluginsReport } from '../../outcome/plugins.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { findPlugins } from '../../workflow/live/plugins.ts';
import type { Run } from '../given.ts';
import { PLUGIN_FORMATS } from '../present/plugin-formats.ts';

/** Lists the plugin classes of the gateway beside those that gwconf knows. */
export const run: Run<'plugins'> = async ({ args, openWorkspace, connect }) => {
  const workspace = await openWorkspace(args);
  const connected = await connect(args, workspace);
  const isOpen = 'gateway' in connected;
  const found = isOpen ? await findPlugins(workspace, connected.gateway) : { ...connected, plugins: [] };
  const problems = locateProblems([...(isOpen ? connected.warnings : []), ...found.problems]);
  const { result, plugins } = found;
  const gateway = isOpen ? connected.gateway.url : '';
  const report = makePluginsReport({ result, gateway, plugins }, problems);
  return { result, problems, render: (format, options) => PLUGIN_FORMATS[format](report, options) };
};
