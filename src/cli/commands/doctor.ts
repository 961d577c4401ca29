import { readLive } from '../../gateway/read-live.ts';
import { hasErrors, type Problem } from '../../model/problem.ts';
import type { Limited, Rules } from '../../model/rules.ts';
import { DEFAULT_LIMITS, limitText } from '../../plan/checks/limits.ts';
import { onOneLine } from '../../report/escape.ts';
import { renderProblems } from '../../report/text/problems-text.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { connectToRead } from '../connect/connect.ts';
import { allowedHosts, hostNotAllowed } from '../connect/credentials.ts';
import { problemOf } from '../input.ts';
import { EXIT, type ExitCode, type Io } from '../io.ts';
import { conclude } from '../present/output.ts';
import { findPlanKey } from '../plan-file.ts';
import { openProject, wantedEnvironment, type OpenProject, type ProjectArgs } from '../project.ts';
import { settingsFrom, type ConnectionArgs, type Setting } from '../connect/settings.ts';

export type DoctorArgs = ProjectArgs & ConnectionArgs;

/** Prints every setting with where it came from, never a secret's value, and whether the gateway answers. */
export async function doctor(args: DoctorArgs, io: Io): Promise<ExitCode> {
  const project = await openProject(args, io);
  const settings = await settingsFrom(args, io, project.connection);
  const elsewhere = hostNotAllowed(settings, io);
  const key = await findPlanKey(io);
  const wrong = [elsewhere, ...[...Object.values(settings), key].map(faultOf)];
  const problems = locateProblems([...project.problems, ...wrong.filter((problem) => problem !== undefined)]);
  io.err(renderProblems(problems, io.errPaint));
  const rows: readonly Row[] = [
    ...projectRows(project, args, io),
    ...ruleRows(project),
    ...Object.values(settings).map(settingRow),
    keyRow(key),
    allowedRow(io),
  ].map(([name, value, origin]): Row => [name, onOneLine(value), origin]);
  const width = Math.max(...rows.map(([name]) => name.length));
  const wide = Math.max(...rows.map(([, value]) => value.length));
  for (const [name, value, origin] of rows) {
    io.out(`${name.padEnd(width)}  ${value.padEnd(wide)}  ${io.outPaint.dim(origin)}\n`);
  }
  if (elsewhere !== undefined) return end('blocked', EXIT.blocked, io);
  if (hasErrors(problems)) return end('error', EXIT.failed, io);
  if (settings.url.value === undefined) return end('no-gateway', EXIT.ok, io);
  return look(args, project, io);
}

type Row = readonly [name: string, value: string, origin: string];

function projectRows({ folder, environment }: OpenProject, args: DoctorArgs, io: Io): readonly Row[] {
  const chosen = wantedEnvironment(args, io)?.by ?? 'the only one';
  const said = (name: string, value: string | undefined): Row => [
    name,
    value ?? '-',
    value === undefined ? 'not set' : 'gwconf.yaml',
  ];
  return [
    [
      'project',
      folder ?? '-',
      folder === undefined ? 'no gwconf.yaml here or above' : 'found upwards from here',
    ],
    ['environment', environment?.name ?? '-', environment === undefined ? 'not set' : chosen],
    said('version', environment?.version),
    said('security', environment?.security),
    said('pin', environment?.pin?.host),
    said('files', environment?.files?.join(', ')),
  ];
}

function settingRow({ name, value, origin, secret, problem }: Setting): Row {
  if (problem?.code === 'unreadable-file') return [name, '(unreadable)', origin];
  const isText = name === 'ca' || name === 'cert' || name === 'key';
  const shown = value === undefined ? '-' : secret ? '(set)' : isText ? '(PEM)' : withoutCredentials(value);
  return [name, shown, origin];
}

type Key = Awaited<ReturnType<typeof findPlanKey>>;

function faultOf(setting: Setting | Key): Problem | undefined {
  return setting !== undefined && 'problem' in setting ? setting.problem : undefined;
}

function keyRow(key: Key): Row {
  if (key === undefined) return ['plan key', '-', 'not set'];
  return ['plan key', 'problem' in key ? '(unusable)' : '(set)', key.origin];
}

/** What may be touched: each sort of rule, told or counted. */
function ruleRows({ environment = {} }: { readonly environment?: Rules | undefined }): readonly Row[] {
  const { manages, protect, external, ignore, limits } = environment;
  const counted = (name: string, rules: readonly unknown[] = []): Row => [
    name,
    rules.length === 0 ? '-' : `${rules.length} ${rules.length === 1 ? 'rule' : 'rules'}`,
    rules.length === 0 ? 'not set' : 'gwconf.yaml',
  ];
  const limited = (name: string, what: keyof Limited): Row => {
    const limit = limits?.[what] ?? DEFAULT_LIMITS[what];
    const kinds = Object.entries(limits?.kinds ?? {}).flatMap(([kind, own]) => (what in own ? [kind] : []));
    const others = kinds.length === 0 ? '' : `; others for ${kinds.join(', ')}`;
    const said = limits?.[what] !== undefined || kinds.length > 0;
    return [
      name,
      `${limit === undefined ? '-' : limitText(limit)}${others}`,
      said ? 'gwconf.yaml' : 'default',
    ];
  };
  return [
    ['manages', manages?.join(', ') ?? '-', manages === undefined ? 'not set' : 'gwconf.yaml'],
    counted('protect', protect),
    counted('external', external),
    counted('ignore', ignore),
    limited('max deletes', 'deletes'),
    limited('max updates', 'updates'),
  ];
}

function allowedRow(io: Io): Row {
  const hosts = allowedHosts(io);
  if (hosts === undefined) return ['hosts', '-', 'not set: gwconf.yaml may name any'];
  return ['hosts', hosts.length === 0 ? 'none' : hosts.join(', '), 'GWCONF_ALLOWED_HOSTS'];
}

function withoutCredentials(value: string): string {
  return value.replace(/\/\/.*@/, '//(hidden)@');
}

async function look(args: DoctorArgs, project: OpenProject, io: Io): Promise<ExitCode> {
  const { gateway, warnings } = await connectToRead(args, io, project);
  io.err(renderProblems(locateProblems(warnings), io.errPaint));
  try {
    const live = await readLive(gateway, [...catalog.kinds.values()]);
    io.out(`The gateway answers: ${live.resources.size} resources.\n`);
    for (const [kind, words] of live.unavailable) io.out(`It does not serve ${kind}: ${onOneLine(words)}\n`);
    return await end('ok', EXIT.ok, io);
  } catch (error) {
    io.err(renderProblems(locateProblems([problemOf(error)]), io.errPaint));
    return await end('error', EXIT.failed, io);
  } finally {
    await gateway.close();
  }
}

async function end(result: string, code: ExitCode, io: Io): Promise<ExitCode> {
  await conclude(result, io);
  return code;
}
