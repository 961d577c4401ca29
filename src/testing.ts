/**
 * An embedded gateway for tests, imported as `gwconf/testing`; docs/testing.md has examples.
 *
 *     await using gateway = await startGateway({ version: '3.20.0' });
 */

export type { Effect, Fault } from './emulator/testing/faults.ts';
export type {
  GatewayOptions,
  ListedResource,
  LoggedRequest,
  TestGateway,
} from './emulator/testing/start-gateway.ts';
export { startGateway } from './emulator/testing/start-gateway.ts';
export type { User } from './emulator/server.ts';
export type { SecurityMode } from './emulator/state/state.ts';
export type { Json, JsonObject } from './model/json/json.ts';
export { GatewayError } from './gateway/gateway.ts';
