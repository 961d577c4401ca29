import { valueAt, type Pointer } from '../../model/json/json.ts';
import { looksSecret } from '../../model/secrets/looks-secret.ts';
import { isSecretText } from '../../model/secrets/secrets.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { textsIn } from '../../schema/yaml/tree.ts';
import type { Checks } from './drop-invalid.ts';
import type { Ledger } from './ledger.ts';

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
