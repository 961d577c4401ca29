import { afterEach, describe, expect, it } from 'vitest';
import {
  changeAt,
  entriesOf,
  joinPointer,
  parsePointer,
  type Json,
  type Pointer,
} from '../../src/model/json/json.ts';
import { identify } from '../../src/model/identity.ts';
import type { Resource } from '../../src/model/resource.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import { redact } from '../../src/plan/secrets/redact.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { load } from '../../src/schema/load/load.ts';
import { surveyKinds } from '../../src/plan/checks/survey.ts';
import { NO_VARIABLES } from '../../src/schema/yaml/interpolate.ts';
import { closeAll, serve } from '../gateway/opponent.ts';
import { makeWorld } from '../support/cli.ts';
import { kindOf } from '../support/kinds.ts';
import { planText } from '../support/plans.ts';

afterEach(closeAll);

/** What could stand where something else was expected. */
const ODD: readonly Json[] = [null, 42, 'x', true, [], {}, [null], [[]], [{}], { a: 1 }, { name: {} }];

function* placesIn(value: Json, at: Pointer = ''): Generator<Pointer> {
  yield at;
  for (const [key, child] of entriesOf(value)) yield* placesIn(child, joinPointer(at, key));
}

describe('a gateway that says something else than its API does', () => {
  const writable = [...catalog.kinds.values()].filter(({ removal }) => removal !== undefined);

  it.each(writable.map((kind) => [kind.name, kind] as const))(
    'is not understood or is taken at its word, and is never the end: %s',
    (_, kind) => {
      const declared = load(
        [{ path: 'a.json', text: JSON.stringify(kind.example), named: true }],
        catalog,
        NO_VARIABLES,
      ).value;
      for (const place of placesIn(kind.example)) {
        for (const odd of ODD) {
          const item = changeAt(kind.example, parsePointer(place), () => odd);
          let read: Resource;
          try {
            read = kind.read(item);
          } catch (error) {
            expect(String(error)).toMatch(/^TypeError: expected /);
            continue;
          }
          for (const desired of [declared, new Map()]) {
            const live = { resources: new Map([[identify(kind, read), read]]), unavailable: new Map() };
            const made = makePlan(desired, live, catalog.kinds, { gateway: 'x', prune: ['*'] });
            Array.from(surveyKinds({ desired, kinds: catalog.kinds, live }));
            planText(redact(made.value, catalog.kinds));
          }
        }
      }
    },
  );

  /** A gateway whose items of a kind are this text; it takes every write. */
  async function saying(kind: string, text: string): Promise<string> {
    const { url } = await serve((response, { method, path }) => {
      const items = path === kindOf(kind).collection ? text : '[]';
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(method === 'GET' ? items : '{"upsertResult":"UPDATED"}');
    });
    return url;
  }
  const audit = (spec: string): string =>
    `[{"apiVersion":"gateway/v2","kind":"Interceptor","metadata":{"name":"audit"},"spec":${spec}}]`;

  it.each([
    ['numbers beyond measure', '{"pluginClass":"x.Y","priority":1e999,"config":{"a":-1e999,"b":1e-999}}'],
    ['texts with NUL', '{"pluginClass":"x\\u0000.Y","priority":1,"config":{"\\u0000":"\\u0000"}}'],
    ['halves of characters', '{"pluginClass":"x.Y","priority":1,"config":{"\\ud800":"\\udfff"}}'],
    ['a key that is no key', '{"pluginClass":"x.Y","priority":1,"config":{"__proto__":{"a":1},"":{"":1}}}'],
    [
      'a config 150 deep',
      `{"pluginClass":"x.Y","priority":1,"config":${'{"a":'.repeat(150)}1${'}'.repeat(150)}}`,
    ],
    ['a line of a megabyte', `{"pluginClass":"x.Y","priority":1,"config":{"a":"${'x'.repeat(1_000_000)}"}}`],
  ])('is planned against and applied to, with %s', async (_, spec) => {
    const world = makeWorld({
      'a.yaml':
        'apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: audit }\nspec: { pluginClass: x.Y, priority: 7, config: {} }\n',
    });
    world.env['GWCONF_URL'] = await saying('Interceptor', audit(spec));
    for (const args of [
      ['plan', 'a.yaml', '--out', 'p.plan'],
      ['plan', 'a.yaml', '-o', 'json'],
      ['show', 'p.plan'],
      ['apply', 'p.plan', '--settle-timeout', '0s'],
    ]) {
      const { code, out, err } = await world.run(...args);
      expect(err).not.toContain('bug');
      expect(code, err).toBeLessThan(64);
      expect(out.length).toBeLessThan(args.includes('json') ? 10_000_000 : 20_000);
    }
  });

  it('lists one resource twice, and gwconf will not guess which', async () => {
    const [one, other] = ['1', '2'].map((priority) =>
      audit(`{"pluginClass":"x.Y","priority":${priority},"config":{}}`).slice(1, -1),
    );
    const world = makeWorld({});
    world.env['GWCONF_URL'] = await saying('Interceptor', `[${one},${other}]`);
    const { code, err } = await world.run('plan', '-f', '.', '--allow-empty');
    expect(code).toBe(1);
    expect(err).toContain(
      'error[gateway-error]: the gateway lists two resources with the address Interceptor/audit',
    );
  });
});
