import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/model/json/json.ts';
import { knownKind } from '../../../src/model/kind.ts';
import { HIDDEN } from '../../../src/model/secrets/hidden.ts';
import { hideSecretsIn } from '../../../src/plan/secrets/hide-in-chains.ts';
import { redact } from '../../../src/plan/secrets/redact.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { fileOf, planFor } from '../../support/plans.ts';
import { ENCRYPT, interceptor } from '../../support/resources.ts';

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJ1c2VybmFtZSI6ImFubiJ9.c2lnbmF0dXJl';

describe('a plan that is shown', () => {
  it('has no secret, old or new, and says which of them differ', () => {
    const before = interceptor(
      'i',
      { kmsConfig: { vault: { uri: 'https://a', token: 'old-secret' } } },
      ENCRYPT,
    );
    const after = interceptor(
      'i',
      { kmsConfig: { vault: { uri: 'https://b', token: 'new-secret' } } },
      ENCRYPT,
    );
    const { text, changes } = shown(fileOf(after), [before]);
    expect(text).not.toMatch(/old-secret|new-secret/);
    expect(changes[0]).toMatchObject({
      fields: [
        { op: 'set', path: '/spec/config/kmsConfig/vault/token', before: HIDDEN, after: HIDDEN },
        { op: 'set', path: '/spec/config/kmsConfig/vault/uri', before: 'https://a', after: 'https://b' },
      ],
    });
  });

  it('has none in what it creates and deletes', () => {
    const { text } = shown(fileOf(interceptor('new', { password: 'secret-1', other: 'seen-1' })), [
      interceptor('old', { password: 'secret-2', other: 'seen-2' }),
    ]);
    expect(text).not.toMatch(/secret-\d/);
    expect(text).toMatch(/seen-1.*seen-2/);
  });

  it('has none in a map that is new or gone as a whole', () => {
    const { text, changes } = shown(fileOf(interceptor('i', { a: { x: 1, token: 'secret-1' } })), [
      interceptor('i', { b: { x: 2, token: 'secret-2' } }),
    ]);
    expect(text).not.toMatch(/secret-\d/);
    expect(changes[0]).toMatchObject({
      fields: [
        { op: 'add', path: '/spec/config/a', after: { x: 1, token: HIDDEN } },
        { op: 'remove', path: '/spec/config/b', before: { x: 2, token: HIDDEN } },
      ],
    });
  });

  it('has none where a secret becomes a map, or a map a secret', () => {
    const { text } = shown(
      fileOf(interceptor('i', { token: { nested: 'secret-1' }, password: 'secret-2' })),
      [interceptor('i', { token: 'secret-3', password: { nested: ['secret-4'] } })],
    );
    expect(text).not.toMatch(/secret-\d/);
  });

  it('has none where a secret becomes nothing', () => {
    const list = (token: Json, ...first: readonly Json[]): Json => ({ l: [...first, { name: 'x', token }] });
    const { text } = shown(fileOf(interceptor('i', list(null, { name: 'new' }))), [
      interceptor('i', list('secret-1')),
    ]);
    expect(text).not.toMatch(/secret-\d/);
  });

  it('has none of what the environment gives, or gave before', () => {
    const { text } = shown(
      fileOf(interceptor('i', { header: 'Bearer ${X}', topic: 't' })),
      [interceptor('i', { header: 'Bearer secret-1', topic: 'u' })],
      { X: 'secret-2' },
    );
    expect(text).not.toMatch(/secret-\d/);
    expect(text).toContain('"before":"u","after":"t"');
  });

  it('has none of what the environment gives where an item has moved in its list', () => {
    const list = (...items: readonly (readonly [string, string])[]): Json => ({
      fields: items.map(([name, value]) => ({ name, value })),
    });
    const { text } = shown(
      fileOf(interceptor('i', list(['new', 'x'], ['key', '${X}']))),
      [interceptor('i', list(['key', 'secret-1']))],
      { X: 'secret-1' },
    );
    expect(text).not.toMatch(/secret-\d/);
    const rotated = shown(
      fileOf(interceptor('i', list(['new', 'x'], ['key', '${X}']))),
      [interceptor('i', list(['key', 'secret-1']))],
      { X: 'secret-2' },
    );
    expect(rotated.text).not.toMatch(/secret-\d/);
  });

  it('has none below an item of a list in which the environment gives another', () => {
    const { text, changes } = shown(
      fileOf(interceptor('i', { headers: ['${X}', { value: 'plain' }] })),
      [interceptor('i', { headers: [{ value: 'secret-1' }, { value: 'secret-2' }] })],
      { X: 'secret-3' },
    );
    expect(text).not.toMatch(/secret-\d/);
    expect(changes[0]).toMatchObject({
      before: { spec: { config: { headers: [HIDDEN, HIDDEN] } } },
      fields: [{ before: HIDDEN }, { path: '/spec/config/headers/1/value', before: HIDDEN, after: 'plain' }],
    });
  });

  it('has none that shows by itself, though its item has moved in its list', () => {
    const list = (...names: readonly string[]): Json => ({ l: names.map((name) => ({ name, x: 'plain' })) });
    const { text } = shown(fileOf(interceptor('i', list('new', 'a'))), [
      interceptor('i', { l: [{ name: 'a', x: jwt }] }),
    ]);
    expect(text).not.toContain(jwt);
  });

  it('shows what takes the place of a secret and is none', () => {
    const { changes } = shown(fileOf(interceptor('i', { topic: 'orders' })), [
      interceptor('i', { topic: jwt }),
    ]);
    expect(changes[0]).toMatchObject({
      before: { spec: { config: { topic: HIDDEN } } },
      after: { spec: { config: { topic: 'orders' } } },
    });
  });

  it('keeps its order and counts', () => {
    const { plan } = planFor(fileOf(interceptor('a', {}), interceptor('b', {})), []);
    const view = redact(plan, catalog.kinds);
    expect(view.changes.map(({ address }) => address)).toEqual(plan.changes.map(({ address }) => address));
    expect(view).toMatchObject({ gateway: 'memory:', counts: { create: 2 }, unselected: 0 });
    expect(redact(view, catalog.kinds)).toEqual(view);
  });
});

describe('what a gateway says of a change', () => {
  const older = interceptor('i', { password: 'pw1' });
  const newer = interceptor('i', { password: 'pw2' });

  it.each([
    { name: 'a create', live: [], wanted: [newer], told: 'pw1 and (hidden) are too short' },
    { name: 'an update', live: [older], wanted: [newer], told: '(hidden) and (hidden) are too short' },
    { name: 'a delete', live: [older], wanted: [], told: '(hidden) and pw2 are too short' },
  ])('has no secret of $name, the shortest neither', ({ live, wanted, told }) => {
    const [change] = planFor(fileOf(...wanted), live).plan.changes;
    if (change === undefined) throw new Error('there is no change');
    const kind = knownKind(change.address, catalog.kinds);
    expect(hideSecretsIn('pw1 and pw2 are too short', change, kind)).toBe(told);
  });
});

function shown(
  file: string,
  live: Parameters<typeof planFor>[1],
  variables?: Readonly<Record<string, string>>,
) {
  const view = redact(planFor(file, live, variables).plan, catalog.kinds);
  return { text: JSON.stringify(view), changes: view.changes };
}
