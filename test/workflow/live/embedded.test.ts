import { expect, it } from 'vitest';
import { GatewayError } from '../../../src/gateway/gateway.ts';
import { lockState, openEmbedded } from '../../../src/workflow/live/embedded.ts';
import { makeWorld } from '../../support/cli.ts';
import { kindOf } from '../../support/kinds.ts';
import { cluster } from '../../support/resources.ts';

it.each([
  ['writeFile', 'ENOSPC', 'the disk is full'],
  ['createFile', 'EROFS', 'the file system is read-only'],
])('a state file that %s cannot write fails the write as a gateway does: %s', async (write, code, why) => {
  const fails = (): Promise<never> => Promise.reject(Object.assign(new Error(), { code, syscall: 'open' }));
  const host = { ...makeWorld({}).io({}), [write]: fails };
  const gateway = await openEmbedded(host, 'embedded:state.json', {});
  const error: unknown = await gateway
    .put(kindOf('VirtualCluster'), cluster('prod'))
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(GatewayError);
  expect(error).toMatchObject({ message: `the state file state.json cannot be written: ${why}` });
  await gateway.close();
});

it('a server of a state file that cannot be written does not start, and says which file and why', async () => {
  const fails = (): Promise<never> =>
    Promise.reject(Object.assign(new Error(), { code: 'EROFS', syscall: 'open' }));
  const host = { ...makeWorld({}).io({}), createFile: fails };
  const error: unknown = await lockState(host, 'state.json').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(GatewayError);
  expect(error).toMatchObject({
    message: 'the state file state.json cannot be written: the file system is read-only',
  });
});
