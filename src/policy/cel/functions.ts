import {
  celEnv,
  celFunc,
  celMethod,
  CelScalar,
  listType,
  type CelFunc,
  type CelValue,
  isCelError,
  isCelList,
  isCelMap,
  type CelInput,
} from '@bufbuild/cel';
import { RE2JS } from '@bufbuild/re2';
import { isList, isObject, joinPointer, type Json, type Pointer } from '../../model/json/json.ts';
import { isContained, TOPIC_CHARACTERS } from '../../model/regex/contain-regex.ts';
import { HIDDEN } from '../../model/secrets/hidden.ts';
import { isSecretKey } from '../../model/secrets/secret-texts.ts';
import { compileGlob } from '../../model/text/glob.ts';
import {
  childrenOf,
  placeOfUnknown,
  refuseUnknown,
  refuseUnknownIn,
  unknownAt,
  type Meter,
} from './meter.ts';
import { ExactNumber } from '../../model/json/exact-number.ts';

const { BOOL, DYN, INT, STRING } = CelScalar;
const LIST = listType(DYN);

/** Functions that only `metered` puts into an expression: no parser takes their names. */
export const TICK = '@tick';
export const COUNT = '@count';
export const COUNT_ALL = '@count_all';
export const KNOWN = '@known';

/** The functions of expressions in addition to those of CEL, and those that measure. */
export function functionsFor(meter: Meter): readonly CelFunc[] {
  return [
    celFunc('values', [DYN, STRING], LIST, (value, key) => [...valuesUnder(value, key)]),
    celFunc('texts', [DYN], LIST, (value) => [...textsIn(value)]),
    celMethod('matchesEveryTopic', STRING, [], BOOL, function () {
      meter.spend(100 + this.length);
      const isEvery = isContained('.+', [this], TOPIC_CHARACTERS, meter.spend);
      if (isEvery === undefined) throw new Error('it cannot be told whether a pattern matches every topic');
      return isEvery;
    }),
    celMethod('matchesGlob', STRING, [STRING], BOOL, function (glob) {
      return compileGlob(glob)(this);
    }),
    // The list of the package is a tree, which a loop makes as deep as it is long.
    celFunc('_+_', [LIST, LIST], LIST, (one, other) => [...one, ...other]),
    celFunc(TICK, [DYN, INT], DYN, (value, size) => {
      meter.spend(Number(size));
      return value;
    }),
    measure(COUNT, lengthOf),
    measure(COUNT_ALL, (value) => weightOf(value, meter.left())),
    celFunc(KNOWN, [DYN], DYN, refuseUnknown),
    compare('_==_', DYN, (one, other) => isComposite(one) && isComposite(other)),
    compare('_!=_', DYN, (one, other) => isComposite(one) && isComposite(other)),
    compare('@in', LIST, () => true),
  ];

  function measure(name: string, costOf: (value: CelValue) => number): CelFunc {
    return celFunc(name, [DYN], DYN, (value) => {
      meter.spend(costOf(value));
      return refuseUnknown(value);
    });
  }
}

const STANDARD = celEnv();

/** A comparison of CEL that has no result where it would look at something unknown within its arguments. */
function compare(
  name: string,
  second: typeof DYN | typeof LIST,
  looksInto: (one: CelValue, other: CelValue) => boolean,
): CelFunc {
  const standard = STANDARD.funcs.find(name);
  return celFunc(name, [DYN, second], BOOL, (one: CelValue, other: CelValue) => {
    if (looksInto(one, other)) for (const value of [one, other]) refuseUnknownIn(value);
    const result = standard?.call(0, undefined, [one, other]);
    if (isCelError(result)) throw result;
    return result === true;
  });
}

function isComposite(value: CelValue): boolean {
  return isCelList(value) || isCelMap(value);
}

type Engine = { readonly compile: (pattern: string) => { readonly test: (text: string) => boolean } };

const LONGEST_PATTERN = 1000;
const MOST_PATTERNS = 1000;

/** Regular expressions that take linear time, each compiled once. */
export function patternsFor(meter: Meter): Engine {
  const known = new Map<string, RE2JS>();
  return {
    compile: (pattern) => {
      const compiled = known.get(pattern) ?? compile(pattern);
      const size = compiled.re2().prog.numInst();
      return {
        test: (text) => {
          meter.spend(1 + (text.length * size) / 16);
          return compiled.test(text);
        },
      };
    },
  };

  function compile(pattern: string): RE2JS {
    if (pattern.length > LONGEST_PATTERN)
      throw new Error(`a regular expression is longer than ${LONGEST_PATTERN} characters`);
    const compiled = RE2JS.compile(pattern);
    meter.spend(compiled.re2().prog.numInst() * 4);
    if (known.size < MOST_PATTERNS) known.set(pattern, compiled);
    return compiled;
  }
}

/** An int of CEL has 64 bits. */
function wholeOf(value: ExactNumber): bigint | undefined {
  const text = value.toString();
  const whole = /^-?\d+$/.test(text) ? BigInt(text) : undefined;
  return whole === undefined || BigInt.asIntN(64, whole) !== whole ? undefined : whole;
}

/** A value of JSON for expressions: whole numbers are int, maps have no inherited keys. */
export function toCel(value: Json): CelInput {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (value instanceof ExactNumber) return wholeOf(value) ?? value.nearest;
  if (isList(value)) return value.map(toCel);
  if (isObject(value)) return new Map(Object.entries(value).map(([key, child]) => [key, toCel(child)]));
  return value;
}

/** The same without its secrets: what is hidden is unknown. */
export function toCelHidden(value: Json, at: Pointer = ''): CelInput {
  if (value === HIDDEN) return unknownAt(at);
  if (isList(value)) return value.map((child, index) => toCelHidden(child, joinPointer(at, index)));
  if (!isObject(value)) return toCel(value);
  return new Map(
    Object.entries(value).map(([key, child]) => [key, toCelHidden(child, joinPointer(at, key))]),
  );
}

/** Characters cost less than values. */
const CHARACTERS = 16;

/** The cost of going over a value, without the values inside it. */
function lengthOf(value: CelValue): number {
  if (typeof value === 'string') return 1 + value.length / CHARACTERS;
  if (value instanceof Uint8Array) return 1 + value.length / CHARACTERS;
  return isCelList(value) || isCelMap(value) ? 1 + value.size : 1;
}

/** The cost of going over a value and all values inside it; counts no further than `most`. */
function weightOf(value: CelValue, most: number): number {
  let weight = lengthOf(value);
  for (const child of childrenOf(value)) {
    if (weight > most) return weight;
    weight += weightOf(child, most - weight);
  }
  return weight;
}

/** All values under a key, at any depth. */
function* valuesUnder(value: CelValue, key: string): Generator<CelValue> {
  if (isCelMap(value)) {
    const found = value.get(key);
    if (found !== undefined) yield found;
  }
  for (const child of childrenOf(value)) yield* valuesUnder(child, key);
}

/** All texts in a value, at any depth, and what may be one: what is hidden, unless its key says that it is to log in with. */
function* textsIn(value: CelValue, key = ''): Generator<CelValue> {
  const isUnknown = placeOfUnknown(value) !== undefined;
  if (typeof value === 'string' || (isUnknown && (!isLoginKey(key) || isAddressKey(key)))) yield value;
  if (isCelMap(value))
    for (const [name, child] of value.entries()) yield* textsIn(child, typeof name === 'string' ? name : '');
  if (isCelList(value)) for (const child of value) yield* textsIn(child, key);
}

/** Keys of what one logs in with; a name or number of a user is no address and no key of a vault. */
function isLoginKey(key: string): boolean {
  return isSecretKey(key) || LOGIN.test(key);
}

const LOGIN =
  /(?:^|\.)(?:user(?:name)?|access[-_.]?key(?:[-_.]?id)?|(?:client|tenant|role|account)[-_.]?id)$/i;

/** Keys such as `oauth.token.endpoint.url`. */
function isAddressKey(key: string): boolean {
  return /(?:ur[il]|endpoint|host|server)s?$/i.test(key);
}
