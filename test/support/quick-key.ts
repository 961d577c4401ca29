import { digest, type DeriveKey } from '../../src/plan/saved/digest.ts';

/** For the hosts of tests, whose digests need not withstand guesses. Processes derive slow ones. */
export const quickKey: DeriveKey = (text, salt) => Promise.resolve(digest(`${salt}\n${text}`).slice(0, 32));
