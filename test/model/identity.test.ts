import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json/json.ts';
import { addressIn, defaultScope, identify, scopeOf } from '../../src/model/identity.ts';
import { defineKind } from '../../src/schema/define-kind.ts';
import { asValid, parseAddress, type Resource } from '../../src/model/resource.ts';

const text: JsonObject = { type: ['string', 'null'] };

/** A kind of another API, with axes that no kind of the gateway's has. */
const quota = defineKind({
  name: 'Quota',
  summary: 'How much a tenant may use.',
  apiVersion: 'quotas/v7',
  collection: '/quotas/v7/quota',
  removal: 'body',
  schema: {
    metadata: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        of: { type: 'object', properties: { region: text, tenant: text } },
      },
    },
    spec: { type: 'object' },
  },
  example: { apiVersion: 'quotas/v7', kind: 'Quota', metadata: { name: 'disk' }, spec: {} },
  defaults: { '/metadata/of': {}, '/metadata/of/region': 'eu' },
  scope: { tenant: '/metadata/of/tenant', region: '/metadata/of/region' },
});

function quotaOf(of: JsonObject): Resource {
  return asValid({ ...quota.example, metadata: { name: 'disk', of } });
}

describe('the key of a resource', () => {
  it.each([
    ['in the order of the kind', { region: 'us', tenant: 'a' }, 'Quota/disk@tenant=a,region=us'],
    ['with its defaults', {}, 'Quota/disk@region=eu'],
    ['without those that are null', { tenant: 'a', region: null }, 'Quota/disk@tenant=a'],
  ])('has the axes %s', (_, of, address) => {
    expect(identify(quota, quotaOf(of))).toBe(address);
    expect(addressIn(quota, quotaOf(of))).toBe(address);
  });

  it('is given back by its address', () => {
    const resource = quotaOf({ tenant: 'a', region: 'us' });
    expect(parseAddress(identify(quota, resource))).toEqual({
      kind: 'Quota',
      name: 'disk',
      scope: scopeOf(quota, resource),
    });
    expect(defaultScope(quota)).toEqual({ tenant: null, region: 'eu' });
  });

  it.each([
    null,
    [],
    { metadata: 'disk' },
    { metadata: { name: 7 } },
    { metadata: { name: 'disk', of: { tenant: true } } },
    { metadata: { name: 'disk', of: { region: ['us'] } } },
  ])('is not in %j', (value) => {
    expect(addressIn(quota, value)).toBeUndefined();
  });
});
