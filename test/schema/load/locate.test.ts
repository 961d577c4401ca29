import { describe, expect, it } from 'vitest';
import type { LocatedProblem, Problem } from '../../../src/model/problem.ts';
import { locateProblems } from '../../../src/schema/load/locate.ts';
import { loadText, type Files, type LoadOptions } from '../../support/expect-problems.ts';

describe('located problems', () => {
  it('stand in the order of files, lines and columns, and those without a place last', () => {
    const { problems } = loadText({
      'b.yaml': 'kind: X\n',
      'a.yaml': 'apiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: 1, vCluster: 2 }\nspec: {}\n',
    });
    const nowhere: Problem = { code: 'order-cycle', severity: 'error', message: 'nowhere' };
    const places = locateProblems([nowhere, ...problems].reverse()).map(({ at }) =>
      at === undefined ? 'nowhere' : `${at.file}:${at.line}:${at.column}`,
    );
    expect(places).toEqual(['a.yaml:3:19', 'a.yaml:3:32', 'a.yaml:4:1', 'b.yaml:1:7', 'nowhere']);
  });

  it('of two files have their places however they are mixed, and again when they are asked for again', () => {
    const file = (first: string): string =>
      `apiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: ${first}, vCluster: 2 }\nspec: {}\n`;
    const { problems } = loadText({ 'a.yaml': file('1'), 'b.yaml': file('111') });
    const [a = [], b = []] = ['a.yaml', 'b.yaml'].map((path) =>
      problems.filter(({ at }) => at !== undefined && 'document' in at && at.document.file.path === path),
    );
    const mixed = a.flatMap((one, at) => [b[at] ?? one, one]);
    for (const _ of ['first', 'again'])
      expect(locateProblems(mixed).map(({ at }) => `${at?.file}:${at?.line}:${at?.column}`)).toEqual([
        ...['a.yaml:3:19', 'a.yaml:3:32', 'a.yaml:4:1'],
        ...['b.yaml:3:19', 'b.yaml:3:34', 'b.yaml:4:1'],
      ]);
  });

  it('show the line and the one before it, and how much of it is meant', () => {
    expect(frameOf('# one\napiVersion: gateway/v2\nkind: Thing # what\n')).toEqual({
      lines: [
        { number: 2, text: 'apiVersion: gateway/v2' },
        { number: 3, text: 'kind: Thing # what' },
      ],
      column: 7,
      length: 5,
    });
  });

  it('show the first line of a file alone, and no empty line before', () => {
    const text = 'kind: Thing # of gateway/v2';
    expect(frameOf(`${text}\napiVersion: gateway/v2\n`)).toMatchObject({ lines: [{ number: 1, text }] });
    expect(frameOf('apiVersion: gateway/v2\n\nkind: Thing\n')).toMatchObject({
      lines: [{ number: 3, text: 'kind: Thing' }],
    });
  });

  it('show no carriage return', () => {
    expect(frameOf('apiVersion: gateway/v2\r\nkind: Thing\r\n')).toMatchObject({
      lines: [
        { number: 1, text: 'apiVersion: gateway/v2' },
        { number: 2, text: 'kind: Thing' },
      ],
    });
  });

  it('name both places where two are involved', () => {
    const one = '{ apiVersion: gateway/v2, kind: GatewayGroup, metadata: { name: g }, spec: {} }\n';
    expect(locate(`${one}---\n${one}`)[0]).toMatchObject({
      at: { file: 'in.yaml', line: 3, column: 65 },
      also: { file: 'in.yaml', line: 1, column: 65 },
    });
  });
});

describe('no secret is shown in a line', () => {
  const SECRET = 'hunter2';
  const encrypt = (config: string): string =>
    `apiVersion: gateway/v2
kind: Interceptor
metadata: { name: i }
spec:
  priority: 1
  pluginClass: io.conduktor.gateway.interceptor.EncryptPlugin
  config:
    ${config.replaceAll('\n', '\n    ')}
`;

  it.each([
    ['a misspelt key', encrypt('kmsConfig:\n  vault:\n    tokn: hunter2')],
    ['a misspelt key in a map on one line', encrypt('kmsConfig: { vault: { tokn: hunter2 } }')],
    [
      'a misspelt key after a secret on one line',
      encrypt('kmsConfig: { vault: { token: hunter2, typ: LDAP } }'),
    ],
    [
      'a wrong value on the line of a secret',
      encrypt('kmsConfig: { vault: { password: "hunter2", type: LDPA } }'),
    ],
    ['a wrong value below a secret', encrypt('kmsConfig:\n  vault:\n    token: hunter2\n    type: LDPA')],
    [
      'a secret of the wrong type',
      encrypt('schemaRegistryConfig:\n  additionalConfigs:\n    ssl.key.password: [hunter2]'),
    ],
    ['a key that is twice there', encrypt('kmsConfig:\n  vault:\n    token: hunter2\n    token: hunter2')],
    ['JSON', '{"apiVersion":"gateway/v2","kind":"Interceptr","spec":{"config":{"token":"hunter2"}}}'],
    [
      'a secret above in a text of many lines',
      encrypt('kmsConfig:\n  vault:\n    token: |\n      hunter2: x\n    typ: 1'),
    ],
    ['a secret above in a list', encrypt('kmsConfig:\n  vault:\n    token:\n      - hunter2\n    typ: 1')],
    ['the secret of an APP_ROLE above', encrypt('kmsConfig:\n  vault:\n    secretId: hunter2\n    typ: 1')],
    [
      'a misspelt key on the line of another mistake',
      encrypt('kmsConfig: { vault: { tokn: hunter2, type: x } }'),
    ],
    ['a misspelt key behind another mistake', encrypt('kmsConfig: { vault: { type: x, pasword: hunter2 } }')],
    [
      'a secret with a comma in it',
      encrypt('kmsConfig: { vault: { password: "a, b: hunter2", type: LDPA } }'),
    ],
    [
      'a secret whose map is on several lines',
      encrypt('kmsConfig:\n  vault: { token:\n      hunter2, typ: x }'),
    ],
    [
      'a secret whose list is not closed',
      encrypt('kmsConfig:\n  vault:\n    token: [\n      hunter2\n      b: x'),
    ],
    ['a secret that is no YAML', encrypt('kmsConfig:\n  vault:\n    token: hunter2: y')],
    ['a secret that is a wrong placeholder', encrypt('kmsConfig:\n  vault:\n    token: ${X:=hunter2}')],
    ['a list of maps', encrypt('fields:\n  - password: hunter2\n    x: 1')],
  ])('that has %s', (_, file) => {
    const problems = locate(file);
    expect(problems.length).toBeGreaterThan(0);
    expect(JSON.stringify(problems)).not.toContain(SECRET);
  });

  it('nor in a sentence, that is a number with a leading zero', () => {
    const problems = locate(encrypt('kmsConfig:\n  vault:\n    token: 0123456789'));
    expect(problems.map(({ code }) => code)).toEqual(['inexact-number']);
    expect(JSON.stringify(problems)).not.toContain('123456789');
  });

  it('that takes it from the environment', () => {
    const problems = locate(encrypt('schemaRegistryConfig: ${SECRET}'), { variables: { SECRET } });
    expect(problems).toHaveLength(1);
    expect(problems[0]?.frame).toBeUndefined();
    expect(JSON.stringify(problems)).not.toContain(SECRET);
  });

  it('that is one of a private key', () => {
    const file = encrypt('topic: "-----BEGIN PRIVATE KEY-----"\nkmsConfig: 1');
    const lines = locate(file)[0]?.frame?.lines.map(({ text }) => text) ?? [];
    expect(lines.at(-1)).toBe('    kmsConfig: 1');
    expect(lines.join()).not.toContain('PRIVATE KEY');
  });

  it('that is longer than anybody reads, which also takes longer to search than anybody waits', () => {
    const file = encrypt(`topic: 1\nenableAuditLogOnError: "${'x'.repeat(2000)}"`);
    const wrong = locate(file).filter(({ code }) => code === 'invalid-value');
    expect(wrong.map(({ frame }) => frame?.lines.length)).toEqual([2, undefined]);
  });

  it('and what is wrong beside it is shown where that can be done', () => {
    const file = encrypt('kmsConfig: { vault: { type: LDPA, token: hunter2 } }');
    expect(locate(file)[0]?.frame).toEqual({
      lines: [
        { number: 7, text: '  config:' },
        { number: 8, text: '    kmsConfig: { vault: { type: LDPA, token: …' },
      ],
      column: 33,
      length: 4,
    });
  });
});

function locate(files: Files, options?: LoadOptions): readonly LocatedProblem[] {
  return locateProblems(loadText(files, options).problems);
}

function frameOf(file: string): LocatedProblem['frame'] {
  return locate(file)[0]?.frame;
}
