import { memoryGateway } from '../../src/emulator/memory.ts';
import type { ApiResponse } from '../../src/emulator/responses.ts';
import type { Options } from '../../src/emulator/embedded-state.ts';
import type { Json } from '../../src/model/json/json.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { makeV1Routes } from '../../src/v1/face/face-routes.ts';

/** A user pool whose tokens are the same on every run. */
export const userPool = { now: () => 1_700_000_000_000, sign: () => 'signature' };

/** Calls an embedded gateway of that version: `call('GET /admin/plugins/v1')`. */
export function v1Gateway(
  version: string,
  options: Options = {},
): (call: string, body?: Json) => ApiResponse {
  const gateway = memoryGateway(catalog.kinds, { version, userPool, ...options }, makeV1Routes);
  return (call, body) => {
    const [method = '', url = ''] = call.split(' ');
    return gateway.handle(method, url, body);
  };
}
