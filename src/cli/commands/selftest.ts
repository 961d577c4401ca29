import { readLive } from '../../gateway/read-live.ts';
import type { Problem } from '../../model/problem.ts';
import type { LiveState } from '../../model/state.ts';
import { makePlan } from '../../plan/make-plan.ts';
import { redact, type ShownPlan } from '../../plan/secrets/redact.ts';
import { makeSelftestReport } from '../../report/view/selftest-report.ts';
import { renderProblems } from '../../report/text/problems-text.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { asDeclared } from '../../schema/load/as-declared.ts';
import { load } from '../../schema/load/load.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { tryConnectToRead } from '../connect/connect.ts';
import { problemOf } from '../input.ts';
import { EXIT, type ExitCode, type Io } from '../io.ts';
import { conclude, emit, parseOutput, type Output } from '../present/output.ts';
import { openProject, type ProjectArgs } from '../project.ts';
import type { ConnectionArgs } from '../connect/settings.ts';

export type SelftestArgs = ProjectArgs & ConnectionArgs & { readonly output?: readonly string[] };

/** Takes what is live as if files had declared it, and plans: there is nothing to do, or gwconf is wrong. */
export async function selftest(args: SelftestArgs, io: Io): Promise<ExitCode> {
  const output = parseOutput(args.output);
  const connected = await tryConnectToRead(args, io, await openProject(args, io));
  if ('problems' in connected) {
    await finish({ url: '', problems: connected.problems }, output, io);
    return connected.exit;
  }
  const { gateway, warnings } = connected;
  const { url } = gateway;
  try {
    const live = await readLive(gateway, [...catalog.kinds.values()]);
    const { shown, problems } = planAgainstItself(live, url);
    return await finish({ url, live, shown, problems: [...warnings, ...problems] }, output, io);
  } catch (error) {
    return await finish({ url, problems: [...warnings, problemOf(error)] }, output, io);
  } finally {
    await gateway.close();
  }
}

type Tested = {
  readonly url: string;
  readonly live?: LiveState;
  readonly shown?: ShownPlan;
  readonly problems: readonly Problem[];
};

function planAgainstItself(live: LiveState, url: string): Required<Pick<Tested, 'shown' | 'problems'>> {
  const declared = load(asDeclared(live, catalog.kinds), catalog, () => undefined);
  const refused = declared.problems.filter(({ severity }) => severity === 'error').map(asRefusal);
  const { value: plan } = makePlan(declared.value, live, catalog.kinds, { gateway: url });
  const shown = redact(plan, catalog.kinds);
  return { shown, problems: [...refused, ...shown.changes.map(asPhantom)] };
}

const REPORT = 'please report it, with this output and the version of the gateway';

/** What is live and no file may have; the line that it stands on was made up, and may hold secrets. */
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

async function finish({ url, live, shown, problems }: Tested, output: Output, io: Io): Promise<ExitCode> {
  const located = locateProblems(problems);
  io.err(renderProblems(located, io.errPaint));
  const report = makeSelftestReport(shown, live, catalog.kinds, url, located);
  await emit({ report, problems: located }, output, io);
  await conclude(report.result, io);
  return report.result === 'no-differences' ? EXIT.ok : EXIT.failed;
}
