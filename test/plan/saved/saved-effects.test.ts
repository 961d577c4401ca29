import { expect, it } from 'vitest';
import { decodePlan } from '../../../src/plan/saved/decode-plan.ts';
import { quickDigester } from '../../../src/plan/saved/digest.ts';
import { redactSaved } from '../../../src/plan/saved/saved-plan.ts';
import { sealPlan, sign } from '../../../src/plan/saved/seal-plan.ts';
import type { Plan } from '../../../src/plan/change/plan.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { accounts, chain, effectOn, exposureOf, principal } from '../../support/effects.ts';
import { fileOf, planFor, textOf } from '../../support/plans.ts';

const ABOUT = { tool: 'gwconf 0.0.0', createdAt: '2025-01-01T00:00:00Z', salt: 'salt' };

/** The text of a saved plan with these effects and exposures. */
function saved(view: Pick<Plan, 'effects' | 'exposures'>): string {
  const { plan, desired } = planFor(fileOf(), []);
  const open = sealPlan({ ...plan, ...view }, desired, catalog.kinds, ABOUT, quickDigester);
  return textOf(sign(open));
}

function shown(text: string): Pick<Plan, 'effects' | 'exposures'> {
  const { value, problems } = decodePlan(text, 'plan.json', catalog.kinds);
  expect(problems).toEqual([]);
  if (value === undefined) return expect.fail('not a saved plan');
  const { effects, exposures } = redactSaved(value, catalog.kinds);
  return { effects, exposures } as Pick<Plan, 'effects' | 'exposures'>;
}

it('a saved plan has the effects and exposures of the plan', () => {
  const clients = [principal(null), { ...principal(null), externalGroup: 'ops' }, ...accounts(2)];
  const effects = clients.map((one) =>
    effectOn({ ...one, groups: ['team'] }, chain('a', 'mask'), chain('a')),
  );
  const accepted = { reason: 'agreed', until: '2026-12-31' };
  const exposures = clients.map((one) => exposureOf(one, { accepted, seconds: 2 }));
  expect(shown(saved({ effects, exposures }))).toEqual({ effects, exposures });
  const none = { effects: undefined, exposures: undefined };
  expect(shown(saved({ effects: [], exposures: [] }))).toEqual(none);
  expect(shown(saved({}))).toEqual(none);
});

it('a saved plan has the chains of 10,000 clients once', () => {
  const names = Array.from({ length: 20 }, (_, at) => `interceptor-${at}`);
  const [before, after] = [chain(...names, 'mask'), chain(...names)];
  const clients = accounts(10_000);
  const text = saved({
    effects: clients.map((one) => effectOn(one, before, after)),
    exposures: clients.map((one) => exposureOf(one)),
  });
  expect(text.match(/interceptor-0@/g)).toHaveLength(2);
  expect(shown(text).effects).toHaveLength(10_000);
});

it('a saved plan with exposures of another shape is refused', () => {
  const text = saved({ exposures: [exposureOf(principal('alice'), { lost: [1] as never })] });
  const { value, problems } = decodePlan(text, 'plan.json', catalog.kinds);
  expect(value).toBeUndefined();
  expect(problems[0]?.message).toContain('/exposures/0/lost/0');
});
