import { hasErrors, type Problem } from '../../model/problem.ts';
import { renderJson } from '../../report/json/json.ts';
import { renderDoctor, renderSettings } from '../../report/text/doctor-text.ts';
import { makeDoctorReport, type DoctorReport, type SettingRecord } from '../../outcome/doctor.ts';
import { makeSelftestReport } from '../../outcome/selftest.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { examineGateway } from '../../workflow/live/examine.ts';
import { gatewayProblem, readGateway } from '../../workflow/live/read-live.ts';
import { runSelfTest } from '../../workflow/plan/self-test.ts';
import type { Workspace } from '../../workflow/project/workspace.ts';
import { checkHostAllowed } from '../connect/credentials.ts';
import { findPlanKeys, type FoundKeys } from '../connect/plan-keys.ts';
import { readSettings, type Setting, type Settings } from '../connect/settings.ts';
import type { Given, Run } from '../given.ts';
import type { Ending } from '../present/finish.ts';
import { listSettings } from '../present/list-settings.ts';

/** Prints every setting and where it comes from, never a secret, and checks the gateway; with `deep`, a self-test instead. */
export const run: Run<'doctor'> = async (given) => {
  const { args, output, io } = given;
  const workspace = await given.openWorkspace(args);
  const settings = await readSettings(args, io, workspace.gateway);
  const keys = await findPlanKeys(io);
  const rows = listSettings(workspace, { settings, keys, args }, io);
  if (args.deep === true) {
    io.err(renderSettings(rows, io.errPaint)); // stdout is for the report
    return testDeeply(given, workspace);
  }
  if (output.stdout === 'human') io.out(renderSettings(rows, io.outPaint));
  return report(await diagnose(given, workspace, { settings, keys }), rows);
};

type Diagnosis = Pick<DoctorReport, 'result' | 'checks' | 'objects'> & {
  readonly gateway?: string;
  readonly unavailable?: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
};

/** Checks the settings, and the gateway unless they are wrong. */
async function diagnose(
  { args, io, connect }: Given<'doctor'>,
  workspace: Workspace,
  { settings, keys }: { readonly settings: Settings; readonly keys: FoundKeys },
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
  const connected = await connect(args, workspace);
  if ('problems' in connected)
    return stop(connected.result, 'the connection has errors', [...problems, ...connected.problems]);
  const { gateway, warnings } = connected;
  const checks = await examineGateway(io, workspace, gateway);
  const found = { gateway: gateway.url, checks, problems: [...problems, ...warnings] };
  const failed = checks.some(({ status }) => status === 'error');
  return { ...found, ...(await countObjects(workspace, gateway, found.problems, failed)) };
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
): Ending<'human' | 'json'> {
  const problems = locateProblems(found);
  const made = makeDoctorReport({ ...diagnosis, gateway, unavailable, settings }, problems);
  return {
    result: made.result,
    problems,
    render: (format, options) => (format === 'json' ? renderJson(made) : [renderDoctor(made, options)]),
  };
}

function problemIn(setting: Setting | FoundKeys[keyof FoundKeys]): Problem | undefined {
  return setting !== undefined && 'problem' in setting ? setting.problem : undefined;
}

async function testDeeply({ args, connect }: Given<'doctor'>, workspace: Workspace): Promise<Ending> {
  const connected = await connect(args, workspace);
  if ('problems' in connected) {
    const problems = locateProblems(connected.problems);
    return {
      view: { report: makeSelftestReport(undefined, undefined, catalog.kinds, '', problems), problems },
    };
  }
  const { gateway, warnings } = connected;
  const { outcome, problems } = await runSelfTest(workspace, gateway, warnings);
  return { view: { report: outcome, problems: locateProblems(problems) } };
}
