import {
  childOf,
  joinPointer,
  keysOf,
  sameJson,
  valueAt,
  type Json,
  type Pattern,
  type Pointer,
  isTextOrNumber,
  anyItem,
} from '../../model/json/json.ts';
import { isAt, type Kind } from '../../model/kind.ts';
import type { Resource } from '../../model/resource.ts';
import { PUBLISHED_PASSWORD } from '../../model/secrets/secret-texts.ts';
import { shapesOf, type Declared, type Template } from '../../model/state.ts';
import { secretPlaces } from '../../model/secrets/secrets.ts';
import { formerSources, type SecretMarks } from './change.ts';

/** Whether a text on the gateway is or contains a secret that no file may name any more. */
export type IsSecret = (text: string) => boolean;

/** A shorter value is part of any configuration: `1`, `all`. */
const SHORTEST = 4;
/** From this length on a value is also found inside a longer text. */
const LONG = 8;
const PLAIN_WORD = /^(?:true|false|null)$/i;

/** Recognises these values: each as a whole text, and long ones inside of another. Undefined if there is none. */
export function makeSecretFinder(values: Iterable<string>): IsSecret | undefined {
  const whole = new Set(
    [...values]
      .flatMap((value) => [value.trim(), ...asNumber(value)])
      .filter((text) => text.length >= SHORTEST && !PLAIN_WORD.test(text) && text !== PUBLISHED_PASSWORD),
  );
  if (whole.size === 0) return undefined;
  const long = [...whole].filter(({ length }) => length >= LONG);
  return (text) => whole.has(text.trim()) || long.some((value) => text.includes(value));
}

const NOTHING: ReadonlyMap<Pointer, Template> = new Map();

/** A number in a file need not be written as JSON writes it: `1e7`, `+12345678`, `0x1f40`, `12345678.0`. */
function asNumber(value: string): readonly string[] {
  const number = Number(value.replace(/^\s*\+/, ''));
  return value.trim() !== '' && Number.isFinite(number) ? [String(number)] : [];
}

/** The places of such texts in the spec of a live resource, except where no secret variable can be. */
export function findFormerSecrets(live: Resource, { shown }: Kind, isSecret: IsSecret): readonly Pointer[] {
  const found: Pointer[] = [];
  const walk = (value: Json, tokens: readonly string[], pointer: Pointer): void => {
    if (shown.some((place) => isAt(place, tokens))) return;
    if (isTextOrNumber(value) && isSecret(String(value))) found.push(pointer);
    for (const key of keysOf(value)) walk(childOf(value, key), [...tokens, key], joinPointer(pointer, key));
  };
  walk(live.spec, ['spec'], '/spec');
  return found;
}

/**
 * The places of all secrets in a live resource: those of its kind; what variables fill in where it is declared, at any index of its
 * list; and what `isSecret` recognises, or a file that git has may fill in, unless files have it as it is.
 */
export function liveSecretPlaces(
  live: Resource,
  kind: Kind,
  declared: Partial<Pick<Declared, 'resource' | 'templates' | 'liveTemplates'>> | undefined,
  isSecret: IsSecret | undefined,
): ReadonlySet<Pointer> {
  const { templates = NOTHING, liveTemplates = NOTHING } = declared ?? {};
  const filled = shapesOf(templates);
  const former = [
    ...(isSecret === undefined ? [] : findFormerSecrets(live, kind, isSecret)),
    ...(liveTemplates.size === 0 ? [] : secretPlaces(kind, live, shapesOf(liveTemplates))),
  ];
  const unwritten = former.filter(
    (place) => !sameJson(valueAt(declared?.resource, place), valueAt(live, place)),
  );
  return new Set([...secretPlaces(kind, live, filled), ...unwritten]);
}

/** Marks the places of such texts, and of what variables filled in, in the former value of a change or precondition, unless its other marks do. */
export function markFormerSecrets(
  former: Resource | undefined,
  kind: Kind,
  marks: SecretMarks,
  { isSecret, templates }: { isSecret?: IsSecret | undefined; templates?: Declared['templates'] | undefined },
): { readonly formerSecrets?: readonly Pattern[] } {
  const sources = formerSources(marks);
  const filled = [...shapesOf(templates ?? new Map())].filter(([place]) => !sources.has(place));
  if (former === undefined || (isSecret === undefined && filled.length === 0)) return {};
  const found = [
    ...(isSecret === undefined ? [] : findFormerSecrets(former, kind, isSecret)),
    ...(filled.length === 0 ? [] : secretPlaces(kind, former, new Map(filled))),
  ];
  if (found.length === 0) return {};
  const known = secretPlaces(kind, former, sources);
  const places = new Set(found.filter((place) => !known.has(place)).map(anyItem));
  return places.size === 0 ? {} : { formerSecrets: [...places] };
}
