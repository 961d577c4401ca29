import type { Json, JsonObject } from '../../src/model/json/json.ts';

/** A resource of the provider as Terraform keeps it; what is left out is as it usually is. */
export type TerraformResource = {
  readonly type?: string;
  readonly name: string;
  readonly key?: string | number;
  readonly module?: string;
  readonly values: JsonObject;
  /** Paths of sensitive values: `[['spec', 'config']]`. */
  readonly sensitive?: readonly (readonly (string | number)[])[];
  readonly status?: 'tainted' | 'deposed';
  readonly mode?: 'data';
  readonly provider?: string;
};

const REGISTRY = 'registry.terraform.io/conduktor/conduktor';

/** A state file of version 4. */
export function rawState(...resources: readonly TerraformResource[]): string {
  return JSON.stringify({
    version: 4,
    terraform_version: '1.9.8',
    serial: 12,
    lineage: '5c1f0d0a-6d0b-4a5e-8f3c-0a1b2c3d4e5f',
    outputs: {},
    resources: resources.map((one) => ({
      ...(one.module === undefined ? {} : { module: one.module }),
      mode: one.mode ?? 'managed',
      type: typeOf(one),
      name: one.name,
      provider: `provider["${one.provider ?? REGISTRY}"]`,
      instances: [
        {
          ...(one.key === undefined ? {} : { index_key: one.key }),
          ...(one.status === 'tainted' ? { status: 'tainted' } : {}),
          ...(one.status === 'deposed' ? { deposed: '1a2b3c4d' } : {}),
          schema_version: 0,
          attributes: one.values,
          sensitive_attributes: (one.sensitive ?? []).map((path) => path.map(stepOf)),
        },
      ],
    })),
    check_results: null,
  });
}

function stepOf(token: string | number): Json {
  if (typeof token === 'string') return { type: 'get_attr', value: token };
  return { type: 'index', value: { value: token, type: 'number' } };
}

/** The output of `terraform show -json`; a module is nested in those that its address names. */
export function shownState(...resources: readonly TerraformResource[]): string {
  const modules = [...new Set(resources.map(({ module }) => module).filter((one) => one !== undefined))];
  return JSON.stringify({
    format_version: '1.0',
    terraform_version: '1.9.8',
    values: {
      outputs: { token: { sensitive: true, value: 'not for any file', type: 'string' } },
      root_module: {
        resources: resources.filter(({ module }) => module === undefined).map(shownResource),
        child_modules: modules.map((address) => ({
          address,
          resources: resources.filter(({ module }) => module === address).map(shownResource),
        })),
      },
    },
  });
}

function shownResource(one: TerraformResource): Json {
  const type = typeOf(one);
  const index = one.key === undefined ? '' : `[${JSON.stringify(one.key)}]`;
  return {
    address: `${one.module === undefined ? '' : `${one.module}.`}${type}.${one.name}${index}`,
    mode: one.mode ?? 'managed',
    type,
    name: one.name,
    ...(one.key === undefined ? {} : { index: one.key }),
    provider_name: one.provider ?? REGISTRY,
    schema_version: 0,
    values: one.values,
    sensitive_values: (one.sensitive ?? []).reduce<Json>(withTrue, {}),
    ...(one.status === 'tainted' ? { tainted: true } : {}),
    ...(one.status === 'deposed' ? { deposed_key: '1a2b3c4d' } : {}),
  };
}

function withTrue(tree: Json, [token, ...path]: readonly (string | number)[]): Json {
  if (token === undefined) return true;
  const key = String(token);
  const fields = tree as JsonObject; // made by this function
  return { ...fields, [key]: withTrue(fields[key] ?? {}, path) };
}

function typeOf({ type = 'gateway_interceptor_v2' }: TerraformResource): string {
  return type.includes('_') && !type.startsWith('gateway_') ? type : `conduktor_${type}`;
}

/** An interceptor as the provider keeps it, with its config as text. */
export function interceptorValues(
  name: string,
  config: Json,
  scope: JsonObject | null = { vcluster: 'passthrough', group: null, username: null },
): JsonObject {
  const plugin_class = 'io.conduktor.gateway.interceptor.EncryptPlugin';
  return { name, scope, spec: { comment: null, plugin_class, priority: 1, config: JSON.stringify(config) } };
}
