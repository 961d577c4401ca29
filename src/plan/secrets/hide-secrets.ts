import { valueAt, type Pointer, isTextOrNumber } from '../../model/json/json.ts';
import type { Kind, KindSet } from '../../model/kind.ts';
import { kindOf, type Address, type Parsed } from '../../model/resource.ts';
import { secretPlaces } from '../../model/secrets/secrets.ts';
import type { Template } from '../../model/state.ts';
import { makeMasker } from './masker.ts';
import type { Change } from '../change/plan.ts';
import { secretsOf } from './redact.ts';

/**
 * A text from elsewhere about a change, with every secret of the change hidden, the shortest too: a gateway may repeat what it was
 * sent, in a string of JSON, with its white space changed, or cut off.
 */
export function hideSecretsIn(text: string, change: Change, kind: Kind): string {
  const { before, after } = secretsOf(change, kind);
  const masker = makeMasker(1);
  if (change.action !== 'delete') masker.learn(() => textsAt(change.after, after));
  if (change.action !== 'create') masker.learn(() => textsAt(change.before, before));
  return masker.mask(text);
}

/** The texts of all secrets in resources, for a masker. */
export function* secretTexts(
  resources: Iterable<{
    readonly address: Address;
    readonly resource: Parsed;
    readonly templates?: ReadonlyMap<Pointer, Template>;
  }>,
  kinds: KindSet,
): Generator<string> {
  for (const { address, resource, templates } of resources) {
    const kind = kinds.get(kindOf(address));
    if (kind !== undefined) yield* textsOf(kind, resource, templates);
  }
}

function* textsOf(
  kind: Kind,
  resource: Parsed,
  templates?: ReadonlyMap<Pointer, Template>,
): Generator<string> {
  const places = secretPlaces(kind, resource, templates);
  // A variable without a value leaves its name in place of the secret.
  const isOpen = (place: Pointer): boolean => {
    const value = templates?.get(place)?.open === undefined ? undefined : valueAt(resource, place);
    return typeof value === 'string' && /^\$\{[^}]*\}$/.test(value);
  };
  yield* textsAt(resource, new Set([...places].filter((place) => !isOpen(place))));
}

function* textsAt(resource: Parsed, places: ReadonlySet<Pointer>): Generator<string> {
  for (const place of places) {
    const value = valueAt(resource, place);
    if (isTextOrNumber(value)) yield String(value);
  }
}
