import { makeResolveReport } from '../../outcome/resolve.ts';
import { renderJson } from '../../report/json/json.ts';
import { renderResolved } from '../../report/text/resolve-text.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { resolveClient } from '../../workflow/effective/resolve.ts';
import type { Run } from '../given.ts';
import { UsageError } from '../io.ts';

/** Shows which interceptors run for a client. */
export const run: Run<'resolve'> = async ({ args, io, openWorkspace, connect }) => {
  const { as: username, virtualCluster = 'passthrough', group: groups = [] } = args;
  for (const name of [username ?? 'any', virtualCluster, ...groups])
    if (name.trim() === '')
      throw new UsageError('--as, --virtual-cluster and --group need a name; found none');
  const client = { username, virtualCluster, groups };
  const workspace = await openWorkspace(args);
  const connected = await connect(args, workspace);
  const isOpen = 'gateway' in connected;
  const found = isOpen
    ? await resolveClient(io, workspace, connected.gateway, { ...client, username: username ?? null })
    : { ...connected, interceptors: [] };
  const { result, interceptors } = found;
  const problems = locateProblems([...(isOpen ? connected.warnings : []), ...found.problems]);
  const gateway = isOpen ? connected.gateway.url : '';
  const report = makeResolveReport({ result, interceptors, gateway, client }, problems);
  return {
    result,
    problems,
    render: (format, options) =>
      format === 'json' ? renderJson(report) : result === 'ok' ? renderResolved(report, options) : [],
  };
};
