import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryGateway } from '../../src/emulator/memory.ts';
import { serveGateway, type Interception } from '../../src/emulator/server.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { makeWorld, type World } from '../support/cli.ts';
import { alias, all } from '../support/documents.ts';
import { kindOf, resource } from '../support/kinds.ts';
import { LOGIN } from '../support/served.ts';

/** A world whose gateway answers so to each write of `bad`. */
async function worldWith(answer: Interception): Promise<World> {
  const server = await serveGateway(memoryGateway(catalog.kinds), {
    port: 0,
    intercept: ({ method, body }, handle) =>
      Promise.resolve(method !== 'GET' && body.includes('"bad"') ? answer : handle()),
  });
  onTestFinished(() => server.close());
  const world = makeWorld({ 'a.yaml': all(alias('bad'), alias('good')) });
  Object.assign(world.env, LOGIN, { GWCONF_URL: server.url });
  return world;
}

const status = (code: number): Interception => ({
  status: code,

  body: JSON.stringify({ title: 'no' }),
});

it('there is no hint to undo a run whose undo would be stale, since somebody else has written meanwhile', async () => {
  const gateway = memoryGateway(catalog.kinds);
  const server = await serveGateway(gateway, {
    port: 0,
    intercept: ({ method, body }, handle) => {
      const answer = handle();
      const theirs = resource('AliasTopic', { name: 'bad' }, { physicalName: 'theirs' });
      const isLast = method === 'PUT' && body.includes('"bad"');
      return isLast ? gateway.put(kindOf('AliasTopic'), theirs).then(() => answer) : Promise.resolve(answer);
    },
  });
  onTestFinished(() => server.close());
  const world = makeWorld({ 'a.yaml': all(alias('bad'), alias('good')) });
  Object.assign(world.env, LOGIN, { GWCONF_URL: server.url });
  const ran = await world.run('apply', '-f', 'a.yaml', '--auto-approve', '--settle-timeout', '10ms');
  expect(ran.err).toContain('AliasTopic/bad@vCluster=passthrough was overtaken');
  expect(ran.err).not.toContain('Undo this run');
  expect((await world.run('undo', '--auto-approve')).code).toBe(4);
});

describe('the hint to resume a run', () => {
  it.each<[string, Interception, boolean]>([
    ['that the gateway rejected: 400', status(400), false],
    ['that the gateway rejected: 404', status(404), false],
    ['that the gateway rejected: 409', status(409), false],
    ['whose login was rejected: 401', status(401), true],
    ['whose login was rejected: 403', status(403), true],
    ['of a busy gateway: 503', status(503), true],
    ['whose connection broke', 'drop-connection', true],
  ])('after a run %s', async (_, answer, isShown) => {
    const world = await worldWith(answer);
    const flags = ['-f', 'a.yaml', '--auto-approve', '--keep-going', '--settle-timeout', '10ms'];
    const ran = await world.run('apply', ...flags);
    expect(ran.code).toBe(5);
    const asOther = [401, 403].includes(typeof answer === 'object' ? answer.status : 0);
    const hint = `Resume this run${asOther ? ', as a user who may write' : ''}: gwconf apply --resume `;
    expect(ran.err.includes(hint)).toBe(isShown);
    expect(ran.err).toContain('Undo this run: gwconf undo');
    expect((await world.run('apply', '--resume')).code).not.toBe(70);
  });

  it('leaves another login to be filled in where that of flags was rejected, and keeps it otherwise', async () => {
    const hintAfter = async (answer: Interception): Promise<string> => {
      const world = await worldWith(answer);
      world.write('pw', 'conduktor');
      const login = ['--user', 'admin', '--password-file', 'pw'];
      const ran = await world.run('apply', '-f', 'a.yaml', '--yes', '--settle-timeout', '0s', ...login);
      return /^Resume this run.*$/m.exec(ran.err)?.[0].replace(/ --resume \S+/, '') ?? '';
    };
    expect(await hintAfter(status(403))).toBe(
      "Resume this run, as a user who may write: gwconf apply --user '…' --password-file '…'",
    );
    expect(await hintAfter(status(503))).toBe(
      'Resume this run: gwconf apply --user admin --password-file pw',
    );
  });

  it('is followed by the one to undo this run, not a newer one, also where nothing new was made', async () => {
    const world = await worldWith(status(403));
    world.write('b.yaml', all(alias('newer')));
    await world.run('apply', '-f', 'a.yaml', '--auto-approve', '--keep-going');
    expect((await world.run('apply', '-f', 'b.yaml', '--auto-approve')).code).toBe(0);
    const resumed = await world.run('apply', '--resume', '1');
    expect(resumed.code).toBe(5);
    const printed = /^Undo this run: gwconf (.*)$/m.exec(resumed.err)?.[1] ?? '';
    expect((await world.run(...printed.split(' '), '--auto-approve')).code).toBe(0);
    expect((await world.run('get', 'AliasTopic', '-o', 'name')).out).toBe(
      'AliasTopic/newer@vCluster=passthrough\n',
    );
  });
});
