import { describe, expect, it } from 'vitest';
import { hideSecrets } from '../../src/workflow/live/connection.ts';
import { makeMasker } from '../../src/plan/secrets/masker.ts';
import { makeWorld } from '../support/cli.ts';
import { runHere } from '../support/in-process.ts';
import { LOGIN, serve } from '../support/served.ts';

const FILE = `
  apiVersion: gateway/v2
  kind: Interceptor
  metadata: { name: audit }
  spec: { pluginClass: com.example.Own, priority: 1, config: { "owner\u202e": "\${OWNER}", note: "by \${OWNER}" } }
`;

describe('--log-level trace', () => {
  it('shows each call, without what came from the environment', async () => {
    const there = await serve();
    const world = makeWorld({ 'a.yaml': FILE });
    Object.assign(world.env, LOGIN, { GWCONF_URL: there.url, OWNER: 'hunter2-owner' });
    const events: object[] = [];
    const { code } = await world.runWith(
      { onTrace: (event) => events.push(event) },
      ...['apply', '-f', 'a.yaml', '--auto-approve'],
    );
    expect(code).toBe(0);
    expect(events).toContainEqual(
      expect.objectContaining({
        event: 'request',
        method: 'PUT',
        body: expect.objectContaining({
          spec: expect.objectContaining({
            config: { 'owner\u202e': '(hidden)', note: '(hidden)' },
          }) as object,
        }) as object,
      }),
    );
    expect(JSON.stringify(events)).not.toContain('hunter2');
  });

  it('writes lines of JSON that are harmless on a terminal', async () => {
    const there = await serve();
    const world = makeWorld({ 'a.yaml': FILE });
    const { out, err, code } = await runHere(
      { cwd: world.folder, env: { ...LOGIN, OWNER: 'x', GWCONF_LOG_LEVEL: 'trace' } },
      ...['apply', '-f', 'a.yaml', '--auto-approve', '--url', there.url, '-o', 'json'],
    );
    expect(code, err).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ result: 'applied' });
    const lines = err.split('\n').filter((line) => line.startsWith('{'));
    const events = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    expect(events).toContainEqual(
      expect.objectContaining({ event: 'answer', msg: 'gateway', method: 'PUT', status: 200 }),
    );
    expect(events.find(({ event }) => event === 'request')).toMatchObject({
      headers: { authorization: '(hidden)', accept: 'application/json' },
    });
    expect(err).toContain('"owner\\u202e"');
    expect(err).not.toContain('\u202e');
  });
});

describe('a value without what is known to be secret', () => {
  it('has neither whole texts of it nor parts of texts, in keys as well', () => {
    const known = new Set(['hunter2-long', 'hunter2-long-er', 'tiny', '']);
    expect(
      hideSecrets(
        { a: ['tiny', 'in tiny', ''], 'hunter2-long': { b: 'x hunter2-long-er y' }, c: 1, d: null },
        known,
        makeMasker(),
      ),
    ).toEqual({ a: ['(hidden)', 'in tiny', ''], '(hidden)': { b: 'x (hidden) y' }, c: 1, d: null });
  });
});
