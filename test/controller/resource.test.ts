import { expect, it } from 'vitest';
import { REQUESTS, requestOf } from '../../src/controller/resource.ts';
import { statusAfter } from '../../src/controller/status.ts';

it('a new value of either annotation is a new request, whatever the other one says', () => {
  const asked = (annotations: Record<string, string>): string | undefined =>
    requestOf({ metadata: { name: 'app', annotations } });
  const [own = '', flux = ''] = REQUESTS;
  expect(asked({})).toBeUndefined();
  expect(asked({ [flux]: 'noon' })).toBe('noon');
  expect(asked({ [own]: 'dawn', [flux]: 'noon' })).not.toBe(asked({ [own]: 'dawn', [flux]: 'night' }));
  expect(asked({ [own]: 'dawn', [flux]: 'noon' })).not.toBe(asked({ [own]: 'dusk', [flux]: 'noon' }));
});

it('a long request is told apart from others by its digest, and no message is cut within a character', () => {
  const [own = ''] = REQUESTS;
  const asking = (asked: string): Parameters<typeof statusAfter>[0] => ({
    metadata: { name: 'app', annotations: { [own]: asked } },
    spec: { source: { folder: 'files' }, gateway: { url: 'http://gateway' } },
  });
  const now = new Date(0);
  const resource = asking(`${'a'.repeat(100_000)}1`);
  const { lastHandledReconcileAt: handled, conditions = [] } = statusAfter(
    resource,
    { state: 'failed', reason: 'GatewayError', message: '😀'.repeat(1000), made: 0, calls: 0 },
    { start: now, end: now, by: 'me' },
  );
  expect(handled).toMatch(/^[0-9a-f]{64}$/);
  expect(handled).toBe(requestOf(resource));
  expect(handled).not.toBe(requestOf(asking(`${'a'.repeat(100_000)}2`)));
  for (const { message = '' } of conditions) expect(message).toMatch(/^\P{Surrogate}{10,}…$/u);
});
