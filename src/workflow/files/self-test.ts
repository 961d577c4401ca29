import { proveFiles } from '../../declare/prove.ts';
import type { ReadableGateway } from '../../gateway/gateway.ts';
import type { Problem } from '../../model/problem.ts';
import type { LiveState } from '../../model/state.ts';
import { makeSecretFinder } from '../../plan/change/former-secrets.ts';
import type { ShownPlan } from '../../plan/secrets/redact.ts';
import type { Lazy } from '../../outcome/lazy.ts';
import { makeSelftestReport, type SelftestReport } from '../../outcome/selftest.ts';
import { asDeclared } from '../../schema/load/as-declared.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { tellOdd } from './draft-files.ts';
import { type NotOpened, gatewayProblem, readGateway } from '../live/read-live.ts';
import type { Workspace } from '../project/workspace.ts';

/** What is live, and the plan that would change it into itself: empty unless gwconf has a bug. */
export type SelfTest = {
  readonly live?: LiveState;
  readonly shown?: ShownPlan;
  readonly problems: readonly Problem[];
  readonly outcome: Lazy<SelftestReport>;
};

/** Plans what is live as if files had declared it. Every difference is a problem. */
export async function runSelfTest(
  workspace: Workspace,
  gateway: ReadableGateway | NotOpened,
  warnings: readonly Problem[] = [],
): Promise<SelfTest> {
  const isOpen = !('problems' in gateway);
  const {
    live,
    shown,
    problems: found,
  } = isOpen
    ? await compareWithItself(workspace, gateway)
    : { problems: gateway.problems, live: undefined, shown: undefined };
  const problems = [...warnings, ...found];
  const url = isOpen ? gateway.url : '';
  const outcome = makeSelftestReport(shown, live, workspace.catalog.kinds, url, locateProblems(problems));
  return { problems, outcome, ...(live && { live }), ...(shown && { shown }) };
}

async function compareWithItself(
  workspace: Workspace,
  gateway: ReadableGateway,
): Promise<Omit<SelfTest, 'outcome'>> {
  let live: LiveState;
  try {
    await workspace.catalog.ask();
    live = await readGateway(workspace, gateway);
  } catch (error) {
    return { problems: [gatewayProblem(error)] };
  }
  const { shown, problems, odd } = proveFiles(
    asDeclared(live, workspace.catalog.kinds),
    live,
    workspace.catalog,
    {
      gateway: gateway.url,
      acceptsOdd: true,
      isSecret: makeSecretFinder(workspace.secrets.values),
    },
  );
  return { live, shown, problems: [...problems, ...tellOdd(odd)] };
}
