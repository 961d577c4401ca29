import { runChecks, type CheckFinding } from '../../doctor/checks.ts';
import type { Examinable, ReadingOperations, ReadableGateway } from '../../gateway/gateway.ts';
import { sameJson } from '../../model/json/json.ts';
import { hasErrors, type Problem } from '../../model/problem.ts';
import { makeDoctorReport, type DoctorReport, type SettingRecord } from '../../outcome/gateway.ts';
import type { Told } from '../../outcome/outcome.ts';
import { listDeprecations } from '../../schema/compare-plugins.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import type { Host } from '../host.ts';
import { contextOf } from '../project/input.ts';
import { KnownKinds } from '../project/known-kinds.ts';
import type { Workspace } from '../project/workspace.ts';
import { type Opened, gatewayProblem, readGateway } from './read-live.ts';

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
  const checks = [
    ...(await examineGateway(host, workspace, gateway)),
    ...(await checkKinds(workspace, gateway)),
  ];
  const found = { gateway: gateway.url, checks, problems: [...problems, ...warnings] };
  const failed = checks.some(({ status }) => status === 'error');
  return { ...found, ...(await countObjects(workspace, gateway, found.problems, failed)) };
}

const MOST_SHOWN = 20;

/** What the gateway says of its kinds and gwconf, or a copy that gwconf.yaml names, does not; nothing where they agree. */
async function checkKinds(
  { project, catalog }: Workspace,
  gateway: Pick<ReadingOperations, 'readDescription'>,
): Promise<readonly CheckFinding[]> {
  const asked = new KnownKinds();
  asked.askBy(gateway);
  await asked.ask();
  const { described, problems } = asked;
  if (described === undefined) return [];
  const { findDisagreements } = await import('../../schema/described/compare-forms.ts');
  const finding = (message: string, hint?: string): CheckFinding => ({
    ...{ check: 'kinds', status: 'warning', message },
    hint,
  });
  const others = [...described.ours].flatMap(([name, schema]) => {
    const kind = asked.kinds.get(name);
    return kind === undefined
      ? []
      : findDisagreements(kind, schema).map(({ path, says }) => `${path} of ${name} ${says}`);
  });
  const isOld =
    project.kinds !== undefined && !sameJson(catalog.described?.description ?? null, described.description);
  return [
    ...others
      .slice(0, MOST_SHOWN)
      .map((one) =>
        finding(`the gateway says that ${one}`, 'the form of gwconf counts; a later version may know more'),
      ),
    ...(isOld
      ? [
          finding(
            'the gateway describes other kinds than the copy in gwconf.yaml',
            'write it again: gwconf schema --gateway > FILE',
          ),
        ]
      : []),
    ...problems.map(({ message, hint }) => finding(message, hint)),
  ];
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
