import { chainsOf, linksIn, makeEffectiveState } from '../../effective/effective-state.ts';
import type { ReadableGateway, ReadingOperations } from '../../gateway/gateway.ts';
import type { ChainLink, Principal } from '../../model/principal.ts';
import type { ChainDrift } from '../../outcome/effective.ts';
import { type Problem, applyLint } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import type { LiveState } from '../../model/state.ts';
import { compileGlobs } from '../../model/text/glob.ts';
import type { WeakerProtection } from '../../plan/change/plan.ts';
import { adoptUnsetFields } from '../../plan/diff/unset-fields.ts';
import { redactChains } from '../../plan/secrets/hide-in-chains.ts';
import { makeMatcher } from '../../plan/change/select.ts';
import type { Host } from '../host.ts';
import { gatewayProblem } from '../live/read-live.ts';
import { todayOf } from '../project/input.ts';
import { cureFor } from '../project/variables.ts';
import { leaveSecretsOpen, type Workspace } from '../project/workspace.ts';
import { askGateway, checkAnswer, classify, pairUp, type ChainClass } from './ask-gateway.ts';
import {
  findDeclaredChains,
  readChainState,
  redactDeclaredChains,
  TOPIC_KINDS,
  type ChainOptions,
  type DeclaredChains,
} from './find-chains.ts';
import { weakerFinder } from './find-weaker.ts';
import { describePrincipal } from './select-principals.ts';

export type ComparedChains = Omit<DeclaredChains, 'result'> & {
  readonly result: 'no-drift' | 'drift' | 'incomplete' | 'not-found' | 'error';
  readonly drift: readonly ChainDrift[];
  /** For how many principals the gateway was not asked. */
  readonly unchecked: number;
  /** How many interceptors on the gateway were left out. */
  readonly unmanaged: number;
  /** What the gateway has, as far as chains depend on it. */
  readonly resources: LiveState['resources'];
};

export type CompareOptions = ChainOptions & {
  readonly mostRequests?: number;
  /** Topics of each virtual cluster, beside those that objects are. */
  readonly topics?: readonly string[] | undefined;
};

const MOST_REQUESTS = 1000;

/**
 * Compares the chains by files with what the gateway answers, for every principal that either side knows: one request for all
 * that have the same chain in the files and by the lists of the gateway. Interceptors that the files do not manage are left out.
 * Also compares what both chains protect.
 */
export async function compareChains(
  host: Host,
  workspace: Workspace,
  gateway: Pick<ReadableGateway, 'list'> & Pick<ReadingOperations, 'resolveInterceptors'>,
  { mostRequests = MOST_REQUESTS, topics, ...options }: CompareOptions = {},
): Promise<ComparedChains> {
  const declared = await findDeclaredChains(host, workspace, options);
  const nothing = { drift: [], unchecked: 0, unmanaged: 0, resources: new Map<never, never>() };
  if (declared.result !== 'ok') return { ...declared, result: declared.result, ...nothing };
  try {
    const live = await readChainState(workspace, gateway, TOPIC_KINDS);
    const { resources } = live;
    const { kinds } = workspace.catalog;
    const state = makeEffectiveState(resources, kinds);
    const open = leaveSecretsOpen(host, workspace);
    const { value: adopted, problems: unknown } = adoptUnsetFields(declared.desired, live, (name) =>
      cureFor(name, open.variables),
    );
    const { manages = ['*'], external = [] } = workspace.environment ?? {};
    const [isIncluded, isExternal] = [
      makeMatcher(manages, kinds),
      compileGlobs(external.map(({ address }) => address)),
    ];
    const isManaged = (address: Address): boolean => isIncluded(address) && !isExternal(address);
    const unmanaged = [...resources].filter(([address]) => !isManaged(address));
    const isInterceptor = ([address, one]: (typeof unmanaged)[number]): boolean =>
      linksIn(address, one, kinds).length > 0;
    // Who is in groups that others manage, they say.
    const ofOthers = unmanaged.filter((one) => !adopted.has(one[0]) && !isInterceptor(one));
    const files = makeEffectiveState(
      [...ofOthers, ...Array.from(adopted, ([address, { resource }]) => [address, resource] as const)],
      kinds,
    );
    const [own, there] = [
      redactDeclaredChains(workspace, declared.desired),
      redactChains(resources, [], kinds, {
        ...workspace.secrets.known,
        declaredOf: (address) => declared.desired.get(address),
      }),
    ];
    const shownAs = <P extends Principal>(principal: P): P => own.principalOf(there.principalOf(principal));
    const pairs = pairUp(files, state, options.asked, { principalOf: shownAs });
    const classes = classify(pairs, files, state, resources);
    const asked = classes.slice(0, mostRequests);
    const answered = new Map(resources);
    const answers = await askGateway(gateway, asked, answered);
    const world = { desired: declared.desired, adopted, resources: answered, today: todayOf(host), topics };
    const { findWeaker, findOthers } = weakerFinder(open, world, isManaged);
    const ofClasses = asked.flatMap((one, at) => {
      const answer = answers[at] ?? [];
      const live = answer.filter(({ address }) => isManaged(address));
      return driftOf(one, live, findWeaker(one, answer));
    });
    const chainOf = chainsOf(files);
    const liveOf = chainsOf(state);
    const known = pairs.map(({ declared: principal }) => principal);
    const others = (options.asked === undefined ? findOthers(known) : []).map(
      ({ principal, weaker }): ChainDrift => ({
        principal,
        declared: chainOf(principal),
        live: liveOf(principal).filter(({ one }) => isManaged(one.address)),
        weaker,
      }),
    );
    const drift = [...ofClasses, ...others];
    const unchecked = countPrincipals(classes) - countPrincipals(asked);
    const found = [
      ...unknown,
      ...asked.flatMap((one, at) => checkClass(one, answers[at] ?? [], shownAs)),
      ...checkComplete(unchecked, mostRequests),
    ];
    return {
      ...declared,
      result: drift.length > 0 ? 'drift' : unchecked > 0 ? 'incomplete' : 'no-drift',
      chains: [...known, ...others.map(({ principal }) => principal)].map((principal) => ({
        principal,
        chain: chainOf(principal),
      })),
      drift,
      unchecked,
      unmanaged: unmanaged.filter(isInterceptor).length,
      resources: answered,
      problems: [...declared.problems, ...applyLint(found, workspace.project.lint)],
    };
  } catch (error) {
    const problems = [...declared.problems, gatewayProblem(error)];
    return { ...declared, result: 'error', chains: [], ...nothing, problems };
  }
}

function countPrincipals(classes: readonly ChainClass[]): number {
  return classes.reduce((sum, { pairs }) => sum + pairs.length, 0);
}

function driftOf(
  { pairs, declared }: ChainClass,
  answer: readonly ChainLink[],
  weakerFor: (principal: Principal) => readonly WeakerProtection[],
): readonly ChainDrift[] {
  const isSame = keyOf(declared.map(({ one }) => one)) === keyOf(answer);
  const live = answer.map((one) => ({ one, overrides: [] }));
  return pairs.flatMap(({ declared: principal }): readonly ChainDrift[] => {
    const weaker = weakerFor(principal);
    if (weaker.length > 0) return [{ principal, declared, live, weaker }];
    return isSame ? [] : [{ principal, declared, live }];
  });
}

/** Equal for chains that run the same; the order of equal priorities is undefined. */
function keyOf(chain: readonly ChainLink[]): string {
  const links = chain.map(({ address, pluginClass, priority }) => [priority, address, pluginClass] as const);
  return JSON.stringify(links.sort(([one, a], [other, b]) => one - other || (a < b ? -1 : 1)));
}

function checkClass(
  { pairs, live }: ChainClass,
  answer: readonly ChainLink[],
  shownAs: (principal: Principal) => Principal,
): readonly Problem[] {
  const [first] = pairs;
  const rule = live.map(({ one }) => one);
  return checkAnswer(answer, rule, describePrincipal(shownAs(first.live)));
}

function checkComplete(unchecked: number, mostRequests: number): readonly Problem[] {
  if (unchecked === 0) return [];
  return [
    {
      code: 'cannot-tell',
      severity: 'warning',
      message: `${unchecked} clients are not compared: the gateway is asked for at most ${mostRequests} different chains`,
      hint: 'compare a part of the files, or one client with --as',
    },
  ];
}
