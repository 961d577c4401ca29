import type { Json } from '../../model/json/json.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import { secretPlaces } from '../../model/secrets/secrets.ts';
import type { LiveState } from '../../model/state.ts';
import { formatFile } from '../../schema/fmt/fmt.ts';
import { findFormerSecrets, type IsSecret } from '../../plan/change/former-secrets.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { asDeclared } from '../../schema/load/as-declared.ts';
import { printYaml } from '../../schema/yaml/print.ts';

export type Exported = {
  /** One file for each kind. */
  readonly files: readonly { readonly kind: string; readonly count: number; readonly text: string }[];
  /** What is not exported, because a file must not hold its secrets. */
  readonly secret: readonly Address[];
};

/** Live resources as YAML files that declare them; `isSecret` recognises the values of secret variables. */
export function exportLive(live: LiveState, isSecret: IsSecret | undefined): Exported {
  const secret: Address[] = [];
  const byKind = new Map<string, Json[]>();
  const addresses = [...live.resources.keys()];
  const writable = new Set(addresses.filter((address) => catalog.kinds.get(kindOf(address))?.removal));
  const resources = new Map([...live.resources].filter(([address]) => writable.has(address)));
  for (const { path, text } of asDeclared({ ...live, resources }, catalog.kinds)) {
    const [address, kind, resource] = [
      path as Address,
      kindOf(path as Address),
      resources.get(path as Address),
    ];
    const form = catalog.kinds.get(kind);
    if (form === undefined || resource === undefined) continue;
    const former = isSecret === undefined ? [] : findFormerSecrets(resource, form, isSecret);
    if (secretPlaces(form, resource).size + former.length > 0) secret.push(address);
    else byKind.set(kind, [...(byKind.get(kind) ?? []), JSON.parse(text) as Json]);
  }
  const files = [...byKind].map(([kind, values]) => {
    const text = printYaml(values, (one) => one.includes('${'));
    return {
      kind,
      count: values.length,
      text: formatFile({ path: `${kind}.yaml`, text }, catalog).value ?? text,
    };
  });
  return { files, secret };
}
