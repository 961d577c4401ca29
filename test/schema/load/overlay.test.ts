import { describe, expect, it } from 'vitest';
import type { SourceFile, Checked } from '../../../src/model/problem.ts';
import type { DesiredState } from '../../../src/model/state.ts';
import { redactDesired } from '../../../src/plan/secrets/redact.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { load } from '../../../src/schema/load/load.ts';
import { locateProblems } from '../../../src/schema/load/locate.ts';
import { variablesFrom } from '../../../src/schema/yaml/interpolate.ts';
import { dedent, seen, type Seen } from '../../support/expect-problems.ts';

type Layer = string | Readonly<Record<string, string>>;

/** Files in layers; a text alone is the one file of its layer, `0.yaml`, `1.yaml` and so on. */
function filesOf(layers: readonly Layer[]): readonly SourceFile[] {
  return layers.flatMap((files, layer) =>
    Object.entries(typeof files === 'string' ? { [`${layer}.yaml`]: files } : files).map(([path, text]) => ({
      path,
      text: dedent(text),
      named: true,
      layer,
    })),
  );
}

function loaded(layers: readonly Layer[], env: Readonly<Record<string, string>> = {}): Checked<DesiredState> {
  return load(
    filesOf(layers),
    catalog,
    variablesFrom((name) => (Object.hasOwn(env, name) ? env[name] : undefined)),
  );
}

/** What is wrong, without the advice that every reviewer gets. */
function problemsIn(...layers: readonly Layer[]): readonly Seen[] {
  return loaded(layers)
    .problems.filter(({ severity }) => severity === 'error')
    .map((problem) => seen(problem, true));
}

function sentencesIn(...layers: readonly Layer[]): readonly string[] {
  return loaded(layers)
    .problems.filter(({ severity }) => severity === 'error')
    .map(({ message, hint }) => `${message}; ${hint ?? ''}`);
}

/** The specs by address, where nothing is wrong. */
function specsIn(...layers: readonly Layer[]): Readonly<Record<string, unknown>> {
  expect(problemsIn(...layers)).toEqual([]);
  return Object.fromEntries(
    [...loaded(layers).value].map(([address, { resource }]) => [address, resource.spec]),
  );
}

const topic = (spec: string, more = ''): string => `
  apiVersion: gateway/v2
  kind: AliasTopic${more}
  metadata: { name: orders, vCluster: prod }
  spec: ${spec}
`;
const over = (spec: string): string => topic(spec, '\n  overlay: true');

const plugin = (config: string, more = '', scope = '{ vCluster: prod }'): string => `
  apiVersion: gateway/v2
  kind: Interceptor${more}
  metadata: { name: own, scope: ${scope} }
  spec: ${config}
`;
const OWN = 'pluginClass: com.example.Own, priority: 7';
const base = (config: string, scope?: string): string => plugin(`{ ${OWN}, config: ${config} }`, '', scope);
const overConfig = (config: string, scope?: string): string =>
  plugin(`{ config: ${config} }`, '\n  overlay: true', scope);

/** The config that an overlay of `patch` on `target` has. */
function merged(target: string, ...patches: readonly string[]): unknown {
  const specs = specsIn(base(target), ...patches.map((patch) => overConfig(patch)));
  return (specs['Interceptor/own@vCluster=prod'] as { readonly config: unknown }).config;
}

describe('an overlay', () => {
  it('changes what it says, and leaves the rest as it is', () => {
    expect(specsIn(topic('{ physicalName: a, physicalCluster: main }'), over('{ physicalName: b }'))).toEqual(
      {
        'AliasTopic/orders@vCluster=prod': { physicalName: 'b', physicalCluster: 'main' },
      },
    );
  });

  // The examples of RFC 7396, as far as they are maps.
  it.each([
    ['{"a":"b"}', '{"a":"c"}', { a: 'c' }],
    ['{"a":"b"}', '{"b":"c"}', { a: 'b', b: 'c' }],
    ['{"a":"b"}', '{"a":null}', {}],
    ['{"a":"b","b":"c"}', '{"a":null}', { b: 'c' }],
    ['{"a":["b"]}', '{"a":"c"}', { a: 'c' }],
    ['{"a":"c"}', '{"a":["b"]}', { a: ['b'] }],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', { a: { b: 'd' } }],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', { a: [1] }],
    ['{"e":null}', '{"a":1}', { e: null, a: 1 }],
    ['{}', '{"a":{"bb":{"ccc":null}}}', { a: { bb: {} } }],
    ['{"a":1}', '{"a":{"b":[null]}}', { a: { b: [null] } }],
  ])('merges as RFC 7396 does: %s and %s', (target, patch, result) => {
    expect(merged(target, patch)).toEqual(result);
  });

  it('keeps __proto__ and constructor as plain data', () => {
    const result = merged(
      '{ __proto__: { a: 1 } }',
      '{ __proto__: { b: 2 }, constructor: { prototype: 3 } }',
    );
    expect(JSON.stringify(result)).toBe('{"__proto__":{"a":1,"b":2},"constructor":{"prototype":3}}');
  });

  it('finds its base whatever the files are called', () => {
    expect(
      specsIn({ 'z.yaml': topic('{ physicalName: a }') }, { 'a.yaml': over('{ physicalName: b }') }),
    ).toEqual({
      'AliasTopic/orders@vCluster=prod': { physicalName: 'b' },
    });
  });

  it('lies on another one of an earlier layer', () => {
    expect(merged('{ a: 1, b: 1, c: 1 }', '{ b: 2, c: 2 }', '{ c: 3, a: null }')).toEqual({ b: 2, c: 3 });
  });

  it('may stand in the file of its layer beside resources of that layer', () => {
    expect(
      specsIn(topic('{ physicalName: a }'), `${over('{ physicalName: b }')}---${base('{}')}`),
    ).toMatchObject({ 'AliasTopic/orders@vCluster=prod': { physicalName: 'b' } });
  });

  it('knows its base by identity, however either spells it', () => {
    const bare = base('{ a: 1 }', '{ vCluster: passthrough, group: null }');
    const patch = overConfig('{ b: 2 }', '{}');
    expect(specsIn(bare, patch)).toMatchObject({
      'Interceptor/own@vCluster=passthrough': { config: { a: 1, b: 2 } },
    });
    expect(
      specsIn(base('{}'), overConfig('{ b: 2 }').replace('kind: Interceptor', 'kind: GatewayInterceptor')),
    ).toEqual({
      'Interceptor/own@vCluster=prod': { pluginClass: 'com.example.Own', priority: 7, config: { b: 2 } },
    });
  });

  it('does not merge what identifies a resource: three nulls stay global', () => {
    const nulls = '{ vCluster: null, group: null, username: null }';
    const { value } = loaded([base('{ a: 1 }', nulls), overConfig('{ a: 2 }', nulls)]);
    const declared = value.get('Interceptor/own@global' as never);
    expect(declared?.resource.metadata).toEqual({
      name: 'own',
      scope: { vCluster: null, group: null, username: null },
    });
    expect(declared?.resource.spec).toMatchObject({ config: { a: 2 } });
  });

  it('is another resource when its scope is another', () => {
    expect(
      problemsIn(base('{}', '{ vCluster: prod }'), overConfig('{}', '{ vCluster: prod, group: g }')),
    ).toEqual([{ code: 'unreachable-overlay', at: '1.yaml:3:1', path: '/overlay' }]);
  });

  it('may be of a kind of our own', () => {
    const mapping = (spec: string, more = ''): string => `
      apiVersion: gwconf/v1
      kind: UserMapping${more}
      metadata: { name: payments-api, vCluster: prod }
      spec: ${spec}
    `;
    expect(
      specsIn(mapping('{ principal: one }'), mapping('{ principal: two }', '\n      overlay: true')),
    ).toEqual({
      'GatewayServiceAccount/payments-api@vCluster=prod': { type: 'EXTERNAL', externalNames: ['two'] },
    });
  });

  it('that is false is none', () => {
    expect(specsIn(topic('{ physicalName: a }', '\n  overlay: false'))).toEqual({
      'AliasTopic/orders@vCluster=prod': { physicalName: 'a' },
    });
    expect(
      problemsIn(topic('{ physicalName: a }'), topic('{ physicalName: b }', '\n  overlay: false')),
    ).toEqual([
      {
        code: 'duplicate-resource',
        at: '1.yaml:4:19',
        also: '0.yaml:3:19',
        path: '/metadata/name',
      },
    ]);
  });
});

describe('a mistake in a merged resource', () => {
  it('is told where the value was given', () => {
    expect(
      problemsIn(topic('{ physicalName: "a b", physicalCluster: main }'), over('{ physicalCluster: "" }')),
    ).toEqual([
      { code: 'invalid-value', at: '0.yaml:4:23', path: '/spec/physicalName' },
      { code: 'invalid-value', at: '1.yaml:5:26', path: '/spec/physicalCluster' },
    ]);
  });

  it('is told at a key that the overlay added', () => {
    expect(problemsIn(topic('{ physicalName: a }'), over('{ physicalNam: b }'))).toEqual([
      { code: 'unknown-field', at: '1.yaml:5:9', path: '/spec/physicalNam' },
    ]);
  });

  it('is told at the null that took a value away', () => {
    expect(problemsIn(topic('{ physicalName: a }'), over('{ physicalName: null }'))).toEqual([
      { code: 'missing-field', at: '1.yaml:5:9', path: '/spec/physicalName' },
    ]);
  });

  it('is told inside a list that the overlay gave', () => {
    const group = (members: string, more = ''): string => `
      apiVersion: gateway/v2
      kind: GatewayGroup${more}
      metadata: { name: g }
      spec: { members: ${members} }
    `;
    expect(
      problemsIn(group('[{ name: ann }]'), group('[{ name: bob }, { nam: cid }]', '\n      overlay: true')),
    ).toEqual([
      { code: 'missing-field', at: '1.yaml:5:34', path: '/spec/members/1/name' },
      { code: 'unknown-field', at: '1.yaml:5:36', path: '/spec/members/1/nam' },
    ]);
  });

  it('is told of the layer that had the last word', () => {
    expect(
      problemsIn(topic('{ physicalName: a }'), over('{ physicalName: b }'), over('{ physicalName: "c d" }')),
    ).toEqual([{ code: 'invalid-value', at: '2.yaml:5:23', path: '/spec/physicalName' }]);
  });

  it('is told at what the overlay says of itself', () => {
    const other = over('{ physicalName: b }');
    expect(problemsIn(topic('{ physicalName: a }'), other.replace('gateway/v2', 'gateway/v3'))).toEqual([
      { code: 'unknown-kind', at: '1.yaml:1:13', path: '/apiVersion' },
    ]);
    expect(
      problemsIn(topic('{ physicalName: a }'), other.replace('vCluster: prod', 'vCluster: prod, label: x')),
    ).toEqual([{ code: 'unknown-field', at: '1.yaml:4:43', path: '/metadata/label' }]);
  });
});

describe('an overlay that has nothing under it', () => {
  it('is told when no layer declares the resource', () => {
    expect(problemsIn('', over('{ physicalName: b }'))).toEqual([
      { code: 'unreachable-overlay', at: '1.yaml:3:1', path: '/overlay' },
    ]);
    expect(sentencesIn('', over('{ physicalName: b }'))).toEqual([
      'the overlay of AliasTopic/orders@vCluster=prod changes nothing: no earlier layer declares it; move the base document to an earlier layer, or remove overlay to declare a new resource',
    ]);
  });

  it('is told when only a later layer does', () => {
    expect(problemsIn(over('{ physicalName: b }'), topic('{ physicalName: a }'))).toEqual([
      { code: 'unreachable-overlay', at: '0.yaml:3:1', path: '/overlay' },
    ]);
  });

  it.each([
    ['before', ['a.yaml', 'b.yaml']],
    ['after', ['b.yaml', 'a.yaml']],
  ])('is told when the same layer does, in a file %s', (_, [mine = '', others = '']) => {
    const [problem, ...more] = problemsIn({
      [mine]: over('{ physicalName: b }'),
      [others]: topic('{ physicalName: a }'),
    });
    expect(problem).toMatchObject({ code: 'unreachable-overlay', at: `${mine}:3:1` });
    expect(more).toEqual([]);
  });

  it.each([
    ['a name', 'metadata: { name: orders, vCluster: prod }', 'metadata: {}'],
    ['metadata', 'metadata: { name: orders, vCluster: prod }', 'metadata: orders'],
    ['a kind', 'kind: AliasTopic\n', '\n'],
  ])('is told when it does not say %s', (_, from, to) => {
    const [problem, ...more] = problemsIn(topic('{ physicalName: a }'), over('{}').replace(from, to));
    expect(problem?.code).toBe('unreachable-overlay');
    expect(more).toEqual([]);
  });

  it('is not told when its base may be what could not be read', () => {
    expect(problemsIn(topic('{ physicalName: a'), over('{ physicalName: b }'))).toEqual([
      { code: 'invalid-yaml', at: '0.yaml:4:7' },
    ]);
  });
});

describe('an overlay that cannot be meant', () => {
  it('is the second of its address in a layer, since no order of files counts', () => {
    const layer = { 'a.yaml': over('{ physicalName: b }'), 'b.yaml': over('{ physicalName: c }') };
    expect(problemsIn(topic('{ physicalName: a }'), layer)).toEqual([
      { code: 'duplicate-resource', at: 'b.yaml:3:1', also: 'a.yaml:3:1', path: '/overlay' },
    ]);
  });

  it.each(['yes', '"true"', '1', 'null', '{}', '[true]'])('says %s', (word) => {
    expect(
      problemsIn(topic('{ physicalName: a }'), topic('{ physicalName: b }', `\n  overlay: ${word}`)),
    ).toEqual([{ code: 'invalid-value', at: '1.yaml:3:10', path: '/overlay' }]);
  });

  it('is broken YAML, and told as such only', () => {
    expect(problemsIn(topic('{ physicalName: a }'), over('{ physicalName: b'))).toEqual([
      { code: 'invalid-yaml', at: '1.yaml:5:7' },
    ]);
  });

  it('is forgotten: the second declaration is a duplicate, and the hint knows better', () => {
    expect(sentencesIn(topic('{ physicalName: a }'), topic('{ physicalName: b }'))).toEqual([
      'AliasTopic/orders@vCluster=prod is declared twice; write overlay: true to change the first, or keep one of the two',
    ]);
    expect(
      sentencesIn({ 'a.yaml': topic('{ physicalName: a }'), 'b.yaml': topic('{ physicalName: b }') }),
    ).toEqual(['AliasTopic/orders@vCluster=prod is declared twice; keep one of the two']);
  });
});

describe('what may not be shown in a layered resource', () => {
  const SHOWN = (layers: readonly Layer[], env: Readonly<Record<string, string>>): string =>
    JSON.stringify(redactDesired(loaded(layers, env).value, catalog.kinds));

  it('is the value of a variable that the overlay uses', () => {
    const layers = [base('{ note: plain }'), overConfig('{ note: "say ${WORD}" }')];
    expect(SHOWN(layers, { WORD: 'hunter2' })).toContain('"note":"(hidden)"');
  });

  it('is the value of a variable that the base uses, if the overlay leaves it', () => {
    const layers = [base('{ a: "${WORD}", b: 1 }'), overConfig('{ b: 2 }')];
    expect(SHOWN(layers, { WORD: 'hunter2' })).toContain('"a":"(hidden)","b":2');
  });

  it('is the value of a variable inside a list that the overlay gives', () => {
    const layers = [base('{ a: [x] }'), overConfig('{ a: [y, "${WORD}"] }')];
    expect(SHOWN(layers, { WORD: 'hunter2' })).toContain('"a":["y","(hidden)"]');
  });

  it('is not what the overlay writes in the place of a variable', () => {
    const layers = [base('{ a: "${WORD}", b: { c: "${WORD}" } }'), overConfig('{ a: open, b: [open] }')];
    expect(SHOWN(layers, { WORD: 'hunter2' })).toContain('"a":"open","b":["open"]');
  });

  it('is a secret that the overlay writes out, and its line is not shown', () => {
    const { value, problems } = loaded(
      [base('{ password: "${WORD}" }'), overConfig('{ password: hunter2 }')],
      {
        WORD: 'x',
      },
    );
    expect(JSON.stringify(redactDesired(value, catalog.kinds))).not.toContain('hunter2');
    const told = locateProblems(problems).filter(({ code }) => code === 'literal-secret');
    expect(told.map(({ at }) => at)).toEqual([{ file: '1.yaml', line: 5, column: 19 }]);
    expect(JSON.stringify(told)).not.toContain('hunter2');
  });

  it('is a variable that is not set, told where the overlay names it', () => {
    expect(problemsIn(base('{}'), overConfig('{ a: "${NOT_SET}" }'))).toEqual([
      { code: 'missing-variable', at: '1.yaml:5:22', path: '/spec/config/a' },
    ]);
  });
});
