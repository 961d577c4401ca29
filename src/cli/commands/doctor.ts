import type { Problem } from '../../model/problem.ts';
import { renderJson } from '../../report/json/json.ts';
import { renderDoctor, renderSettings } from '../../report/text/doctor-text.ts';
import { makeSelftestReport } from '../../outcome/selftest.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { diagnose } from '../../workflow/live/diagnose.ts';
import { runSelfTest } from '../../workflow/plan/self-test.ts';
import type { Workspace } from '../../workflow/project/workspace.ts';
import { checkHostAllowed } from '../connect/credentials.ts';
import { findPlanKeys, type FoundKeys } from '../connect/plan-keys.ts';
import { readSettings, type Setting } from '../connect/settings.ts';
import type { Given, Run } from '../given.ts';
import type { Ending } from '../present/finish.ts';
import { listSettings } from '../present/list-settings.ts';

/** Prints every setting and where it comes from, never a secret, and checks the gateway; with `deep`, a self-test instead. */
export const run: Run<'doctor'> = async (given) => {
  const { args, output, io, connect } = given;
  const workspace = await given.openWorkspace(args);
  const settings = await readSettings(args, io, workspace.gateway);
  const keys = await findPlanKeys(io);
  const rows = listSettings(workspace, { settings, keys, args }, io);
  if (args.deep === true) {
    io.err(renderSettings(rows, io.errPaint)); // stdout is for the report
    return testDeeply(given, workspace);
  }
  if (output.stdout === 'human') io.out(renderSettings(rows, io.outPaint));
  const notAllowed = checkHostAllowed(settings, io);
  const wrong = [notAllowed, ...[...Object.values(settings), ...Object.values(keys)].map(problemIn)];
  const { report, problems } = await diagnose(io, workspace, {
    settings: rows,
    problems: wrong.filter((problem) => problem !== undefined),
    isAllowed: notAllowed === undefined,
    open: settings.url.value === undefined ? undefined : () => connect(args, workspace),
  });
  return {
    result: report.result,
    problems,
    render: (format, options) => (format === 'json' ? renderJson(report) : [renderDoctor(report, options)]),
  };
};

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
