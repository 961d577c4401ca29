import type { ReadableGateway } from '../../gateway/gateway.ts';
import type { Problem } from '../../model/problem.ts';
import type { LiveState } from '../../model/state.ts';
import { makePlan } from '../../plan/make-plan.ts';
import { makeSecretFinder } from '../../plan/change/former-secrets.ts';
import { redact, type ShownPlan } from '../../plan/secrets/redact.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { asDeclared } from '../../schema/load/as-declared.ts';
import { load } from '../../schema/load/load.ts';
import { gatewayProblem, readGateway } from '../live/read-live.ts';
import type { OpenProject } from '../project/project.ts';

/** What is live, and the plan that would change it into itself: empty unless gwconf has a bug. */
export type SelfTest = {
  readonly live?: LiveState;
  readonly shown?: ShownPlan;
  readonly problems: readonly Problem[];
};

/** Plans what is live as if files had declared it. Every difference is a problem. */
export async function runSelfTest(project: OpenProject, gateway: ReadableGateway): Promise<SelfTest> {
  let live: LiveState;
  try {
    live = await readGateway(project, gateway);
  } catch (error) {
    return { problems: [gatewayProblem(error)] };
  }
  const declared = load(asDeclared(live, catalog.kinds), catalog, () => undefined);
  const refused = declared.problems.filter(({ severity }) => severity === 'error').map(asRefusal);
  const { value: plan } = makePlan(declared.value, live, catalog.kinds, {
    gateway: gateway.url,
    isSecret: makeSecretFinder(project.secrets),
  });
  const shown = redact(plan, catalog.kinds);
  return { live, shown, problems: [...refused, ...shown.changes.map(asPhantom)] };
}

const REPORT = 'please report it, with this output and the version of the gateway';

/** What is live and no file may declare; its place is in a text that was made up, and may hold secrets. */
function asRefusal({ at: _, also: __, ...problem }: Problem): Problem {
  return { ...problem, hint: `the gateway has it, so gwconf should take it: ${REPORT}` };
}

function asPhantom(change: ShownPlan['changes'][number]): Problem {
  const { address } = change;
  const fields = 'fields' in change ? change.fields.map(({ path }) => path) : [];
  const where = fields.length === 0 ? '' : ` at ${fields.join(', ')}`;
  return {
    code: 'phantom-difference',
    severity: 'error',
    message: `${address} differs from itself${where}`,
    address,
    hint: REPORT,
  };
}
