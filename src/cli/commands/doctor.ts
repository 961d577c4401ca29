import { hasErrors, type Problem } from '../../model/problem.ts';
import type { Limited, Rules } from '../../model/rules.ts';
import { DEFAULT_LIMITS, limitText } from '../../plan/checks/limits.ts';
import { onOneLine } from '../../report/escape.ts';
import type { Paint } from '../../report/paint.ts';
import { alignColumns, formatCount } from '../../report/text/phrases.ts';
import { renderProblems } from '../../report/text/problems-text.ts';
import { makeSelftestReport } from '../../report/view/selftest-report.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { isCi } from '../../workflow/ci.ts';
import { gatewayProblem, readGateway } from '../../workflow/live/read-live.ts';
import { runSelfTest, type SelfTest } from '../../workflow/plan/self-test.ts';
import type { OpenProject } from '../../workflow/project/project.ts';
import { tryConnectToRead } from '../connect/connect.ts';
import { readAllowedHosts, VARIABLE } from '../connect/allowed-hosts.ts';
import { checkHostAllowed } from '../connect/credentials.ts';
import { findPlanKeys, PLAN_KEYS, type FoundKeys } from '../connect/plan-keys.ts';
import { type ConnectionArgs, readSettings, type Setting } from '../connect/settings.ts';
import { openProjectFor, wantedEnvironment, type ProjectArgs } from '../connect/flags.ts';
import { ProblemsError, UsageError, type Io } from '../io.ts';
import type { ExitCode } from '../verdict.ts';
import { finish } from '../present/finish.ts';
import { parseOutput, type Output } from '../present/output.ts';

export type DoctorArgs = ProjectArgs &
  ConnectionArgs & { readonly deep?: boolean; readonly output?: readonly string[] };

/** Prints every setting and where it comes from, never a secret, and tries the gateway: one read, or with `deep` a self-test. */
export async function doctor(args: DoctorArgs, io: Io): Promise<ExitCode> {
  const deep = args.deep === true;
  if (!deep && args.output !== undefined)
    throw new UsageError('only doctor --deep has a report: leave out -o');
  const output = parseOutput(args.output, io);
  const project = await openProjectFor(args, io);
  const settings = await readSettings(args, io, project.connection);
  const keys = await findPlanKeys(io);
  const rows = [
    ...projectRows(project, args, io),
    ...ruleRows(project),
    ...Object.values(settings).map(settingRow),
    ...keyRows(keys),
    allowedRow(io),
    variablesRow(project),
  ];
  if (deep) {
    io.err(tableOf(rows, io.errPaint)); // stdout is for the report
    return testDeeply(args, output, project, io);
  }
  io.out(tableOf(rows, io.outPaint));
  const notAllowed = checkHostAllowed(settings, io);
  const wrong = [notAllowed, ...[...Object.values(settings), ...Object.values(keys)].map(problemIn)];
  const problems = locateProblems([...project.problems, ...wrong.filter((problem) => problem !== undefined)]);
  if (notAllowed !== undefined) return finish({ result: 'blocked', problems }, io);
  if (hasErrors(problems)) return finish({ result: 'error', problems }, io);
  if (settings.url.value === undefined) return finish({ result: 'no-gateway', problems }, io);
  io.err(renderProblems(problems, io.errPaint, io.columns.err));
  return tryGateway(args, project, io);
}

function tableOf(rows: readonly Row[], paint: Paint): string {
  const cells = alignColumns(rows.map(([name, value]) => [name, cut(onOneLine(value))]));
  return cells.map((row, at) => `${row.join('  ')}  ${paint.dim(rows[at]?.[2] ?? '')}\n`).join('');
}

const LONGEST_VALUE = 160;

function cut(text: string): string {
  return text.length > LONGEST_VALUE
    ? `${text.slice(0, LONGEST_VALUE)}… (${formatCount(text.length, 'character')})`
    : text;
}

type Row = readonly [name: string, value: string, origin: string];

/** What gwconf.yaml says, or that it does not. */
function declaredRow(name: string, value: string | undefined): Row {
  return [name, value ?? '-', value === undefined ? 'not set' : 'gwconf.yaml'];
}

function projectRows({ folder, environment }: OpenProject, args: DoctorArgs, io: Io): readonly Row[] {
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

function problemIn(setting: Setting | FoundKeys[keyof FoundKeys]): Problem | undefined {
  return setting !== undefined && 'problem' in setting ? setting.problem : undefined;
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

function allowedRow(io: Io): Row {
  const hosts = readAllowedHosts(io)?.entries;
  if (hosts === undefined)
    return [
      'hosts',
      '-',
      `not set: gwconf.yaml can name ${isCi(io.env) ? 'no gateway in CI' : 'any gateway'}`,
    ];
  return ['hosts', hosts.length === 0 ? 'none' : hosts.join(', '), VARIABLE];
}

/** Which environment variables files can use. */
function variablesRow({ variableRule: { allowed } }: OpenProject): Row {
  if (allowed === undefined) return ['variables', '-', 'not set: files can use any'];
  return [
    'variables',
    allowed.length === 0 ? 'none' : allowed.join(', '),
    'GWCONF_ALLOWED_VARIABLES, GWCONF_PUBLIC_VARIABLES',
  ];
}

/** The URL parser reads user and password also behind `http:` alone, and a proxy needs no scheme. */
function withoutCredentials(url: string): string {
  const at = url.lastIndexOf('@');
  if (at === -1 || url.startsWith('embedded:')) return url;
  const [scheme = ''] = /^https?:[\\/]*/i.exec(url) ?? [];
  return `${scheme}(hidden)${url.slice(at)}`;
}

async function tryGateway(args: DoctorArgs, project: OpenProject, io: Io): Promise<ExitCode> {
  const connected = await tryConnectToRead(args, io, project);
  if ('problems' in connected) throw new ProblemsError(connected.problems, connected.result);
  const { gateway, warnings } = connected;
  io.err(renderProblems(locateProblems(warnings), io.errPaint, io.columns.err));
  try {
    const live = await readGateway(project, gateway);
    io.out(`The gateway answers: ${formatCount(live.resources.size, 'resource')}.\n`);
    for (const [kind, words] of live.unavailable) io.out(`It does not serve ${kind}: ${onOneLine(words)}\n`);
    return await finish({ result: 'ok' }, io);
  } catch (error) {
    const problems = locateProblems([gatewayProblem(error)]);
    return await finish({ result: 'error', problems }, io);
  } finally {
    await gateway.close();
  }
}

async function testDeeply(args: DoctorArgs, output: Output, project: OpenProject, io: Io): Promise<ExitCode> {
  const connected = await tryConnectToRead(args, io, project);
  if ('problems' in connected) {
    return finishTest({ problems: connected.problems }, '', output, io);
  }
  const { gateway, warnings } = connected;
  try {
    const tested = await runSelfTest(project, gateway);
    const problems = [...warnings, ...tested.problems];
    return await finishTest({ ...tested, problems }, gateway.url, output, io);
  } finally {
    await gateway.close();
  }
}

function finishTest(
  { live, shown, problems: found }: SelfTest,
  url: string,
  output: Output,
  io: Io,
): Promise<ExitCode> {
  const problems = locateProblems(found);
  const report = makeSelftestReport(shown, live, catalog.kinds, url, problems);
  const { result } = report;
  return finish({ result, problems, view: { report, problems } }, io, output);
}
