import { groupsOf, listPresent } from '../../effective/list-present.ts';
import { makeProtection } from '../../effective/protection.ts';
import { makeTopicCoverage } from '../../effective/topics.ts';
import { chainsOf, EffectiveState } from '../../effective/effective-state.ts';
import { getOrAdd, memoize } from '../../model/collect.ts';
import { joinPointer, type Json, type Pointer } from '../../model/json/json.ts';
import { addressOf } from '../../model/kind.ts';
import type { Catalog } from '../../model/own-kind.ts';
import type { Chain, Fact, Principal } from '../../model/principal.ts';
import type { Problem } from '../../model/problem.ts';
import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import { HIDDEN } from '../../model/secrets/hidden.ts';
import { placeOf, type Declared, type DesiredState, type LiveState } from '../../model/state.ts';
import type { Change } from '../../plan/change/change.ts';
import type { Plan } from '../../plan/change/plan.ts';
import { hideDeclared, hideSecrets, redactLive } from '../../plan/secrets/redact.ts';
import { checkPolicies, placeIn } from '../../policy/check-policies.ts';
import {
  makePolicyCompiler,
  type ChainValue,
  type PolicyEnvironment,
  type ChangeSubject,
  type ObjectSubject,
  type PrincipalSubject,
} from '../../policy/compile.ts';
import { checkExamples } from '../../policy/examples.ts';
import { group } from '../../schema/kinds/group.ts';
import type { Host } from '../host.ts';
import { todayOf } from './input.ts';
import { findUnjudged, loadPolicies } from './load-policies.ts';
import { rulesOf, type Workspace } from './workspace.ts';

/** What the policies of a project say of objects, changes and clients, and which policies cannot be used. */
export async function checkProject(
  host: Host,
  workspace: Workspace,
  judged: Judged,
): Promise<readonly Problem[]> {
  const loaded = await loadPolicies(host, workspace);
  const compiler = makePolicyCompiler();
  const { bind, bindHidden } = compiler;
  const { policies, problems } = checkExamples(loaded.value, workspace.catalog.kinds, compiler);
  const run = {
    ...{ policies, bind, bindHidden },
    environment: environmentOf(host, workspace),
    kinds: workspace.catalog.kinds,
  };
  const live = policies.some(({ subject }) => subject === 'principal') ? judged.live : undefined;
  const sidesOf = sidesFinder(workspace.catalog);
  const found = checkPolicies(run, {
    objects: objectSubjects(judged, sidesOf, workspace.catalog),
    changes: changeSubjects(judged, sidesOf),
    principals: live === undefined ? [] : principalSubjects(judged, sidesOf, live, workspace),
  });
  return [...loaded.problems, ...problems, ...findUnjudged(loaded.value, workspace), ...found];
}

function environmentOf(host: Host, { environment }: Workspace): PolicyEnvironment {
  return {
    name: environment?.name ?? '',
    day: todayOf(host),
    version: environment?.version,
    security: environment?.security,
    maxTokenSeconds: environment?.token?.maxLifetime?.seconds,
  };
}

/** What there is to judge: files, or the changes of a plan and what they would be made on, or both. */
export type Judged = {
  /** Absent for a saved plan: its changes are judged. */
  readonly desired?: DesiredState;
  readonly changes?: readonly Change[];
  /** What these mean for principals. */
  readonly losses?: Pick<Plan, 'exposures' | 'weakenings'>;
  /** What the gateway has that says something about principals. */
  readonly live?: LiveState;
};

/** What files declare; of a saved plan what it creates and changes. */
function* objectSubjects(
  { desired, changes = [] }: Judged,
  sidesOf: FindSides,
  catalog: Catalog,
): Generator<ObjectSubject> {
  if (desired !== undefined) {
    for (const declared of desired.values()) yield declaredSubject(declared, catalog);
    return;
  }
  for (const change of changes)
    if (change.action !== 'delete' && !('step' in change))
      yield { address: change.address, object: () => sidesOf(change).after ?? change.after };
}

function declaredSubject(declared: Declared, { kinds }: Catalog): ObjectSubject {
  const { address, templates } = declared;
  const isOpen = [...(templates?.values() ?? [])].some(({ open = [] }) => open.length > 0);
  return {
    address,
    object: () => hideDeclared(declared, kinds) ?? declared.resource,
    placeOf: (path) => placeOf(declared, path),
    ...(isOpen ? { isOpen } : {}),
  };
}

/** The changes of a plan, without extra steps: these are part of others. */
function* changeSubjects(
  { changes = [], desired, losses = {} }: Judged,
  sidesOf: FindSides,
): Generator<ChangeSubject> {
  const { exposures = [], weakenings = [] } = losses;
  const lost = sortsByChange(
    exposures.filter(({ lasting }) => lasting),
    ({ from, lost: by }) => [from, ...by],
  );
  const weakened = sortsByChange(
    weakenings.filter(({ certainty, until }) => certainty !== 'cannot-tell' && until === undefined),
    ({ from, by }) => [...from, by],
  );
  for (const change of changes) {
    if ('step' in change) continue;
    const { address, action } = change;
    const declared = desired?.get(address);
    yield {
      ...{ address, action, loses: lost(address), weakens: weakened(address) },
      before: () => sidesOf(change).before ?? null,
      after: () => sidesOf(change).after ?? null,
      ...(declared === undefined ? {} : { placeOf: (path) => placeOf(declared, path) }),
    };
  }
}

/** The sorts of protection by the objects whose changes take them away. */
function sortsByChange<T extends { readonly protection: string }>(
  all: readonly T[],
  sourcesOf: (one: T) => readonly string[],
): (address: Address) => readonly string[] {
  const sorts = new Map<string, Set<string>>();
  for (const one of all)
    for (const source of sourcesOf(one)) getOrAdd(sorts, source, () => new Set()).add(one.protection);
  return (address) => [...(sorts.get(address) ?? [])].sort();
}

/** The two sides of a change without its secrets. */
type FindSides = (change: Change) => { readonly before?: Resource; readonly after?: Resource };

function sidesFinder({ kinds }: Catalog): FindSides {
  return memoize((change: Change) => {
    const hidden = hideSecrets(change, kinds);
    return {
      ...('before' in hidden ? { before: hidden.before } : {}),
      ...('after' in hidden ? { after: hidden.after } : {}),
    };
  });
}

/** The clients that there will be, with their chains on the gateway as it is, in their groups there, and once the changes are made. */
function* principalSubjects(
  { changes = [] }: Judged,
  sidesOf: FindSides,
  live: LiveState,
  workspace: Workspace,
): Generator<PrincipalSubject> {
  const [before, after] = [
    new EffectiveState(workspace.catalog.kinds),
    new EffectiveState(workspace.catalog.kinds),
  ];
  for (const [address, resource] of live.resources) {
    const hidden = hideLive(address, resource, workspace);
    if (hidden === undefined) continue;
    before.put(address, hidden);
    after.put(address, hidden);
  }
  for (const change of changes) {
    const { after: resource } = sidesOf(change);
    if (resource === undefined) after.delete(change.address);
    else after.put(change.address, resource);
  }
  const valueOf = chainValues(workspace);
  const hiddenFor = hiddenMembership([before, after]);
  const [chainBefore, chainAfter] = [before, after].map(chainsOf);
  for (const { principal, isLasting } of listPresent(before, after)) {
    const was = isLasting ? { ...principal, groups: groupsOf(principal, before) } : principal;
    yield {
      ...principal,
      before: valueOf(chainBefore?.(was) ?? [], was),
      after: valueOf(chainAfter?.(principal) ?? [], principal),
      hidden: hiddenFor(principal),
    };
  }
}

/** The hidden name that may be that of a principal, who would then be in another group. */
function hiddenMembership(states: readonly EffectiveState[]): (principal: Principal) => Pointer | undefined {
  const names = states.flatMap((state) => [...state.facts()]).filter(isHiddenMember);
  return ({ virtualCluster, username, externalGroup }) => {
    const found = names.find((fact) =>
      fact.type === 'external-group'
        ? externalGroup !== undefined
        : username !== null && [virtualCluster, HIDDEN].includes(fact.virtualCluster),
    );
    if (found === undefined) return undefined;
    const field = found.type === 'member' ? 'members' : 'externalGroups';
    return joinPointer(placeIn(addressOf(group.name, found.group)), field);
  };
}

function isHiddenMember(fact: Fact): fact is Extract<Fact, { type: 'member' | 'external-group' }> {
  if (fact.type === 'external-group') return fact.name === HIDDEN;
  return fact.type === 'member' && [fact.username, fact.virtualCluster].includes(HIDDEN);
}

/** Undefined for what is without effect on chains. */
function hideLive(
  address: Address,
  resource: Resource,
  {
    catalog,
    secrets: {
      known: { declaredOf, isSecret },
    },
  }: Workspace,
): Resource | undefined {
  const kind = catalog.kinds.get(kindOf(address));
  return kind?.facts === undefined ? undefined : redactLive(resource, kind, declaredOf?.(address), isSecret);
}

/**
 * A chain as policies see it. Principals with the same chain share it, but for what its configs leave them out of: that protects nothing of
 * theirs, and where a hidden value decides it, what it protects is hidden.
 */
function chainValues(workspace: Workspace): (chain: Chain, principal: Principal) => readonly ChainValue[] {
  const protects = makeProtection(rulesOf(workspace).protection);
  const { audienceOf } = makeTopicCoverage(workspace.catalog.kinds);
  const valuesOf = memoize((chain: Chain): readonly ChainValue[] =>
    chain.map(({ one }) => {
      const { address, name, scope, pluginClass, config } = one;
      const priority = Number.isNaN(one.priority) ? HIDDEN : one.priority;
      return { address, name, scope, pluginClass, priority, config, protects: protects(one) };
    }),
  );
  const narrowed = memoize<readonly ChainValue[], Map<string, readonly ChainValue[]>>(() => new Map());
  return (chain, principal) => {
    const values = valuesOf(chain);
    const given = chain.map(({ one }): Json | undefined => {
      const { covers, isHidden } = audienceOf(one, principal);
      return covers === 'no' ? [] : isHidden === true ? HIDDEN : undefined;
    });
    if (given.every((one) => one === undefined)) return values;
    return getOrAdd(narrowed(values), JSON.stringify(given), () =>
      values.map((value, at) => ({ ...value, protects: given[at] ?? value['protects'] ?? [] })),
    );
  };
}
