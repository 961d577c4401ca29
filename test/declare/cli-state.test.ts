import { expect, it } from 'vitest';
import { readCliState } from '../../src/declare/cli-state.ts';
import { proposeRemovals } from '../../src/declare/propose-removals.ts';
import type { Json } from '../../src/model/json/json.ts';
import type { Address } from '../../src/model/resource.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { loadText } from '../support/expect-problems.ts';

const stateOf = (...resources: readonly Json[]): string =>
  JSON.stringify({ version: 'v1', lastUpdated: '2026-05-01T10:00:00Z', resources });
const gateway = (kind: string, metadata: Json): Json => ({ apiVersion: 'gateway/v2', kind, metadata });
const read = (text: string): ReturnType<typeof readCliState> => readCliState(text, 'cli.json', catalog.kinds);

it('names what the CLI has applied to the gateway, and counts the rest', () => {
  const { value, problems } = read(
    stateOf(
      gateway('VirtualCluster', { name: 'prod' }),
      gateway('AliasTopic', { name: 'orders' }),
      gateway('AliasTopic', { name: 'orders', vCluster: 'prod', labels: { team: 'a' } }),
      gateway('Interceptor', { name: 'audit' }),
      gateway('Interceptor', { name: 'audit', scope: { username: 'app' } }),
      gateway('GatewayInterceptor', { name: 'all', scope: { vCluster: null, group: null, username: null } }),
      { apiVersion: 'v2', kind: 'Topic', metadata: { name: 'orders', cluster: 'c' } },
      { apiVersion: 'v1', kind: 'Interceptor', metadata: { name: 'of another product' } },
      gateway('ConcentratedTopic', { name: 'c' }),
    ),
  );
  expect(problems).toEqual([]);
  expect([...(value?.managed ?? [])]).toEqual([
    'VirtualCluster/prod',
    'AliasTopic/orders@vCluster=passthrough',
    'AliasTopic/orders@vCluster=prod',
    'Interceptor/audit@vCluster=passthrough',
    'Interceptor/audit@vCluster=passthrough,username=app',
    'Interceptor/all@global',
  ]);
  expect([...(value?.others ?? [])]).toEqual([
    ['Topic', 1],
    ['Interceptor', 1],
    ['ConcentratedTopic', 1],
  ]);
});

it.each([
  ['nonsense', 'is not JSON'],
  ['{"version": 4, "serial": 1, "resources": []}', 'is not a state file of the official CLI'],
  ['{"version": "v1"}', 'is not a state file of the official CLI'],
  ['{"version": "v2", "resources": []}', 'has the version v2; expected v1'],
  ['{"version": "v1", "version": "v1", "resources": []}', 'has a map with two equal keys'],
  [`{"version": "v1", "resources": ${'['.repeat(2000)}`, 'is nested deeper than 1024 levels'],
])('refuses %s', (text, message) => {
  const { value, problems } = read(text);
  expect(value).toBeUndefined();
  expect(problems.map((one) => one.message)).toEqual([`cli.json ${message}`]);
});

it('counts what has no name or no valid scope', () => {
  const { value, problems } = read(
    stateOf(null, {}, gateway('AliasTopic', {}), gateway('AliasTopic', { name: 'a', vCluster: 1 }), {
      apiVersion: 'gateway/v2',
      kind: 'AliasTopic',
      metadata: null,
    }),
  );
  expect(value?.managed.size).toBe(0);
  expect(problems.map(({ message }) => message)).toEqual([
    'cli.json has 5 resources without a kind, a name or a valid scope',
  ]);
  expect(read(stateOf(null)).problems[0]?.message).toContain('has 1 resource without');
});

it('proposes removals in comments, which say what they are once they are none', () => {
  const addresses = ['Interceptor/b@global', 'AliasTopic/a@vCluster=prod', 'AliasTopic/a\nb@vCluster=${X}'];
  const { text, unnamed } = proposeRemovals(
    [...addresses, 'AliasTopic/any*@vCluster=prod'] as Address[],
    ['Proposals.'],
    { name: 'from-cli-state', reason: 'no file declares it' },
    catalog,
  );
  expect(unnamed).toEqual(['AliasTopic/any*@vCluster=prod']);
  expect(text).toMatch(/^(?:#.*\n)+$/);
  expect(text).toMatchInlineSnapshot(`
    "# # Proposals.
    #
    # apiVersion: gwconf/v1
    # kind: Removal
    # metadata:
    #   name: from-cli-state
    # spec:
    #   reason: no file declares it
    #   remove:
    #     - "AliasTopic/a\\nb@vCluster=$\${X}"
    #     - AliasTopic/a@vCluster=prod
    #     - Interceptor/b@global
    "
  `);
  expect(loadText(text.replace(/^# ?/gm, '')).problems).toEqual([]);
});

it('proposes nothing when there is nothing', () => {
  const about = { name: 'n', reason: 'r' };
  expect(proposeRemovals([], ['Proposals.'], about, catalog)).toEqual({ text: '', unnamed: [] });
});
