import { valueAt, type Pointer } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import type { Resource } from '../model/resource.ts';
import type { Change } from './plan.ts';
import { HIDDEN } from './redact.ts';
import { secretsOf } from './secrets-of.ts';

/**
 * What somebody else says of a change, with every secret of it hidden: a gateway may repeat what it was sent, in a
 * string of JSON, with its white space changed, or cut off.
 */
export function withoutSecrets(text: string, change: Change, kind: Kind): string {
  const { before, after } = secretsOf(change, kind);
  const secrets = [
    ...(change.action === 'delete' ? [] : textsAt(change.after, after)),
    ...(change.action === 'create' ? [] : textsAt(change.before, before)),
  ].sort((one, other) => other.length - one.length);
  return secrets.reduce((shown, secret) => hideText(shown, secret), text);
}

function textsAt(resource: Resource, places: ReadonlySet<Pointer>): readonly string[] {
  const values = [...places].flatMap((place) => {
    const value = valueAt(resource, place);
    return typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];
  });
  // Each line of a text of many is a secret as well.
  const lines = values.flatMap((value) => [value, ...value.split(/\s*\n\s*/)]).map((line) => line.trim());
  return lines.flatMap((line) => [line, JSON.stringify(line).slice(1, -1), line.replace(/\s+/g, ' ')]);
}

/** So short a beginning of a secret, where a text breaks off, tells nothing. */
const SHORTEST = 4;

function hideText(text: string, secret: string): string {
  if (secret === '') return text;
  // A very short one may be part of many a word, and is hidden where it stands alone.
  const whole =
    secret.length < SHORTEST
      ? text.replace(
          new RegExp(`(?<![\\w])${secret.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}(?![\\w])`, 'g'),
          HIDDEN,
        )
      : text.replaceAll(secret, HIDDEN);
  if (!whole.endsWith('…')) return whole;
  for (let length = secret.length - 1; length >= SHORTEST; length -= 1) {
    const cut = `${secret.slice(0, length)}…`;
    if (whole.endsWith(cut)) return `${whole.slice(0, -cut.length)}${HIDDEN}…`;
  }
  return whole;
}
