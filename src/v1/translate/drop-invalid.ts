import type { Context } from '../../model/kind.ts';
import type { Catalog } from '../../model/own-kind.ts';
import type { Problem } from '../../model/problem.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { asDeclared } from '../../schema/load/as-declared.ts';
import { load } from '../../schema/load/load.ts';
import { variablesFrom } from '../../schema/yaml/interpolate.ts';
import { makePlaceholder, withVariables } from '../../declare/placeholder.ts';
import type { Ledger } from './ledger.ts';

/** What resources are checked against. */
export type Checks = {
  readonly catalog: Catalog;
  readonly context: Context;
  /** Hides the credentials of scripts; absent for what was read from a gateway, whose names are kept. */
  readonly mask?: ((text: string) => string) | undefined;
};

/** The resources that v2 takes. The ledger learns why it does not take the others. */
export function dropInvalid(
  resources: ReadonlyMap<Address, Resource>,
  ledger: Ledger,
  { catalog, context }: Checks,
): ReadonlyMap<Address, Resource> {
  const declared = asDeclared({ resources, unavailable: new Map() }, catalog.kinds);
  const files = declared.map((file) => ({ ...file, text: withVariables(file.text) }));
  const { problems } = load(files, catalog, variablesFrom(makePlaceholder), context);
  const faults = new Map<string, Problem>();
  for (const problem of problems) {
    const address = isFault(problem) ? addressIn(problem) : undefined;
    if (address !== undefined && !faults.has(address)) faults.set(address, problem);
  }
  if (faults.size === 0) return resources;
  for (const [address, { message, hint }] of faults)
    ledger.refuse(address as Address, withVariables(hint === undefined ? message : `${message}: ${hint}`));
  return new Map([...resources].filter(([address]) => !faults.has(address)));
}

/** A class that never existed is a warning in a file, but no gateway takes it. */
function isFault({ severity, code }: Problem): boolean {
  return severity === 'error' || code === 'imaginary-class';
}

/** The resource is in a text of its own, whose path is its address. */
function addressIn({ at, address }: Problem): string | undefined {
  if (at === undefined) return address;
  return 'document' in at ? at.document.file.path : at.file.path;
}
