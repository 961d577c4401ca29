import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { makeWorld, type Circumstances, type Ran, type World } from './cli.ts';
import { makeAgeKey } from './sops-file.ts';
import { encrypting, projectOf } from './documents.ts';

export const TOKEN = 'hvs.token-of-the-vault';
export const KEY = await makeAgeKey();
export const OTHER = await makeAgeKey();

export function worldWith(token: string, files: Readonly<Record<string, string>> = {}): World {
  return makeWorld({
    'gwconf.yaml': projectOf({ prod: 'gateway: { url: "embedded:gateway.json" }, files: [gateway]' }),
    'gateway/encrypt.yaml': encrypting(token),
    ...files,
  });
}

/** A program of a world. */
export function withProgram(world: World, name: string, script: string): World {
  world.write(`bin/${name}`, `#!/bin/sh\necho "${name} $*" >> calls\n${script}\n`);
  chmodSync(join(world.folder, `bin/${name}`), 0o755);
  return world;
}

export function tokenOn(world: World): unknown {
  const text = world.has('gateway.json') ? world.read('gateway.json') : '';
  const found = /"token": ?("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  return found === undefined ? undefined : JSON.parse(found);
}

export const apply = (world: World, how: Circumstances = {}, ...args: readonly string[]): Promise<Ran> =>
  world.runWith(how, 'apply', '--auto-approve', '--journal', 'none', ...args);

export async function expectToken(
  world: World,
  how: Circumstances,
  ...args: readonly string[]
): Promise<void> {
  const ran = await apply(world, how, ...args);
  expect(ran.code, ran.err).toBe(0);
  expect(tokenOn(world)).toBe(TOKEN);
  expect(ran.out + ran.err).not.toContain(TOKEN);
}

export function expectRefused(ran: Ran, world: World, ...sentences: readonly string[]): void {
  expect(ran.code, ran.err).toBe(1);
  for (const sentence of sentences) expect(ran.err).toContain(sentence);
  expect(tokenOn(world)).toBeUndefined();
}

export const MINE = { env: { SOPS_AGE_KEY: KEY.identity } };
export const CLEAR = {
  vault: { token: TOKEN, pin: 1234, isOld: true, share: 0.25, empty: '' },
  users: [{ name: 'reader', password: TOKEN }],
  region: 'eu',
  nothing: null,
};
