import type { JsonObject } from '../../model/json/json.ts';
import { digest } from '../../plan/saved/digest.ts';

/** The pattern of a JSON Schema of names. */
export function patternOf({ pattern }: JsonObject): RegExp {
  if (typeof pattern !== 'string') throw new Error('the schema has no pattern');
  return new RegExp(pattern);
}

/** What names of a kind are like. */
export type NameRule = {
  readonly fits: RegExp;
  /** Whether nothing of a name may be shown; default: no name is a secret. */
  readonly isSecret?: (name: string) => boolean;
  readonly longest: number;
  /** Added to what is too short. */
  readonly word: string;
};

/**
 * New names for those that v2 refuses or that are taken: `CN=alice,O=Acme` becomes `alice`. They depend on the old names alone,
 * not on their order, and no two are equal.
 */
export function proposeNames(
  names: Iterable<string>,
  rule: NameRule,
  taken: Iterable<string> = [],
): ReadonlyMap<string, string> {
  const all = [...new Set(names)];
  const used = new Set(taken);
  const refused = all.filter((name) => used.has(name) || !isFit(name, rule)).sort();
  for (const name of all) if (isFit(name, rule)) used.add(name);
  const wanted = refused.map((name) => [name, readable(name, rule)] as const);
  const counts = new Map<string, number>();
  for (const [, name] of wanted) counts.set(name, (counts.get(name) ?? 0) + 1);
  const proposed = new Map<string, string>();
  for (const [old, name] of wanted) {
    const isFree = !used.has(name) && counts.get(name) === 1;
    const chosen = isFree ? name : withMark(name, old, used, rule);
    used.add(chosen);
    proposed.set(old, chosen);
  }
  return proposed;
}

function isFit(name: string, { fits, longest, isSecret }: NameRule): boolean {
  return name.length <= longest && fits.test(name) && isSecret?.(name) !== true;
}

function readable(name: string, rule: NameRule): string {
  const { longest, word } = rule;
  const [, common = name] = /^\s*CN\s*=\s*([^,+]+)/i.exec(name) ?? [];
  const plain = common
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .slice(0, longest - MOST_MARK)
    .replace(/\W+/g, '-')
    .replace(/^-|-$/g, '');
  if (rule.isSecret?.(name) === true || rule.isSecret?.(plain) === true) return word;
  if (isFit(plain, rule)) return plain;
  return plain === '' ? word : `${plain}-${word}`;
}

function withMark(name: string, old: string, used: ReadonlySet<string>, { longest }: NameRule): string {
  const mark = digest(old);
  for (let length = MARK; ; length += 1) {
    const chosen = `${name.slice(0, longest - length - 1)}-${mark.slice(0, length)}`;
    if (!used.has(chosen)) return chosen;
  }
}

const MARK = 6;
/** Room for a mark and a word. */
const MOST_MARK = 16;
