import { expect, it } from 'vitest';
import { nodeHost } from '../../src/host/node-host.ts';
import { deriveKey, slowDigester } from '../../src/plan/saved/digest.ts';

it('a process derives slow keys for digests of secrets', async () => {
  const { deriveKey: own } = nodeHost();
  expect(own).toBe(deriveKey);
  expect(`0.${await own('secret', 'salt:0')}`).toBe(slowDigester('salt')('secret'));
});
