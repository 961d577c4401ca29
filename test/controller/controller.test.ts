import { describe, expect, it } from 'vitest';
import { mask } from '../support/masks.ts';
import { startApiServer } from '../support/kubernetes/api-server.ts';
import { aliases, controllerContract, world } from '../support/kubernetes/contract.ts';

describe('the controller, with an API server in memory', () => {
  controllerContract(startApiServer);

  it('says who lacks a protection since a run of which the API server took no status, in the log and in the next status', async () => {
    const masked = `${aliases('orders')}---\n${JSON.stringify(mask('mask', '.*', ['card'], { vCluster: 'prod' }))}\n`;
    const { api, make, start, gateway, setFiles, ask, logs } = await world(startApiServer, masked);
    await make({ mode: 'apply', prune: true });
    const { looked, statusOf } = await start();
    await looked(({ reason }) => reason === 'Applied');
    gateway.setFaults([
      { method: 'DELETE', path: '/gateway/v2/alias-topic', status: 400, body: { title: 'no' } },
    ]);
    api.setDown?.('status');
    await setFiles(aliases());
    await expect.poll(() => logs.join(''), { interval: 5 }).toContain('etcdserver: request timed out');
    const told = 'an unfinished run left all other clients in prod without masking; AliasTopic/orders';
    expect(logs.join('')).toContain(told);
    api.setDown?.(false);
    const again = looked(({ reason, made }) => reason === 'ApplyFailed' && made === 0);
    await ask();
    await again;
    expect((await statusOf()).conditions?.[0]?.message).toContain(told);
  });
});
