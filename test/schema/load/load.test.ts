import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/model/json/json.ts';
import { load } from '../../../src/schema/load/load.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { NO_VARIABLES } from '../../../src/schema/yaml/interpolate.ts';
import { dedent, loadText, problemsOf, resourcesOf, stateOf } from '../../support/expect-problems.ts';

const alias = (name: string): string =>
  `{ apiVersion: gateway/v2, kind: AliasTopic, metadata: { name: ${name} }, spec: { physicalName: t } }\n`;
const account = (name: string, externalName: string): string =>
  `{ apiVersion: gateway/v2, kind: GatewayServiceAccount, metadata: { name: ${name} }, spec: { type: EXTERNAL, externalNames: [${externalName}] } }\n`;

describe('files', () => {
  it('declare what their documents declare', () => {
    expect(
      Object.keys(resourcesOf({ 'b.yaml': `${alias('one')}---\n${alias('two')}`, 'a.json': alias('three') })),
    ).toEqual([
      'AliasTopic/three@vCluster=passthrough',
      'AliasTopic/one@vCluster=passthrough',
      'AliasTopic/two@vCluster=passthrough',
    ]);
  });

  it('may come in any order, and their documents too', () => {
    const texts = ['one', 'two', 'three', 'four'].map(alias);
    const expected = resourcesOf(texts.join('---\n'));
    const shuffled = fc.shuffledSubarray(texts, { minLength: texts.length });
    fc.assert(
      fc.property(shuffled, fc.integer({ min: 0, max: texts.length }), (inOrder, cut) => {
        const files = {
          'y.yaml': inOrder.slice(0, cut).join('---\n'),
          'x.yaml': inOrder.slice(cut).join('---\n'),
        };
        expect(resourcesOf(files)).toEqual(expected);
      }),
    );
  });

  it.each([
    ['a pointer of Git LFS', 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n'],
    ['a pointer of git-annex', '/annex/objects/SHA256E-s31390--f50d7ac4.yaml\n'],
    ['a link that was checked out as a text', '../shared/topics.yaml'],
  ])('that are %s are not files of other tools', (what, text) => {
    const files = ['a.yaml', 'b.json'].map((path) => ({ path, text }));
    const { value, problems } = load(
      [...files, { path: 'c.yaml', text: alias('one') }],
      catalog,
      NO_VARIABLES,
    );
    expect(value.size).toBe(1);
    expect(problems.map(({ code, message }) => `${code}: ${message}`)).toEqual(
      ['a.yaml', 'b.json'].map((path): unknown =>
        expect.stringMatching(
          new RegExp(
            `^unreadable-file: ${path} is ${what}.*: what is declared there would count as in no file$`,
          ),
        ),
      ),
    );
  });

  it.each([
    '$ANSIBLE_VAULT;1.1;AES256\n62313365396662343061\n',
    '-----BEGIN AGE ENCRYPTED FILE-----\nYWdlLWVuY3J5\n-----END AGE ENCRYPTED FILE-----\n',
    '-----BEGIN PGP MESSAGE-----\n\nhQEMA1\n-----END PGP MESSAGE-----\n',
  ])('that are encrypted as a whole are named, as a prune deletes what they declare: %j', (text) => {
    const { problems } = load([{ path: 'a.yaml', text }], catalog, NO_VARIABLES);
    expect(problems.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'foreign-document: a document of another tool is not read: a.yaml',
    ]);
  });

  it('that cannot be read, and may be resources, are named, too', () => {
    const { problems } = load(
      [{ path: 'a.yaml', text: 'kind: [broken\n---\nkind: {\n' }],
      catalog,
      NO_VARIABLES,
    );
    expect(problems.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'foreign-document: a document of another tool is not read: a.yaml',
    ]);
    expect(load([{ path: 'a.yaml', text: 'a: [broken\n' }], catalog, NO_VARIABLES).problems).toEqual([]);
  });

  it('say where each resource stands', () => {
    const state = stateOf({ 'a.yaml': `# a comment\n\n${alias('one')}---\n# another\n${alias('two')}` });
    expect([...state.values()].map(({ at }) => at)).toEqual([
      { file: 'a.yaml', line: 3, column: 1 },
      { file: 'a.yaml', line: 6, column: 1 },
    ]);
  });

  it('declare what is right beside what is wrong', () => {
    const { value, problems } = loadText(`${alias('one')}---\nkind: Nothing\n---\n${alias('two')}`);
    expect([...value.keys()]).toHaveLength(2);
    expect(problems.map(({ code }) => code)).toEqual(['unknown-kind']);
  });
});

/** What other tools have in files. */
const OTHERS = {
  Kubernetes: 'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: a }\nspec: { replicas: 1 }\n',
  'Kubernetes, without a group': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n',
  'Kubernetes, in a list': 'apiVersion: v1\nkind: List\nitems: [{ apiVersion: v1, kind: Pod }]\n',
  'the Gateway API of Kubernetes': 'apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\n',
  Tekton: 'apiVersion: triggers.tekton.dev/v1alpha1\nkind: Interceptor\nmetadata: { name: a }\n',
  Krew: 'apiVersion: krew.googlecontainer.io/v1alpha2\nkind: Plugin\nmetadata: { name: a }\n',
  Strimzi: 'apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaTopic\n',
  'Conduktor Console': 'apiVersion: kafka/v2\nkind: Topic\nmetadata: { name: a, cluster: b }\n',
  Backstage: 'apiVersion: backstage.io/v1alpha1\nkind: Component\n',
  Drone: 'kind: pipeline\ntype: docker\nname: default\n',
  OpenAPI: 'openapi: 3.0.0\ninfo: { title: kind }\n',
  'docker-compose': 'services: { web: { image: nginx, labels: { kind: "${KIND}" } } }\n',
  'a CI workflow': 'jobs: { kind: { steps: [{ run: "echo ${{ secrets.KIND }}" }] } }\n',
  'Helm, values': 'image: { kind: thing }\nmetadata: { name: a }\n',
  'Helm, a template': 'apiVersion: v1\nkind: Service\nmetadata:\n  {{- include "labels" . | nindent 4 }}\n',
  Jinja: '{% template %}',
  'a pod without its head': 'metadata: { name: a, labels: { b: c } }\nspec: { containers: [] }\n',
  'something, as a list': '- kind: a\n',
  'something broken': 'kind: [\n',
  npm: '{ "name": "kind", "version": "1.0.0", "metadata": {} }',
  nothing: '',
};

describe('a file that was found in a folder', () => {
  const found = (text: string) => load([{ path: 'found.yaml', text: dedent(text) }], catalog, NO_VARIABLES);

  it.each(Object.entries(OTHERS))('is passed over when it is of %s', (_, text) => {
    const { value, problems } = found(text);
    expect([...value]).toEqual([]);
    expect(problems.every(({ severity }) => severity === 'info')).toBe(true);
  });

  it('is named when it is of another tool with kinds, and all of them are counted', () => {
    const kinds = ['v2 Topic', 'apps/v1 Deployment', 'kafka.strimzi.io/v1beta2 KafkaTopic'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 10 }), (documents) => {
        const files = documents.map((kind, at) => {
          const [version = '', name = ''] = kind.split(' ');
          return { path: `${at}.yaml`, text: `apiVersion: ${version}\nkind: ${name}\n` };
        });
        const own = { path: 'own.yaml', text: alias('one') };
        const { problems } = load([own, ...files], catalog, NO_VARIABLES);
        const names = documents.map((kind, at) => `${at}.yaml (${kind})`).join(', ');
        const count =
          documents.length === 1
            ? 'a document of another tool is'
            : `${documents.length} documents of other tools are`;
        expect(problems.map(({ code, message }) => [code, message])).toEqual([
          ['foreign-document', `${count} not read: ${names}`],
        ]);
      }),
    );
    expect(found('kind: s3cr3t/value\n').problems[0]?.message).toBe(
      'a document of another tool is not read: found.yaml',
    );
  });

  it.each([
    ['names a kind', 'kind: AliasTopic\n', 'unknown-kind'],
    ['names an apiVersion', 'apiVersion: gateway/v2\n', 'missing-field'],
    ['is broken where it names a kind', 'kind: AliasTopic\nspec: [\n', 'invalid-yaml'],
    [
      'is a list in a list of Kubernetes',
      `apiVersion: v1\nkind: List\nitems: [{ kind: AliasTopic }]\n`,
      'unknown-kind',
    ],
    ['has a typo in the kind, and no apiVersion', 'kind: AliasTopc\nmetadata: { name: a }\n', 'unknown-kind'],
    ['has the apiVersion of another tool', 'apiVersion: kafka/v2\nkind: AliasTopic\n', 'unknown-kind'],
  ])('is a problem when it %s and is wrong', (_, text, code) => {
    expect(found(text).problems[0]?.code).toBe(code);
  });

  const upTo = (text: string): string => text.toUpperCase();
  const lower = (text: string): string => text.toLowerCase();
  const MISTAKES: Readonly<Record<string, (resource: JsonObject) => Json>> = {
    'no apiVersion': ({ apiVersion, ...rest }) => rest,
    'no kind': ({ kind, ...rest }) => rest,
    'a list around it': (resource) => [resource],
    'apiVersion in lower case': ({ apiVersion, ...rest }) => ({ apiversion: apiVersion ?? null, ...rest }),
    'kind with a capital letter': ({ kind, ...rest }) => ({ Kind: kind ?? null, ...rest }),
    'both in capital letters': (resource) => mapKeys(resource, upTo),
    'all keys in lower case': (resource) => mapKeys(resource, lower),
    'a kind in lower case': ({ kind, ...rest }) => ({ ...rest, kind: lower(kind as string) }),
    'a kind with a typo': ({ kind, ...rest }) => ({ ...rest, kind: `${kind as string}s` }),
    'an unknown kind': (resource) => ({ ...resource, kind: 'Thing' }),
    'the version of another tool': (resource) => ({ ...resource, apiVersion: 'v1' }),
    'another version of its own': (resource) => ({ ...resource, apiVersion: 'gateway/v9' }),
  };
  const forms = [...catalog.kinds.values(), ...catalog.ownKinds.values()];
  it.each(
    forms.flatMap(({ name, example }) => Object.keys(MISTAKES).map((what) => ({ name, example, what }))),
  )('is a problem when it is a $name with $what', ({ example, what }) => {
    const text = JSON.stringify(MISTAKES[what]?.(example));
    expect(found(text).problems.map(({ severity }) => severity)).toContain('error');
  });

  it('says how to write an interceptor of the API v1, when it is named', () => {
    const text = JSON.stringify({ name: 'a', pluginClass: 'x.Plugin', priority: 1, config: {} });
    const [problem] = load([{ path: 'a.json', text, named: true }], catalog, NO_VARIABLES).problems;
    expect(problem).toMatchObject({
      code: 'missing-field',
      message: 'an interceptor as the API v1 takes it, and many examples have it',
    });
    expect(problem?.hint).toContain('kind: Interceptor');
    expect(found(text).problems).toEqual([]);
  });

  it.each(forms)('is a problem when it is a $name without apiVersion and kind', ({ example }) => {
    const { metadata, spec } = example;
    const isTelling = Object.keys({ ...metadata, ...spec }).length > 1;
    expect(found(JSON.stringify({ metadata, spec })).problems).toHaveLength(isTelling ? 1 : 0);
  });

  it('is held to all of its documents when one declares something', () => {
    expect(found(`${alias('one')}---\nother: thing\n`).problems.map(({ code }) => code)).toEqual([
      'missing-field',
    ]);
  });

  it('is a problem when it was asked for by its path and declares nothing of ours', () => {
    expect(problemsOf('services: {}\n')).toEqual([{ code: 'missing-field', at: '1:1', path: '/kind' }]);
  });
});

describe('what two cannot both have', () => {
  it('is an address: the later place is the place, the first is also named', () => {
    expect(problemsOf({ 'b.yaml': alias('one'), 'a.yaml': `---\n${alias('one')}` })).toEqual([
      { code: 'duplicate-resource', at: 'b.yaml:1:63', also: 'a.yaml:2:63', path: '/metadata/name' },
    ]);
  });

  it('is an address however the virtual cluster is spelled', () => {
    const spelled = alias('one').replace('name: one', 'vCluster: passthrough, name: one');
    expect(problemsOf(`${alias('one')}---\n${spelled}`)).toEqual([
      { code: 'duplicate-resource', at: '3:86', also: '1:63', path: '/metadata/name' },
    ]);
  });

  it('is told once for each that comes too many', () => {
    expect(problemsOf([alias('one'), alias('one'), alias('one')].join('---\n'))).toEqual([
      { code: 'duplicate-resource', at: '3:63', also: '1:63', path: '/metadata/name' },
      { code: 'duplicate-resource', at: '5:63', also: '1:63', path: '/metadata/name' },
    ]);
  });

  it('is an external name, over all virtual clusters', () => {
    const elsewhere = account('two', 'x').replace('name: two', 'name: two, vCluster: prod');
    expect(problemsOf(`${account('one', 'x')}---\n${elsewhere}`)).toEqual([
      { code: 'duplicate-value', at: '3:137', also: '1:121', path: '/spec/externalNames/0' },
    ]);
    expect(problemsOf(`${account('one', 'x')}---\n${account('two', 'X')}`)).toEqual([]);
    const invalid = account('two', 'x').replace('spec: {', 'spec: { other: 1,');
    const codes = problemsOf(`${account('one', 'x')}---\n${invalid}`).map(({ code }) => code);
    expect(codes).toEqual(['unknown-field', 'duplicate-value']); // one run shows all mistakes
  });
});

it('what always exists cannot be declared', () => {
  expect(
    problemsOf('{ apiVersion: gateway/v2, kind: VirtualCluster, metadata: { name: passthrough }, spec: {} }'),
  ).toEqual([{ code: 'reserved-name', at: '1:67', path: '/metadata/name' }]);
  expect(
    problemsOf('{ apiVersion: gateway/v2, kind: GatewayGroup, metadata: { name: passthrough }, spec: {} }'),
  ).toEqual([]);
});

function mapKeys(value: JsonObject, change: (key: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [change(key), item]));
}
