import { describe, expect, it } from 'vitest';
import { canonicalText, type Json } from '../../../src/model/json/json.ts';
import { decodePlan, encodePlan } from '../../../src/plan/saved/decode-plan.ts';
import { digest } from '../../../src/plan/saved/digest.ts';
import { PLAN_FORMAT, type SavedPlan } from '../../../src/plan/saved/saved-plan.ts';
import { sealPlan, sign } from '../../../src/plan/saved/seal-plan.ts';
import { makeKeyPair, type PlanKeys } from '../../../src/plan/saved/signature.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { fileOf, planFor, textOf } from '../../support/plans.ts';
import { interceptor } from '../../support/resources.ts';

const KEY = 'a-key-that-only-the-pipeline-knows';
const plain = saved();
const signed = saved({ shared: KEY });

describe('a saved plan on disk', () => {
  it('is JSON with a line for each change, and a digest of its canonical text', () => {
    const { digest: sealed, ...open } = plain;
    expect(JSON.parse(textOf(plain))).toEqual(JSON.parse(JSON.stringify(plain)));
    const lines = textOf(plain)
      .split('\n')
      .map((line) => line.trim().replace(/,$/, ''));
    for (const change of plain.changes) expect(lines).toContain(JSON.stringify(change));
    expect(sealed).toBe(digest(canonicalText(JSON.parse(JSON.stringify(open)) as Json)));
  });

  it('comes in pieces when it is long', () => {
    const [change] = plain.changes;
    const long = Array.from({ length: 1_000 }, () => change);
    expect([...encodePlan({ ...plain, changes: long as SavedPlan['changes'] })].length).toBeGreaterThan(3);
  });
});

describe('a saved plan that is read', () => {
  it.each<[string, string, string]>([
    ['is not JSON', 'changes: []', 'plan.json is not a saved plan: it is not JSON'],
    ['is empty', '', 'plan.json is not a saved plan: it is not JSON'],
    ['is other JSON', '{ "changes": [] }', 'plan.json is not a saved plan'],
    ['is a list', '[]', 'plan.json is not a saved plan'],
    [
      'is nested without end',
      `{ "format": "${PLAN_FORMAT}", "changes": ${'['.repeat(100_000)}${']'.repeat(100_000)} }`,
      'plan.json is nested deeper than 1024 levels',
    ],
    ['is null', 'null', 'plan.json is not a saved plan'],
    ['has another format', '{ "format": "terraform/plan@1" }', 'plan.json is not a saved plan'],
    [
      'has a newer format',
      textOf(plain).replace('gwconf/plan@1', 'gwconf/plan@2'),
      'plan.json has the format gwconf/plan@2; expected gwconf/plan@1',
    ],
    ['was altered', textOf(plain).replace('"x":1', '"x":3'), 'plan.json was altered after it was made'],
    [
      'was cut',
      textOf({ ...plain, changes: plain.changes.slice(1) }),
      'plan.json was altered after it was made',
    ],
    [
      'is meant for another gateway now',
      textOf({ ...plain, gateway: 'other' }),
      'plan.json was altered after it was made',
    ],
    ['has no digest', '{ "format": "gwconf/plan@1" }', 'plan.json was altered after it was made'],
  ])('is refused when it %s', (_, text, message) => {
    const { value, problems } = decodePlan(text, 'plan.json', catalog.kinds);
    expect(value).toBeUndefined();
    expect(problems).toMatchObject([{ code: 'invalid-plan', severity: 'error', message }]);
  });

  it('may be formatted otherwise', () => {
    expect(decodePlan(JSON.stringify(plain), 'plan.json', catalog.kinds).value).toEqual(plain);
  });
});

describe('a signed plan', () => {
  it('is read with its key', () => {
    expect(decodePlan(textOf(signed), 'plan.json', catalog.kinds, { shared: KEY })).toEqual({
      value: signed,
      problems: [],
    });
  });

  it('is the same plan as one that is not signed', () => {
    expect({ ...signed, mac: undefined }).toEqual({ ...plain, mac: undefined });
  });

  it('is read without a key, with a warning that its signature was not checked', () => {
    const { value, problems } = decodePlan(textOf(signed), 'plan.json', catalog.kinds);
    expect(value).toEqual(signed);
    expect(problems).toEqual([
      {
        code: 'unchecked-signature',
        severity: 'warning',
        message: 'plan.json is signed, but there is no key to check the signature',
        hint: 'set GWCONF_PLAN_KEY to the key of the signature',
      },
    ]);
  });

  it.each<[string, string, string]>([
    ['it is not signed', textOf(plain), 'is not signed, but GWCONF_PLAN_KEY is set'],
    [
      'it was signed with another key',
      textOf(saved({ shared: `${KEY}s` })),
      'was altered, or signed with another key',
    ],
    [
      'its signature is no text',
      textOf({ ...signed, mac: 42 as never }),
      'was altered, or signed with another key',
    ],
    ['its signature is empty', textOf({ ...signed, mac: '' }), 'was altered, or signed with another key'],
    [
      'somebody altered it and made its digest anew',
      textOf({ ...saved(undefined, 'elsewhere'), mac: signed.mac ?? '' }),
      'was altered, or signed with another key',
    ],
    ['it was altered by accident', textOf({ ...signed, changes: [] }), 'was altered after it was made'],
  ])('is refused with a key when %s', (_, text, message) => {
    const { value, problems } = decodePlan(text, 'plan.json', catalog.kinds, { shared: KEY });
    expect(value).toBeUndefined();
    expect(problems).toMatchObject([
      { code: 'invalid-plan', severity: 'error', message: `plan.json ${message}` },
    ]);
  });

  const { privateKey, publicKey } = makeKeyPair();
  const [ofPair, both] = [{ private: privateKey }, { shared: KEY, public: [publicKey] }];
  const [isOfPair, isShared] = [
    'is signed by a key pair, not with',
    'is signed with GWCONF_PLAN_KEY, not by',
  ];
  it.each<[PlanKeys, PlanKeys, string, string | undefined]>([
    [ofPair, { shared: KEY }, isOfPair, 'set GWCONF_PLAN_PUBLIC_KEY in place of GWCONF_PLAN_KEY'],
    [ofPair, both, isOfPair, undefined],
    [
      { shared: KEY },
      { public: [publicKey] },
      isShared,
      'set GWCONF_PLAN_KEY in place of GWCONF_PLAN_PUBLIC_KEY',
    ],
    [{ shared: KEY }, both, isShared, undefined],
  ])('with the other kind of key is called signed, and refused (%#)', (made, read, message, other) => {
    const { problems } = decodePlan(textOf(saved(made)), 'plan.json', catalog.kinds, read);
    expect(problems[0]?.message).toContain(message);
    expect(problems[0]?.hint?.split(', or ')[1]).toBe(other);
  });
});

function saved(keys: PlanKeys = {}, tool = 'gwconf 0.0.0'): SavedPlan {
  const { plan, desired } = planFor(fileOf(interceptor('a', {}), interceptor('b', { x: 1 })), [
    interceptor('b', { x: 2 }),
  ]);
  const about = { tool, createdAt: '2025-01-01T00:00:00Z', salt: 'salt' };
  return sign(sealPlan(plan, desired, catalog.kinds, about), keys);
}
