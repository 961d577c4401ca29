import { describe, expect, it } from 'vitest';
import { makeEngine, type Evaluated } from '../../src/policy/cel/expression.ts';
import { makeMeter } from '../../src/policy/cel/meter.ts';
import type { Json } from '../../src/model/json/json.ts';

function evaluate(source: string, object: Json = {}): Evaluated | { readonly hint: string } {
  const engine = makeEngine(['object'], makeMeter({ mostOfOne: 100_000 }));
  const compiled = engine.compile(source);
  return 'fault' in compiled ? compiled : compiled.evaluate({ object: engine.bind(object) });
}

describe('an expression', () => {
  it.each([
    ['object.n + 1 == 6 && object.n < 5.5 && object.x == 1.5', { n: 5, x: 1.5 }],
    ['object.list.exists(x, x == "b") && !object.list.all(x, x == "b")', { list: ['a', 'b'] }],
    ['"a" in object && !has(object.b) && object.c == null', { a: 1, c: null }],
    ['object["sasl.mechanism"].startsWith("SCRAM")', { 'sasl.mechanism': 'SCRAM-SHA-256' }],
    ['values(object, "key") == ["1", {"key": "2"}, "2"]', { a: [{ key: '1' }], b: { key: { key: '2' } } }],
    ['object.text.matches("^(?i)abc$") && object.text.matchesGlob("A*")', { text: 'ABC' }],
    ['object.list.filter(x, x > 1).map(x, x * 2) == [4, 6]', { list: [1, 2, 3] }],
    ['type(object.n) == int && type(object.x) == double', { n: 1, x: 0.5 }],
    ['object.big == 9007199254740993.0', { big: 9007199254740992 }],
  ])('is evaluated as CEL says: %s', (source, object) =>
    expect(evaluate(source, object)).toEqual({ value: true }),
  );

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'does not reach %s of a map',
    (name) => {
      expect(evaluate(`has(object.${name})`)).toEqual({ value: false });
      expect(evaluate(`object["${name}"]`)).toEqual({ fault: `field not found: ${name}` });
    },
  );

  it.each([
    ['objct.a', 'there is no variable objct', 'did you mean object?'],
    ['object.a.startWith("b")', 'there is no function startWith', 'did you mean startsWith?'],
    ['[1].all(x, y == 1)', 'there is no variable y', 'use object'],
    [
      'object.',
      'the expression is no CEL at 1:7',
      'write an expression of CEL, such as object.spec.priority < 100',
    ],
    ['google.protobuf.Any{}', 'google.protobuf.Any is no type here', 'use maps: {"key": value}'],
  ])('is refused for what does not exist: %s', (source, fault, hint) =>
    expect(evaluate(source)).toEqual({ fault, hint }),
  );
});

const TEN = '[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]';

describe('an expression of an attacker', () => {
  it.each([
    ['loops', `${`${TEN}.map(x, `.repeat(9)}1${')'.repeat(9)}`, {}],
    ['loops that stop at errors', `${`${TEN}.all(x, `.repeat(9)}true${')'.repeat(9)} || true`, {}],
    [
      'errors without effect',
      `object.list.all(x, object.none == x ${'|| object.none == x '.repeat(80)}|| true)`,
      { list: Array(999).fill(1) },
    ],
    ['lists that double', `[1]${'.map(x, [x, x])'.repeat(60)} == [1]`, {}],
    ['lists that are added', `[[1, 2]]${'.map(x, x + x)'.repeat(60)}.size() > 1`, {}],
    ['texts that double', `["ab"]${'.map(x, x + x)'.repeat(60)}[0].contains("ba")`, {}],
    ['maps that double', `[1]${'.map(x, {"a": x, "b": x})'.repeat(60)}.exists(x, values(x, "c") == [])`, {}],
    ['long regular expressions', `object.text.matches("${'x{1000}'.repeat(100)}")`, { text: 'x' }],
    ['slow regular expressions', 'object.text.matches("((a{0,30}){0,30})b")', { text: 'a'.repeat(100_000) }],
    [
      'comparisons of long lists',
      `object.list.all(x, object.list == object.list)`,
      { list: Array(2000).fill(1) },
    ],
    [
      'globs',
      'object.list.all(x, object.text.matchesGlob(object.text))',
      { list: Array(99).fill(1), text: '*'.repeat(99_999) },
    ],
  ])('does not stall: %s', (_, source, object) =>
    expect(evaluate(source, object)).toEqual({ fault: 'it takes too long' }),
  );

  it('is not slowed down by backtracking', () => {
    const text = `${'a'.repeat(10_000)}!`;
    expect(evaluate('object.text.matches("^(a+)+$")', { text })).toEqual({ value: false });
  });

  it.each([
    ['['.repeat(999) + ']'.repeat(999)],
    ['1+'.repeat(900) + '1 == 1'],
    ['('.repeat(2000)],
    ['"'.repeat(2001)],
    ['object'.padEnd(1500, '.a')],
  ])('does not use up the stack: %#', (source) => expect(evaluate(source)).toHaveProperty('fault'));

  it('may be as deep as the stack is, and ends without a crash where it is deeper', () => {
    expect(() => evaluate(`${'-('.repeat(600)}1${')'.repeat(600)}`)).not.toThrow();
  });

  it('shares what it may spend with the others', () => {
    const engine = makeEngine(['object'], makeMeter({ mostOfOne: 10_000, mostOfAll: 7000 }));
    const compiled = engine.compile('object.all(x, x == 1)');
    if ('fault' in compiled) throw new Error(compiled.fault);
    const spent = [1, 2, 3, 4].map(() => compiled.evaluate({ object: engine.bind(Array(200).fill(1)) }));
    const faults = spent.map(({ fault }) => fault);
    expect(faults[0]).toBeUndefined();
    expect(faults.at(-1)).toBe('it takes too long');
  });
});

it('has no result where a pattern cannot be judged, and pays for each step of one that takes many', () => {
  const judged = (source: string): unknown => {
    const compiled = makeEngine([]).compile(source);
    return 'fault' in compiled ? compiled : compiled.evaluate({});
  };
  expect(judged('"(?!__).*".matchesEveryTopic()')).toEqual({
    fault: 'it cannot be told whether a pattern matches every topic',
  });
  expect(judged('".{1,249}".matchesEveryTopic()')).toEqual({ value: true });
  const patterns = Array.from({ length: 50 }, (_, at) => `".{1,249}|${at}"`).join();
  expect(judged(`[${patterns}].all(text, text.matchesEveryTopic())`)).toEqual({ fault: 'it takes too long' });
});

describe('an expression about something hidden', () => {
  const OBJECT: Json = { a: '(hidden)', list: ['x', '(hidden)'], map: { k: '(hidden)', other: 1 }, n: 1 };
  const judged = (source: string): unknown => {
    const engine = makeEngine(['object', 'old']);
    const compiled = engine.compile(source);
    return 'fault' in compiled
      ? compiled
      : compiled.evaluate({ object: engine.bindHidden(OBJECT), old: engine.bindHidden(OBJECT) });
  };

  it.each([
    'object.n == 1 || object.a == "x"',
    'object.a == "x" || object.n == 1',
    '!(object.a == "x" && object.n == 2)',
    'object.n == 1 ? true : object.a == "x"',
    'has(object.a) && !has(object.b) && "k" in object.map && object.list.size() == 2',
    'object.map != null && object != null && object.list != "x"',
    'object.map.other == 1',
    'values(object, "other") == [1]',
    'texts({"vault.token": object.list}) == ["x"]',
    'texts({"username": object.list}) == ["x"]',
    ...['accessKey', 'aws.access-key-id', 'clientId', 'tenantId', 'roleId', 'accountId'].map(
      (key) => `texts({"${key}": object.list}) == ["x"]`,
    ),
  ])('is true where it does not depend on it: %s', (source) =>
    expect(judged(source)).toEqual({ value: true }),
  );

  it.each([
    ['object.a == "x"', '/a'],
    ['object.a != "x"', '/a'],
    ['object.a == old.a', '/a'],
    ['object == old', '/a'],
    ['object.map == old.map', '/map/k'],
    ['object.map != {"k": "x", "other": 1}', '/map/k'],
    ['object.list == ["x", "y"]', '/list/1'],
    ['"y" in object.list', '/list/1'],
    ['object.a in ["x"]', '/a'],
    ['!object.list.exists(x, x == "y")', '/list/1'],
    ['object.list.all(x, x != "y")', '/list/1'],
    ['object.list.map(x, x)[1] == "y"', '/list/1'],
    ['values(object, "k").all(x, x != "y")', '/map/k'],
    ['type(object.a) == string', '/a'],
    ['dyn(object.a) == null', '/a'],
    ['string(object.a).size() > 3', '/a'],
    ['texts({"namespace": object.list}) == ["x"]', '/list/1'],
    ['texts({"clientIdUrl": object.list}) == ["x"]', '/list/1'],
    ['object.a', '/a'],
    ['object.a ? true : true', '/a'],
    ['object.a && true', '/a'],
    ['true && !object.a', '/a'],
    ['{"a": 1, "b": 2}[object.a] == 1', '/a'],
    ['object.a.matches(".*") || object.none', '/a'],
    ['object.none || object.a.matches(".*")', '/a'],
    ['[object.a].exists(x, x == "y")', '/a'],
    ['[[object.a]] != [["x"]]', '/a'],
    ['{"x": object.a} != {"x": "y"}', '/a'],
    ['object.n < object.a', '/a'],
    ['"x" + object.a != "xy"', '/a'],
    ['texts(object).all(x, x != "y")', '/a'],
    ['texts({"token.url": object.list}).all(x, x != "y")', '/list/1'],
  ])('has no result where it does: %s', (source, hiddenAt) =>
    expect(judged(source)).toEqual({ fault: `the value of ${hiddenAt} is hidden`, hiddenAt }),
  );
});
