import {
  canonicalText,
  isList,
  isObject,
  joinPointer,
  parsePointer,
  printPointer,
  sameJson,
  valueAt,
  valueOf,
  type Json,
  type JsonObject,
  type Pointer,
} from '../../model/json/json.ts';
import type { Kind, Tokens } from '../../model/kind.ts';
import { comparable, normalForm } from '../../model/normal/normal-form.ts';
import { changeResource, type Resource } from '../../model/resource.ts';
import { setsBelow } from '../../plan/diff/diff.ts';
import { escapeText } from '../../schema/load/as-declared.ts';
import { matchItems } from '../edit/edits-between.ts';

/** The change of a declared value that makes it equal to the live one, as small as possible. */
export type Adoption =
  | { readonly does: 'keep' | 'remove' }
  /** The value at this place of the live document. */
  | { readonly does: 'take'; readonly from: Pointer }
  | { readonly does: 'change'; readonly fields: ReadonlyMap<string, Adoption> }
  | { readonly does: 'list'; readonly items: readonly AdoptedItem[] };
/** `from` is the index of a declared item; -1 for a new one. */
export type AdoptedItem = { readonly from: number; readonly adoption: Adoption };

const KEEP: Adoption = { does: 'keep' };

/**
 * How a declared resource takes over a live one, which `document` declares in the form of a file. A field that the gateway has
 * by default is removed, not written; a list whose order does not matter keeps its order.
 */
export function adoptLive(kind: Kind, declared: Resource, live: Resource, document: JsonObject): Adoption {
  const whole = normalForm(kind, live);
  return adopt(declared, comparable(kind, declared), whole, {
    sets: kind.sets(declared),
    document,
    at: '',
    isImplied: (at) => {
      const without = changeResource(whole, parsePointer(at), () => undefined);
      return kind.normalise !== undefined && sameJson(normalForm(kind, without), whole);
    },
  });
}

type Adopting = {
  /** The lists below this place whose order does not matter. */
  readonly sets: readonly Tokens[];
  readonly document: JsonObject;
  /** The place in the live resource. */
  readonly at: Pointer;
  /** Whether other fields give the live value of a place, so that it need not be written. */
  readonly isImplied: (at: Pointer) => boolean;
};

/** `is` is the declared value as it is compared. */
function adopt(
  written: Json | undefined,
  is: Json | undefined,
  live: Json | undefined,
  adopting: Adopting,
): Adoption {
  if (is === undefined && live === undefined) return KEEP;
  const { document, at, sets } = adopting;
  const from = writtenPath(at);
  const isDefault = valueAt(document, from) === undefined;
  if (isObject(written) && isObject(is) && isObject(live)) {
    const keys = new Set([...Object.keys(is), ...Object.keys(live)]);
    const fields = [...keys].map((key): [string, Adoption] => [
      key,
      adopt(valueOf(written, key), valueOf(is, key), valueOf(live, key), below(adopting, key)),
    ]);
    const changed = fields.filter(([, { does }]) => does !== 'keep');
    if (changed.length === 0) return KEEP;
    return isDefault ? { does: 'remove' } : { does: 'change', fields: new Map(changed) };
  }
  if (isList(written) && isList(is) && isList(live) && !isDefault)
    return sets.some((set) => set.length === 0)
      ? adoptSet(is, live, from)
      : adoptList(written, is, live, adopting);
  if (is !== undefined && live !== undefined && canonicalText(is) === canonicalText(live)) return KEEP;
  if (!isDefault) return written === undefined && adopting.isImplied(at) ? KEEP : { does: 'take', from };
  return written === undefined ? KEEP : { does: 'remove' };
}

function adoptList(
  written: readonly Json[],
  is: readonly Json[],
  live: readonly Json[],
  adopting: Adopting,
): Adoption {
  const matches = new Map(matchItems(is, live).map(({ from, to }) => [to, from]));
  const items = live.map((item, to): AdoptedItem => {
    const from = matches.get(to) ?? -1;
    const here = { ...adopting, sets: below(adopting, '*').sets, at: joinPointer(adopting.at, to) };
    return from === -1
      ? { from, adoption: { does: 'take', from: writtenPath(here.at) } }
      : { from, adoption: adopt(written[from], is[from], item, here) };
  });
  const isSame =
    is.length === live.length &&
    items.every(({ from, adoption }, at) => from === at && adoption.does === 'keep');
  return isSame ? KEEP : { does: 'list', items };
}

function adoptSet(is: readonly Json[], live: readonly Json[], at: Pointer): Adoption {
  const [mine, its] = [new Set(is.map(canonicalText)), new Set(live.map(canonicalText))];
  const kept = [...is.keys()].filter((from) => its.has(canonicalText(is[from] ?? null)));
  const added = [...live.keys()].filter((to) => !mine.has(canonicalText(live[to] ?? null)));
  if (kept.length === is.length && added.length === 0) return KEEP;
  return {
    does: 'list',
    items: [
      ...kept.map((from): AdoptedItem => ({ from, adoption: KEEP })),
      ...added.map((to): AdoptedItem => ({
        from: -1,
        adoption: { does: 'take', from: joinPointer(at, to) },
      })),
    ],
  };
}

/** The place in a document, whose keys are escaped. */
export function writtenPath(at: Pointer): Pointer {
  return at.includes('${') ? printPointer(parsePointer(at).map(escapeText)) : at;
}

function below({ sets, at, ...others }: Adopting, token: string): Adopting {
  return { ...others, sets: setsBelow(sets, token), at: joinPointer(at, token) };
}
