import { resolveClient } from '../../workflow/effective/resolve.ts';
import type { Run } from '../given.ts';
import { UsageError } from '../io.ts';

/** Shows which interceptors run for a client. */
export const run: Run<'resolve'> = async ({ args, io, openWorkspace, connect }) => {
  const { as: username, virtualCluster, group: groups = [] } = args;
  for (const name of [username, virtualCluster, ...groups])
    if (name?.trim() === '')
      throw new UsageError('--as, --virtual-cluster and --group need a name; found none');
  const workspace = await openWorkspace(args);
  const connected = await connect(args, workspace);
  const { outcome: report, problems } = await resolveClient(io, workspace, connected, {
    username,
    virtualCluster,
    groups,
  });
  const text = report.result === 'ok' ? undefined : () => [];
  return { view: { report, problems, text }, isAnswer: true };
};
