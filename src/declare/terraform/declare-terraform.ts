import { knownKind } from '../../model/kind.ts';
import type { Catalog } from '../../model/own-kind.ts';
import { asValid } from '../../model/resource.ts';
import { declareLive } from '../declare-live.ts';
import type { Declared, DeclareOptions } from '../declared.ts';
import { hiddenPlaces } from './hidden-places.ts';
import type { TerraformState } from './read-terraform.ts';

/** The objects that Terraform manages as documents; what it hides becomes `${NAME}`, too. */
export function declareTerraform(
  { managed }: TerraformState,
  catalog: Catalog,
  options: DeclareOptions = {},
): Declared {
  const resources = new Map([...managed].map(([address, { resource }]) => [address, resource]));
  return declareLive({ resources, unavailable: new Map() }, catalog, {
    ...options,
    hidden: (address, value) => {
      const sensitive = managed.get(address)?.sensitive ?? [];
      // The form of a file is valid if the resource is.
      return hiddenPlaces(knownKind(address, catalog.kinds), { resource: asValid(value), sensitive });
    },
  });
}
