import { expect, it } from 'vitest';
import type { ValidateReport } from '../../src/outcome/files.ts';
import { makeWorld } from '../support/cli.ts';

async function mistakesIn(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { code, out } = await makeWorld(files).run('validate', ...Object.keys(files), '-o', 'json');
  expect(code).toBe(1);
  const { problems } = JSON.parse(out) as ValidateReport;
  return problems.map(({ file, line, code, path }) => `${file ?? ''}:${line ?? 0} ${code} ${path ?? ''}`);
}

it('one run shows the mistakes of every layer in one resource', async () => {
  const wrong = `
    apiVersion: gateway/v1
    kind: Interceptor
    metadata:
      name: encrypt
      scope: { vCluster: prod, group: nobody, username: ann }
    spec:
      priority: 7
      pluginClass: io.conduktor.gateway.interceptor.EncryptPlugin
      comment: [a, list]
      config:
        topic: [orders]
        unknown: 1
        recordValue: { payload: { keySecretId: vault-kms://key } }
        kmsConfig: { vault: { token: abc } }
        kmsConfi: {}
      spek: 1
    ---
    apiVersion: gateway/v2
    kind: Interceptor
    metadata: { name: other, scope: { vCluster: prod } }
    spec: { pluginClass: com.example.Own, priority: 7, config: {} }
  `;
  expect(await mistakesIn({ 'a.yaml': wrong })).toMatchInlineSnapshot(`
    [
      "a.yaml:1 unknown-kind /apiVersion",
      "a.yaml:5 dangling-reference /metadata/scope/vCluster",
      "a.yaml:5 dangling-reference /metadata/scope/group",
      "a.yaml:5 conflicting-fields /metadata/scope/username",
      "a.yaml:9 invalid-value /spec/comment",
      "a.yaml:11 invalid-value /spec/config/topic",
      "a.yaml:12 unknown-field /spec/config/unknown",
      "a.yaml:14 incomplete-config /spec/config/kmsConfig/vault",
      "a.yaml:14 literal-secret /spec/config/kmsConfig/vault/token",
      "a.yaml:15 unknown-field /spec/config/kmsConfi",
      "a.yaml:16 unknown-field /spec/spek",
      "a.yaml:20 dangling-reference /metadata/scope/vCluster",
      "a.yaml:21 unknown-class /spec/pluginClass",
      "a.yaml:21 priority-tie /spec/priority",
    ]
  `);
});

it('a mistake of one resource hides none of the others', async () => {
  const wrong = `
    apiVersion: gateway/v2
    kind: GatewayGroup
    metadata: { name: "a group" }
    spec: { members: [alice, { name: bob }] }
    ---
    apiVersion: gateway/v2
    kind: VirtualCluster
    metadata: { name: prod }
    spec: true
    ---
    apiVersion: gateway/v2
    kind: AliasTopic
    metadata: { name: orders, vCluster: prd }
    spec: { physicalName: a b, physicalCluster: x }
    ---
    apiVersion: gateway/v2
    kind: AliasTopic
    metadata: { name: Orders, vCluster: prd }
    spec: { physicalName: { x: 1 } }
    ---
    apiVersion: gateway/v2
    kind: GatewayServiceAccount
    metadata: { vCluster: prod }
    spec: { type: LOCAL, externalNames: [x] }
    ---
    apiVersion: gateway/v2
    kind: AliasTopic
    metadata: { name: payments
  `;
  expect(await mistakesIn({ 'a.yaml': wrong })).toMatchInlineSnapshot(`
    [
      "a.yaml:3 invalid-value /metadata/name",
      "a.yaml:4 invalid-value /spec/members/0",
      "a.yaml:4 dangling-reference /spec/members/1",
      "a.yaml:9 invalid-value /spec",
      "a.yaml:13 dangling-reference /metadata/vCluster",
      "a.yaml:14 invalid-value /spec/physicalName",
      "a.yaml:18 similar-names /metadata/name",
      "a.yaml:18 dangling-reference /metadata/vCluster",
      "a.yaml:19 invalid-value /spec/physicalName",
      "a.yaml:23 missing-field /metadata/name",
      "a.yaml:24 conflicting-fields /spec/externalNames",
      "a.yaml:28 invalid-yaml ",
    ]
  `);
});

it('Markdown counts one as one, and a question keeps its mark out of code', async () => {
  const wrong = `
    apiVersion: gateway/v2
    kind: AliasTopic
    metadata: { name: orders }
    spec: { physicalName: orders, physicalCluste: main }
  `;
  const { out } = await makeWorld({ 'a.yaml': wrong }).run('validate', 'a.yaml', '-o', 'markdown');
  expect(out).toContain('Not valid: 1 resource, 1 error, 0 warnings');
  expect(out).toMatch(/Did you mean `?physicalCluster`?\?$/m);
});
