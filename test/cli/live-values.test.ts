import { afterEach, describe, expect, it } from 'vitest';
import { closeAll } from '../gateway/opponent.ts';
import { verdictOf, type Ran, type World } from '../support/cli.ts';
import { oddInterceptor, oddWorld } from '../support/odd-gateway.ts';
import type { JsonObject } from '../../src/model/json/json.ts';

afterEach(closeAll);

const CLASS = { pluginClass: 'io.conduktor.gateway.interceptor.safeguard.ReadOnlyTopicPolicyPlugin' };
const LIVE = { topic: 'a', action: 'NEWER', newer: { x: 1 } };

async function worldOf(config: JsonObject): Promise<World> {
  return oddWorld(
    { Interceptor: [oddInterceptor('i', LIVE, CLASS)] },
    { 'a.yaml': JSON.stringify(oddInterceptor('i', config, CLASS)) },
  );
}

async function planned(config: JsonObject, command = 'plan'): Promise<Ran> {
  return (await worldOf(config)).run(command, '-f', 'a.yaml');
}

describe('what gwconf finds wrong in a file', () => {
  it.each(['plan', 'drift'])('is a warning where the gateway has it: %s', async (command) => {
    const ran = await planned({ ...LIVE, topic: 'b' }, command);
    expect(ran.code, ran.err).toBe(0);
    expect(ran.err).toContain('warning[invalid-value]: /action of');
    expect(ran.err).toContain('the gateway has it already');
    expect(ran.err).not.toContain('unknown-field');
  });

  it('is an error where the gateway has another value, and offline', async () => {
    const world = await worldOf({ ...LIVE, action: 'NEWEST' });
    for (const args of [
      ['plan', '-f', 'a.yaml'],
      ['validate', 'a.yaml'],
    ]) {
      const ran = await world.run(...args);
      expect(ran.code).toBe(1);
      expect(ran.err).toContain('error[invalid-value]: /action of');
    }
  });

  it('is a warning if it is a field that the gateway does not have, and like none that is known', async () => {
    const ran = await planned({ ...LIVE, action: 'BLOCK', another: 1 });
    expect([ran.code, verdictOf(ran)], ran.err).toEqual([0, 'result: changes']);
    expect(ran.err).toContain('warning[unknown-field]');
    expect(ran.err).toContain('has no field another, as far as gwconf knows gateway');
  });

  it('tells nothing of a value that a variable fills in', async () => {
    const say = async (value: string): Promise<string> => {
      const world = await worldOf({ ...LIVE, action: '${ACTION}' });
      Object.assign(world.env, { ACTION: value });
      return (await world.run('plan', '-f', 'a.yaml')).err;
    };
    expect(await say('NEWER')).toBe(await say('OTHER'));
    expect(await say('NEWER')).toContain('error[invalid-value]');
  });
});
