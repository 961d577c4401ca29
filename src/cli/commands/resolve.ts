import type { Problem } from '../../model/problem.ts';
import { renderJson } from '../../report/json/json.ts';
import { renderResolved } from '../../report/text/resolve-text.ts';
import { makeResolveReport, type ResolveReport } from '../../outcome/resolve.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { resolveClient } from '../../workflow/effective/resolve.ts';
import { tryConnectToRead } from '../connect/connect.ts';
import { openWorkspaceFor, type ProjectArgs } from '../connect/flags.ts';
import type { ConnectionArgs } from '../table/flags.ts';
import { UsageError, type Io } from '../io.ts';
import { finish } from '../present/finish.ts';
import { parseReportFormat } from '../present/report-format.ts';
import type { ExitCode } from '../../outcome/verdict.ts';

export type ResolveArgs = ProjectArgs &
  ConnectionArgs & {
    readonly as?: string;
    readonly virtualCluster?: string;
    readonly group?: readonly string[];
    readonly output?: readonly string[];
  };

/** Shows which interceptors run for a client. It gets no gateway that can be written to. */
export async function resolve(args: ResolveArgs, io: Io): Promise<ExitCode> {
  const { as: username, virtualCluster = 'passthrough', group: groups = [] } = args;
  const format = parseReportFormat('resolve', args.output);
  for (const name of [username ?? 'any', virtualCluster, ...groups])
    if (name.trim() === '')
      throw new UsageError('--as, --virtual-cluster and --group need a name; found none');
  const client = { username, virtualCluster, groups };
  const workspace = await openWorkspaceFor(args, io);
  const end = (
    about: Pick<ResolveReport, 'result' | 'interceptors' | 'gateway'>,
    found: readonly Problem[],
  ): Promise<ExitCode> => {
    const problems = locateProblems(found);
    const report = makeResolveReport({ ...about, client }, problems);
    const options = { paint: io.outPaint, width: io.columns.out };
    const texts =
      format === 'json' ? renderJson(report) : about.result === 'ok' ? renderResolved(report, options) : [];
    for (const text of texts) io.out(text);
    return finish({ result: about.result, problems }, io);
  };
  const connected = await tryConnectToRead(args, io, workspace);
  if ('problems' in connected)
    return end({ result: connected.result, interceptors: [], gateway: '' }, connected.problems);
  const { gateway, warnings } = connected;
  try {
    const { problems, ...resolved } = await resolveClient(workspace, gateway, {
      ...client,
      username: username ?? null,
    });
    return await end({ ...resolved, gateway: gateway.url }, [...warnings, ...problems]);
  } finally {
    await gateway.close();
  }
}
