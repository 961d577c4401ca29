import type { Problem } from '../../model/problem.ts';
import { addTo } from '../../model/collect.ts';
import type { Pointer } from '../../model/json/json.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import { asWritten } from '../../model/secrets/secrets.ts';
import { placeOf } from '../../model/state.ts';
import { list } from '../../model/text/list.ts';
import type { IgnoreRule } from '../../model/rules.ts';
import type { DesiredWorld, PlannedWorld } from './world.ts';

/** Whether the last day of the rule has passed. */
export function isExpired({ until }: Pick<IgnoreRule, 'until'>, today: string | undefined): boolean {
  return until !== undefined && today !== undefined && until < today;
}

/** Rules that have expired: what they ignored would be changed. */
export function* checkExpiredRules(world: Pick<DesiredWorld, 'rules' | 'today'>): Generator<Problem> {
  for (const rule of world.rules.ignore ?? []) {
    if (!isExpired(rule, world.today)) continue;
    yield {
      code: 'expired-acceptance',
      severity: 'error',
      message: `${nameOf(rule)} was ignored until ${rule.until ?? ''}`,
      at: rule.place,
      hint: `have ${rule.owner ?? 'its owner'} remove it, or set a later day`,
    };
  }
}

/** Rules that ignore nothing: a typing mistake, or an object that is gone. */
export function* checkUnusedRules({ unusedRules }: PlannedWorld): Generator<Problem> {
  for (const rule of unusedRules)
    yield {
      code: 'unmatched-ignore',
      severity: 'warning',
      message:
        rule.path === undefined
          ? `nothing that is declared or live matches ${rule.address} of an ignore rule`
          : `${nameOf(rule)} is ignored, and nothing that is declared or live has it`,
      at: rule.place,
      hint: 'correct or remove the rule',
    };
}

/** Changes that would be refused for a value that a rule on what to ignore takes from the gateway. */
export function* checkIgnoredValues(world: PlannedWorld): Generator<Problem> {
  const { desired, changes, kinds, ignored, context = {} } = world;
  const rules = new Map<Address, Pointer[]>();
  for (const { address, path } of ignored)
    if (path !== undefined && changes.has(address)) addTo(rules, address, path);
  for (const [address, paths] of rules) {
    const declared = desired.get(address);
    const checked = declared && kinds.get(kindOf(address))?.check({ resource: asWritten(declared) }, context);
    const broken = checked?.find(({ severity }) => severity === 'error');
    if (declared === undefined || broken === undefined) continue;
    const [are, keep, it] = paths.length === 1 ? ['is', 'keeps its', 'it'] : ['are', 'keep their', 'them'];
    yield {
      code: broken.code ?? 'conflicting-fields',
      severity: 'error',
      message: `${address}: ${broken.message}; ${list(paths)} ${are} ignored and ${keep} value on the gateway`,
      at: placeOf(declared, broken.path, broken.on ?? 'value'),
      address,
      path: broken.path,
      hint: `take the rule for ${list(paths)} of ${address} out of ignore in gwconf.yaml, or keep what depends on ${it} as it is on the gateway`,
    };
  }
}

/** What a rule is about, in words. */
export function nameOf({ address, path }: Pick<IgnoreRule, 'address' | 'path'>): string {
  return path === undefined ? address : `${path} of ${address}`;
}
