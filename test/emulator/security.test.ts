import { describe, expect, it } from 'vitest';
import type { Options, SecurityMode } from '../../src/emulator/embedded-state.ts';
import type { Json } from '../../src/model/json/json.ts';
import { resource } from '../support/kinds.ts';
import { v1Gateway } from '../support/v1.ts';

const bodies: Readonly<Record<string, readonly [string, Json]>> = {
  LOCAL: ['service-account', resource('GatewayServiceAccount', { name: 'local' }, { type: 'LOCAL' })],
  EXTERNAL: [
    'service-account',
    resource('GatewayServiceAccount', { name: 'external' }, { type: 'EXTERNAL', externalNames: ['sub'] }),
  ],
  'virtual cluster': ['virtual-cluster', resource('VirtualCluster', { name: 'prod' })],
  alias: ['alias-topic', resource('AliasTopic', { name: 'a' }, { physicalName: 'b' })],
  rule: [
    'concentration-rule',
    resource('ConcentrationRule', { name: 'r' }, { pattern: 'p', physicalTopics: { delete: 't' } }),
  ],
};

/** What can be put, and whether a token is issued. */
function thereIs(options: Options): readonly string[] {
  const call = v1Gateway('3.20.0', options);
  const put = Object.entries(bodies).filter(
    ([, [path, body]]) => call(`PUT /gateway/v2/${path}`, body).status === 200,
  );
  const token = call('POST /gateway/v2/token', { username: 'local', lifeTimeSeconds: 1 });
  const old = call('POST /admin/username/other', { lifeTimeSeconds: 1 });
  expect([token.status, old.status]).toEqual(token.status === 200 ? [200, 201] : [409, 409]);
  return [...put.map(([name]) => name), ...(token.status === 200 ? ['token'] : [])];
}

const own = ['virtual cluster', 'alias', 'rule'];
// gateway-api D.1, D.2
describe('a gateway has', () => {
  it.each<readonly [SecurityMode | undefined, Omit<Options, 'security'>, readonly string[]]>([
    [undefined, {}, ['LOCAL', 'EXTERNAL', ...own, 'token']],
    ['GATEWAY_MANAGED', {}, ['LOCAL', 'EXTERNAL', ...own, 'token']],
    ['KAFKA_MANAGED', {}, ['EXTERNAL']],
    ['PLAINTEXT', { mtls: true, oauth: true }, ['alias', 'rule']],
    ['SSL', { oauth: true }, own],
    ['SSL', { mtls: true }, ['EXTERNAL', ...own]],
    ['SASL_PLAINTEXT', { mtls: true }, ['LOCAL', ...own, 'token']],
    ['SASL_PLAINTEXT', { oauth: true }, ['LOCAL', 'EXTERNAL', ...own, 'token']],
    ['SASL_SSL', {}, ['LOCAL', ...own, 'token']],
    ['SASL_SSL', { oauth: true }, ['LOCAL', 'EXTERNAL', ...own, 'token']],
    ['DELEGATED_SASL_PLAINTEXT', {}, ['EXTERNAL']],
    ['DELEGATED_SASL_SSL', {}, ['EXTERNAL']],
  ])('%s %j: %j', (security, options, there) => {
    expect(thereIs({ ...options, ...(security === undefined ? {} : { security }) })).toEqual(there);
  });

  it('nothing through v1 that it does not have', () => {
    const call = v1Gateway('3.0.0', { security: 'KAFKA_MANAGED' });
    const topic = { physicalTopicName: 't', readOnly: false, type: 'concentrated' };
    expect([
      call('POST /admin/vclusters/v1/vcluster/passthrough/topics/t', topic).status,
      call('POST /admin/userMappings/v1/vcluster/a', { username: 'alice' }).status,
      call('POST /admin/userMappings/v1', { username: 'alice' }).status,
    ]).toEqual([400, 400, 201]);
    expect(
      v1Gateway('3.0.0', { security: 'SASL_SSL' })('POST /admin/userMappings/v1', { username: 'a' }),
    ).toEqual({
      status: 400,
      body: { message: 'A gateway with SASL_SSL and without OAuth has no EXTERNAL accounts' },
    });
  });

  it('empty lists of what it does not have, save on PLAINTEXT', () => {
    const call = v1Gateway('3.20.0', { security: 'KAFKA_MANAGED' });
    expect(call('GET /gateway/v2/virtual-cluster')).toEqual({ status: 200, body: [] });
    const plaintext = v1Gateway('3.20.0', { security: 'PLAINTEXT' });
    expect(plaintext('GET /gateway/v2/virtual-cluster').status).toBe(400);
  });
});
