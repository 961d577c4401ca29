import { rankOf } from '../../model/principal.ts';
import type { Scope } from '../../model/resource.ts';
import type {
  DoctorReport,
  FindingRecord,
  SettingRecord,
  PluginRecord,
  PluginsReport,
  ResolveReport,
  SwitchReport,
  ExportReport,
} from '../../outcome/gateway.ts';
import { scopeIn } from './chain-lines.ts';
import { factOf, makePage, notesOf, tableOf, toneOf } from './make-page.ts';
import type { Page, State, Table, Note } from './page.ts';
import { formatCount, listSome, cutWithLength } from '../../model/text/list.ts';

/** Which interceptors run for a client, and why each does. */
export function pageOfResolve(report: ResolveReport): Page {
  const { result, client, interceptors, gateway } = report;
  const who = client.username === undefined ? 'a client' : `the user ${client.username}`;
  const where = `virtual cluster ${client.virtualCluster}`;
  const groups = client.groups.length === 0 ? '' : `, with ${client.groups.join(', ')} as groups`;
  const whom = `${who} in ${where}${groups}`;
  const count = formatCount(interceptors.length, 'interceptor');
  const rows = interceptors.map(({ name, scope, priority, pluginClass, overrides }) => [
    String(priority),
    name,
    pluginClass.slice(pluginClass.lastIndexOf('.') + 1),
    reasonOf(scope),
    overrides.length === 0 ? '-' : overrides.map((address) => scopeIn(address)).join('; '),
  ]);
  return makePage(report, {
    title: result === 'ok' ? count : `Interceptors: ${result}`,
    facts: [
      { label: 'Client', text: whom, isCode: false, line: `For ${whom}:` },
      { label: 'Gateway', text: gateway, isCode: true },
    ],
    blocks: tableOf('Interceptors', ['PRIORITY', 'NAME', 'CLASS', 'WHY', 'INSTEAD OF'], rows),
    ending: { headline: '', rest: `${count} on ${gateway}.` },
  });
}

/** The axis of a scope that made it the most specific one. */
function reasonOf(scope: Scope): string {
  const [axis, value] = Object.entries(scope)[rankOf(scope) - 1] ?? ['global', null];
  return value === null ? axis : `${axis}=${value}`;
}

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

/** The classes of the vendor have a long common beginning. */
const VENDOR = 'io.conduktor.gateway.interceptor.';
const SHORT: readonly Column[] = [
  ['CLASS', ({ class: name }) => (name.startsWith(VENDOR) ? name.slice(VENDOR.length) : name)],
  ...COLUMNS,
  NOTE,
];
const WIDE: readonly Column[] = [
  ['CLASS', (plugin) => plugin.class],
  ...COLUMNS,
  ['PARENT', ({ parent }) => parent],
  NOTE,
  ['DESCRIPTION', ({ description }) => description],
];

/** The plugin classes of a gateway and of gwconf; `isWide` is with all that is known of them. */
export function pageOfPlugins(report: PluginsReport, isWide = false): Page {
  const { result, gateway, summary, plugins } = report;
  const columns = isWide ? WIDE : SHORT;
  const { onGateway, unknown, notOnGateway } = summary;
  const headline = `${onGateway} ${onGateway === 1 ? 'class' : 'classes'}`;
  const words = `${unknown} of them unknown to gwconf; ${notOnGateway} known to gwconf, but not there`;
  return makePage(report, {
    title: result === 'ok' ? `${headline}, ${words}` : `Plugin classes: ${result}`,
    tone: result === 'ok' && unknown > 0 ? 'review' : toneOf(result),
    facts: [{ label: 'Gateway', text: gateway, isCode: true }],
    blocks: tableOf(
      'Plugin classes',
      columns.map(([title]) => title),
      plugins.map((plugin) => columns.map(([, textOf]) => textOf(plugin) ?? '-')),
    ),
    ending: { headline, rest: ` on ${gateway}, ${words}.` },
  });
}

/** Which instances of a gateway use another physical cluster now. */
export function pageOfSwitch(report: SwitchReport): Page {
  const { result, from, to, instances } = report;
  const rows = instances.map(({ url, status, message = '' }) => [status, url, message]);
  const titles = ['Status', 'Gateway', 'Message'];
  return makePage(report, {
    title: `Traffic of ${from} to ${to}: ${result === 'ok' ? 'switched' : result}`,
    tone: result === 'unchanged' ? 'review' : toneOf(result),
    blocks: tableOf('Instances', titles, rows, 'lines'),
  });
}

const STATES: Readonly<Record<FindingRecord['status'], State>> = {
  ok: ['ok', 'green'],
  warning: ['warning', 'yellow'],
  error: ['error', 'red'],
  'not-checked': ['not checked', 'dim'],
};

/** The settings, what the checks of the gateway found, their counts, and what it has. A terminal has shown the settings before. */
export function pageOfDoctor(report: DoctorReport): Page {
  const { result, gateway, settings, checks, summary, objects, unavailable } = report;
  const { ok, warning, error, notChecked } = summary;
  const counts = `${ok} ok, ${formatCount(warning, 'warning')}, ${formatCount(error, 'error')}, ${notChecked} not checked`;
  const isChecked = ok + warning + error > 0;
  const list = checks.map(({ check, status, message, hint }) => ({
    ...{ check, state: STATES[status], message },
    hint,
  }));
  const has = [
    ...(objects === undefined ? [] : [`The gateway answers: ${formatCount(objects, 'resource')}.`]),
    ...unavailable.map(({ kind, words }) => `It does not serve ${kind}: ${words}`),
  ];
  return makePage(report, {
    title: `Doctor: ${result === 'ok' ? '' : `${result}, `}${counts}`,
    tone: result === 'ok' ? (warning > 0 ? 'review' : 'calm') : 'alarm',
    facts: factOf('Gateway', gateway),
    blocks: [
      { ...tableOfSettings(settings), isTold: true },
      ...(isChecked ? [{ block: 'checks' as const, title: 'Checks', list }] : []),
      ...notesOf(
        'The gateway',
        'line',
        'sentences',
        has.map((text) => ({ text })),
      ),
    ],
    ending: isChecked
      ? { headline: 'Checks', rest: `: ${counts}.` }
      : { headline: '', rest: `The gateway was not checked: ${checks[0]?.message ?? ''}.` },
  });
}

const LONGEST_VALUE = 160;

/** Every setting: name, value, and where it comes from. */
export function tableOfSettings(settings: readonly SettingRecord[]): Table {
  return {
    ...{ block: 'table', title: 'Settings', look: 'terms', titles: ['Setting', 'Value', 'From'] },
    rows: settings.map(({ name, value, origin }) => [name, cutWithLength(value, LONGEST_VALUE), origin]),
  };
}

const MOST_FILES = 100;

/** How much of a gateway has become files, and the variables that these need. */
export function pageOfExport(report: ExportReport): Page {
  const { result, gateway, folder, summary, written, variables, unavailable } = report;
  const { objects, files } = summary;
  const isMade = result === 'ok' || result === 'incomplete';
  const isWritten = isMade && objects > 0;
  const count = `${formatCount(objects, 'object')} in ${formatCount(files, 'file')}`;
  const kinds = unavailable.map(({ kind, words }): Note => ({
    text: `It does not serve ${kind}: ${words}`,
  }));
  const needed = variables.map(({ name, places: [first, ...others], known }): Note => {
    const more = others.length === 0 ? '' : `, and ${formatCount(others.length, 'other place')}`;
    const unknown = known ? '' : ' (its value is not known)';
    return { name, text: `${first?.address ?? ''} ${first?.path ?? ''}${more}${unknown}` };
  });
  const secrets = `${formatCount(variables.length, 'secret')}, as variables`;
  return makePage(report, {
    title: `Export: ${isMade ? count : result}${result === 'incomplete' ? ', incomplete' : ''}`,
    tone: result === 'ok' ? 'calm' : isMade ? 'review' : 'alarm',
    facts: [
      ...factOf('Gateway', gateway),
      { label: 'Folder', text: folder, isCode: true },
      ...factOf('Files', listSome(written, MOST_FILES), { isCode: false }),
    ],
    blocks: [
      ...notesOf('Not served', 'kind', 'sentences', kinds),
      ...notesOf(secrets, 'secret', 'terms', needed),
    ],
    ending: {
      headline: '',
      rest: isWritten
        ? `${count} in ${folder}; the plan is empty.`
        : `${gateway} has no objects that files can declare, so nothing was written.`,
    },
  });
}
