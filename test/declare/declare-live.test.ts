import fc from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { declareLive } from '../../src/declare/declare-live.ts';
import {
  type Declared,
  type DeclareOptions,
  type Document,
  fileOf,
  LAYOUTS,
  type Layout,
} from '../../src/declare/declared.ts';
import { printDocuments } from '../../src/declare/write-out.ts';
import { proveFiles } from '../../src/declare/prove.ts';
import { groupBy } from '../../src/model/collect.ts';
import type { Json, JsonObject } from '../../src/model/json/json.ts';
import type { SourceFile } from '../../src/model/problem.ts';
import type { Resource } from '../../src/model/resource.ts';
import type { LiveState } from '../../src/model/state.ts';
import { makeSecretFinder } from '../../src/plan/change/former-secrets.ts';
import { formatFile } from '../../src/schema/fmt/fmt.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { canariesIn, makeSecrets } from '../support/canary.ts';
import { SECRET, state } from '../support/generate.ts';
import { liveStateOf } from '../support/plans.ts';
import { account, alias, cluster, group, interceptor, scoped, vault } from '../support/resources.ts';
import { orAll } from '../support/soak.ts';

function filesOf(
  { documents }: Declared,
  layout: Layout,
  head: readonly string[] = [],
): readonly SourceFile[] {
  const byFile = groupBy(documents, ({ address }) => fileOf(address, layout, catalog));
  return [...byFile].map(([path, inIt]) => ({ path, text: printDocuments(inIt, head, catalog) }));
}

/** What is wrong with the files of a state, in each layout. */
function faultsOf(live: LiveState, options: DeclareOptions = {}): readonly string[] {
  const declared = declareLive(live, catalog, options);
  return LAYOUTS.flatMap((layout) => {
    const files = filesOf(declared, layout, ['yaml-language-server: $schema=x', 'From a test']);
    const proof = proveFiles(files, live, catalog, {
      gateway: 'embedded:',
      variables: declared.variables,
      expected: declared.documents.map(({ address }) => address),
    });
    const moved = files.filter((file) => formatFile(file, catalog).value !== undefined);
    return [
      ...proof.problems.map(({ message }) => message),
      ...moved.map(({ path }) => `fmt changes ${path}`),
    ];
  });
}

function declare(...resources: readonly Resource[]): Declared {
  return declareLive(liveStateOf(resources), catalog);
}

function valueOf(resource: Resource): Document['value'] | undefined {
  return declare(resource).documents[0]?.value;
}

describe('a live state as documents', () => {
  it('is declared by them, in each layout, and fmt changes nothing', () =>
    fc.assert(
      fc.property(state, fc.boolean(), (resources, ownKinds) => {
        const live = liveStateOf(resources);
        expect(faultsOf(live, { ownKinds })).toEqual([]);
        const { documents } = declareLive(live, catalog);
        expect(JSON.stringify(documents)).not.toContain(SECRET);
      }),
      { numRuns: orAll(12, 100) },
    ));

  it('gives the same text in whatever order the gateway lists it', () =>
    fc.assert(
      fc.property(
        state.chain((all) =>
          fc.tuple(fc.constant(all), fc.shuffledSubarray([...all], { minLength: all.length })),
        ),
        ([one, other]) => {
          const [first, second] = [one, other].map((resources) =>
            declareLive(liveStateOf(resources), catalog),
          );
          expect(first).toEqual(second);
        },
      ),
    ));

  it('holds no secret, wherever the forms say that one can stand', () => {
    const { resources } = makeSecrets(400, 'live');
    const live = liveStateOf(resources);
    const declared = declareLive(live, catalog);
    expect(declared.variables.length).toBeGreaterThan(100);
    const files = filesOf(declared, 'one-file');
    expect(files.flatMap(({ text }) => canariesIn(text))).toEqual([]);
    expect(faultsOf(live)).toEqual([]);
  });

  it('leaves out defaults, fields that the gateway sets, and what is built in', () => {
    const { documents } = declare(
      cluster('passthrough'),
      cluster('prod', { aclEnabled: false, type: 'Standard', superUsers: [], bootstrapServers: 'x:1' }),
      alias('orders', 'passthrough', { physicalName: 'o', physicalCluster: 'main' }),
    );
    expect(documents.map(({ value }) => [value['metadata'], value['spec']])).toEqual([
      [{ name: 'orders' }, { physicalName: 'o' }],
      [{ name: 'prod' }, {}],
    ]);
  });

  it('leaves out what follows from other fields', () => {
    const spec = { aclEnabled: true, superUsers: ['a'], acls: [{ principal: 'User:b' }] };
    expect(valueOf(cluster('prod', spec))?.['spec']).toEqual(spec);
    expect(valueOf(cluster('prod', { ...spec, aclMode: 'KAFKA_API' }))?.['spec']).toEqual(spec);
    const rest = { aclEnabled: true, aclMode: 'REST_API', acls: spec.acls };
    expect(valueOf(cluster('prod', rest))?.['spec']).toEqual(rest);
  });

  it.each([
    [{ vCluster: 'passthrough', group: null, username: null }, { vCluster: 'passthrough' }],
    [
      { vCluster: 'prod', group: 'g', username: null },
      { vCluster: 'prod', group: 'g' },
    ],
    [
      { vCluster: null, group: null, username: null },
      { vCluster: null, group: null, username: null },
    ],
  ])('writes a scope so that it cannot be misunderstood: %j', (scope, written) => {
    expect(valueOf(scoped('i', scope))?.['metadata']).toEqual({ name: 'i', scope: written });
  });

  it('warns of fields that it does not know, once for all objects', () => {
    const odd = (name: string): Resource => alias(name, 'prod', { physicalName: 'o', colour: 'red' });
    expect(declare(odd('a'), odd('b')).problems.map(({ code, message }) => [code, message])).toEqual([
      [
        'unknown-field',
        'gwconf does not know the field /spec/colour of AliasTopic, which AliasTopic/a@vCluster=prod and 1 more has; the files leave it out',
      ],
    ]);
  });

  it('writes the friendlier kind where that is asked for and says the same', () => {
    const live = liveStateOf([account('anna', 'CN=anna'), account('bert')]);
    const { documents } = declareLive(live, catalog, { ownKinds: true });
    expect(documents.map(({ value }) => value['kind'])).toEqual(['UserMapping', 'GatewayServiceAccount']);
    expect(faultsOf(live, { ownKinds: true })).toEqual([]);
  });
});

describe('a secret', () => {
  const variablesOf = (
    ...resources: readonly Resource[]
  ): readonly (readonly [string, string | undefined])[] =>
    declare(...resources).variables.map(({ name, value }) => [name, value]);
  const hidden = (config: Json, name = 'own'): Resource => interceptor(name, config);

  it('is a variable named for its virtual cluster, its object and its field', () => {
    expect(
      variablesOf({
        ...vault('t0p'),
        metadata: { name: 'encryptPII', scope: { vCluster: 'prod', group: null, username: null } },
      }),
    ).toEqual([['GW_PROD_ENCRYPT_PII_VAULT_TOKEN', 't0p']]);
  });

  it('has one name wherever it is', () => {
    const { variables, documents } = declare(
      hidden({ password: 'same' }, 'b'),
      hidden({ token: 'same' }, 'a'),
    );
    expect(variables.map(({ name, at }) => [name, at.map(({ address }) => address)])).toEqual([
      ['GW_PASSTHROUGH_SECRET', ['Interceptor/a@vCluster=passthrough', 'Interceptor/b@vCluster=passthrough']],
    ]);
    expect(documents.map(({ value }) => (value['spec'] as JsonObject)['config'])).toEqual([
      { token: '${GW_PASSTHROUGH_SECRET}' },
      { password: '${GW_PASSTHROUGH_SECRET}' },
    ]);
  });

  it('keeps its type', () => {
    const live = liveStateOf([
      hidden({ secrets: { a: 7, b: true, c: '7', d: -1.5, e: 'x: "y" #z\n', f: '${KEY} x' } }),
    ]);
    const text = printDocuments(declareLive(live, catalog).documents, [], catalog);
    expect(text).toMatch(
      /a: \$\{GW_PASSTHROUGH_OWN_SECRETS_A\}\n +b: \$\{GW_PASSTHROUGH_OWN_SECRETS_B\}\n +c: "\$\{/,
    );
    expect(faultsOf(live)).toEqual([]);
  });

  it('is none if the text is empty or the gateway fills it in', () => {
    expect(variablesOf(hidden({ password: '', token: '${VAULT_TOKEN}', secret: '{{secret}}' }))).toEqual([]);
    expect(valueOf(hidden({ token: '${VAULT_TOKEN}' }))?.['spec']).toMatchObject({
      config: { token: '$${VAULT_TOKEN}' },
    });
  });

  it('without a value has a name without a value', () => {
    expect(variablesOf(hidden({ password: '*****' }))).toEqual([['GW_PASSTHROUGH_OWN_PASSWORD', undefined]]);
    expect(faultsOf(liveStateOf([hidden({ password: '*****' })]))).toEqual([]);
  });

  it.each(['a\0b', 'a\ud800b'])('cannot be what no environment variable can be: %j', (password) => {
    expect(declare(hidden({ password })).problems.map(({ code, path }) => [code, path])).toEqual([
      ['invalid-value', '/spec/config/password'],
    ]);
  });

  it('is found also where only its value tells', () => {
    const options = { isSecret: makeSecretFinder(['correct horse']) };
    const live = liveStateOf([hidden({ note: 'correct horse', url: 'https://me:pa55@host' })]);
    expect(declareLive(live, catalog, options).variables.map(({ name }) => name)).toEqual([
      'GW_PASSTHROUGH_OWN_NOTE',
      'GW_PASSTHROUGH_OWN_URL',
    ]);
  });

  it.each([[hidden({ x: 1 }, JWT)], [hidden({ [JWT]: 1 })], [group('g', JWT)]])(
    'cannot stand where all output shows it, and is not told',
    (resource) => {
      const { problems, ...rest } = declare(resource);
      expect(problems.map(({ code, severity }) => [code, severity])).toEqual([['exposed-secret', 'error']]);
      if (resource.kind !== 'GatewayGroup') expect(JSON.stringify([problems, rest])).not.toContain('eyJ');
    },
  );
});

const JWT = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZG1pbiJ9.c2lnbmF0dXJl`;
