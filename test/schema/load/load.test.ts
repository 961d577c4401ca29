import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { load } from '../../../src/schema/load/load.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
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

describe('a file that was found in a folder', () => {
  const found = (text: string) =>
    load([{ path: 'found.yaml', text: dedent(text) }], catalog, () => undefined);

  it.each([
    ['has neither apiVersion nor kind', 'services: { web: { image: nginx } }\n'],
    ['speaks of kind, but not as a key of its own', 'about: { kind: thing }\n'],
    ['is a list', '- kind: a\n'],
    ['is no YAML, and about something else', '{% template %}'],
    ['is empty', ''],
  ])('is passed over when it %s', (_, text) => {
    expect(found(text)).toMatchObject({ value: new Map(), problems: [] });
  });

  it.each([
    ['names a kind', 'kind: Thing\n', 'unknown-kind'],
    ['names an apiVersion', 'apiVersion: gateway/v2\n', 'missing-field'],
    ['is broken where it names a kind', 'kind: [\n', 'invalid-yaml'],
  ])('is a problem when it %s and is wrong', (_, text, code) => {
    expect(found(text).problems[0]?.code).toBe(code);
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
