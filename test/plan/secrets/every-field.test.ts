import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/model/json/json.ts';
import { hasErrors } from '../../../src/model/problem.ts';
import { makePlanReport } from '../../../src/outcome/plan.ts';
import { makeSecretFinder } from '../../../src/plan/change/former-secrets.ts';
import { planChanges } from '../../../src/plan/make-plan.ts';
import { quickDigester } from '../../../src/plan/saved/digest.ts';
import { redactSaved } from '../../../src/plan/saved/saved-plan.ts';
import { sealPlan, sign } from '../../../src/plan/saved/seal-plan.ts';
import { redact } from '../../../src/plan/secrets/redact.ts';
import { COMMON_FORMATS, FORMATS } from '../../../src/report/formats.ts';
import { NO_PAINT } from '../../../src/report/text/layout.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { load } from '../../../src/schema/load/load.ts';
import { variablesFrom } from '../../../src/schema/yaml/interpolate.ts';
import { printYaml } from '../../../src/schema/yaml/print.ts';
import { placesIn, withTextAt } from '../../support/places.ts';
import { textOf } from '../../support/plans.ts';

const { kinds } = catalog;

const interceptor = (name: string, scope: JsonObject, plugin: string, priority: number): Json => ({
  apiVersion: 'gateway/v2',
  kind: 'Interceptor',
  metadata: { name, scope },
  spec: {
    pluginClass: `io.conduktor.gateway.interceptor.${plugin}`,
    priority,
    config: plugin.startsWith('audit')
      ? { topic: '.*' }
      : { topic: '.*', numPartition: { min: 3, max: 6, action: 'BLOCK' } },
  },
});
const CREATE = 'safeguard.CreateTopicPolicyPlugin';
const GROUP = { vCluster: 'passthrough', group: 'team' };

/** Interceptors of two chains, one of them only for a group, which an identity provider fills. */
const around: readonly Json[] = [
  interceptor('limit', { vCluster: 'passthrough' }, CREATE, 62),
  interceptor('later', { vCluster: 'passthrough' }, CREATE, 64),
  interceptor('inner', GROUP, CREATE, 66),
  {
    apiVersion: 'gateway/v2',
    kind: 'GatewayGroup',
    metadata: { name: 'team' },
    spec: { members: [{ vCluster: 'passthrough', name: 'ann' }], externalGroups: ['idp-one', 'idp-two'] },
  },
];
const examples: readonly Json[] = [...kinds.values()].map(({ example }) => example);
const attacks = [...around.keys()]
  .map((at) => ({ documents: around, at }))
  .concat(examples.map((example) => ({ documents: [example, ...around], at: 0 })))
  .flatMap(({ documents, at }) =>
    placesIn(documents[at] ?? null)
      .filter(({ on, tokens: [field] }) => on === 'value' && field === 'spec')
      .map(({ tokens }) => ({ documents, at, tokens })),
  );

const CANARIES = ['73197319', 'canary-q7z-of-usual-length'];
const UNMISTAKABLE = /q7z|73197319/i;

/** What changes beside the attacked object, so that its chain is shown: an interceptor of both chains goes. */
type Side = { readonly hasSecret: boolean; readonly hasAll: boolean };
const MOVES: Readonly<Record<string, readonly [Side, Side]>> = {
  'comes with a chain': [
    { hasSecret: false, hasAll: false },
    { hasSecret: true, hasAll: true },
  ],
  goes: [
    { hasSecret: true, hasAll: true },
    { hasSecret: false, hasAll: true },
  ],
  'goes with a chain': [
    { hasSecret: true, hasAll: true },
    { hasSecret: false, hasAll: false },
  ],
  'stays in a chain that changes': [
    { hasSecret: true, hasAll: true },
    { hasSecret: true, hasAll: false },
  ],
};

type Case = {
  readonly attack: (typeof attacks)[number];
  readonly value: string;
  readonly text: string;
  readonly move: string;
};

/** Every text that a plan ends in, or undefined where nobody can make it. */
function* textsOf({ attack: { documents, at, tokens }, value, text, move }: Case): Generator<string> {
  const sides = (MOVES[move] ?? []).map(({ hasSecret, hasAll }) => {
    const attacked = documents.map((one, index) =>
      hasSecret && index === at ? withTextAt(one, { on: 'value', tokens }, text) : one,
    );
    return hasAll ? attacked : attacked.filter((_, index) => index === at || isKept(documents[index]));
  });
  yield* textsBetween(sides, value);
}

/** The same of a plan between two states, in which the variable CANARY has this value. */
function* textsBetween(sides: readonly (readonly Json[])[], value: string): Generator<string> {
  const isSecret = makeSecretFinder([value]);
  const [there, wanted] = sides.map((documents) =>
    load(
      [{ path: 'a.yaml', text: printYaml(documents), named: true }],
      catalog,
      variablesFrom((name) => (name === 'CANARY' ? value : undefined)),
    ),
  );
  if (there === undefined || wanted === undefined) return;
  if (hasErrors([...there.problems, ...wanted.problems])) return;
  const resources = new Map(Array.from(there.value.values(), (one) => [one.address, one.resource]));
  const live = { resources, unavailable: new Map() };
  const { plan } = planChanges(wanted.value, live, kinds, { gateway: 'memory:', prune: ['*'], isSecret });
  const about = { tool: 'gwconf', createdAt: '2026-03-01T12:00:00Z', salt: 'salt' };
  const saved = sign(sealPlan(plan, wanted.value, kinds, about, quickDigester));
  yield textOf(saved);
  for (const shown of [redact(plan, kinds), redactSaved(saved, kinds)]) {
    yield JSON.stringify(shown);
    const report = makePlanReport(shown, plan.gateway, []);
    for (const format of COMMON_FORMATS)
      yield [...FORMATS[format]({ report, problems: [] }, { paint: NO_PAINT, tool: 'gwconf' })].join('');
  }
}

function isKept(document: Json | undefined): boolean {
  return !['later', 'inner'].some((name) => JSON.stringify(document ?? null).includes(`"${name}"`));
}

describe('a secret of any type in any field, before or after,', () => {
  const at = (path: string): Case['attack'] =>
    attacks.find(({ tokens }) => tokens.join('/') === path) ?? expect.fail(path);
  const shownInChains = Object.keys(MOVES).flatMap((move): readonly Case[] => [
    { attack: at('spec/priority'), value: '73197319', text: '${CANARY}', move },
    { attack: at('spec/externalGroups/0'), value: 'canary-q7z-of-usual-length', text: '${CANARY}', move },
  ]);

  it('is in no plan that is shown, saved or rendered', () => {
    fc.assert(
      fc.property(
        fc.record({
          attack: fc.constantFrom(...attacks),
          value: fc.constantFrom(...CANARIES),
          text: fc.constantFrom('${CANARY}', 'a-${CANARY}.b'),
          move: fc.constantFrom(...Object.keys(MOVES)),
        }),
        (one) => {
          for (const text of textsOf(one)) expect(text).not.toMatch(UNMISTAKABLE);
        },
      ),
      { numRuns: 100, examples: shownInChains.map((one) => [one]) },
    );
  });

  it('is hidden in chains and names of principals, which are shown all the same', () => {
    for (const one of shownInChains) {
      const [saved = '{}'] = [...textsOf(one)];
      const { effects = null } = JSON.parse(saved) as JsonObject;
      expect(JSON.stringify(effects)).toContain('(hidden)');
    }
  });

  it('is hidden in the name of a client whose external name moves to another account', () => {
    const account = (name: string, externalName: string): Json => ({
      apiVersion: 'gateway/v2',
      kind: 'GatewayServiceAccount',
      metadata: { name, vCluster: 'passthrough' },
      spec: { type: 'EXTERNAL', externalNames: [externalName] },
    });
    const guard = interceptor('guard', { vCluster: 'passthrough', username: 'ann' }, CREATE, 62);
    const moving = (ann: string, bob: string): readonly Json[] => [
      account('ann', ann),
      account('bob', bob),
      guard,
    ];
    const sides = [moving('${CANARY}', 'sub-2'), moving('sub-2', '${CANARY}')];
    const texts = [...textsBetween(sides, 'canary-q7z-of-usual-length')];
    for (const text of texts) expect(text).not.toMatch(UNMISTAKABLE);
    expect(texts[0]?.replace(/\s/g, '')).toContain(
      '"externalName":"(hidden)","was":{"virtualCluster":"passthrough","username":"ann"}',
    );
  });
});
