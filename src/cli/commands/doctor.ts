import { hasErrors, type Problem } from '../../model/problem.ts';
import { renderJson } from '../../report/json/json.ts';
import { renderDoctor, renderSettings } from '../../report/text/doctor-text.ts';
import { makeDoctorReport, type DoctorReport, type SettingRecord } from '../../outcome/doctor.ts';
import { makeSelftestReport } from '../../outcome/selftest.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { examineGateway } from '../../workflow/live/examine.ts';
import { gatewayProblem, readGateway } from '../../workflow/live/read-live.ts';
import { runSelfTest, type SelfTest } from '../../workflow/plan/self-test.ts';
import type { Workspace } from '../../workflow/project/workspace.ts';
import { tryConnectToRead } from '../connect/connect.ts';
import { checkHostAllowed } from '../connect/credentials.ts';
import { findPlanKeys, type FoundKeys } from '../connect/plan-keys.ts';
import { readSettings, type Setting, type Settings } from '../connect/settings.ts';
import type { ConnectionArgs } from '../table/flags.ts';
import { openWorkspaceFor, type ProjectArgs } from '../connect/flags.ts';
import { UsageError, type Io } from '../io.ts';
import type { ExitCode } from '../../outcome/verdict.ts';
import { finish } from '../present/finish.ts';
import { listSettings } from '../present/list-settings.ts';
import { parseOutput, type Output } from '../present/output.ts';

export type DoctorArgs = ProjectArgs &
  ConnectionArgs & { readonly deep?: boolean; readonly output?: readonly string[] };

/** Prints every setting and where it comes from, never a secret, and checks the gateway; with `deep`, a self-test instead. */
export async function doctor(args: DoctorArgs, io: Io): Promise<ExitCode> {
  const deep = args.deep === true;
  const output = deep ? parseOutput(args.output, io) : undefined;
  const isJson = !deep && wantsJson(args.output);
  const workspace = await openWorkspaceFor(args, io);
  const settings = await readSettings(args, io, workspace.connection);
  const keys = await findPlanKeys(io);
  const rows = listSettings(workspace, { settings, keys, args }, io);
  if (output !== undefined) {
    io.err(renderSettings(rows, io.errPaint)); // stdout is for the report
    return testDeeply(args, output, workspace, io);
  }
  if (!isJson) io.out(renderSettings(rows, io.outPaint));
  const found = await diagnose(args, workspace, { settings, keys }, io);
  return report(found, rows, isJson, io);
}

function wantsJson([format = 'human', ...more]: readonly string[] = []): boolean {
  if (more.length === 0 && (format === 'human' || format === 'json')) return format === 'json';
  throw new UsageError('doctor prints -o human, -o json; doctor --deep has a report in more formats');
}

type Diagnosis = Pick<DoctorReport, 'result' | 'checks' | 'objects'> & {
  readonly gateway?: string;
  readonly unavailable?: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
};

/** Checks the settings, and the gateway unless they are wrong. */
async function diagnose(
  args: DoctorArgs,
  workspace: Workspace,
  { settings, keys }: { readonly settings: Settings; readonly keys: FoundKeys },
  io: Io,
): Promise<Diagnosis> {
  const notAllowed = checkHostAllowed(settings, io);
  const wrong = [notAllowed, ...[...Object.values(settings), ...Object.values(keys)].map(problemIn)];
  const problems = [...workspace.problems, ...wrong.filter((problem) => problem !== undefined)];
  const stop = async (result: Diagnosis['result'], unknown: string, more = problems): Promise<Diagnosis> => ({
    result,
    checks: await examineGateway(io, workspace, { unknown }),
    problems: more,
  });
  if (notAllowed !== undefined) return stop('blocked', 'the gateway is not one that may be called');
  if (hasErrors(problems)) return stop('error', 'the settings have errors');
  if (settings.url.value === undefined) return stop('no-gateway', 'no gateway URL is set');
  const connected = await tryConnectToRead(args, io, workspace);
  if ('problems' in connected)
    return stop(connected.result, 'the connection has errors', [...problems, ...connected.problems]);
  const { gateway, warnings } = connected;
  try {
    const checks = await examineGateway(io, workspace, gateway);
    const found = { gateway: gateway.url, checks, problems: [...problems, ...warnings] };
    const failed = checks.some(({ status }) => status === 'error');
    return { ...found, ...(await countObjects(workspace, gateway, found.problems, failed)) };
  } finally {
    await gateway.close();
  }
}

/** Reads the gateway as a plan does. */
async function countObjects(
  workspace: Workspace,
  gateway: Parameters<typeof readGateway>[1],
  problems: readonly Problem[],
  failed: boolean,
): Promise<Pick<Diagnosis, 'result' | 'problems' | 'objects' | 'unavailable'>> {
  try {
    const { resources, unavailable } = await readGateway(workspace, gateway);
    return { result: failed ? 'error' : 'ok', objects: resources.size, unavailable, problems };
  } catch (error) {
    return { result: 'error', problems: [...problems, gatewayProblem(error)] };
  }
}

function report(
  { gateway = '', unavailable = new Map(), problems: found, ...diagnosis }: Diagnosis,
  settings: readonly SettingRecord[],
  isJson: boolean,
  io: Io,
): Promise<ExitCode> {
  const problems = locateProblems(found);
  const made = makeDoctorReport({ ...diagnosis, gateway, unavailable, settings }, problems);
  const options = { paint: io.outPaint, width: io.columns.out };
  for (const text of isJson ? renderJson(made) : [renderDoctor(made, options)]) io.out(text);
  return finish({ result: made.result, problems }, io);
}

function problemIn(setting: Setting | FoundKeys[keyof FoundKeys]): Problem | undefined {
  return setting !== undefined && 'problem' in setting ? setting.problem : undefined;
}

async function testDeeply(args: DoctorArgs, output: Output, workspace: Workspace, io: Io): Promise<ExitCode> {
  const connected = await tryConnectToRead(args, io, workspace);
  if ('problems' in connected) {
    return finishTest({ problems: connected.problems }, '', output, io);
  }
  const { gateway, warnings } = connected;
  try {
    const tested = await runSelfTest(workspace, gateway);
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
