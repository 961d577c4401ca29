import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';

/** The keys of saved plans, each as PEM text except the shared one. */
export type PlanKeys = {
  /** Known to the jobs that plan and to those that apply. */
  readonly shared?: string | undefined;
  /** Ed25519; signs plans. */
  readonly private?: string | undefined;
  /** Ed25519; a plan must be signed with one of them. */
  readonly public?: readonly string[] | undefined;
};

/** A new Ed25519 key pair, as PEM. */
export function makeKeyPair(): { readonly privateKey: string; readonly publicKey: string } {
  return generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}

/** What is wrong with the text of a key, as a predicate without the text; undefined if it can be used. */
export function findKeyFault(pem: string, wanted: 'private' | 'public'): string | undefined {
  if (wanted === 'public' && /PRIVATE KEY/.test(pem)) return 'is a private key; expected the public one';
  if (wanted === 'private' && /BEGIN PUBLIC KEY/.test(pem))
    return 'is a public key; expected the private one';
  if (/ENCRYPTED/.test(pem)) return 'is encrypted; expected a key without a passphrase';
  try {
    const { asymmetricKeyType: type } = (wanted === 'private' ? createPrivateKey : createPublicKey)(pem);
    return type === 'ed25519' ? undefined : `is a key of the type ${type ?? 'unknown'}; expected Ed25519`;
  } catch {
    return `is not a ${wanted} key in PEM format`;
  }
}

/** The keys in a PEM text with one or more of them. */
export function splitKeys(pem: string): readonly string[] {
  return pem.match(/-----BEGIN [^-]*-----[^-]*-----END [^-]*-----/g) ?? [pem];
}

/** The Ed25519 signature of the digest of a plan, in base64. */
export function signDigest(digest: string, privateKey: string): string {
  return sign(null, messageOf(digest), createPrivateKey(privateKey)).toString('base64');
}

/** Whether `signature` is that of the digest by one of the keys, or by the public part of the private one. */
export function isSigned(digest: string, signature: unknown, keys: PlanKeys): boolean {
  if (typeof signature !== 'string') return false;
  const bytes = Buffer.from(signature, 'base64');
  return [...(keys.private === undefined ? [] : [keys.private]), ...(keys.public ?? [])]
    .map((pem) => createPublicKey(pem))
    .some((key) => verify(null, messageOf(digest), key, bytes));
}

export function canVerify(keys: PlanKeys): boolean {
  return keys.private !== undefined || (keys.public ?? []).length > 0;
}

/** Whether saved plans must be signed. */
export function hasKeys(keys: PlanKeys = {}): boolean {
  return keys.shared !== undefined || canVerify(keys);
}

/** The prefix keeps a signature of something else from being one of a plan. */
function messageOf(digest: string): Buffer {
  return Buffer.from(`gwconf/plan ${digest}`);
}
