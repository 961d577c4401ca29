import { expect, it } from 'vitest';
import { declareTerraform, findLeftBehind } from '../../../src/declare/terraform/declare-terraform.ts';
import { readTerraform, type TerraformState } from '../../../src/declare/terraform/read-terraform.ts';
import { printDocuments } from '../../../src/declare/write-out.ts';
import type { Address } from '../../../src/model/resource.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { interceptorValues, rawState, type TerraformResource } from '../../support/terraform.ts';

function stateOf(...resources: readonly TerraformResource[]): TerraformState {
  const { value, problems } = readTerraform(rawState(...resources), 'state.json', catalog.kinds);
  if (value === undefined) throw new Error(problems[0]?.message ?? 'no state');
  return value;
}

it('writes documents without secrets: those of the kind, and those that Terraform hides', () => {
  const kmsConfig = { vault: { uri: 'https://vault:8200', token: 'canary-token', mount: 'canary-mount' } };
  const values = interceptorValues('encrypt', { topic: 'customers', kmsConfig }, { vcluster: 'prod' });
  const state = stateOf(
    { name: 'encrypt', values, sensitive: [['spec', 'config']] },
    {
      name: 'all',
      values: {
        ...interceptorValues('all', {}, { vcluster: null, group: null, username: null }),
        spec: { plugin_class: 'com.example.Own', priority: 5, comment: 'canary comment ${x}', config: '{}' },
      },
      sensitive: [['spec', 'comment'], ['name']],
    },
  );
  const { documents, variables, problems } = declareTerraform(state, catalog);
  expect(problems).toEqual([]);
  expect(variables.map(({ name, value }) => [name, value])).toEqual([
    ['GW_GLOBAL_ALL_COMMENT', 'canary comment ${x}'],
    ['GW_PROD_ENCRYPT_VAULT_MOUNT', 'canary-mount'],
    ['GW_PROD_ENCRYPT_VAULT_TOKEN', 'canary-token'],
  ]);
  const text = printDocuments(documents, [], catalog);
  expect(text).not.toContain('canary');
  expect(text).toMatchInlineSnapshot(`
    "apiVersion: gateway/v2
    kind: Interceptor
    metadata:
      name: all
      scope:
        vCluster: null
        group: null
        username: null
    spec:
      comment: "\${GW_GLOBAL_ALL_COMMENT}"
      pluginClass: com.example.Own
      priority: 5
      config: {}
    ---
    apiVersion: gateway/v2
    kind: Interceptor
    metadata:
      name: encrypt
      scope:
        vCluster: prod
    spec:
      pluginClass: io.conduktor.gateway.interceptor.EncryptPlugin
      priority: 1
      config:
        topic: customers
        kmsConfig:
          vault:
            uri: https://vault:8200
            token: "\${GW_PROD_ENCRYPT_VAULT_TOKEN}"
            mount: "\${GW_PROD_ENCRYPT_VAULT_MOUNT}"
    "
  `);
});

it('finds interceptors that Terraform has left behind in a former scope', () => {
  const { managed } = stateOf(
    { name: 'i', values: interceptorValues('audit', {}, { vcluster: 'prod' }) },
    { type: 'gateway_service_account_v2', name: 'a', values: { name: 'app', spec: { type: 'LOCAL' } } },
  );
  const live = [
    'Interceptor/audit@vCluster=prod',
    'Interceptor/audit@vCluster=prod,username=app',
    'Interceptor/audit@global',
    'Interceptor/other@vCluster=prod',
    'GatewayServiceAccount/app@vCluster=prod',
  ] as Address[];
  expect([...findLeftBehind({ managed }, live, catalog.kinds)]).toEqual([
    ['Interceptor/audit@vCluster=prod,username=app', 'Interceptor/audit@vCluster=prod'],
    ['Interceptor/audit@global', 'Interceptor/audit@vCluster=prod'],
  ]);
});
