import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { memoryGateway } from '../../src/emulator/memory.ts';
import type { Json, JsonObject } from '../../src/model/json/json.ts';
import type { Resource } from '../../src/model/resource.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { CORPUS, recorded } from '../support/corpus.ts';
import { resource } from '../support/kinds.ts';

type Recorded = {
  readonly request: { readonly method: string; readonly path: string; readonly body?: Json };
  readonly response: { readonly status?: number; readonly body: Json };
};

// Exchanges with gateways. What was listed is put first, as little of it as its user would have written.
describe(`answers as recorded in ${CORPUS}`, () => {
  it.each(recorded)('$name', ({ text }) => {
    const { request, response } = parseDocument(text).toJS() as Recorded;
    const gateway = memoryGateway(catalog.kinds, { version: versionOf(text) });
    if (request.method === 'GET') {
      for (const one of [response.body].flat() as unknown as Resource[]) {
        const { collection } = catalog.kinds.get(one.kind) ?? { collection: '' };
        expect(gateway.handle('PUT', collection, one)).toMatchObject({ status: 200 });
        if (one.spec['type'] === 'Partner') {
          const metadata = { name: 'orders', vCluster: one.metadata.name };
          const alias = resource('AliasTopic', metadata, { physicalName: 'orders' });
          gateway.handle('PUT', '/gateway/v2/alias-topic', alias);
        }
      }
    }
    const answer = gateway.handle(request.method, request.path, request.body);
    expect(answer.status).toBe(response.status ?? 200);
    expect(answer.body).toEqual(withAnyServers(response.body));
  });
});

/** Said in the comment at the top of each file. */
function versionOf(text: string): string {
  const [comment = ''] = text.split('\n');
  if (comment.includes('3.3/3.4')) return '3.4.0';
  return /(3\.\d+) era/.exec(comment)?.[1] ?? /gateway (3\.\d+)/.exec(comment)?.[1] ?? '3.21.0';
}

/** Where a gateway is reached is its own business. */
function withAnyServers(body: Json): unknown {
  const { spec } = body as { spec?: JsonObject };
  if (spec?.['bootstrapServers'] === undefined) return body;
  return { ...(body as JsonObject), spec: { ...spec, bootstrapServers: expect.any(String) as string } };
}
