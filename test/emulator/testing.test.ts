import { describe, expect, it, onTestFinished } from 'vitest';
import { startGateway, type Fault, type GatewayOptions, type TestGateway } from '../../src/testing.ts';

const prod = { apiVersion: 'gateway/v2', kind: 'VirtualCluster', metadata: { name: 'prod' }, spec: {} };

async function start(options?: GatewayOptions): Promise<TestGateway> {
  const gateway = await startGateway(options);
  onTestFinished(() => gateway.close());
  return gateway;
}

/** The status, or that there was none. */
async function call(gateway: TestGateway, line: string, body?: unknown, login = 'admin:conduktor') {
  const [method = '', path = ''] = line.split(' ');
  const init = {
    method,
    headers: { authorization: `Basic ${btoa(login)}`, 'x-cdk-client': 'CLI/1' },
    signal: AbortSignal.timeout(5000),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  };
  return fetch(gateway.url + path, init).then(
    ({ status }) => status,
    () => 'none' as const,
  );
}

describe('startGateway', () => {
  it('keeps a log without credentials, also of what was not answered', async () => {
    const gateway = await start({ version: '3.20.0', faults: [{ path: '/metrics', drop: 'before' }] });
    await call(gateway, 'PUT /gateway/v2/virtual-cluster?dryMode=true', prod);
    await call(gateway, 'POST /admin/userMappings/v1', 'Oh!');
    await call(gateway, 'GET /admin/plugins/v1', undefined, 'admin:wrong');
    await call(gateway, 'GET /metrics');
    const about = { headers: expect.objectContaining({ 'x-cdk-client': 'CLI/1' }) as object, query: {} };
    expect(gateway.requests).toEqual([
      {
        ...about,
        method: 'PUT',
        path: '/gateway/v2/virtual-cluster',
        query: { dryMode: 'true' },
        body: prod,
        status: 200,
      },
      { ...about, method: 'POST', path: '/admin/userMappings/v1', body: 'Oh!', status: 400 },
      { ...about, method: 'GET', path: '/admin/plugins/v1', body: undefined, status: 401 },
      { ...about, method: 'GET', path: '/metrics', body: undefined, status: undefined },
    ]);
    expect(JSON.stringify(gateway.requests)).not.toContain('authorization');
    gateway.clearRequests();
    expect(gateway.requests).toEqual([]);
  });

  it('starts with resources, or with the state of another one', async () => {
    const one = await start({ resources: [prod] });
    await expect(one.put({ ...prod, metadata: { name: 'no good' } })).rejects.toThrow(/name/);
    await expect(one.put({ ...prod, kind: 'Topic' })).rejects.toThrow('expected a kind: VirtualCluster,');
    const other = await start({ state: one.snapshot() });
    expect(await other.list('VirtualCluster')).toMatchObject([{ metadata: { name: 'prod' } }]);
    await expect(startGateway({ resources: [{ kind: 'VirtualCluster' }] })).rejects.toThrow();
  });

  it('has the users, the clock and the Kafka cluster that it is given', async () => {
    const gateway = await start({
      users: [
        { username: 'reader', password: 'r', admin: false },
        { username: 'me', password: 'w', admin: true },
      ],
      topics: { orders: 'compact' },
      now: () => 0,
      resources: [
        { ...prod, kind: 'GatewayServiceAccount', metadata: { name: 'sa-1' }, spec: { type: 'LOCAL' } },
      ],
    });
    expect(gateway.env).toMatchObject({
      GWCONF_URL: gateway.url,
      GWCONF_USER: 'me',
      CDK_GATEWAY_PASSWORD: 'w',
    });
    const put = 'PUT /gateway/v2/virtual-cluster';
    expect([
      await call(gateway, put, prod, 'reader:r'),
      await call(gateway, put, prod, 'me:w'),
      await call(gateway, put, prod),
    ]).toEqual([403, 200, 401]);
    const rule = { pattern: 'x', physicalTopics: { delete: 'orders' } };
    const wrong = { ...prod, kind: 'ConcentrationRule', metadata: { name: 'r' }, spec: rule };
    expect(await call(gateway, 'PUT /gateway/v2/concentration-rule', wrong, 'me:w')).toBe(409);
    const response = await fetch(`${gateway.url}/gateway/v2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('me:w')}` },
      body: JSON.stringify({ username: 'sa-1', lifeTimeSeconds: 60 }),
    });
    const { token } = (await response.json()) as { token: string };
    expect(JSON.parse(atob(token.split('.')[1] ?? ''))).toMatchObject({ exp: 60 });
  });

  it('is closed twice, and at the end of a block', async () => {
    const gateway = await startGateway();
    await Promise.all([gateway.close(), gateway.close(), gateway[Symbol.asyncDispose]()]);
    expect(await call(gateway, 'GET /health/live')).toBe('none');
  });
});

describe('a fault', () => {
  const list = 'GET /gateway/v2/virtual-cluster';
  const put = 'PUT /gateway/v2/virtual-cluster';
  const one = 'GET /gateway/v2/virtual-cluster/prod';

  it.each<readonly [Fault, readonly (number | string)[]]>([
    [{ status: 500 }, [500, 500, 500]],
    [{ method: 'put', status: 429, retryAfter: 1 }, [200, 429, 404]],
    [{ path: '/gateway/v2/virtual-cluster', status: 500 }, [500, 500, 404]],
    [{ path: '/gateway/v2/*', status: 500 }, [500, 500, 404]],
    [{ path: '/gateway/**', nth: 2, status: 500, body: 'Oh!' }, [200, 500, 404]],
    [{ path: '/gateway/v2/virtual-cluster/*', status: 500 }, [200, 200, 500]],
    [{ path: '/gateway/v2/virtual-cluster/**', nth: 3, status: 500 }, [200, 200, 500]],
    [{ method: 'PUT', delayMs: 1 }, [200, 200, 200]],
    [{ method: 'PUT', drop: 'before' }, [200, 'none', 404]],
    [{ method: 'PUT', drop: 'after', delayMs: 1 }, [200, 'none', 200]],
  ])('%j gives %j', async (fault, statuses) => {
    const gateway = await start({ faults: [fault] });
    const seen = [];
    for (const line of [list, put, one]) {
      seen.push(await call(gateway, line, line === put ? prod : undefined));
    }
    expect(seen).toEqual(statuses);
    gateway.setFaults([]);
    expect(await call(gateway, list)).toBe(200);
  });

  it('may be that nothing is answered until the gateway is closed', async () => {
    const gateway = await start({ faults: [{ noResponse: true }] });
    const answer = call(gateway, list);
    await expect.poll(() => gateway.requests.length).toBe(1);
    await gateway.close();
    expect(await answer).toBe('none');
  });

  it('that comes first in the list is played, and all of them count', async () => {
    const gateway = await start({
      faults: [
        { path: '/gateway/**', nth: 1, status: 500 },
        { path: '/gateway/**', nth: 2, status: 502 },
        { path: '/gateway/**', status: 503 },
      ],
    });
    const seen = [await call(gateway, list), await call(gateway, list), await call(gateway, list)];
    expect(seen).toEqual([500, 502, 503]);
  });
});
