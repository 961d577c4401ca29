import type { Kind, KindSet } from '../../model/kind.ts';
import { defaultScope } from '../../model/identity.ts';
import type { Problem } from '../../model/problem.ts';
import { parseAddress, printAddress, type Address, type Scope } from '../../model/resource.ts';
import { suggest } from '../../model/text/suggest.ts';
import { describe } from '../wording.ts';

type Fault = Pick<Problem, 'code' | 'message' | 'hint'>;
export type ReadAddress = { readonly address: Address } | { readonly fault: Fault };

/** Reads the address of one object that can be written, as plans print it; not a glob. */
export function readAddress(text: string, kinds: KindSet): ReadAddress {
  if (text.includes('*') || text.startsWith('!')) {
    const message = `${describe(text)} is a glob; expected the address of one object`;
    return invalid(message, 'list each address; gwconf plan prints them');
  }
  const parsed = parseAddress(text);
  if (parsed === undefined) return { fault: notAnAddress(text) };
  const kind = kinds.get(parsed.kind);
  if (kind === undefined) return { fault: unknownKind(parsed.kind, kinds).fault };
  if (kind.removal === undefined) {
    const message = `only the gateway creates resources of kind ${kind.name}`;
    return { fault: { code: 'read-only-kind', message, hint: 'remove it' } };
  }
  if (kind.builtIn.includes(parsed.name)) {
    const message = `${text} always exists`;
    return { fault: { code: 'reserved-name', message, hint: 'remove it' } };
  }
  const fault = incomplete(text, kind);
  return fault === undefined ? { address: text as Address } : { fault };
}

/** What an address, without a glob, lacks of how plans print it; another form is that of no object. */
export function incomplete(text: string, kind: Kind): Fault | undefined {
  const parsed = parseAddress(text);
  if (parsed === undefined) return notAnAddress(text);
  const right = inFull(kind, parsed.name, text.includes('@') ? parsed.scope : undefined);
  if (right === text) return undefined;
  const message = `${describe(text)} is not an address of kind ${kind.name}`;
  return { code: 'invalid-value', message, hint: `did you mean ${right}?` };
}

function notAnAddress(text: string): Fault {
  const message = `expected an address; found ${describe(text)}`;
  return { code: 'invalid-value', message, hint: 'write it as AliasTopic/orders@vCluster=prod' };
}

/** `near` is the kind that is likely to be meant. */
export function unknownKind(name: string, kinds: KindSet): { readonly fault: Fault; readonly near?: string } {
  const near = suggest(name, kinds.keys());
  const hint = near === undefined ? `use one of ${[...kinds.keys()].join(', ')}` : `did you mean ${near}?`;
  const fault: Fault = { code: 'unknown-kind', message: `unknown kind ${describe(name)}`, hint };
  return near === undefined ? { fault } : { fault, near };
}

function invalid(message: string, hint: string): { readonly fault: Fault } {
  return { fault: { code: 'invalid-value', message, hint } };
}

/** The address with exactly the axes of its kind; without a written scope, with the default one. */
export function inFull(kind: Kind, name: string, written: Scope | undefined): Address {
  const usual = defaultScope(kind);
  const axes = Object.entries(usual);
  const isOpen = axes.some(([, value]) => value === null);
  const scope =
    written === undefined
      ? usual
      : Object.fromEntries(axes.map(([axis, value]) => [axis, written[axis] ?? (isOpen ? null : value)]));
  return printAddress({ kind: kind.name, name, scope });
}
