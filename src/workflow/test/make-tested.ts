import type { Tested } from '../../effective/expect/tested.ts';
import { earlyFinder } from '../../effective/early-masks.ts';
import { makeProtection } from '../../effective/protection.ts';
import { makeEffectiveState } from '../../effective/effective-state.ts';
import { makeTopicCoverage } from '../../effective/topics.ts';
import { PROTECTION_SORTS } from '../../model/principal.ts';
import {
  makeProblem,
  hasErrors,
  type Checked,
  type SourceFile,
  type Place,
  type Problem,
} from '../../model/problem.ts';
import type { LiveState } from '../../model/state.ts';
import { applyIgnoreRules } from '../../plan/change/ignore.ts';
import { isExpired } from '../../plan/checks/ownership.ts';
import { asWritten } from '../../plan/diff/unset-fields.ts';
import { listFollowed } from '../../plan/exposure/moved-clients.ts';
import { redactChains } from '../../plan/secrets/hide-in-chains.ts';
import { findOpenPriorities, redactDeclaredChains } from '../effective/find-chains.ts';
import type { Host } from '../host.ts';
import type { LiveSource } from '../live/live-source.ts';
import { planProject } from '../plan/plan.ts';
import { loadInput, todayOf } from '../project/input.ts';
import { leaveSecretsOpen, rulesOf, type Workspace } from '../project/workspace.ts';
import { dirname } from 'node:path';
import type { LocatedText } from '../../model/test-case.ts';
import { suggest } from '../../model/text/suggest.ts';
import type { ReadTest } from '../project/load-tests.ts';
import { pathFrom } from '../project/find-project.ts';
import { openBeside } from '../project/open-workspace.ts';

/** A state to test, or the problems for which there is none, and the files that it was made of. */
export type MadeTested = Checked<Tested | undefined> & {
  readonly files: readonly SourceFile[];
  /** The same where defaults of variables count as unknown; absent where there are none. */
  readonly withoutDefaults?: Checked<Tested | undefined>;
};

/** Makes what is tested. Nothing is called for files, and no variable needs a value. */
export async function makeTested(
  host: Host,
  target: Target,
  live?: { readonly source: LiveSource; readonly workspace: Workspace },
): Promise<MadeTested> {
  const open = leaveSecretsOpen(host, live?.workspace ?? target.workspace);
  const make = (workspace: Workspace): Promise<MadeTested> =>
    live === undefined ? testFiles(host, target, workspace) : testPlan(host, target, { ...live, workspace });
  const made = await make(open);
  const texts = [...made.files.map(({ text }) => text), JSON.stringify(open.environment?.variables ?? {})];
  if (!texts.some((text) => text.includes(':-'))) return made;
  const withoutDefaults = await make({ ...open, variables: { ...open.variables, defaults: 'open' } });
  return { ...made, withoutDefaults };
}

/** The state that files declare. */
async function testFiles(host: Host, { files: own }: Target, workspace: Workspace): Promise<MadeTested> {
  const { value, files, problems } = await loadInput(host, workspace, inputOf(workspace, own));
  const errors = [...problems, ...findOpenPriorities(value, workspace)].filter(
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
async function testPlan(
  host: Host,
  { files: own }: Target,
  { source, workspace }: { readonly source: LiveSource; readonly workspace: Workspace },
): Promise<MadeTested> {
  let live: LiveState | undefined;
  const read: LiveSource['read'] = async (desired) => (live = await source.read(desired));
  const planned = await planProject(host, workspace, { ...source, read }, inputOf(workspace, own));
  const { plan, files, desired } = planned;
  const problems = [...planned.problems, ...findOpenPriorities(desired, workspace)].filter(
    ({ severity }) => severity === 'error',
  );
  if (plan === undefined || live === undefined || hasErrors(problems))
    return { value: undefined, files, problems };
  const state = makeEffectiveState(live.resources, workspace.catalog.kinds);
  for (const change of plan.changes) {
    if (change.action === 'delete') state.delete(change.address);
    else state.put(change.address, change.after);
  }
  // What a plan leaves as it is live for want of a value, and not for a rule, is unknown here.
  const written = new Map(
    [...desired].flatMap(([address, declared]) => {
      const resource = asWritten(declared);
      return resource === undefined ? [] : [[address, { ...declared, resource }] as const];
    }),
  );
  const ignore = rulesOf(workspace).ignore?.filter((rule) => !isExpired(rule, todayOf(host))) ?? [];
  const unknown = applyIgnoreRules(written, live, ignore, workspace.catalog.kinds).desired;
  for (const { address, resource } of unknown.values()) state.put(address, resource);
  const before = makeEffectiveState(live.resources, workspace.catalog.kinds);
  const { principalOf } = redactChains(
    live.resources,
    plan.changes,
    workspace.catalog.kinds,
    workspace.secrets.known,
  );
  const { kinds } = workspace.catalog;
  const followed = listFollowed({ live: live.resources, changes: plan.changes, kinds });
  const states = { state, before, followed, shownAs: principalOf };
  return { value: describeTested(workspace, states), files, problems: [] };
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
  states: Pick<Tested, 'state' | 'before' | 'followed' | 'shownAs'>,
): Tested {
  const rules = environment?.protection ?? {};
  const classes = [...kinds.values()].flatMap(({ variants }) => variants?.known ?? []);
  return {
    ...states,
    protectionOf: makeProtection(rules),
    earlyOf: earlyFinder(kinds)(states.state.links()),
    sorts: [...new Set([...PROTECTION_SORTS, ...Object.keys(rules)])],
    classes: classes.map(({ name }) => name),
    ...makeTopicCoverage(kinds),
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

/** What a test is about: files, with the rules of an environment if it names one. */
export type Target = {
  readonly environment: string | undefined;
  readonly workspace: Workspace;
  /** Files that the test names. */
  readonly files: readonly LocatedText[] | undefined;
  /** Equal for targets that are read once. */
  readonly key: string;
};

/** The targets of a test; none if it is for another environment than the chosen one. */
export function findTargets(
  host: Host,
  { file, document }: ReadTest,
  workspace: Workspace,
  chosen: string | undefined,
): { readonly value: readonly Target[]; readonly problems: readonly Problem[] } {
  const { environment: named, files: written } = document;
  const files = written?.map(({ text, at }) => ({ text: pathFrom(dirname(file.path), text), at }));
  const targetOf = (name: string | undefined, one: Workspace): Target => ({
    environment: name,
    workspace: one,
    files,
    key: JSON.stringify([name ?? '', files?.map(({ text }) => text)]),
  });
  if (named !== undefined) {
    if (!workspace.project.filesByEnvironment.has(named.text))
      return { value: [], problems: [unknown(named, workspace)] };
    if (chosen !== undefined && chosen !== named.text) return { value: [], problems: [] };
    return { value: [targetOf(named.text, openBeside(host, workspace, named.text))], problems: [] };
  }
  const { environment } = workspace;
  if (environment !== undefined || files !== undefined || workspace.project.filesByEnvironment.size === 0)
    return { value: [targetOf(environment?.name, workspace)], problems: [] };
  const all = [...workspace.project.filesByEnvironment].filter(([, layers]) => layers.length > 0);
  return { value: all.map(([name]) => targetOf(name, openBeside(host, workspace, name))), problems: [] };
}

function unknown({ text, at }: LocatedText, { project: { folder, filesByEnvironment } }: Workspace): Problem {
  const names = [...filesByEnvironment.keys()];
  const near = suggest(text, names);
  const known =
    folder === undefined
      ? 'write a gwconf.yaml with it, or name files instead'
      : names.length === 0
        ? 'add it to gwconf.yaml'
        : `use one of ${names.join(', ')}`;
  return makeProblem({
    code: 'invalid-value',
    message: `there is no environment ${text}`,
    at,
    hint: near === undefined ? known : `did you mean ${near}?`,
  });
}
