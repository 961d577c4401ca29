import { formatCount } from '../../model/text/list.ts';
import type { Problem } from '../../model/problem.ts';
import type { Limited, Rules } from '../../model/rules.ts';
import type { SettingRecord } from '../../outcome/gateway.ts';
import { DEFAULT_LIMITS, limitText } from '../../plan/checks/limits.ts';
import { tableOfSettings } from '../../report/page/gateway-pages.ts';
import type { Paint } from '../../report/text/layout.ts';
import { renderTableBlock } from '../../report/text/text.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { isCi } from '../../workflow/ci.ts';
import { diagnose } from '../../workflow/live/diagnose.ts';
import { runSelfTest } from '../../workflow/files/self-test.ts';
import type { Workspace } from '../../workflow/project/workspace.ts';
import { readAllowedHosts, VARIABLE } from '../../workflow/live/allowed-hosts.ts';
import { checkHostAllowed } from '../connect/credentials.ts';
import { wantedEnvironment } from '../connect/read-flags.ts';
import { findPlanKeys, type FoundKeys, PLAN_KEYS } from '../connect/plan-keys.ts';
import { readSettings, type Setting, type Settings } from '../connect/settings.ts';
import type { Given, Run } from '../given.ts';
import type { Io } from '../io.ts';
import { describeSelf } from '../present/about.ts';
import type { Ending } from '../present/finish.ts';
import type { EnvironmentArgs } from '../table/flags.ts';

/** Prints every setting and where it comes from, never a secret, and checks the gateway; with `deep`, a self-test instead. */
export const run: Run<'doctor'> = async (given) => {
  const { args, output, connect } = given;
  const io = readingOnce(given.io);
  const workspace = await given.openWorkspace(args);
  const settings = await readSettings(args, io, workspace.gateway);
  const keys = await findPlanKeys(io);
  const rows = listSettings(workspace, { settings, keys, args }, io);
  if (args.deep === true) {
    printSettings(rows, output.detail === 'full', io.err, io.errPaint); // stdout is for the report
    return testDeeply({ ...given, io }, workspace);
  }
  const isFull = output.detail === 'full';
  if (output.stdout === 'human') printSettings(rows, isFull, io.out, io.outPaint);
  const notAllowed = checkHostAllowed(settings, io);
  const wrong = [notAllowed, ...[...Object.values(settings), ...Object.values(keys)].map(problemIn)];
  const { outcome: report, problems } = await diagnose(io, workspace, {
    settings: rows,
    problems: wrong.filter((problem) => problem !== undefined),
    isAllowed: notAllowed === undefined,
    open: settings.url.value === undefined ? undefined : () => connect(args, workspace, io),
  });
  return { view: { report, problems }, isAnswer: true };
};

/** Whoever connects reads the settings again, and a pipe such as that of `<(…)` only once. */
function readingOnce(io: Io): Io {
  const texts = new Map<string, Promise<string>>();
  const readNamedFile = (path: string): Promise<string> => {
    const text = texts.get(path) ?? io.readNamedFile(path);
    texts.set(path, text);
    return text;
  };
  return { ...io, readNamedFile };
}

/** What is set, or should be, and how much is not. */
function printSettings(
  rows: readonly SettingRecord[],
  isFull: boolean,
  print: (text: string) => void,
  paint: Paint,
): void {
  const shown = rows.filter(
    ({ value, origin }) => isFull || value !== '-' || !/^(?:not set|default)/.test(origin),
  );
  for (const line of renderTableBlock(tableOfSettings(shown), { paint })) print(line);
  const left = rows.length - shown.length;
  if (left > 0) print(paint.dim(`${formatCount(left, 'setting')} not set; --detail full shows them\n`));
}

function problemIn(setting: Setting | FoundKeys[keyof FoundKeys]): Problem | undefined {
  return setting !== undefined && 'problem' in setting ? setting.problem : undefined;
}

async function testDeeply({ args, io, connect }: Given<'doctor'>, workspace: Workspace): Promise<Ending> {
  const connected = await connect(args, workspace, io);
  const { outcome, problems } = await ('problems' in connected
    ? runSelfTest(workspace, connected)
    : runSelfTest(workspace, connected.gateway, connected.warnings));
  return { view: { report: outcome, problems: locateProblems(problems) } };
}

/** Every setting and where it comes from, never a secret. */
function listSettings(
  workspace: Workspace,
  {
    settings,
    keys,
    args,
  }: { readonly settings: Settings; readonly keys: FoundKeys; readonly args: EnvironmentArgs },
  io: Io,
): readonly SettingRecord[] {
  const named = isCi(io.env) ? 'no gateway in CI' : 'any gateway';
  const { variables } = workspace.access;
  const rows = [
    ...selfRows(),
    ...projectRows(workspace, args, io),
    ...ruleRows(workspace),
    ...Object.values(settings).map(settingRow),
    ...keyRows(keys),
    allowedRow('hosts', readAllowedHosts(io)?.entries, `gwconf.yaml can name ${named}`, VARIABLE),
    allowedRow('variables', variables.allowed, 'files can use any', VARIABLES),
  ];
  return rows.map(([name, value, origin]) => ({ name, value, origin }));
}

const VARIABLES = 'GWCONF_ALLOWED_VARIABLES, GWCONF_PUBLIC_VARIABLES';

type Row = readonly [name: string, value: string, origin: string];

/** Which gwconf this is: what a report of a bug begins with. */
function selfRows(): readonly Row[] {
  const { version, commit, catalog, gateways, node } = describeSelf();
  const known = `${catalog.kinds} kinds, ${catalog.pluginClasses} plugin classes`;
  return [
    ['gwconf', version, `commit ${commit}`],
    ['catalog', known, `API description of gateway ${catalog.described}, and later changelogs`],
    ['gateways', `${gateways.oldest} to ${gateways.newest}`, 'known to this version of gwconf'],
    ['node', node, 'runs gwconf'],
  ];
}

/** What gwconf.yaml says, or that it does not. */
function declaredRow(name: string, value: string | undefined): Row {
  return [name, value ?? '-', value === undefined ? 'not set' : 'gwconf.yaml'];
}

function projectRows(
  { project: { folder }, environment }: Workspace,
  args: EnvironmentArgs,
  io: Io,
): readonly Row[] {
  const chosen = wantedEnvironment(args, io)?.by ?? 'the only one';
  const found =
    folder === undefined ? 'no gwconf.yaml here or in a parent folder' : 'the folder of gwconf.yaml';
  return [
    ['project', folder ?? '-', found],
    ['environment', environment?.name ?? '-', environment === undefined ? 'not set' : chosen],
    declaredRow('version', environment?.version),
    declaredRow('security', environment?.security),
    declaredRow('pin', environment?.pin?.host),
    declaredRow('files', environment?.files?.join(', ')),
  ];
}

function settingRow({ name, value, origin, secret, problem }: Setting): Row {
  if (problem?.code === 'unreadable-file') return [name, '(unreadable)', origin];
  if (value === undefined) return [name, '-', origin];
  if (secret) return [name, '(set)', origin];
  if (name === 'ca' || name === 'cert' || name === 'key') return [name, '(PEM)', origin];
  return [name, name === 'url' || name === 'proxy' ? withoutCredentials(value) : value, origin];
}

function keyRows(keys: FoundKeys): readonly Row[] {
  return PLAN_KEYS.map(({ name, title }) => {
    const key = keys[name];
    if (key === undefined) return [title, '-', 'not set'];
    return [title, 'problem' in key ? '(unusable)' : '(set)', key.origin];
  });
}

/** What may be changed: each sort of rule, written out or counted. */
function ruleRows({ environment = {} }: { readonly environment?: Rules | undefined }): readonly Row[] {
  const { manages, protect, external, ignore, limits } = environment;
  const counted = (name: string, rules: readonly unknown[] = []): Row =>
    declaredRow(name, rules.length === 0 ? undefined : formatCount(rules.length, 'rule'));
  const limited = (name: string, what: keyof Limited): Row => {
    const limit = limits?.[what] ?? DEFAULT_LIMITS[what];
    const kinds = Object.entries(limits?.kinds ?? {}).flatMap(([kind, own]) => (what in own ? [kind] : []));
    const others = kinds.length === 0 ? '' : `; others for ${kinds.join(', ')}`;
    const isSet = limits?.[what] !== undefined || kinds.length > 0;
    return [
      name,
      `${limit === undefined ? '-' : limitText(limit)}${others}`,
      isSet ? 'gwconf.yaml' : 'default',
    ];
  };
  return [
    declaredRow('manages', manages?.join(', ')),
    counted('protect', protect),
    counted('external', external),
    counted('ignore', ignore),
    limited('max deletes', 'deletes'),
    limited('max updates', 'updates'),
  ];
}

/** What is allowed by a list, or why anything is. */
function allowedRow(
  name: string,
  allowed: readonly string[] | undefined,
  unset: string,
  origin: string,
): Row {
  if (allowed === undefined) return [name, '-', `not set: ${unset}`];
  return [name, allowed.length === 0 ? 'none' : allowed.join(', '), origin];
}

/** The URL parser reads user and password also behind `http:` alone, and a proxy needs no scheme. A query may have a key. */
function withoutCredentials(url: string): string {
  if (url.startsWith('embedded:')) return url;
  const at = url.lastIndexOf('@');
  const [scheme = ''] = /^https?:[\\/]*/i.exec(url) ?? [];
  const shown = at === -1 ? url : `${scheme}(hidden)${url.slice(at)}`;
  return shown.replace(/[?#].*/s, '?(hidden)');
}
