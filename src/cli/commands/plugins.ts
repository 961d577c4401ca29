import type { Json } from '../../model/json/json.ts';
import { inPieces } from '../../model/json/pieces.ts';
import type { PluginRecord, PluginsReport } from '../../outcome/plugins.ts';
import { onOneLine } from '../../report/escape.ts';
import { renderJson } from '../../report/json/json.ts';
import type { TextOptions } from '../../report/text/layout.ts';
import { renderTable } from '../../report/text/table.ts';
import { PLUGIN_PREFIX } from '../../schema/plugins/plugin.ts';
import { printYaml } from '../../schema/yaml/print.ts';
import { findPlugins } from '../../workflow/live/list-live.ts';
import type { Run } from '../given.ts';

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

/** A column of the table: its title, and the text of a class. */
type Column = readonly [title: string, textOf: (plugin: PluginRecord) => string | undefined];

const COLUMNS: readonly Column[] = [
  ['GATEWAY', ({ onGateway }) => (onGateway ? 'yes' : 'no')],
  ['GWCONF', ({ known }) => (known ? 'yes' : 'no')],
  ['TITLE', ({ title }) => title],
  ['VERSION', ({ version }) => version],
  ['LICENSE', ({ license }) => license],
];
const NOTE: Column = ['NOTE', ({ note }) => note];

const SHORT: readonly Column[] = [['CLASS', (plugin) => shorten(plugin.class)], ...COLUMNS, NOTE];
const WIDE: readonly Column[] = [
  ['CLASS', (plugin) => plugin.class],
  ...COLUMNS,
  ['PARENT', ({ parent }) => parent],
  NOTE,
  ['DESCRIPTION', ({ description }) => description],
];

/** The formats of `gwconf plugins`. */
const PLUGIN_FORMATS = {
  human: (report, options) => printTable(report, SHORT, options),
  wide: (report, { paint }) => printTable(report, WIDE, { paint, width: undefined }),
  json: renderJson,
  yaml: ({ plugins }) => [printYaml([plugins as Json])], // what is not known is left out
} as const satisfies Readonly<
  Record<string, (report: PluginsReport, options: TextOptions) => Iterable<string>>
>;

/** The classes of the vendor have a long common beginning. */
function shorten(name: string): string {
  return name.startsWith(PLUGIN_PREFIX) ? name.slice(PLUGIN_PREFIX.length) : name;
}

function* printTable(
  { result, plugins, summary, gateway }: PluginsReport,
  columns: readonly Column[],
  options: Pick<TextOptions, 'paint' | 'width'>,
): Generator<string> {
  if (result !== 'ok') return;
  const titles = columns.map(([title]) => title);
  const rows = plugins.map((plugin) => columns.map(([, textOf]) => textOf(plugin) ?? '-'));
  yield* inPieces(renderTable(titles, rows, options));
  const { onGateway, unknown, notOnGateway } = summary;
  const words = `${unknown} of them unknown to gwconf; ${notOnGateway} known to gwconf, but not there`;
  yield `\n${options.paint.bold(`${onGateway} ${onGateway === 1 ? 'class' : 'classes'}`)} on ${onOneLine(gateway)}, ${words}.\n`;
}
