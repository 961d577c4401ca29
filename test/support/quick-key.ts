import { nodeHost } from '../../src/host/node-host.ts';
import { digest, type Digester, type DeriveKey } from '../../src/plan/saved/digest.ts';

/** For the hosts of tests, whose digests need not withstand guesses. Processes derive slow ones. */
export const quickKey: DeriveKey = (text, salt) => Promise.resolve(digest(`${salt}\n${text}`).slice(0, 32));

/** Finds secrets again by their digests, as slow ones do and quickDigester does not, and at once. */
export const findingDigester: Digester = (secret, mark = '0') => `${mark}.${digest(`${mark}\n${secret}`)}`;

/** The host of a process, with quick digests: each slow one takes a core a twentieth of a second. */
export const quickHost = (): ReturnType<typeof nodeHost> => ({ ...nodeHost(), deriveKey: quickKey });
