import type { Pointer } from '../../model/json/json.ts';
import { isSource, type Fault, type Variables } from './interpolate.ts';

/** Whether a field of a document of any kind is part of addresses and messages, and so must not have a secret value. */
export function isAlwaysShown(path: Pointer): boolean {
  return SHOWN.test(path);
}

/** A document that is a single value is quoted in a message. */
const SHOWN = /^(?:$|\/(?:apiVersion|kind|metadata|overlay|protect)(?:\/|$))/;

/** The fault of a shown place that these variables and sources fill in. */
export function exposedBy(names: readonly string[], { publish }: Variables): Fault {
  const [source] = names.filter(isSource);
  const code = 'exposed-secret';
  if (source !== undefined) {
    const message = `the value of \${${source}} is secret, but all output shows this place`;
    return { code, message, hint: 'use an environment variable, or write the value out' };
  }
  const list = [...new Set(names)];
  return {
    code,
    message: `the value of ${list.join(', ')} may be secret, but all output shows this place`,
    hint: `if the value can be shown, ${publish(list)}`,
  };
}
