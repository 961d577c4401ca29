import type { Kind, KindSet } from '../../model/kind.ts';
import { defaultScope } from '../../model/identity.ts';
import type { Problem } from '../../model/problem.ts';
import { parseAddress, printAddress, type Address, type Scope } from '../../model/resource.ts';
import { suggest } from '../../model/text/suggest.ts';
import { describe } from '../wording.ts';

type Fault = Pick<Problem, 'code' | 'message' | 'hint'>;
export type ReadAddress = { readonly address: Address } | { readonly fault: Fault };

/** Takes a text of a file for the address of one object that can be written: no glob, and spelled as plans print it. */
export function readAddress(text: string, kinds: KindSet): ReadAddress {
  if (text.includes('*') || text.startsWith('!')) {
    const message = `${describe(text)} is a glob, and one object is named by its whole address`;
    return invalid(message, 'write each address out; gwconf plan prints them');
  }
  const parsed = parseAddress(text);
  if (parsed === undefined) {
    const message = `expected an address; found ${describe(text)}`;
    return invalid(message, 'write it as AliasTopic/orders@vCluster=prod');
  }
  const kind = kinds.get(parsed.kind);
  if (kind === undefined) return { fault: unknownKind(parsed.kind, kinds) };
  if (kind.removal === undefined) {
    const message = `${kind.name} is a kind that the gateway makes by itself`;
    return { fault: { code: 'read-only-kind', message, hint: 'take it out' } };
  }
  if (kind.builtIn.includes(parsed.name)) {
    const message = `${text} always exists`;
    return { fault: { code: 'reserved-name', message, hint: 'take it out' } };
  }
  const right = inFull(kind, parsed.name, text.includes('@') ? parsed.scope : undefined);
  if (right === text) return { address: right };
  return invalid(`${describe(text)} is no address of the kind ${kind.name}`, `did you mean ${right}?`);
}

/** The fault of a kind that nobody knows. */
export function unknownKind(name: string, kinds: KindSet): Fault {
  const near = suggest(name, kinds.keys());
  return {
    code: 'unknown-kind',
    message: `the kind ${describe(name)} is not known`,
    hint: near === undefined ? `use one of ${[...kinds.keys()].join(', ')}` : `did you mean ${near}?`,
  };
}

function invalid(message: string, hint: string): { readonly fault: Fault } {
  return { fault: { code: 'invalid-value', message, hint } };
}

/** The address with all axes of its kind, and no other; where no scope is written, with that of the default. */
function inFull(kind: Kind, name: string, written: Scope | undefined): Address {
  const usual = defaultScope(kind);
  const axes = Object.entries(usual);
  const isOpen = axes.some(([, value]) => value === null);
  const scope =
    written === undefined
      ? usual
      : Object.fromEntries(axes.map(([axis, value]) => [axis, written[axis] ?? (isOpen ? null : value)]));
  return printAddress({ kind: kind.name, name, scope });
}
