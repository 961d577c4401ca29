import { describe, expect, it } from 'vitest';
import { memoryGateway } from '../../src/emulator/memory.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import { atLeast } from '../../src/model/text/version.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { resource } from '../support/kinds.ts';

const gatewayOf = (version: string) => memoryGateway(catalog.kinds, { version });
const statusOf = (version: string, url: string): number => gatewayOf(version).handle('GET', url).status;

describe('versions are compared number by number', () => {
  it.each([
    ['3.10.0', '3.9.0', true],
    ['3.9.0', '3.10.0', false],
    ['3.21.0', '3.21.0', true],
    ['3.21', '3.21.0', true],
    ['v3.21.1-rc1', '3.21.0', true],
    ['4', '3.21.0', true],
  ])('%s, %s', (version, other, expected) => expect(atLeast(version, other)).toBe(expected));
});

describe('the word for what a PUT did', () => {
  const words = (version: string): readonly unknown[] => {
    const gateway = gatewayOf(version);
    const put = (superUsers: readonly string[]): unknown =>
      (
        gateway.handle(
          'PUT',
          '/gateway/v2/virtual-cluster',
          resource('VirtualCluster', { name: 'prod' }, { superUsers }),
        ).body as JsonObject
      )['upsertResult'];
    return [put([]), put(['boss']), put(['boss'])];
  };
  it.each(['3.3.0', '3.7.0', '3.9.0', '3.15.0', '3.21.0'])('is capitalised in %s', (version) => {
    expect(words(version)).toEqual(['Created', 'Updated', 'NotChanged']);
  });
  it.each(['3.4.0', '3.5.0', '3.6.1'])('is in upper case in %s', (version) => {
    expect(words(version)).toEqual(['CREATED', 'UPDATED', 'NOT_CHANGED']);
  });

  it.each([
    ['3.3.1', 'Updated'],
    ['3.4.0', 'NOT_CHANGED'],
  ])('for an account that stays as it is, in %s: %s', (version, word) => {
    const gateway = gatewayOf(version);
    const put = () =>
      gateway.handle(
        'PUT',
        '/gateway/v2/service-account',
        resource('GatewayServiceAccount', { name: 'app' }, { type: 'LOCAL' }),
      );
    put();
    expect(put().body).toMatchObject({ upsertResult: word });
  });
});

describe('what a version serves', () => {
  it.each([
    ['/gateway/v2/virtual-cluster', '3.2.0', '3.3.0'],
    ['/gateway/v2/docs', '3.2.0', '3.3.0'],
    ['/gateway/v2/analytics/lived', '3.8.0', '3.9.0'],
    ['/health/live', '3.11.0', '3.12.0'],
    ['/health/ready', '3.11.0', '3.12.0'],
  ])('%s is not there in %s and is in %s', (url, before, after) => {
    expect([statusOf(before, url), statusOf(after, url)]).toEqual([404, 200]);
  });

  it('/health is gone in 3.21.0, and told the version before', () => {
    expect(statusOf('3.21.0', '/health')).toBe(404);
    expect(gatewayOf('3.20.0').handle('GET', '/health').body).toMatchObject({
      status: 'UP',
      checks: [
        { id: 'buildInfo', data: { version: '3.20.0' } },
        { id: 'live', status: 'UP' },
      ],
    });
  });
});

describe('what a version knows', () => {
  const put = (version: string, name: string, spec: JsonObject = {}) =>
    gatewayOf(version).handle(
      'PUT',
      '/gateway/v2/virtual-cluster',
      resource('VirtualCluster', { name }, spec),
    );

  it('takes a dot in the name of a virtual cluster from 3.7.0 on', () => {
    expect(put('3.6.0', 'eu.prod').status).toBe(400);
    expect(put('3.7.0', 'eu.prod').status).toBe(200);
  });

  it('fills in no field that came later, and carries it when it is sent', () => {
    expect(put('3.4.0', 'prod').body).toMatchObject({
      resource: { spec: { aclEnabled: false, superUsers: [] } },
    });
    expect(put('3.4.0', 'prod').body).not.toHaveProperty('resource.spec.type');
    expect(put('3.10.0', 'prod', { aclEnabled: true, superUsers: ['boss'] }).body).not.toHaveProperty(
      'resource.spec.aclMode',
    );
    expect(put('3.4.0', 'prod', { type: 'Standard' }).body).toMatchObject({
      resource: { spec: { type: 'Standard' } },
    });
  });
});

describe('a DELETE of an interceptor without a body', () => {
  const remove = (version: string): number => {
    const gateway = gatewayOf(version);
    const spec = { pluginClass: 'org.example.Custom', priority: 1, config: {} };
    gateway.handle('PUT', '/gateway/v2/interceptor', resource('Interceptor', { name: 'guard' }, spec));
    return gateway.handle('DELETE', '/gateway/v2/interceptor/guard').status;
  };
  it('means passthrough from 3.11.0 on', () => expect(remove('3.11.0')).toBe(204));
  it('found nothing before', () => expect(remove('3.10.2')).toBe(404));
});
