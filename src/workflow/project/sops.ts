import { createDecipheriv, createHash, timingSafeEqual } from 'node:crypto';
import { armor, Decrypter } from 'age-encryption';
import {
  isList,
  isObject,
  keysOf,
  textUnder,
  valueOf,
  type Json,
  type JsonObject,
} from '../../model/json/json.ts';
import { parseYaml } from '../../schema/yaml/parse.ts';

/** The values of a file, by what its keys lead to; or why there are none, as a predicate. `isForeign`: the program sops can open it. */
export type OpenedFile = { readonly value: JsonObject } | { readonly why: string; readonly isForeign?: true };

/**
 * Opens a file that SOPS encrypted for age keys, as YAML or JSON, and checks its MAC: nothing of a file is used that somebody without the
 * key has changed. Only the values that are encrypted are returned; those in clear may not be under the MAC.
 */
export async function openSopsFile(text: string, identities: readonly string[]): Promise<OpenedFile> {
  const [document, another] = parseYaml({ path: '', text }, { keep: () => undefined });
  const { value = null, problems = [] } = document ?? {};
  if (another !== undefined) return { why: 'has several documents', isForeign: true };
  if (problems.length > 0 || !isObject(value)) return { why: 'is neither YAML nor JSON', isForeign: true };
  const about = valueOf(value, 'sops');
  if (!isObject(about)) return { why: 'is not encrypted: it has no sops' };
  const recipients = valueOf(about, 'age');
  const isShared =
    valueOf(about, 'key_groups') !== undefined || valueOf(about, 'shamir_threshold') !== undefined;
  if (!isList(recipients) || recipients.length === 0 || isShared)
    return { why: 'is not encrypted for an age key', isForeign: true };
  if (identities.length === 0)
    return { why: 'needs an age key: SOPS_AGE_KEY and SOPS_AGE_KEY_FILE are not set', isForeign: true };
  const key = await findDataKey(recipients, identities);
  if (key === undefined) return { why: 'is encrypted for other age keys', isForeign: true };
  try {
    const isPartial = valueOf(about, 'mac_only_encrypted') === true;
    const mac = createHash('sha512').update(isPartial ? PARTIAL : '');
    const tree = openMap(value, [], { key, mac, isPartial });
    const written = decrypt(textUnder(about, 'mac'), key, textUnder(about, 'lastmodified'));
    const isWhole = isEqual(written.text, mac.digest('hex').toUpperCase());
    return isWhole ? { value: tree } : { why: 'was changed by somebody without its key: its MAC is another' };
  } catch (error) {
    if (error instanceof OtherForm) return { why: error.message, isForeign: true };
    return { why: 'was changed by somebody without its key, or is damaged' };
  }
}

/** What the MAC begins with where it is over the encrypted values alone: the SHA-256 of `sops`, by which no MAC is one of the other sort. */
const PARTIAL = createHash('sha256').update('sops').digest();

/** What JavaScript has in another order or form, while the MAC is over the values as they are written. */
class OtherForm extends Error {}

async function findDataKey(
  recipients: readonly Json[],
  identities: readonly string[],
): Promise<Buffer | undefined> {
  const decrypter = new Decrypter();
  for (const one of identities) {
    try {
      decrypter.addIdentity(one);
    } catch {
      // Of a plugin, or none.
    }
  }
  for (const recipient of recipients) {
    try {
      const key = await decrypter.decrypt(armor.decode(textUnder(recipient, 'enc')));
      if (key.length === 32) return Buffer.from(key);
    } catch {
      // For another key.
    }
  }
  return undefined;
}

type Opening = {
  readonly key: Buffer;
  readonly mac: { readonly update: (bytes: string) => unknown };
  readonly isPartial: boolean;
};

/** A map without what is in clear. The keys of maps, without the numbers of items, are what each value is bound to. */
function openMap(map: JsonObject, path: readonly string[], opening: Opening): JsonObject {
  const keys = keysOf(map).filter((key) => path.length > 0 || key !== 'sops');
  if (keys.length > 1 && keys.some((key) => /^(?:0|[1-9]\d*)$/.test(key)))
    throw new OtherForm('has a number as a key');
  const opened = keys.map(
    (key) => [key, openValue(valueOf(map, key) ?? null, [...path, key], opening)] as const,
  );
  return Object.fromEntries(opened.filter((entry) => entry[1] !== undefined)) as JsonObject;
}

function openValue(value: Json, path: readonly string[], opening: Opening): Json | undefined {
  if (isList(value))
    return value.filter((item) => !isComment(item)).map((item) => openValue(item, path, opening) ?? null);
  if (isObject(value)) return openMap(value, path, opening);
  if (value === null) return undefined;
  if (typeof value === 'string' && ENCRYPTED.test(value)) {
    const { text, type } = decrypt(value, opening.key, `${path.join(':')}:`);
    const isTrue = /^true$/i.test(text);
    opening.mac.update(type === 'bool' ? asInGo(isTrue) : text);
    return type === 'bool' ? String(isTrue) : text;
  }
  if (!opening.isPartial) opening.mac.update(asInGo(value));
  return undefined;
}

/** A comment between the items of a list is an item for the program sops, and no part of the MAC. */
function isComment(item: Json): boolean {
  return typeof item === 'string' && ENCRYPTED.exec(item)?.[4] === 'comment';
}

/** As the program sops writes it where it takes the MAC. */
function asInGo(value: Exclude<Json, JsonObject | readonly Json[] | null>): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  const text = String(value);
  if (typeof value !== 'string' && /e/i.test(text)) throw new OtherForm('has a number with an exponent');
  return text;
}

const ENCRYPTED = /^ENC\[AES256_GCM,data:([^,]*),iv:([^,]+),tag:([^,]+),type:(\w+)\]$/;

function decrypt(written: string, key: Buffer, bound: string) {
  const [, data, iv, tag, type = ''] = ENCRYPTED.exec(written) ?? [];
  if (data === undefined || iv === undefined || tag === undefined) throw new TypeError('not encrypted');
  const authTagLength = 16;
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64'), { authTagLength });
  decipher.setAAD(Buffer.from(bound)).setAuthTag(Buffer.from(tag, 'base64'));
  const text = Buffer.concat([decipher.update(Buffer.from(data, 'base64')), decipher.final()]).toString();
  return { text, type };
}

function isEqual(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
