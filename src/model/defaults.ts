import { isList, isObject, sameJson, valueOf, withKey, type Json } from './json/json.ts';

/** A default for the places of a pattern; `*` is each item of a list. */
export type Default = {
  readonly tokens: readonly string[];
  readonly value: Json;
  /** Whether null is a value. Otherwise it is the same as an absent field. */
  readonly nullable: boolean;
};

/** Defaults as a tree, for one walk over a value: the default here, and those below. */
export type DefaultTree = {
  readonly value?: Json;
  readonly nullable: boolean;
  readonly below: ReadonlyMap<string, DefaultTree>;
};

export function defaultTreeOf(defaults: readonly Default[]): DefaultTree {
  const here = defaults.find(({ tokens }) => tokens.length === 0);
  const deeper = defaults.filter(({ tokens }) => tokens.length > 0);
  const keys = new Set(deeper.map(({ tokens: [key = ''] }) => key));
  const below = [...keys].map((key) => {
    const mine = deeper.filter(({ tokens }) => tokens[0] === key);
    return [key, defaultTreeOf(mine.map((one) => ({ ...one, tokens: one.tokens.slice(1) })))] as const;
  });
  return {
    ...(here === undefined ? {} : { value: here.value }),
    nullable: here?.nullable ?? false,
    below: new Map(below),
  };
}

/** A value with its defaults; unchanged parts are shared. */
export function addDefaults(found: Json | undefined, tree: DefaultTree): Json | undefined {
  const value = orDefault(found, tree);
  const { below } = tree;
  if (below.size === 0) return value;
  if (isList(value)) {
    const each = below.get('*');
    return each === undefined ? value : fillItems(value, each);
  }
  if (!isObject(value)) return value;
  let filled: Record<string, Json> | undefined;
  for (const [key, inner] of below) {
    const before = valueOf(value, key);
    const after = inner.below.size === 0 ? orDefault(before, inner) : addDefaults(before, inner);
    if (after !== before && after !== undefined) (filled ??= { ...value })[key] = after;
  }
  return filled ?? value;
}

/** What `addDefaults` would have at a place that is not within a list, and has no defaults below it. */
export function valueWithDefaults(
  found: Json | undefined,
  tokens: readonly string[],
  tree: DefaultTree,
): Json | undefined {
  let value = orDefault(found, tree);
  let here: DefaultTree | undefined = tree;
  for (const token of tokens) {
    here = isObject(value) ? here?.below.get(token) : undefined;
    value = valueOf(value, token);
    if (here !== undefined) value = orDefault(value, here);
  }
  return value;
}

function fillItems(list: readonly Json[], each: DefaultTree): readonly Json[] {
  const filled = list.map((item) => addDefaults(item, each) ?? null);
  return filled.some((item, at) => item !== list[at]) ? filled : list;
}

/** A value without what `fill` would put there again; unchanged parts are shared. */
export function withoutDefaults(value: Json, tree: DefaultTree): Json {
  const { below } = tree;
  if (below.size === 0) return value;
  if (isList(value)) {
    const each = below.get('*');
    if (each === undefined) return value;
    const items = value.map((item) => withoutDefaults(item, each));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (!isObject(value)) return value;
  let left = value;
  for (const [key, inner] of below) {
    const child = valueOf(value, key);
    if (child === undefined) continue;
    left = withKey(
      left,
      key,
      sameWithDefaults(undefined, child, inner) ? undefined : withoutDefaults(child, inner),
    );
  }
  return left;
}

/** Whether two values are equal with their defaults; copies neither. */
export function sameWithDefaults(
  one: Json | undefined,
  other: Json | undefined,
  tree?: DefaultTree,
): boolean {
  if (tree === undefined) return sameJson(one, other);
  const mine = orDefault(one, tree);
  const its = orDefault(other, tree);
  const { below } = tree;
  if (mine === its) return true;
  if (below.size === 0) return sameJson(mine, its);
  if (isList(mine)) {
    const each = below.get('*');
    const isSame = (item: Json, at: number): boolean =>
      sameWithDefaults(item, (its as readonly Json[])[at], each);
    return isList(its) && mine.length === its.length && mine.every(isSame);
  }
  if (!isObject(mine) || !isObject(its) || isList(its)) return false;
  return (
    Object.keys(mine).every((key) => sameWithDefaults(mine[key], valueOf(its, key), below.get(key))) &&
    Object.keys(its).every(
      (key) => Object.hasOwn(mine, key) || sameWithDefaults(undefined, its[key], below.get(key)),
    )
  );
}

function orDefault(found: Json | undefined, { value, nullable }: DefaultTree): Json | undefined {
  return value !== undefined && (found === undefined || (found === null && !nullable)) ? value : found;
}
