import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { hasHelm, helm, KUBERNETES, startRealApi } from '../support/kubernetes/real-api.ts';
import { ROOT } from '../support/sandbox.ts';

type Manifest = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
};

const WITHOUT_NAMESPACE = ['ClusterRole', 'ClusterRoleBinding', 'CustomResourceDefinition'];

function documentsOf(text: string): readonly Manifest[] {
  return parseAllDocuments(text).flatMap((one) => (one.toJS() as Manifest | null) ?? []);
}

/** What the API server says against manifests in a server-side dry run. */
async function refusalsOf(manifests: readonly Manifest[]): Promise<readonly string[]> {
  const { call, namespace: own } = await startRealApi();
  const refusals: string[] = [];
  for (const manifest of manifests) {
    const { apiVersion, kind, metadata } = manifest;
    const { name, namespace = WITHOUT_NAMESPACE.includes(kind) ? undefined : own } = metadata;
    const plural = `${kind.toLowerCase()}s`.replace(/ys$/, 'ies');
    const within = namespace === undefined ? '' : `/namespaces/${namespace}`;
    const path = `/${apiVersion === 'v1' ? 'api' : 'apis'}/${apiVersion}${within}/${plural}/${name}`;
    const query = '?dryRun=All&fieldManager=test&force=true&fieldValidation=Strict';
    const { status, body } = await call('PATCH', `${path}${query}`, {
      ...manifest,
      metadata: { ...metadata, namespace },
    });
    if (status >= 300) refusals.push(`${kind}/${name}: ${status} ${String(body['message'])}`);
  }
  return refusals;
}

describe.skipIf(KUBERNETES === undefined)('the API server takes', () => {
  it('the plain manifests', async () => {
    const files = ['crd.yaml', 'rbac.yaml', 'deployment.yaml'];
    const manifests = files.flatMap((file) =>
      documentsOf(readFileSync(join(ROOT, 'deploy/kubernetes', file), 'utf8')),
    );
    expect(manifests).toHaveLength(7);
    expect(await refusalsOf(manifests)).toEqual([]);
  });

  it.skipIf(!hasHelm).each([
    ['as it is', []],
    [
      'for all namespaces, with all that can be set',
      [
        'allNamespaces=true',
        'dashboard.enabled=true',
        'folders={/a,/b}',
        'image.digest=sha256:1',
        'nodeSelector.x=y',
        'allowedHosts={https://a:1,https://b}',
      ],
    ],
    ['for two namespaces', ['namespaces={default,kube-system}']],
  ])(
    hasHelm ? 'what the chart renders %s' : 'what the chart renders %s (skipped: there is no helm)',
    async (_, values) => {
      const flags = values.flatMap((value) => ['--set', value]);
      const text = execFileSync(
        helm,
        ['template', 'gwconf', join(ROOT, 'deploy/chart'), '--namespace', 'default', ...flags],
        { encoding: 'utf8' },
      );
      const manifests = documentsOf(text);
      expect(manifests.length).toBeGreaterThan(6);
      expect(await refusalsOf(manifests)).toEqual([]);
    },
  );
});
