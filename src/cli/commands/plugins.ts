import { makePluginsReport, type PluginsReport } from '../../outcome/plugins.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { findPlugins, type FoundPlugins } from '../../workflow/live/plugins.ts';
import { tryConnectToRead } from '../connect/connect.ts';
import { openWorkspaceFor, type ProjectArgs } from '../connect/flags.ts';
import type { ConnectionArgs } from '../table/flags.ts';
import { UsageError, type Io } from '../io.ts';
import type { ExitCode } from '../../outcome/verdict.ts';
import { finish } from '../present/finish.ts';
import { PLUGIN_FORMATS, type PluginFormat } from '../present/plugin-formats.ts';

export type PluginsArgs = ProjectArgs & ConnectionArgs & { readonly output?: readonly string[] };

/** Lists the plugin classes of the gateway beside those that gwconf knows. It gets no gateway that can be written to. */
export async function plugins(args: PluginsArgs, io: Io): Promise<ExitCode> {
  const format = parseFormat(args.output);
  const workspace = await openWorkspaceFor(args, io);
  const connected = await tryConnectToRead(args, io, workspace);
  if ('problems' in connected) {
    return print({ ...connected, plugins: [] }, '', format, io);
  }
  const { gateway, warnings } = connected;
  try {
    const found = await findPlugins(workspace, gateway);
    const problems = [...warnings, ...found.problems];
    return await print({ ...found, problems }, gateway.url, format, io);
  } finally {
    await gateway.close();
  }
}

function print(
  {
    result,
    plugins: compared,
    problems: found,
  }: Omit<FoundPlugins, 'result'> & { readonly result: PluginsReport['result'] },
  gateway: string,
  format: PluginFormat,
  io: Io,
): Promise<ExitCode> {
  const problems = locateProblems(found);
  const report = makePluginsReport({ result, gateway, plugins: compared }, problems);
  for (const text of PLUGIN_FORMATS[format](report, { paint: io.outPaint, width: io.columns.out }))
    io.out(text);
  return finish({ result, problems }, io);
}

function parseFormat([name = 'human', ...more]: readonly string[] = []): PluginFormat {
  const formats = Object.keys(PLUGIN_FORMATS) as readonly PluginFormat[]; // the keys of a literal
  const format = formats.find((known) => known === name);
  if (format !== undefined && more.length === 0) return format;
  throw new UsageError(`plugins prints -o ${formats.join(', -o ')}`);
}
