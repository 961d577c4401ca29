/**
 * An embedded gateway for tests, imported as `gwconf/testing`; docs/reference/testing.md has examples.
 *
 *     await using gateway = await startGateway({ version: '3.20.0' });
 */

import { startGateway as start, type GatewayOptions, type TestGateway } from './emulator/testing.ts';
import { loadV1Operations } from './v1/door.ts';

/** Starts an embedded gateway whose state is in memory. Rejects when it cannot listen, or refuses one of `resources`. */
export function startGateway(options: GatewayOptions = {}): Promise<TestGateway> {
  return start(options, loadV1Operations);
}

export type { Effect, Fault } from './emulator/testing.ts';
export type { GatewayOptions, ListedResource, LoggedRequest, TestGateway } from './emulator/testing.ts';
export type { User } from './emulator/server.ts';
export type { SecurityMode } from './emulator/embedded-state.ts';
export type { Json, JsonObject } from './model/json/json.ts';
export { GatewayError } from './gateway/gateway.ts';
