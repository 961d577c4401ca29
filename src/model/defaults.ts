import { isList, isObject, sameJson, valueOf, withKey, type Json } from './json/json.ts';

/** A default for the places of a pattern; `*` is each item of a list. */
export type Default = {
  readonly tokens: readonly string[];
  readonly value: Json;
  /** Whether null is a value. Otherwise it is the same as an absent field. */
  readonly nullable: boolean;
};

/** Defaults as a tree, for one walk over a value: the default here, and those below. */
export type Filling = {
  readonly value?: Json;
  readonly nullable: boolean;
  readonly below: ReadonlyMap<string, Filling>;
};

export function fillingOf(defaults: readonly Default[]): Filling {
  const here = defaults.find(({ tokens }) => tokens.length === 0);
  const deeper = defaults.filter(({ tokens }) => tokens.length > 0);
  const keys = new Set(deeper.map(({ tokens: [key = ''] }) => key));
  const below = [...keys].map((key) => {
    const mine = deeper.filter(({ tokens }) => tokens[0] === key);
    return [key, fillingOf(mine.map((one) => ({ ...one, tokens: one.tokens.slice(1) })))] as const;
  });
  return {
    ...(here === undefined ? {} : { value: here.value }),
    nullable: here?.nullable ?? false,
    below: new Map(below),
  };
}

/** A value with its defaults; unchanged parts are shared. */
export function fill(found: Json | undefined, filling: Filling): Json | undefined {
  const value = orDefault(found, filling);
  const { below } = filling;
  if (below.size === 0) return value;
  if (isList(value)) {
    const each = below.get('*');
    return each === undefined ? value : fillItems(value, each);
  }
  if (!isObject(value)) return value;
  let filled: Record<string, Json> | undefined;
  for (const [key, inner] of below) {
    const before = valueOf(value, key);
    const after = fill(before, inner);
    if (after !== before && after !== undefined) (filled ??= { ...value })[key] = after;
  }
  return filled ?? value;
}

function fillItems(list: readonly Json[], each: Filling): readonly Json[] {
  const filled = list.map((item) => fill(item, each) ?? null);
  return filled.some((item, at) => item !== list[at]) ? filled : list;
}

/** A value without what `fill` would put there again; unchanged parts are shared. */
export function withoutFilling(value: Json, filling: Filling): Json {
  const { below } = filling;
  if (below.size === 0) return value;
  if (isList(value)) {
    const each = below.get('*');
    if (each === undefined) return value;
    const items = value.map((item) => withoutFilling(item, each));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (!isObject(value)) return value;
  let left = value;
  for (const [key, inner] of below) {
    const child = valueOf(value, key);
    if (child === undefined) continue;
    left = withKey(left, key, sameFilled(undefined, child, inner) ? undefined : withoutFilling(child, inner));
  }
  return left;
}

/** Whether two values are equal with their defaults; copies neither. */
export function sameFilled(one: Json | undefined, other: Json | undefined, filling?: Filling): boolean {
  if (filling === undefined) return sameJson(one, other);
  const mine = orDefault(one, filling);
  const its = orDefault(other, filling);
  const { below } = filling;
  if (mine === its) return true;
  if (below.size === 0) return sameJson(mine, its);
  if (isList(mine)) {
    const each = below.get('*');
    const isSame = (item: Json, at: number): boolean => sameFilled(item, (its as readonly Json[])[at], each);
    return isList(its) && mine.length === its.length && mine.every(isSame);
  }
  if (!isObject(mine) || !isObject(its) || isList(its)) return false;
  return (
    Object.keys(mine).every((key) => sameFilled(mine[key], valueOf(its, key), below.get(key))) &&
    Object.keys(its).every(
      (key) => Object.hasOwn(mine, key) || sameFilled(undefined, its[key], below.get(key)),
    )
  );
}

function orDefault(found: Json | undefined, { value, nullable }: Filling): Json | undefined {
  return value !== undefined && (found === undefined || (found === null && !nullable)) ? value : found;
}
