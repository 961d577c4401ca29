import type { Tested } from '../../effective/expect/tested.ts';
import { makeProtection } from '../../effective/protection.ts';
import { makeEffectiveState } from '../../effective/effective-state.ts';
import { makeTopicCoverage } from '../../effective/topics.ts';
import { PROTECTION_SORTS } from '../../model/principal.ts';
import { hasErrors, type Checked, type SourceFile, type Place, type Problem } from '../../model/problem.ts';
import type { LiveState } from '../../model/state.ts';
import { redactChains } from '../../plan/secrets/hide-in-chains.ts';
import { findOpenPriorities, redactDeclaredChains } from '../effective/find-chains.ts';
import type { Host } from '../host.ts';
import type { LiveSource } from '../live/live-source.ts';
import { planProject } from '../plan/plan.ts';
import { loadInput } from '../project/input.ts';
import { leaveSecretsOpen, type Workspace } from '../project/workspace.ts';
import type { Target } from './find-targets.ts';

/** A state to test, or the problems for which there is none, and the files that it was made of. */
export type MadeTested = Checked<Tested | undefined> & { readonly files: readonly SourceFile[] };

/** The state that files declare. Nothing is called, and no variable needs a value. */
export async function testFiles(host: Host, { workspace, files: own }: Target): Promise<MadeTested> {
  const open = leaveSecretsOpen(host, workspace);
  const { value, files, problems } = await loadInput(host, open, inputOf(workspace, own));
  const errors = [...problems, ...findOpenPriorities(value, open)].filter(
    ({ severity }) => severity === 'error',
  );
  const resources = [...value].map(([address, { resource }]) => [address, resource] as const);
  const state = makeEffectiveState(resources, workspace.catalog.kinds);
  const { principalOf } = redactDeclaredChains(workspace, value);
  return {
    value: errors.length > 0 ? undefined : describeTested(workspace, { state, shownAs: principalOf }),
    files,
    problems: errors,
  };
}

/** The state of a gateway, or a snapshot of one, before and after a plan. */
export async function testPlan(
  host: Host,
  { files: own }: Target,
  { source, workspace }: { readonly source: LiveSource; readonly workspace: Workspace },
): Promise<MadeTested> {
  let live: LiveState | undefined;
  const read: LiveSource['read'] = async (desired) => (live = await source.read(desired));
  const open = leaveSecretsOpen(host, workspace);
  const planned = await planProject(host, open, { ...source, read }, inputOf(workspace, own));
  const { plan, files, desired } = planned;
  const problems = [...planned.problems, ...findOpenPriorities(desired, open)].filter(
    ({ severity }) => severity === 'error',
  );
  if (plan === undefined || live === undefined || hasErrors(problems))
    return { value: undefined, files, problems };
  const state = makeEffectiveState(live.resources, workspace.catalog.kinds);
  for (const change of plan.changes) {
    if (change.action === 'delete') state.delete(change.address);
    else state.put(change.address, change.after);
  }
  const before = makeEffectiveState(live.resources, workspace.catalog.kinds);
  const { principalOf } = redactChains(
    live.resources,
    plan.changes,
    workspace.catalog.kinds,
    workspace.secrets.known,
  );
  return { value: describeTested(workspace, { state, before, shownAs: principalOf }), files, problems: [] };
}

/** Without gwconf.yaml and files, those of this folder. */
function inputOf(
  { project: { folder } }: Workspace,
  files: Target['files'],
): Parameters<typeof loadInput>[2] {
  return folder === undefined && files === undefined ? { paths: ['.'] } : { files };
}

function describeTested(
  { environment, catalog: { kinds } }: Workspace,
  states: Pick<Tested, 'state' | 'before' | 'shownAs'>,
): Tested {
  const rules = environment?.protection ?? {};
  const classes = [...kinds.values()].flatMap(({ variants }) => variants?.known ?? []);
  return {
    ...states,
    protectionOf: makeProtection(rules),
    sorts: [...new Set([...PROTECTION_SORTS, ...Object.keys(rules)])],
    classes: classes.map(({ name }) => name),
    coverageOf: makeTopicCoverage(kinds).coverageOf,
  };
}

/** What came of a case in one environment, or of an example of a policy. */
export type RanCase = {
  readonly name: string;
  readonly at: Place;
  readonly environment: string | undefined;
  readonly result: 'passed' | 'failed' | 'not-run';
  readonly principals: number;
  readonly problems: readonly Problem[];
};
