import { runChecks, type CheckFinding } from '../../doctor/checks.ts';
import type { Examinable, ReadingOperations } from '../../gateway/operations.ts';
import type { ReadableGateway } from '../../gateway/gateway.ts';
import { hasErrors, type Problem } from '../../model/problem.ts';
import { makeDoctorReport, type DoctorReport, type SettingRecord } from '../../outcome/gateway.ts';
import type { Told } from '../../outcome/outcome.ts';
import { listDeprecations } from '../../schema/compare-plugins.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import type { Host } from '../host.ts';
import { contextOf } from '../project/input.ts';
import type { Workspace } from '../project/workspace.ts';
import type { Opened } from './opened.ts';
import { gatewayProblem, readGateway } from './read-live.ts';

type DiagnoseOptions = {
  readonly settings: readonly SettingRecord[];
  /** What is wrong with them. */
  readonly problems: readonly Problem[];
  /** Whether the gateway is one that may be called. */
  readonly isAllowed: boolean;
  /** Absent: no gateway is named. */
  readonly open: (() => Promise<Opened<ReadableGateway & ReadingOperations & Examinable>>) | undefined;
};

type Diagnosis = Pick<DoctorReport, 'result' | 'checks' | 'objects'> & {
  readonly gateway?: string;
  readonly unavailable?: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
};

/** Checks the settings, and the gateway unless they are wrong. */
export async function diagnose(
  host: Host,
  workspace: Workspace,
  options: DiagnoseOptions,
): Promise<Told<DoctorReport>> {
  const {
    gateway = '',
    unavailable = new Map(),
    problems: found,
    ...about
  } = await check(host, workspace, options);
  const problems = locateProblems(found);
  const { settings } = options;
  return { outcome: makeDoctorReport({ ...about, gateway, unavailable, settings }, problems), problems };
}

async function check(
  host: Host,
  workspace: Workspace,
  { problems: wrong, isAllowed, open }: DiagnoseOptions,
): Promise<Diagnosis> {
  const problems = [...workspace.problems, ...wrong];
  const stop = async (result: Diagnosis['result'], unknown: string, more = problems): Promise<Diagnosis> => ({
    result,
    checks: await examineGateway(host, workspace, { unknown }),
    problems: more,
  });
  if (!isAllowed) return stop('blocked', 'the gateway is not one that may be called');
  if (hasErrors(problems)) return stop('error', 'the settings have errors');
  if (open === undefined) return stop('no-gateway', 'no gateway URL is set');
  const opened = await open();
  if ('problems' in opened)
    return stop(opened.result, 'the connection has errors', [...problems, ...opened.problems]);
  const { gateway, warnings } = opened;
  const checks = await examineGateway(host, workspace, gateway);
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

/** Checks a gateway with requests that change nothing. Without one, `unknown` is why, and every check says so. */
async function examineGateway(
  host: Host,
  workspace: Workspace,
  gateway: Examinable | { readonly unknown: string },
): Promise<readonly CheckFinding[]> {
  const reserved = [...workspace.catalog.kinds.values()].find(({ builtIn }) => builtIn.length > 0);
  if (reserved === undefined) throw new Error('no kind has built-in objects');
  const expected = {
    ...contextOf(workspace),
    absentIn: reserved.absentIn,
    deprecations: listDeprecations(workspace.catalog.kinds),
  };
  if ('unknown' in gateway) return runChecks(gateway, expected);
  if (gateway.examine === undefined)
    return runChecks({ unknown: 'the embedded gateway runs in this process' }, expected);
  return runChecks(await gateway.examine(reserved, host.now), expected);
}
