import { describe, expect, it } from 'vitest';
import { memoryGateway } from '../src/emulator/memory.ts';
import { serveGateway } from '../src/emulator/server.ts';
import type { Options } from '../src/emulator/embedded-state.ts';
import { httpGateway } from '../src/gateway/http/http.ts';
import type { JsonObject } from '../src/model/json/json.ts';
import { catalog } from '../src/schema/kinds/index.ts';
import { makeV1Routes } from '../src/v1/face/face-routes.ts';
import { describeGateway } from './support/gateway-contract.ts';
import { describeOperations } from './support/operations-contract.ts';
import { checkExchange, upstreamCheck, type Exchange } from './support/openapi-check.ts';
import { sharedFolder } from './support/shared.ts';

const inMemory = (options?: Options) => {
  const gateway = memoryGateway(catalog.kinds, options, makeV1Routes);
  return Promise.resolve({ gateway, close: () => gateway.close() });
};

const exchanges: Exchange[] = [];

const overHttp = async (options?: Options) => {
  const server = await serveGateway(memoryGateway(catalog.kinds, options, makeV1Routes), {
    port: 0,
    onExchange: (request, response) => {
      if (options?.version === undefined) exchanges.push({ request, response }); // the descriptions are of the newest
    },
  });
  const gateway = httpGateway({
    url: server.url,
    user: 'admin',
    password: 'conduktor',
    userAgent: 'gwconf/test',
  });
  return {
    gateway,
    close: async () => {
      await gateway.close();
      await server.close();
    },
  };
};

describeGateway('in memory', inMemory);
describeGateway('over HTTP', overHttp);
describeOperations('in memory', inMemory);
describeOperations('over HTTP', overHttp);

/** Runs last: what the suite above made go over the wire. */
describe('what went over HTTP', () => {
  it("is what the embedded gateway's own description says", () => {
    const document = memoryGateway(catalog.kinds, {}).handle('GET', '/gateway/v2/docs').body as JsonObject;
    expect(exchanges.length).toBeGreaterThan(100);
    expect(exchanges.flatMap(checkExchange(document))).toEqual([]);
  });

  const upstream = upstreamCheck();
  it.skipIf(upstream === undefined)(
    `is what the vendor's description says, of ${sharedFolder('upstream').title}`,
    () => {
      expect(exchanges.flatMap(upstream ?? (() => []))).toEqual([]);
    },
  );
});
