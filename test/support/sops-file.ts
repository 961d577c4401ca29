import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { armor, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { stringify } from 'yaml';

/** What a file holds in clear: maps, lists, texts, numbers and flags. */
type Clear = string | number | boolean | null | readonly Clear[] | { readonly [key: string]: Clear };

type SopsOptions = {
  /** Whether a value stays in clear, by its last key. Default: none does. */
  readonly isClear?: (key: string) => boolean;
  readonly macOnlyEncrypted?: boolean;
  readonly print?: (value: unknown) => string;
};

/** A key of age. */
export async function makeAgeKey(): Promise<{ readonly identity: string; readonly recipient: string }> {
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** A file as the program sops writes it, by the description of its format. */
export async function makeSopsFile(
  clear: { readonly [key: string]: Clear },
  recipient: string,
  { isClear = () => false, macOnlyEncrypted = false, print = stringify }: SopsOptions = {},
): Promise<string> {
  const key = randomBytes(32);
  const lastmodified = '2026-11-25T12:00:00Z';
  const mac = createHash('sha512');
  if (macOnlyEncrypted) mac.update(createHash('sha256').update('sops').digest());
  const seal = (text: string, type: string, bound: string): string => {
    const iv = randomBytes(32);
    const cipher = createCipheriv('aes-256-gcm', key, iv);
    cipher.setAAD(Buffer.from(bound));
    const data = Buffer.concat([cipher.update(text), cipher.final()]).toString('base64');
    const [at, tag] = [iv, cipher.getAuthTag()].map((bytes) => bytes.toString('base64'));
    return `ENC[AES256_GCM,data:${data},iv:${at},tag:${tag},type:${type}]`;
  };
  const walk = (value: Clear, path: readonly string[]): unknown => {
    if (value === null) return null;
    if (Array.isArray(value)) return (value as readonly Clear[]).map((item) => walk(item, path));
    if (typeof value === 'object')
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => [name, walk(item, [...path, name])]),
      );
    const text = typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value);
    const isSealed = value !== '' && !isClear(path.at(-1) ?? '');
    if (isSealed || !macOnlyEncrypted) mac.update(text);
    const type =
      typeof value === 'string'
        ? 'str'
        : typeof value === 'boolean'
          ? 'bool'
          : Number.isInteger(value)
            ? 'int'
            : 'float';
    return isSealed ? seal(text, type, `${path.join(':')}:`) : value;
  };
  const tree = walk(clear, []) as object;
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  const enc = armor.encode(await encrypter.encrypt(key));
  return print({
    ...tree,
    sops: {
      age: [{ recipient, enc }],
      lastmodified,
      mac: seal(mac.digest('hex').toUpperCase(), 'str', lastmodified),
      ...(macOnlyEncrypted ? { mac_only_encrypted: true } : {}),
      version: '3.9.4',
    },
  });
}
