import type { Problem } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import type { Hindrance, Untaken } from './write-adoption.ts';

/** Why a field of a file does not get the value of the gateway, and what helps. */
const WORDS: Readonly<Record<Hindrance, readonly [why: string, hint: string]>> = {
  variable: ['its value comes from a variable', 'change the value of the variable, or write the value here'],
  alias: ['its value comes from an anchor', 'change the value at the anchor, or write it here'],
  anchor: ['other places of the file repeat its value', 'change it by hand'],
  'several-documents': ['several documents give its value', 'change them by hand'],
  'own-kind': ['its document stands for several objects', 'change it by hand'],
  secret: ['it is a secret, which files do not hold', 'use ${VARIABLE} here, and set it where gwconf runs'],
  layout: ['the file is written in a way that is not edited', 'change it by hand'],
};

export function untakenProblem(address: Address, { path, hindrance, at }: Untaken): Problem {
  const [why, hint] = WORDS[hindrance];
  const message = `${path === '' ? address : `${path} of ${address}`} differs from the gateway, but stays as it is: ${why}`;
  return { code: 'not-imported', severity: 'warning', message, at, address, path, hint, confidential: true };
}
