import { onTestFinished } from 'vitest';
import type { ApiResponse } from '../../src/emulator/responses.ts';
import { memoryGateway, type EmbeddedGateway } from '../../src/emulator/memory.ts';
import { serveGateway, type ServerOptions } from '../../src/emulator/server.ts';
import type { Options } from '../../src/emulator/embedded-state.ts';
import type { Json } from '../../src/model/json/json.ts';
import type { Resource } from '../../src/model/resource.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { makeWorld, type World } from './cli.ts';
import { kindOf } from './kinds.ts';
import { makeV1Routes } from '../../src/v1/face/face-routes.ts';

/** One request as the gateway got it, and the status of its answer. */
export type Request = {
  readonly method: string;
  readonly path: string;
  readonly body: Json | undefined;
  readonly status: number;
};

/** An embedded gateway over HTTP, which remembers what was asked of it. */
export type Served = {
  readonly url: string;
  readonly gateway: EmbeddedGateway;
  readonly requests: readonly Request[];
  /** Those that are meant to change something. */
  writes(): readonly Request[];
  forget(): void;
  put(...resources: readonly Resource[]): Promise<void>;
  /** What it holds of a kind, as it answers a list. */
  list(kind: string): Promise<readonly Resource[]>;
  /** To be called before each answer. */
  onRequest(look: (request: Request) => void): void;
};

export const LOGIN = { GWCONF_USER: 'admin', GWCONF_PASSWORD: 'conduktor' } as const;

/** A gateway for one test, on a free port. */
export async function serve(
  options: Options = {},
  faults: Pick<ServerOptions, 'intercept'> = {},
): Promise<Served> {
  const gateway = memoryGateway(catalog.kinds, options, makeV1Routes);
  const requests: Request[] = [];
  const lookers: ((request: Request) => void)[] = [];
  const server = await serveGateway(gateway, {
    ...faults,
    port: 0,
    onExchange({ method, url, body }, answer: ApiResponse) {
      const parsed = body === '' ? undefined : (JSON.parse(body) as Json); // what a client of ours sent
      const request = { method, path: url, body: parsed, status: answer.status };
      requests.push(request);
      for (const look of lookers) look(request);
    },
  });
  onTestFinished(() => server.close());
  return {
    url: server.url,
    gateway,
    requests,
    writes: () => requests.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/resolve')),
    forget: () => void requests.splice(0),
    async put(...resources) {
      for (const one of resources) await gateway.put(kindOf(one.kind), one);
    },
    list: (kind) => gateway.list(kindOf(kind)),
    onRequest: (look) => void lookers.push(look),
  };
}

/** A world with these files whose gateway is this one. */
export function worldBeside(there: Served, files: Readonly<Record<string, string>> = {}): World {
  const world = makeWorld(files);
  Object.assign(world.env, LOGIN, { GWCONF_URL: there.url });
  return world;
}
