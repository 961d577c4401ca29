import { readFileSync } from 'node:fs';
import fc from '../../support/fast-check.ts';
import { expect, it } from 'vitest';
import { memoryGateway, type EmbeddedGateway } from '../../../src/emulator/memory.ts';
import type { Call, UnreadCall } from '../../../src/v1/read/request.ts';
import { callsOf as callsOfLive, readV1 } from '../../../src/v1/migrate/read-v1.ts';
import { translate } from '../../../src/v1/translate/translate.ts';
import { readLive } from '../../../src/gateway/read-live.ts';
import { knownKind } from '../../../src/model/kind.ts';
import type { LiveState } from '../../../src/model/state.ts';
import { makePlan } from '../../../src/plan/make-plan.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { asDeclared } from '../../../src/schema/load/as-declared.ts';
import { load } from '../../../src/schema/load/load.ts';
import { NO_VARIABLES } from '../../../src/schema/yaml/interpolate.ts';
import { compareClients, resolverFor } from '../../../src/v1/migrate/migrate-live.ts';
import { callsOf, CHECKS, readAlone, type Written } from './calls.ts';
import { sharedFolder } from '../../support/shared.ts';
import { makeV1Routes } from '../../../src/v1/face/face-routes.ts';
import { orAll } from '../../support/soak.ts';

/** A gateway with v1 that has got these calls, and those that it took. */
function perform(
  calls: readonly Call[],
  version: string,
): { gateway: EmbeddedGateway; taken: readonly Call[] } {
  const userPool = { now: () => 0, sign: () => 'x' };
  const gateway = memoryGateway(catalog.kinds, { version, userPool }, makeV1Routes);
  const taken = calls.filter(({ method, path, query, body }) => {
    const search = new URLSearchParams(query).toString();
    return gateway.handle(method, `${path}?${search}`, body).status < 300;
  });
  return { gateway, taken };
}

async function applyTo(state: LiveState): Promise<EmbeddedGateway> {
  const gateway = memoryGateway(catalog.kinds, { version: '3.21.0' });
  const { value } = load(asDeclared(state, catalog.kinds), catalog, NO_VARIABLES);
  const empty = { resources: new Map(), unavailable: new Map() };
  for (const change of makePlan(value, empty, catalog.kinds, { gateway: '' }).value.changes)
    if ('after' in change) await gateway.put(knownKind(change.address, catalog.kinds), change.after);
  return gateway;
}

/** What differs for any client between a gateway with v1 and one without that has what these calls become. */
async function findDifferences(
  calls: readonly (Call | UnreadCall)[],
  old: EmbeddedGateway,
): Promise<readonly string[]> {
  const { gateways } = translate(calls, CHECKS);
  const found: string[] = [];
  for (const translated of gateways) {
    const now = await applyTo(translated.state);
    const problems = await compareClients(resolverFor(old), resolverFor(now), translated);
    for (const { severity, message } of problems) found.push(`${severity}: ${message}`);
  }
  return found;
}

const user = fc.constantFrom('sa', 'alice', 'CN=alice,O=Acme', 'CN=bob,O=Acme', 'carol.smith');
const group = fc.constantFrom('ops', 'all readers');
const cluster = fc.constantFrom('passthrough', 'prod', 'dev');
const scope = fc.oneof(
  fc.constantFrom('', '/global'),
  user.map((name) => `/username/${encodeURIComponent(name)}`),
  group.map((name) => `/group/${encodeURIComponent(name)}`),
  fc.tuple(cluster, user).map(([vc, name]) => `/vcluster/${vc}/username/${encodeURIComponent(name)}`),
  fc.tuple(cluster, group).map(([vc, name]) => `/vcluster/${vc}/group/${encodeURIComponent(name)}`),
  cluster.map((vc) => `/vcluster/${vc}`),
);
const interceptor = fc
  .tuple(
    fc.constantFrom('POST', 'PUT', 'DELETE'),
    scope,
    fc.constantFrom('a', 'b'),
    fc.integer({ min: 1, max: 9 }),
  )
  .map(([method, where, name, priority]): Written => [
    `${method} /admin/interceptors/v1${where}/interceptor/${name}`,
    { pluginClass: 'io.conduktor.gateway.interceptor.AuditPlugin', priority, config: {} },
  ]);
const mapping = fc
  .tuple(cluster, user, fc.uniqueArray(group))
  .map(([vc, username, groups]): Written => [
    `PUT /admin/userMappings/v1/vcluster/${vc}/username/${encodeURIComponent(username)}`,
    { username, principal: `${vc}-${username}`, groups },
  ]);
const unmapping = fc
  .tuple(cluster, user)
  .map(([vc, username]): Written => [
    `DELETE /admin/userMappings/v1/vcluster/${vc}/username/${encodeURIComponent(username)}`,
  ]);
const topic = fc
  .tuple(cluster, fc.constantFrom('orders', 'events'), fc.boolean(), fc.constantFrom('alias', 'concentrated'))
  .map(([vc, name, readOnly, type]): Written => [
    `POST /admin/vclusters/v1/vcluster/${vc}/topics/${name}`,
    { physicalTopicName: 'real', readOnly, type },
  ]);
const token = fc
  .tuple(cluster, user)
  .map(([vc, name]): Written => [
    `POST /admin/vclusters/v1/vcluster/${vc}/username/${encodeURIComponent(name)}`,
    { lifeTimeSeconds: 60 },
  ]);
const anyCalls = fc.array(fc.oneof({ weight: 4, arbitrary: interceptor }, mapping, unmapping, topic, token), {
  maxLength: 25,
});

/** One has an account, the other is named by a scope alone. */
const TWO_ALICES: Written[] = [
  [
    'PUT /admin/userMappings/v1/vcluster/prod/username/CN%3Dalice%2CO%3DAcme',
    { username: 'CN=alice,O=Acme', principal: 'x', groups: [] },
  ],
  [
    'POST /admin/interceptors/v1/vcluster/prod/username/alice/interceptor/a',
    { pluginClass: 'io.conduktor.gateway.interceptor.AuditPlugin', priority: 1, config: {} },
  ],
];

it('each client gets the same interceptors from what calls become as from the calls', async () => {
  await fc.assert(
    fc.asyncProperty(anyCalls, async (written) => {
      const { gateway, taken } = perform(callsOf(...written), '3.2.0');
      expect(await findDifferences(taken, gateway)).toEqual([]);
    }),
    { numRuns: orAll(50, 150) },
  );
});

it('the same from what is read of the gateway, through v1 alone and with v2', async () => {
  await fc.assert(
    fc.asyncProperty(anyCalls, async (written) => {
      const { gateway } = perform(callsOf(...written), '3.2.0');
      const v1 = await readV1(gateway, ['prod', 'dev']);
      if (v1 === undefined) throw new Error('it has no v1');
      const live = await readLive(gateway, [...catalog.kinds.values()]);
      for (const resources of [undefined, [...live.resources.values()]])
        expect(await findDifferences(callsOfLive('http://old', v1, resources), gateway)).toEqual([]);
    }),
    { numRuns: orAll(35, 100) },
  );
});

it('no two clients become one', () => {
  fc.assert(
    fc.property(anyCalls, (written) => {
      const { taken } = perform(callsOf(...written), '3.2.0');
      for (const { clients } of translate(taken, CHECKS).gateways) {
        const named = clients.filter(({ before }) => before.username !== undefined);
        const keys = named.map(({ after }) => JSON.stringify([after.vCluster, after.username]));
        expect(keys).toHaveLength(new Set(keys).size);
      }
    }),
    { numRuns: orAll(100, 300), examples: [[TWO_ALICES]] },
  );
});

const CORPUS = sharedFolder('corpus-v1');

it.skipIf(CORPUS.isAbsent)(`the same for each file of ${CORPUS.title}`, async () => {
  for (const name of CORPUS.files) {
    const { calls } = readAlone(name, readFileSync(new URL(name, CORPUS.url), 'utf8'));
    const { gateway, taken } = perform(
      calls.filter((call) => 'body' in call),
      '3.0.0',
    );
    const found = await findDifferences(taken, gateway);
    // What runs for clients and cannot be converted is a warning.
    const isWhole = translate(taken, CHECKS).calls.every(({ outcome }) => outcome !== 'cannot');
    expect(isWhole ? found : found.filter((one) => !one.startsWith('warning: ')), name).toEqual([]);
  }
});

it('is the same interceptor where a list without an order is written in another one', async () => {
  const body = (values: readonly string[]): Written => [
    'POST /admin/interceptors/v1/interceptor/guard',
    {
      pluginClass: 'io.conduktor.gateway.interceptor.safeguard.ProducePolicyPlugin',
      priority: 1,
      config: { compressions: { value: values, action: 'BLOCK' } },
    },
  ];
  const { gateway: old } = perform(callsOf(body(['NONE', 'GZIP'])), '3.10.0');
  expect(await findDifferences(callsOf(body(['GZIP', 'NONE'])), old)).toEqual([]);
  expect(await findDifferences(callsOf(body(['GZIP'])), old)).not.toEqual([]);
});
