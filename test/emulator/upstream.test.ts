import { describe, expect, it } from 'vitest';
import { memoryGateway, type EmbeddedGateway } from '../../src/emulator/memory.ts';
import {
  entriesOf,
  isObject,
  valueAt,
  valueOf,
  type Json,
  type JsonObject,
} from '../../src/model/json/json.ts';
import { changeResource, type Resource } from '../../src/model/resource.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { examplesNeededBy, kindOf, resource, writableKinds } from '../support/kinds.ts';
import {
  checkV1Exchange,
  checkV2Exchange,
  readUpstream,
  type ExchangeCheck,
} from '../support/openapi-check.ts';
import { startGateway } from '../../src/testing.ts';
import { userPool } from '../support/v1.ts';
import { sharedFolder } from '../support/shared.ts';
import { makeV1Routes } from '../../src/v1/face/face-routes.ts';

type Described = {
  readonly method: string;
  readonly path: string;
  readonly example: Json | undefined;
};
type Call = { readonly line: string; readonly body: Json | undefined };

const NAMES: Readonly<Record<string, string>> = {
  vcluster: 'prod',
  username: 'alice',
  group: 'readers',
  interceptorName: 'guard',
  logicalTopicName: 'orders',
  pcluster: 'main',
};

/** Every operation of the removed API on a gateway that has an object for each name in a path. */
describeUpstream('gateway-v1-openapi.yaml', '3.4.0', checkV1Exchange, {
  count: 65,
  prepare: () => v1State(),
  callsOf: ({ method, path, example }) => {
    const names = Object.keys(NAMES).filter((name) => path.includes(`{${name}}`));
    const query = path.endsWith('/switch') ? '?to=main' : '';
    const variants = [NAMES, ...names.map((name) => ({ ...NAMES, [name]: 'unknown' }))];
    return variants.flatMap((values) => {
      const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
      const named = isObject(example) && path.endsWith('{username}') && 'username' in example;
      const body = named ? { ...example, username: values['username'] ?? '' } : example;
      const bodies = example === undefined ? [undefined] : [body, {}, []];
      return bodies.map((one) => ({ line: `${method} ${url}${query}`, body: one }));
    });
  },
});

/** Where the description of the embedded gateway differs from the vendor's on purpose. */
const DIFFERENCES: Readonly<Record<string, string>> = {
  'DELETE /gateway/v2/interceptor/{name}: body':
    'the real one takes a delete without a body, too (gateway-api B.7)',
  'VirtualClusterSpec: fields': 'bootstrapServers and clientProperties are described before 3.6, too',
};

const v2 = { count: 24, prepare: v2State, callsOf: v2Calls };
for (const [file, version] of [
  ['gateway-v2-openapi.yaml', '3.5.0'],
  ['gateway-v2-openapi-2025-02.yaml', '3.6.0'],
] as const) {
  describeUpstream(file, version, checkV2Exchange, v2);

  it.skipIf(readUpstream(file) === undefined)(`describes itself as ${file} does`, () => {
    const own = memoryGateway(catalog.kinds, { version }).handle('GET', '/gateway/v2/docs').body ?? null;
    const ours = summarise(own);
    // Parts of schemas can have other names; what operations refer to has the vendor's.
    const isPart = (what: string) => !what.includes(' /') && !ours.has(what);
    const differs = [...summarise(readUpstream(file) ?? null)].filter(
      ([what, value]) => ours.get(what) !== value && !isPart(what) && !(what in DIFFERENCES),
    );
    expect(differs).toEqual([]);
  });
}

function describeUpstream(
  file: string,
  version: string,
  checkOf: (document: JsonObject) => ExchangeCheck,
  {
    count,
    prepare,
    callsOf,
  }: {
    readonly count: number;
    readonly prepare: (described: Described) => readonly Resource[];
    readonly callsOf: (described: Described) => readonly Call[];
  },
): void {
  const document = readUpstream(file);
  if (document === undefined) {
    it.skip(`${file} of ${sharedFolder('upstream').title}`, () => undefined);
    return;
  }
  const operations = operationsOf(document);
  const check = checkOf(document);

  describe(`each operation of ${file}`, () => {
    it(`is one of ${count}`, () => expect(operations).toHaveLength(count));

    it.each(operations)('$method $path succeeds, and refuses as described', (described) => {
      const state = gatewayWith(prepare(described), version).snapshot();
      const statuses = callsOf(described).map(({ line, body }) => {
        const [method = '', target = ''] = line.split(' ');
        const response = memoryGateway(catalog.kinds, { state, userPool }, makeV1Routes).handle(
          method,
          target,
          body,
        );
        expect(check({ request: { method, url: target }, response })).toEqual([]);
        return response.status;
      });
      expect(statuses.filter((status) => status < 300)).not.toEqual([]);
    });

    it('needs credentials, and to write an admin', async () => {
      await using gateway = await startGateway({
        version,
        users: [{ username: 'reader', password: 'r', admin: false }],
      });
      for (const { method, path, example } of operations) {
        const target = path.replaceAll(/[{}]/g, '');
        const isRead = method === 'GET' || path.endsWith('/resolve');
        for (const login of isRead ? ['none'] : ['none', 'reader:r']) {
          const response = await fetch(gateway.url + target, {
            method,
            headers: { authorization: `Basic ${btoa(login)}` },
            ...(example === undefined ? {} : { body: JSON.stringify(example) }),
          });
          const text = await response.text();
          const body = text === '' ? {} : { body: JSON.parse(text) as Json };
          const { status } = response;
          expect([
            status,
            ...check({ request: { method, url: target }, response: { status, ...body } }),
          ]).toEqual([login === 'none' ? 401 : 403]);
        }
      }
    });
  });
}

/** What a client reads of a description, a line for each: of an operation, and of a schema with fields. */
function summarise(document: Json): ReadonlyMap<string, string> {
  const lines = new Map<string, string>();
  const add = (what: string, value: Json | undefined) => lines.set(what, JSON.stringify(value ?? null));
  for (const [path, operations] of entriesOf(valueOf(document, 'paths') ?? {}))
    for (const [method, operation] of entriesOf(operations)) {
      const about = (fact: string) => `${method.toUpperCase()} ${path}: ${fact}`;
      const body = valueAt(operation, '/requestBody/content/application~1json/schema');
      const answer = valueAt(operation, '/responses/200/content/application~1json/schema');
      add(about('tags'), valueOf(operation, 'tags'));
      add(about('body'), [
        valueAt(operation, '/requestBody/required') ?? false,
        valueOf(body, '$ref') ?? null,
      ]);
      add(about('answer'), valueOf(answer, '$ref') ?? valueAt(answer ?? null, '/items/$ref'));
      add(about('run'), valueOf(operation, 'x-cdk-run-name'));
      for (const parameter of Object.values(valueOf(operation, 'parameters') ?? []) as readonly Json[]) {
        const name = JSON.stringify([valueOf(parameter, 'in'), valueOf(parameter, 'name')]);
        const type = valueAt(parameter, '/schema/type') ?? null;
        add(about(name), [valueOf(parameter, 'required') ?? false, type]);
      }
      for (const [status] of entriesOf(valueOf(operation, 'responses') ?? {}))
        add(about(status), 'described');
    }
  for (const [name, schema] of entriesOf(valueAt(document, '/components/schemas') ?? {})) {
    const fields = entriesOf(valueOf(schema, 'properties') ?? {}).map(([field]) => field);
    if (fields.length === 0) continue;
    add(`${name}: fields`, fields.sort());
    add(`${name}: required`, [...((valueOf(schema, 'required') ?? []) as readonly string[])].sort());
  }
  return lines;
}

function operationsOf(document: JsonObject): readonly Described[] {
  return entriesOf(document['paths'] ?? {}).flatMap(([path, operations]) =>
    entriesOf(operations).map(([method, operation]) => {
      const content = valueAt(operation, '/requestBody/content/application~1json');
      return { method: method.toUpperCase(), path, example: valueOf(content, 'example') };
    }),
  );
}

function gatewayWith(resources: readonly Resource[], version: string): EmbeddedGateway {
  const gateway = memoryGateway(catalog.kinds, { version, userPool }, makeV1Routes);
  for (const one of resources) {
    const { collection } = kindOf(one.kind);
    expect(gateway.handle('PUT', collection, one)).toMatchObject({ status: 200 });
  }
  return gateway;
}

function v1State(): readonly Resource[] {
  const everywhere = { vCluster: null, group: null, username: null };
  const { pluginClass, priority, config } = { pluginClass: 'org.example.Custom', priority: 1, config: {} };
  const scopes = [
    {},
    everywhere,
    { username: 'alice' },
    { group: 'readers' },
    { vCluster: 'prod' },
    { vCluster: 'prod', username: 'alice' },
    { vCluster: 'prod', group: 'readers' },
  ];
  const account = (vCluster: string) =>
    resource(
      'GatewayServiceAccount',
      { name: 'alice', vCluster },
      { type: 'EXTERNAL', externalNames: [vCluster] },
    );
  return [
    resource('VirtualCluster', { name: 'prod' }),
    resource('GatewayGroup', { name: 'readers' }),
    account('prod'),
    account('passthrough'),
    resource('AliasTopic', { name: 'orders', vCluster: 'prod' }, { physicalName: 'realTopic' }),
    resource(
      'ConcentrationRule',
      { name: 'rule', vCluster: 'prod' },
      { pattern: 'a.*', physicalTopics: { delete: 'a', compact: 'b' } },
    ),
    ...scopes.map((scope) =>
      resource('Interceptor', { name: 'guard', scope }, { pluginClass, priority, config }),
    ),
  ];
}

/** The example of the kind of a path, and what it refers to; a local account. */
function v2State({ path }: Described): readonly Resource[] {
  const kind = kindAt(path);
  const local = resource('GatewayServiceAccount', { name: 'local-app' }, { type: 'LOCAL' });
  return [...(kind === undefined ? [] : [...examplesNeededBy(kind), asOld(kind.example)]), local];
}

function v2Calls({ method, path }: Described): readonly Call[] {
  const kind = kindAt(path);
  const { name, scope, ...others } = kind?.example.metadata ?? { name: '' };
  const identity = { name, ...others };
  const bodies: Readonly<Record<string, readonly (Json | undefined)[]>> = {
    PUT: kind === undefined ? [] : [asOld(kind.example), {}, []],
    DELETE: path.includes('{') ? [scope, {}] : [identity, { name: 'unknown' }, {}],
    POST: path.endsWith('/token')
      ? [
          { username: 'local-app', lifeTimeSeconds: 60 },
          { username: 'unknown', lifeTimeSeconds: 60 },
          { username: 'local-app' },
        ]
      : [{ username: 'alice', groups: ['payments'], vCluster: 'prod' }, {}, []],
  };
  const urls = path.includes('{')
    ? [path.replace(/\{\w+\}/, name), path.replace(/\{\w+\}/, 'unknown')]
    : [path];
  const queries =
    method === 'GET' && !path.includes('{') ? ['', '?vcluster=unknown', '?showDefaults=maybe'] : [''];
  return urls.flatMap((url) =>
    queries.flatMap((query) =>
      (bodies[method] ?? [undefined]).map((body) => ({ line: `${method} ${url}${query}`, body })),
    ),
  );
}

function kindAt(path: string) {
  return writableKinds.find(({ collection }) => path === collection || path.startsWith(`${collection}/{`));
}

/** Without what came after these descriptions. */
function asOld(example: Resource): Resource {
  return changeResource(example, ['spec', 'aclMode'], () => undefined);
}
