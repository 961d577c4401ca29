import { MOST_DIGESTS, TooManyDigests, withDigests as derive, type Digester } from '../plan/saved/digest.ts';
import type { Host } from './host.ts';
import { RequestError } from './system-error.ts';

export { deriveKey } from '../plan/saved/digest.ts';

/** Makes something with slow digests. Throws a RequestError where it needs so many that it would not end. */
export async function withDigests<T>(
  { deriveKey }: Host,
  salt: string,
  make: (slow: Digester) => T,
): Promise<T> {
  try {
    return await derive(salt, make, deriveKey);
  } catch (error) {
    if (!(error instanceof TooManyDigests)) throw error;
    const message = `there are more than ${MOST_DIGESTS} different secrets to digest: use --target, or secrets of 32 random characters or more`;
    throw new RequestError(message, { cause: error });
  }
}
