import { describe, expect, it } from 'vitest';
import type { PlanReport } from '../../src/outcome/plan.ts';
import { type World } from '../support/cli.ts';
import { resource, writableKinds } from '../support/kinds.ts';
import { serve, worldBeside, type Request, type Served } from '../support/served.ts';

const LISTS = writableKinds.map(({ collection }) => `GET ${collection}`).sort();

function beside(there: Served, ...documents: readonly string[]): World {
  return worldBeside(there, { 'a.yaml': documents.map((text) => `${text.trim()}\n`).join('---\n') });
}

async function planned(mine: World, ...args: readonly string[]): Promise<PlanReport> {
  const { out, err } = await mine.run('plan', 'a.yaml', '-o', 'json', ...args);
  if (out === '') throw new Error(err);
  return JSON.parse(out) as PlanReport;
}

async function applied(mine: World, ...args: readonly string[]): Promise<void> {
  const { code, err } = await mine.run('apply', '-f', 'a.yaml', '--auto-approve', ...args);
  expect(err).not.toContain('error');
  expect(code).toBe(0);
}

function lines(requests: readonly Request[]): readonly string[] {
  return requests.map(({ method, path }) => `${method} ${path}`);
}

const document = (kind: string, metadata: string, spec = '{}'): string =>
  `apiVersion: gateway/v2\nkind: ${kind}\nmetadata: ${metadata}\nspec: ${spec}`;
const plugin = (more: string): string => `{ pluginClass: com.example.Own, ${more} }`;

describe('a plan', () => {
  it('takes one list of each kind, in whatever order, and no other call', async () => {
    const there = await serve();
    await there.put(...Array.from({ length: 50 }, (_, at) => resource('VirtualCluster', { name: `c${at}` })));
    const mine = beside(
      there,
      ...Array.from({ length: 50 }, (_, at) => document('VirtualCluster', `{ name: c${at} }`)),
    );
    await planned(mine);
    expect([...lines(there.requests)].sort()).toEqual(LISTS);
  });

  it('applied takes a call for each change, and reads back each kind that it wrote, once', async () => {
    const there = await serve();
    const mine = beside(
      there,
      document('VirtualCluster', '{ name: a }'),
      document('AliasTopic', '{ name: o, vCluster: a }', '{ physicalName: t }'),
    );
    await applied(mine);
    const [reads, rest] = [
      lines(there.requests).slice(0, LISTS.length),
      lines(there.requests).slice(LISTS.length),
    ];
    expect([...reads].sort()).toEqual(LISTS);
    expect(rest.slice(0, 2)).toEqual(['PUT /gateway/v2/virtual-cluster', 'PUT /gateway/v2/alias-topic']);
    expect(rest.slice(2).sort()).toEqual(['GET /gateway/v2/alias-topic', 'GET /gateway/v2/virtual-cluster']);
  });

  it('saved and applied takes one list of each kind again', async () => {
    const there = await serve();
    const mine = beside(there, document('VirtualCluster', '{ name: a }'));
    await mine.run('plan', 'a.yaml', '--out', 'p.plan');
    there.forget();
    await mine.run('apply', 'p.plan');
    const [reads, rest] = [0, LISTS.length].map((at) => lines(there.requests).slice(at, at + LISTS.length));
    expect(reads?.toSorted()).toEqual(LISTS);
    expect(rest).toEqual(['PUT /gateway/v2/virtual-cluster', 'GET /gateway/v2/virtual-cluster']);
  });
});

describe('what is no change', () => {
  it('is the order in which lists are answered', async () => {
    const there = await serve({ shuffle: (items) => [...items].reverse() });
    await there.put(...['a', 'b', 'c'].map((name) => resource('VirtualCluster', { name })));
    expect(
      await planned(
        beside(there, ...['b', 'c', 'a'].map((name) => document('VirtualCluster', `{ name: ${name} }`))),
      ),
    ).toMatchObject({ result: 'no-changes' });
  });

  it('is what the gateway sets itself: connection settings of a Partner cluster', async () => {
    const there = await serve();
    const partner = document(
      'VirtualCluster',
      '{ name: v }',
      '{ type: Partner, aclEnabled: true, superUsers: [boss] }',
    );
    const mine = beside(
      there,
      partner,
      document('AliasTopic', '{ name: o, vCluster: v }', '{ physicalName: t }'),
    );
    await applied(mine);
    expect((await there.list('VirtualCluster'))[0]?.spec).toHaveProperty('bootstrapServers');
    expect(await planned(mine)).toMatchObject({ result: 'no-changes' });
  });
});

describe('a gateway in mode PLAINTEXT', () => {
  it('has no virtual clusters, and the rest is planned and applied', async () => {
    const there = await serve({ security: 'PLAINTEXT' });
    const mine = beside(
      there,
      document('Interceptor', '{ name: i }', plugin('priority: 1, config: {}')),
      document('AliasTopic', '{ name: o }', '{ physicalName: t }'),
    );
    await applied(mine);
    expect(await planned(mine)).toMatchObject({ result: 'no-changes', summary: { unchanged: 2 } });
  });

  it('is told apart from an empty one: to declare a virtual cluster is a problem with its place', async () => {
    const there = await serve({ security: 'PLAINTEXT' });
    const mine = beside(there, document('VirtualCluster', '{ name: prod }'));
    const { result, problems } = await planned(mine);
    expect(result).toBe('error');
    expect(problems).toMatchObject([
      { code: 'kind-unavailable', address: 'VirtualCluster/prod', file: 'a.yaml', line: 2, column: 7 },
    ]);
    expect((await mine.run('apply', '-f', 'a.yaml', '--auto-approve')).code).toBe(1);
    expect(there.writes()).toEqual([]);
  });
});
