import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { memoryGateway } from '../../src/emulator/memory.ts';
import { canonicalText, changeAt, isList, type Json } from '../../src/model/json/json.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { userPool } from '../support/v1.ts';
import { makeV1Routes } from '../../src/v1/face/face-routes.ts';
import { sharedFolder } from '../support/shared.ts';

type Call = {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Json;
  readonly recordedBody?: Json;
};
type Demo = { readonly demo: string; readonly gatewayVersion: string; readonly calls: readonly Call[] };

/** Calls of v1 that others made, in their order, which are not part of the repository. */
const SHARED = sharedFolder('corpus-v1');
const demos = SHARED.files
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => parse(readFileSync(new URL(name, SHARED.url), 'utf8')) as Demo); // as gateway-api 0.4 describes it

describe(`calls of ${SHARED.title}`, () => {
  it.each(demos)('$demo', ({ gatewayVersion, calls }) => {
    const version = gatewayVersion.replace('.x', '.0');
    const gateway = memoryGateway(
      catalog.kinds,
      {
        version,
        userPool,
        physicalClusters: ['main', 'failover'],
      },
      makeV1Routes,
    );
    for (const { method, path, query = {}, body, recordedBody } of calls) {
      const search = String(new URLSearchParams(query));
      const response = gateway.handle(method, `${path}?${search}`, body);
      expect(response.status, `${method} ${path}`).toBe(statusOf(method, path));
      if (recordedBody !== undefined) expect(sorted(response.body)).toEqual(sorted(recordedBody));
    }
  });

  it.skipIf(SHARED.isAbsent)('are 109 in 30 files, 73 of them with a body', () => {
    const calls = demos.flatMap((demo) => demo.calls);
    const recorded = calls.filter(({ recordedBody }) => recordedBody !== undefined);
    expect([demos.length, calls.length, recorded.length]).toEqual([30, 109, 73]);
  });
});

/** The status as documented; the demos did not record it. */
function statusOf(method: string, path: string): number {
  if (method === 'POST') return path.endsWith('/switch') ? 200 : 201;
  return method === 'DELETE' ? 204 : 200;
}

/** Lists have no order: some were recorded in the order of creation, some in another one. */
function sorted(body: Json | undefined): Json | undefined {
  return changeAt(body ?? null, ['interceptors'], (list) =>
    isList(list)
      ? [...list].sort((one, other) => canonicalText(one).localeCompare(canonicalText(other)))
      : list,
  );
}
