import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { referencesOf } from '../../../src/model/normal/normal-form.ts';
import { serviceAccount, type ServiceAccount } from '../../../src/schema/kinds/service-account.ts';
import { problemsOf, resourceOf } from '../../support/expect-problems.ts';
import { resource } from '../../support/kinds.ts';
import { kindSuite, normal, refusals } from '../../support/kind-suite.ts';

kindSuite(serviceAccount, 'GatewayServiceAccount/payments-app@vCluster=prod');

describe('the name of a service account', () => {
  it.each(['abc', 'a-b', 'A_1', 'a'.repeat(64)])('may be %s', (name) => {
    expect(refusals(serviceAccount, { metadata: { name } })).toEqual([]);
  });

  it.each(['', 'ab', 'a.bc', 'a bc', 'a'.repeat(65)])('may not be %j', (name) => {
    expect(refusals(serviceAccount, { metadata: { name } })).toEqual(['invalid-value /metadata/name']);
  });
});

const accountOf = (spec: JsonObject): ServiceAccount =>
  resource('GatewayServiceAccount', { name: 'abc' }, spec) as ServiceAccount;

describe('a service account', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    ['LOCAL', { type: 'LOCAL' }, []],
    ['local in any case', { type: 'Local' }, []],
    ['LOCAL with no external names said', { type: 'LOCAL', externalNames: [] }, []],
    [
      'LOCAL with an external name',
      { type: 'LOCAL', externalNames: ['x'] },
      ['conflicting-fields /spec/externalNames'],
    ],
    ['EXTERNAL with its name', { type: 'EXTERNAL', externalNames: ['x'] }, []],
    ['external in any case', { type: 'external', externalNames: ['x'] }, []],
    ['EXTERNAL without a name', { type: 'EXTERNAL' }, ['conflicting-fields /spec/type']],
    [
      'EXTERNAL with an empty list',
      { type: 'EXTERNAL', externalNames: [] },
      ['conflicting-fields /spec/externalNames'],
    ],
    [
      'EXTERNAL with two names',
      { type: 'EXTERNAL', externalNames: ['x', 'y'] },
      ['invalid-value /spec/externalNames'],
    ],
    [
      'EXTERNAL with an empty name',
      { type: 'EXTERNAL', externalNames: [''] },
      ['invalid-value /spec/externalNames/0'],
    ],
    [
      'EXTERNAL with a number',
      { type: 'EXTERNAL', externalNames: [1] },
      ['invalid-value /spec/externalNames/0'],
    ],
    ['of another type', { type: 'REMOTE' }, ['invalid-value /spec/type']],
    ['of no type', {}, ['missing-field /spec/type']],
    ['of a type that is no text', { type: true }, ['invalid-value /spec/type']],
  ])('%s', (_, spec, expected) => {
    expect(refusals(serviceAccount, { spec })).toEqual(expected);
  });

  it('is known by its type in one case from then on', () => {
    expect(
      resourceOf(
        '{ apiVersion: gateway/v2, kind: GatewayServiceAccount, metadata: { name: abc }, spec: { type: Local } }',
      ).spec,
    ).toEqual({ type: 'LOCAL' });
  });

  it('lives in passthrough by default', () => {
    expect(normal(serviceAccount, { name: 'abc' }, { type: 'local', externalNames: [] })).toMatchObject({
      metadata: { name: 'abc', vCluster: 'passthrough' },
      spec: { type: 'LOCAL' },
    });
  });

  it('is a risk where it becomes another client', () => {
    const account = (...externalNames: readonly string[]): ServiceAccount =>
      accountOf(externalNames.length === 0 ? { type: 'LOCAL' } : { type: 'EXTERNAL', externalNames });
    const isRisk = (before: ServiceAccount | undefined, after: ServiceAccount | undefined) =>
      serviceAccount.risks?.(before, after, () => false).map(({ risk }) => risk);
    expect(isRisk(account('x'), account('y'))).toEqual(['identity']);
    expect(isRisk(account(), account('y'))).toEqual(['identity']);
    expect(isRisk(account('x'), account())).toEqual(['identity']);
    expect(isRisk(account('x', 'y'), account('y'))).toEqual([]);
    expect(isRisk(account(), account())).toEqual([]);
    expect(isRisk(undefined, account('x'))).toEqual([]);
    expect(isRisk(account('x'), undefined)).toEqual([]);
    expect(isRisk(accountOf({ type: 5, externalNames: 5 }), account('x'))).toEqual(['identity']);
  });

  it('says that its tokens go on working where it is no longer LOCAL', () => {
    const [local, external] = [
      accountOf({ type: 'LOCAL' }),
      accountOf({ type: 'EXTERNAL', externalNames: ['x'] }),
    ];
    const told = (before: ServiceAccount, after: ServiceAccount) =>
      serviceAccount.risks?.(before, after, () => false).map(({ message }) => message);
    expect(told(local, external)).toEqual([
      'belongs to another client after this, with all that the account may do; tokens that it was issued go on working until they expire',
    ]);
    expect(told(external, local)).toEqual([expect.not.stringContaining('token')]);
  });

  it('shares its external name with no other', () => {
    expect(serviceAccount.unique).toEqual([['spec', 'externalNames', '*']]);
    const account = (name: string): string =>
      `{ apiVersion: gateway/v2, kind: GatewayServiceAccount, metadata: { name: ${name} }, spec: { type: EXTERNAL, externalNames: [x] } }\n`;
    expect(problemsOf(`${account('one')}---\n${account('two')}`).map(({ code }) => code)).toEqual([
      'duplicate-value',
    ]);
  });

  it('needs its virtual cluster', () => {
    expect(referencesOf(serviceAccount.example, serviceAccount)).toEqual([
      { to: 'VirtualCluster/prod', path: '/metadata/vCluster' },
    ]);
  });
});
