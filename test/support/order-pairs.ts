import fc from './fast-check.ts';
import { expect } from 'vitest';
import type { EmbeddedGateway } from '../../src/emulator/memory.ts';
import { readLive } from '../../src/gateway/read-live.ts';
import { hasErrors, type Checked } from '../../src/model/problem.ts';
import { kindOf as kindNameOf, type Address, type Resource } from '../../src/model/resource.ts';
import type { Pattern } from '../../src/model/json/json.ts';
import type { IgnoreRule } from '../../src/model/rules.ts';
import type { DesiredState } from '../../src/model/state.ts';
import { makePlan, type PlanOptions } from '../../src/plan/make-plan.ts';
import { idOf, type Change, type ChangeId } from '../../src/plan/change/change.ts';
import type { Plan } from '../../src/plan/change/plan.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { load } from '../../src/schema/load/load.ts';
import { NO_VARIABLES } from '../../src/schema/yaml/interpolate.ts';
import { written } from './generate.ts';
import { kindOf } from './kinds.ts';
import { movingPair, orderGateway, orderPair } from './order-states.ts';

const { kinds } = catalog;

/** How many pairs of states; `npm run soak -- --pairs 100000` says more. The seed of a failure is printed. */
export const PAIRS = Number(process.env['GWCONF_PAIRS'] ?? 20);
export const runs = { numRuns: PAIRS };
export const time = { timeout: 300_000 + PAIRS * 1000 };

/** What is deleted when no file mentions it: mostly everything. */
const prune: fc.Arbitrary<readonly string[] | undefined> = fc.constantFrom(
  ['*'],
  ['*'],
  ['*'],
  undefined,
  ['GatewayServiceAccount/*', 'GatewayGroup/*', 'Interceptor/*'],
  ['*', '!Interceptor/*'],
);
/** What a plan looks at, and what it leaves alone. */
export type Scope = Pick<PlanOptions, 'prune' | 'selection' | 'rules'>;
type Pair = Scope & { readonly there: readonly Resource[]; readonly wanted: readonly Resource[] };

const pair: fc.Arbitrary<Pair> = fc
  .tuple(orderPair, prune)
  .map(([states, globs]) => ({ ...states, ...(globs === undefined ? {} : { prune: globs }) }));

const globs = fc.subarray(
  [
    'AliasTopic/*',
    'VirtualCluster/*',
    'GatewayServiceAccount/*',
    'GatewayGroup/*',
    '*@vCluster=partner*',
    '*a*',
  ],
  { minLength: 0, maxLength: 3 },
);
const selection = fc.oneof(
  fc.record({ target: globs, exclude: fc.constant([]) }),
  fc.record({ target: fc.constant([]), exclude: globs }),
  fc.constant({ target: [], exclude: [] }),
);
const place = { file: { path: 'gwconf.yaml', text: '', named: true }, offset: 0 } as const;
const ignored = (address: string, path?: Pattern): IgnoreRule => {
  const rule = { address, reason: 'another team', place };
  return path === undefined ? rule : { ...rule, path };
};
const ignore = fc.subarray([
  ignored('AliasTopic/*', '/spec/physicalName'),
  ignored('AliasTopic/*', '/spec/physicalCluster'),
  ignored('GatewayServiceAccount/*', '/spec/externalNames'),
  ignored('GatewayServiceAccount/*', '/spec/type'),
  ignored('VirtualCluster/*', '/spec/type'),
  ignored('VirtualCluster/*', '/spec/superUsers'),
  ignored('GatewayGroup/*', '/spec/members'),
  ignored('Interceptor/mask*'),
]);
const scopedPair: fc.Arbitrary<Pair> = fc
  .tuple(fc.oneof(orderPair, movingPair), prune, selection, fc.oneof(fc.constant([]), ignore))
  .map(([states, all, selected, rules]) => ({
    ...states,
    ...(all === undefined ? {} : { prune: all }),
    selection: selected,
    rules: { ignore: rules },
  }));

/** A pair for which there is a plan without errors. */
export type Possible = {
  readonly desired: DesiredState;
  readonly there: readonly Resource[];
  readonly before: ReadonlyMap<Address, Resource>;
  readonly scope: Scope;
  readonly plan: Plan;
};

/** Holds `check` to pairs of states between which there is a plan without errors. */
export async function forEachPair(
  check: (given: Possible, choices: Iterator<number>) => Promise<void> | void,
  parameters: fc.Parameters<[Pair, fc.Stream<number>]> = {},
): Promise<void> {
  await forEachOf(pair, check, parameters);
}

/** The same where clusters become Partners, aliases move, objects are selected, and differences are ignored. */
export async function forEachScopedPair(
  check: (given: Possible, choices: Iterator<number>) => Promise<void> | void,
): Promise<void> {
  await forEachOf(scopedPair, check);
}

async function forEachOf(
  pairs: fc.Arbitrary<Pair>,
  check: (given: Possible, choices: Iterator<number>) => Promise<void> | void,
  parameters: fc.Parameters<[Pair, fc.Stream<number>]> = {},
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(pairs, fc.infiniteStream(fc.nat()), async ({ wanted, there, ...scope }, choices) => {
      const files = [{ path: 'state.yaml', text: written(wanted), named: true }];
      const { value: desired, problems } = load(files, catalog, NO_VARIABLES);
      expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
      const gateway = await orderGateway(there);
      const { resources: before } = await readLive(gateway, [...kinds.values()]);
      const planned = await planOf(desired, gateway, scope);
      if (hasErrors(planned.problems)) {
        // Never for the order: with the kinds of the gateway every ring can be opened.
        expect(planned.problems.map(({ code }) => code)).not.toContain('order-cycle');
        return;
      }
      await check({ desired, there, before, scope, plan: planned.value }, choices);
    }),
    { ...runs, ...parameters },
  );
}

export async function planOf(
  desired: DesiredState,
  gateway: EmbeddedGateway,
  scope: Scope,
): Promise<Checked<Plan>> {
  return makePlan(desired, await readLive(gateway, [...kinds.values()]), kinds, {
    gateway: gateway.url,
    ...scope,
  });
}

/** One change, which the gateway must take. */
export async function make(change: Change, gateway: EmbeddedGateway): Promise<void> {
  const kind = kindOf(kindNameOf(change.address));
  try {
    if (change.action === 'delete' || change.action === 'replace') {
      expect(await gateway.remove(kind, change.before)).toBe('removed');
    }
    if (change.action !== 'delete') {
      const result = await gateway.put(kind, change.after);
      expect(result).toBe(change.action === 'update' ? 'updated' : 'created');
    }
  } catch (error) {
    throw new Error(`${change.action} ${idOf(change)}`, { cause: error });
  }
}

/** One of the orders in which apply may make the changes. */
export function* someOrderOf(changes: readonly Change[], choices: Iterator<number>): Generator<Change> {
  const done = new Set<ChangeId>();
  const open = new Set(changes);
  while (open.size > 0) {
    const early = [...open].some(({ stage }) => stage === 1);
    const ready = [...open].filter(
      ({ stage, dependsOn }) => dependsOn.every((id) => done.has(id)) && (stage === 1 || !early),
    );
    const next = ready[Number(choices.next().value) % ready.length];
    if (next === undefined) throw new Error('nothing is ready');
    open.delete(next);
    done.add(idOf(next));
    yield next;
  }
}
