import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { makeMetrics } from '../../src/controller/metrics.ts';
import { startApiServer } from '../support/kubernetes/api-server.ts';
import { world } from '../support/kubernetes/contract.ts';
import { ROOT } from '../support/sandbox.ts';

const DEPLOY = join(ROOT, 'deploy');
type Rule = {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
};
type Manifest = {
  readonly kind: string;
  readonly rules?: readonly Rule[];
  readonly metadata?: { readonly name: string };
};

function manifests(file: string): readonly Manifest[] {
  return parseAllDocuments(readFileSync(join(DEPLOY, 'kubernetes', file), 'utf8')).map(
    (one) => one.toJS() as Manifest,
  );
}

/** `gwconf.io gatewayconfigs get`, for each right of rules. */
function rightsOf(rules: readonly Rule[]): ReadonlySet<string> {
  return new Set(
    rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => `${group} ${resource} ${verb}`)),
      ),
    ),
  );
}

const role = manifests('rbac.yaml').find(({ kind }) => kind === 'Role');
const rights = rightsOf(role?.rules ?? []);

describe('the rights of the controller', () => {
  it('are enough for all that it does, and none is for nothing', async () => {
    const { api, make, start, remove, setFiles, isGone } = await world(startApiServer);
    await make({ mode: 'apply', prune: true });
    await make({ mode: 'apply', source: { flux: { kind: 'OCIRepository', name: 'absent' } } }, 'second');
    await make({ mode: 'apply', source: { flux: { kind: 'GitRepository', name: 'absent' } } }, 'third');
    await make({ mode: 'apply', source: { flux: { kind: 'Bucket', name: 'absent' } } }, 'fourth');
    const { looked } = await start();
    await Promise.all([
      looked(({ reason }) => reason === 'Applied'),
      ...['second', 'third', 'fourth'].map((name) =>
        looked(({ reason }) => reason === 'SourceMissing', name),
      ),
    ]);
    const changed = looked(() => true);
    await setFiles('');
    await changed;
    await remove();
    await expect.poll(isGone).toBe(true);
    const verbs: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch' };
    const used = new Set(
      (api.calls ?? []).flatMap(({ method, path }) => {
        const [, group = '', plural = '', name, sub] =
          /^\/apis?\/(?:v1|([^/]+)\/[^/]+)\/namespaces\/[^/]+\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(
            path,
          ) ?? [];
        const resource = sub === undefined ? plural : `${plural}/${sub}`;
        // A watch is a list that goes on.
        const verb =
          method === 'GET' ? (name === undefined ? ['list', 'watch'] : ['get']) : [verbs[method] ?? method];
        return verb.map((one) => `${group} ${resource} ${one}`);
      }),
    );
    expect([...used].sort()).toEqual([...rights].sort());
  });

  it('are the same in the chart', () => {
    const text = readFileSync(join(DEPLOY, 'chart/templates/rbac.yaml'), 'utf8');
    const [, rules = ''] = /define "gwconf\.rules" \}\}\n([^]*?)\{\{- end \}\}/.exec(text) ?? [];
    expect(rightsOf(parse(rules) as readonly Rule[])).toEqual(rights);
  });
});

it('kustomize has every manifest', () => {
  const [kustomization] = manifests('kustomization.yaml') as unknown as readonly {
    readonly resources: readonly string[];
  }[];
  const files = readdirSync(join(DEPLOY, 'kubernetes')).filter((name) => name !== 'kustomization.yaml');
  expect([...(kustomization?.resources ?? [])].sort()).toEqual(files.sort());
});

it.each(['alerts.yaml', 'dashboard.json'])(
  'deploy/chart/files/%s asks for metrics that there are',
  (file) => {
    const { registry } = makeMetrics({ resources: () => [], depth: () => 0 });
    const known = registry.getMetricsAsArray().map(({ name }) => name);
    const text = readFileSync(join(DEPLOY, 'chart/files', file), 'utf8');
    const asked = [...new Set(text.match(/\bgwconf_\w+/g))].map((name) => name.replace(/_bucket$/, ''));
    expect(asked.filter((name) => !known.includes(name))).toEqual([]);
    expect(asked.length).toBeGreaterThan(4);
  },
);
