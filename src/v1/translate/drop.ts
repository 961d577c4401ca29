import { makePlaceholder, withVariables } from '../../declare/declared.ts';
import { valueAt, type Pointer } from '../../model/json/json.ts';
import type { Context } from '../../model/kind.ts';
import type { Catalog } from '../../model/own-kind.ts';
import type { Problem } from '../../model/problem.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { looksSecret } from '../../model/secrets/looks-secret.ts';
import { isSecretText } from '../../model/secrets/secret-texts.ts';
import { asDeclared } from '../../schema/load/as-declared.ts';
import { load } from '../../schema/load/load.ts';
import { variablesFrom } from '../../schema/yaml/interpolate.ts';
import { textsIn } from '../../schema/yaml/tree.ts';
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
    const address = addressIn(problem);
    const isFault = problem.severity === 'error' || NOT_TAKEN.has(problem.code);
    if (isFault && address !== undefined && !faults.has(address)) faults.set(address, problem);
  }
  if (faults.size === 0) return resources;
  for (const [address, { code, message, hint, severity }] of faults) {
    // A field that may be new stays in a file, and its hint says so.
    const isWhole = hint === undefined || (code === 'unknown-field' && severity !== 'error');
    ledger.refuse(address as Address, withVariables(isWhole ? message : `${message}: ${hint}`));
  }
  return new Map([...resources].filter(([address]) => !faults.has(address)));
}

/** Warnings in a file, of what the gateway that tries the files does not take. */
const NOT_TAKEN: ReadonlySet<string> = new Set(['imaginary-class', 'unknown-field']);

/** The resource is in a text of its own, whose path is its address. */
function addressIn({ at, address }: Problem): string | undefined {
  if (at === undefined) return address;
  return 'document' in at ? at.document.file.path : at.file.path;
}

/** Whether a text has a credential of a script, or is certainly a secret. */
export function isCredential(
  text: string,
  { mask = (one: string): string => one }: Pick<Checks, 'mask'>,
): boolean {
  return isSecretText(text) || mask(text) !== text;
}

/** Whether a name of a script must not be in files; principals and names of topics can look random. */
export function isSecretName(name: string, checks: Pick<Checks, 'mask'>): boolean {
  return isCredential(name, checks) || (checks.mask !== undefined && looksSecret(name));
}

/** The resources without a secret in a name, and in what identifies their clients. The ledger learns of the others. */
export function dropSecretNames(
  resources: ReadonlyMap<Address, Resource>,
  ledger: Ledger,
  checks: Pick<Checks, 'mask'>,
): ReadonlyMap<Address, Resource> {
  return new Map(
    [...resources].filter(([address, resource]) => {
      const isSecret =
        textsAt(resource, NAMES).some((text) => isSecretName(text, checks)) ||
        textsAt(resource, OTHERS).some((text) => isCredential(text, checks));
      if (isSecret) ledger.refuse(address, 'a name in it looks like a secret, and files must not show it');
      return !isSecret;
    }),
  );
}

const NAMES = ['/metadata', '/spec/members', '/spec/pluginClass'] as const;
/** Names from elsewhere, which are often random. */
const OTHERS = [
  '/spec/externalNames',
  '/spec/externalGroups',
  '/spec/physicalName',
  '/spec/physicalTopics',
] as const;

function textsAt(resource: Resource, places: readonly Pointer[]): readonly string[] {
  return places.flatMap((place) => [...textsIn(valueAt(resource, place) ?? null)]);
}
