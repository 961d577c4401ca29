import { groupBy } from '../../model/collect.ts';
import { canonicalText, isList, isObject, sameJson, valueOf, type Json } from '../../model/json/json.ts';

/** Whether a rule allows more than before. A value that is not there is undefined. */
export type Loosens = (before: Json | undefined, after: Json | undefined, about: About) => boolean;
type About = {
  /** Where the rule is, from the root. */
  readonly tokens: readonly string[];
  /** The whole lists of which the values are pieces. */
  readonly lists: readonly [before: readonly Json[], after: readonly Json[]];
};

/** A rule of a project, or several of a sort. */
export type Rule = {
  /** Its keys from the root; `*` is any key. */
  readonly at: readonly string[];
  readonly loosens: Loosens;
  /** How it is compared, if not as a whole: a list as a set, or a map or the maps of a list by their fields. */
  readonly by?: 'values' | Fields;
  /** Where only one side has it: as a whole. */
  readonly whole?: Loosens;
};
export type Fields = {
  /** The fields of a map in a list by which it is the same rule; absent for what is no list. */
  readonly names?: readonly string[];
  readonly fields: Readonly<Record<string, Loosens>>;
};

export type RuleDifference = {
  readonly tokens: readonly string[];
  /** Where the newer side has it, or else the place above. */
  readonly place: readonly (string | number)[];
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  readonly loosens: boolean;
};

/** The rules that two projects do not have in common. */
export function compareRules(rules: readonly Rule[], before: Json, after: Json): readonly RuleDifference[] {
  return rules.flatMap((rule) =>
    expand(rule.at, before, after).flatMap((tokens) =>
      compareRule(rule, tokens, valueIn(before, tokens), valueIn(after, tokens)),
    ),
  );
}

function valueIn(value: Json, tokens: readonly string[]): Json | undefined {
  return tokens.reduce<Json | undefined>(
    (inner, token) => (isObject(inner) ? valueOf(inner, token) : undefined),
    value,
  );
}

/** The keys that a pattern stands for on either side. */
function expand(pattern: readonly string[], before: Json, after: Json): readonly (readonly string[])[] {
  return pattern.reduce<readonly (readonly string[])[]>(
    (found, token) =>
      found.flatMap((tokens) => {
        if (token !== '*') return [[...tokens, token]];
        const keys = [before, after].flatMap((side) => Object.keys(valueIn(side, tokens) ?? {}));
        return [...new Set(keys)].map((key) => [...tokens, key]);
      }),
    [[]],
  );
}

function compareRule(
  { loosens, by, whole = loosens }: Rule,
  tokens: readonly string[],
  before: Json | undefined,
  after: Json | undefined,
): readonly RuleDifference[] {
  if (sameJson(before, after)) return [];
  const lists = [listOf(before), listOf(after)] as const;
  const about = { tokens, lists };
  const isOneSided = before === undefined || after === undefined;
  if (by === undefined || (isOneSided && (whole !== loosens || !isList(before ?? after)))) {
    const place = after === undefined ? tokens.slice(0, -1) : tokens;
    return [{ tokens, place, before, after, loosens: whole(before, after, about) }];
  }
  if (by !== 'values' && by.names === undefined)
    return Object.entries(by.fields).flatMap(([field, own]) =>
      compareRule(
        { at: [], loosens: own },
        [...tokens, field],
        valueOf(before, field),
        valueOf(after, field),
      ),
    );
  const [olds, news] = lists.map((list) => byName(list, by));
  const names = [...new Set([...(olds?.keys() ?? []), ...(news?.keys() ?? [])])];
  return names.flatMap((name): readonly RuleDifference[] => {
    const [one, other] = [olds?.get(name), news?.get(name)];
    const place = other === undefined ? tokens : [...tokens, other.at];
    const [was, is] = [one?.value, other?.value];
    if (was === undefined || is === undefined || by === 'values')
      return sameJson(was, is)
        ? []
        : [{ tokens, place, before: was, after: is, loosens: loosens(was, is, about) }];
    const fields = Object.entries(by.fields).filter(
      ([key]) => !sameJson(valueOf(was, key), valueOf(is, key)),
    );
    if (fields.length === 0) return [];
    const isLooser = fields.some(([key, own]) => own(valueOf(was, key), valueOf(is, key), about));
    return [{ tokens, place, before: was, after: is, loosens: isLooser }];
  });
}

function listOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

type Piece = { readonly value: Json; readonly at: number };

/** The pieces of a list by what they are the same by; of maps that are the same, also by their number. */
function byName(list: readonly Json[], by: 'values' | Fields): ReadonlyMap<string, Piece> {
  const pieces = list.map((value, at): Piece => ({ value, at }));
  const nameOf = ({ value }: Piece): string =>
    canonicalText(by === 'values' ? value : (by.names ?? []).map((name) => valueOf(value, name) ?? null));
  return new Map(
    [...groupBy(pieces, nameOf)].flatMap(([name, same]) =>
      same
        .slice(0, by === 'values' ? 1 : undefined)
        .map((piece, number): [string, Piece] => [`${number} ${name}`, piece]),
    ),
  );
}
