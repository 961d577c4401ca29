import type { JsonObject, Pointer } from '../../model/json/json.ts';

/** An object that a state of Terraform or OpenTofu holds. */
export type Instance = {
  /** As Terraform prints it: `module.gateway["eu"].conduktor_gateway_interceptor_v2.audit[0]`. */
  readonly address: string;
  readonly type: string;
  readonly provider: string;
  readonly values: JsonObject;
  /** Places in `values` that Terraform does not print, with all that is below them. */
  readonly sensitive: readonly Pointer[];
  /** Terraform will replace it, or it is what a replacement has left behind. */
  readonly status?: 'tainted' | 'deposed';
};

/** The instances of a state; `broken` counts those without an address, a type or attributes. */
export type Instances = { readonly found: readonly Instance[]; readonly broken: number };

/** Terraform escapes the keys in addresses: one with control characters is forged. */
export function isAddress(text: string): boolean {
  return text !== '' && !/\p{Cc}/u.test(text);
}
