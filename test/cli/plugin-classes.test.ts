import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryGateway } from '../../src/emulator/memory.ts';
import { serveGateway } from '../../src/emulator/server.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { PLUGIN_PREFIX } from '../../src/schema/plugins/plugin.ts';
import { makeWorld, verdictOf, type Ran, type World } from '../support/cli.ts';
import { LOGIN, serve, type Served } from '../support/served.ts';
import { documentOf } from '../support/documents.ts';

const interceptor = (pluginClass: string, name = 'i', config = '{}'): string =>
  documentOf(
    'Interceptor',
    `{ name: ${name}, scope: { vCluster: passthrough } }`,
    `{ pluginClass: ${pluginClass}, priority: 1, config: ${config} }`,
  );
const READ_ONLY = `${PLUGIN_PREFIX}safeguard.ReadOnlyTopicPolicyPlugin`;

function worldOn(there: Served, text: string): World {
  const world = makeWorld({ 'a.yaml': text });
  Object.assign(world.env, LOGIN, { GWCONF_URL: there.url });
  return world;
}

/** A world with a class that its gateway does not have; the list of plugins may have another status. */
async function worldWithList(statusOf: () => number | undefined): Promise<World> {
  const server = await serveGateway(memoryGateway(catalog.kinds), {
    port: 0,
    intercept({ url }, handle) {
      const status = url.startsWith('/gateway/v2/plugin') ? statusOf() : undefined;
      return Promise.resolve(status === undefined ? handle() : { status });
    },
  });
  onTestFinished(() => server.close());
  const world = makeWorld({ 'a.yaml': interceptor(`${PLUGIN_PREFIX}Newer`) });
  Object.assign(world.env, LOGIN, { GWCONF_URL: server.url });
  return world;
}

const apply = (world: World): Promise<Ran> => world.run('apply', '-f', 'a.yaml', '--auto-approve');
const listings = ({ requests }: Served): number =>
  requests.filter(({ path }) => path.startsWith('/gateway/v2/plugin')).length;

describe('a plugin class that the gateway does not list', () => {
  it.each([
    [
      'ReadOnlyTopicPolicyPlugn',
      'did you mean io.conduktor.gateway.interceptor.safeguard.ReadOnlyTopicPolicyPlugin?',
    ],
    ['safeguard.NoSuchThing', 'use a class that the gateway has'],
    ['FetchEncryptPlugin', 'did you mean io.conduktor.gateway.interceptor.EncryptPlugin?'],
  ])('is an error before anything is written: %s', async (name, hint) => {
    const there = await serve({ version: '3.21.0' });
    const world = worldOn(there, `${interceptor(READ_ONLY, 'a')}---\n${interceptor(PLUGIN_PREFIX + name)}`);
    for (const ran of [await world.run('plan', 'a.yaml'), await apply(world)]) {
      expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: error']);
      expect(ran.err).toContain(
        `error[unknown-class]: Interceptor/i@vCluster=passthrough cannot be written: the gateway has no ${PLUGIN_PREFIX}${name}`,
      );
      expect(ran.err).toContain('--> a.yaml:9:');
      expect(ran.err.match(/\[unknown-class\]/g)).toHaveLength(1);
      expect(ran.err).toContain(`= ${hint}`);
    }
    expect(there.writes()).toEqual([]);
  });

  it('is no error without a gateway', async () => {
    const world = makeWorld({ 'a.yaml': interceptor(`${PLUGIN_PREFIX}Newer`) });
    const ran = await world.run('validate', 'a.yaml');
    expect(ran.code).toBe(0);
    expect(ran.err).toContain('warning[unknown-class]');
  });

  it('is found when a plan is applied to a gateway that does not have it any more', async () => {
    let status: number | undefined = 404;
    const world = await worldWithList(() => status);
    expect((await world.run('plan', 'a.yaml', '--out', 'p.plan')).code).toBe(0);
    status = undefined;
    const ran = await world.run('apply', 'p.plan');
    expect(verdictOf(ran)).toBe('result: error');
    expect(ran.err).toContain('error[unknown-class]');
    status = 404;
    expect(verdictOf(await world.run('apply', 'p.plan'))).not.toBe('result: error');
  });

  it.each([400, 403, 404, 500])('is left to a gateway that answers %i to the list', async (status) => {
    const world = await worldWithList(() => status);
    const ran = await apply(world);
    expect(ran.err).toContain('does not exist'); // as the gateway says
    expect(ran.err).not.toContain('error[unknown-class]');
  });

  it('can be one of your own, unless the gateway lists those', async () => {
    const lenient = await serve();
    expect((await apply(worldOn(lenient, interceptor('com.example.Own')))).code).toBe(0);
    expect((await apply(worldOn(lenient, interceptor('com.example.Plugin', 'p')))).code).toBe(0);
    const typo = await apply(worldOn(lenient, interceptor(READ_ONLY.replace('conduktor', 'conductor'), 't')));
    expect(typo.err).toContain(`= did you mean ${READ_ONLY}?`);
    const strict = await serve({ plugins: ['com.example.Own'] });
    expect((await apply(worldOn(strict, interceptor('com.example.Own')))).code).toBe(0);
    const ran = await apply(worldOn(strict, interceptor('com.example.Onw', 'other')));
    expect(ran.err).toContain('= did you mean com.example.Own?');
    const other = await apply(worldOn(strict, interceptor('org.shop.Filter', 'other')));
    expect(other.err).toContain('cannot be written: the gateway has no org.shop.Filter');
  });

  it('costs one list, and only when a class comes to the gateway', async () => {
    const there = await serve();
    const world = worldOn(there, interceptor(READ_ONLY));
    await apply(world);
    expect(listings(there)).toBe(1);
    there.forget();
    world.write('a.yaml', interceptor(READ_ONLY, 'i', '{ topic: a }'));
    await apply(world);
    expect(listings(there)).toBe(0);
  });

  it('is found with a snapshot, which has the list if the gateway has it', async () => {
    let status: number | undefined;
    const world = await worldWithList(() => status);
    const plan = (): Promise<Ran> => world.run('plan', 'a.yaml', '--snapshot', 's.json');
    await world.run('snapshot', '--out', 's.json');
    const ran = await plan();
    expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: error']);
    expect(ran.err).toContain(`error[unknown-class]: Interceptor/i@vCluster=passthrough cannot be written`);
    expect(ran.err).toContain('--> a.yaml:4:');
    for (status of [403, 404, 500]) {
      await world.run('snapshot', '--out', 's.json');
      expect((await plan()).code).toBe(0);
    }
  });

  it('is found when a run is resumed, and does not fail a drift report', async () => {
    let status: number | undefined = 404;
    const world = await worldWithList(() => status);
    expect((await apply(world)).code).toBe(1); // the gateway refuses it
    status = undefined;
    const ran = await world.run('apply', '--resume', '--auto-approve');
    expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: error']);
    expect(ran.err).toContain('error[unknown-class]');
    const drift = await world.run('drift', 'a.yaml');
    expect([drift.code, verdictOf(drift)]).toEqual([0, 'result: drift']);
  });

  it('can be a warning', async () => {
    const there = await serve();
    const world = worldOn(there, interceptor(`${PLUGIN_PREFIX}Newer`));
    world.write('gwconf.yaml', 'apiVersion: gwconf/v1\nkind: Project\nlint: { unknown-class: warning }\n');
    const ran = await world.run('plan', 'a.yaml');
    expect(ran.code).toBe(0);
    expect(ran.err).toContain('warning[unknown-class]');
  });
});
