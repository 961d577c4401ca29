import { memoryGateway } from '../../src/emulator/memory.ts';
import { serveGateway } from '../../src/emulator/server.ts';
import { httpGateway } from '../../src/gateway/http/http.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { describeGateway } from '../support/gateway-contract.ts';

describeGateway('over HTTP', async (options) => {
  const server = await serveGateway(memoryGateway(catalog.kinds, options), { port: 0 });
  const gateway = httpGateway({
    url: server.url,
    user: 'admin',
    password: 'conduktor',
    userAgent: 'gwconf/1.2.3',
  });
  return {
    gateway,
    close: async () => {
      await gateway.close();
      await server.close();
    },
  };
});
