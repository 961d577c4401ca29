import { runChecks, type CheckFinding } from '../../doctor/checks.ts';
import type { Examinable } from '../../gateway/facts.ts';
import { listDeprecations } from '../../schema/compare-plugins.ts';
import { catalog } from '../../schema/kinds/index.ts';
import type { Host } from '../host.ts';
import { contextOf } from '../project/input.ts';
import type { Workspace } from '../project/workspace.ts';

/** Checks a gateway with requests that change nothing. Without one, `unknown` is why, and every check says so. */
export async function examineGateway(
  host: Host,
  workspace: Workspace,
  gateway: Examinable | { readonly unknown: string },
): Promise<readonly CheckFinding[]> {
  const reserved = [...catalog.kinds.values()].find(({ builtIn }) => builtIn.length > 0);
  if (reserved === undefined) throw new Error('no kind has built-in objects');
  const expected = {
    ...contextOf(workspace),
    absentIn: reserved.absentIn,
    deprecations: listDeprecations(catalog.kinds),
  };
  if ('unknown' in gateway) return runChecks(gateway, expected);
  if (gateway.examine === undefined)
    return runChecks({ unknown: 'the embedded gateway runs in this process' }, expected);
  return runChecks(await gateway.examine(reserved, host.now), expected);
}
