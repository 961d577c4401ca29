import {
  type JsonObject,
  type Pointer,
  isList,
  isObject,
  joinPointer,
  textUnder,
  valueOf,
  type Json,
  entriesOf,
} from '../../model/json/json.ts';
import { wordForShell } from '../../model/text/escape.ts';
import { listAt } from '../read-json.ts';

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

/** The instances of a state; `broken` counts those without a type, an address of that type, or attributes. */
export type Instances = { readonly found: readonly Instance[]; readonly broken: number };

/**
 * Names of Terraform begin with a letter or an underscore, and it escapes the keys in addresses: one that does not, or with control
 * characters, is forged. The address is printed as an operand of a command, where a dash would make it an option.
 */
function isAddress(text: string): boolean {
  return /^[\p{L}_]/u.test(text) && !/\p{Cc}/u.test(text);
}

/** The managed resources in a state file of version 4. */
export function readRawState(state: JsonObject): Instances {
  const instances = listAt(state, 'resources')
    .filter(isManaged)
    .flatMap((resource) => {
      const written = valueOf(resource, 'instances');
      return (isList(written) ? written : [null]).map((one) => rawInstance(resource, one));
    });
  return sort(instances);
}

function isManaged(resource: Json): boolean {
  return valueOf(resource, 'mode') !== 'data';
}

function sort(instances: readonly (Instance | undefined)[]): Instances {
  const found = instances.filter((one) => one !== undefined);
  return { found, broken: instances.length - found.length };
}

function rawInstance(resource: Json, instance: Json): Instance | undefined {
  const [module = '', type, name] = ['module', 'type', 'name'].map((key) => valueOf(resource, key));
  const values = valueOf(instance, 'attributes');
  const index = printIndex(valueOf(instance, 'index_key') ?? null);
  if (typeof module !== 'string' || typeof type !== 'string' || typeof name !== 'string') return undefined;
  const address = `${module === '' ? '' : `${module}.`}${type}.${name}${index ?? ''}`;
  if (index === undefined || !isAddress(address) || !isObject(values)) return undefined;
  const provider = textUnder(resource, 'provider');
  const sensitive = sensitivePlaces(valueOf(instance, 'sensitive_attributes'));
  const about = { address, type, provider, values, sensitive };
  if (valueOf(instance, 'deposed') !== undefined) return { ...about, status: 'deposed' };
  return valueOf(instance, 'status') === 'tainted' ? { ...about, status: 'tainted' } : about;
}

/** The index of `count` or `for_each`, as Terraform prints it; undefined if it is neither. */
function printIndex(key: Json): string | undefined {
  if (key === null) return '';
  if (typeof key === 'number') return `[${key}]`;
  return typeof key === 'string' ? `["${escapeText(key)}"]` : undefined;
}

/** As in HCL, where `${` and `%{` begin a template. */
function escapeText(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replace(/[$%](?=\{)/g, '$&$&');
}

/** Each path is a list of steps; a step of an unknown kind makes all that is below its parent sensitive. */
function sensitivePlaces(paths: Json | undefined): readonly Pointer[] {
  if (!isList(paths)) return [];
  return paths.map((path) => {
    let place: Pointer = '';
    for (const step of isList(path) ? path : []) {
      const value = valueOf(step, 'value');
      const token = isObject(value) ? value['value'] : value;
      if (typeof token !== 'string' && typeof token !== 'number') break;
      place = joinPointer(place, token);
    }
    return place;
  });
}

/** The managed resources in the output of `terraform show -json`. */
export function readShownState(state: JsonObject): Instances {
  const modules: (Json | undefined)[] = [valueOf(valueOf(state, 'values'), 'root_module')];
  for (const module of modules) for (const child of listAt(module, 'child_modules')) modules.push(child);
  const resources = modules.flatMap((module) => listAt(module, 'resources'));
  return sort(resources.filter(isManaged).map(shownInstance));
}

/** Of an address that is of another resource, the command would make Terraform forget that one. */
function shownInstance(resource: Json): Instance | undefined {
  const [address, type, name, values] = ['address', 'type', 'name', 'values'].map((key) =>
    valueOf(resource, key),
  );
  if (typeof address !== 'string' || typeof type !== 'string' || !isObject(values)) return undefined;
  const own = address.replace(/\[(?:\d+|"(?:[^"\\]|\\.)*")\]$/, '');
  const isOfIt = typeof name === 'string' && `.${own}`.endsWith(`.${type}.${name}`);
  if (!isOfIt || !isAddress(address)) return undefined;
  const provider = textUnder(resource, 'provider_name');
  const sensitive = placesOfTrue(valueOf(resource, 'sensitive_values') ?? {});
  const about = { address, type, provider, values, sensitive };
  if (valueOf(resource, 'deposed_key') !== undefined) return { ...about, status: 'deposed' };
  return valueOf(resource, 'tainted') === true ? { ...about, status: 'tainted' } : about;
}

/** `sensitive_values` has the shape of `values`, with `true` for what is sensitive. */
function placesOfTrue(value: Json, path: Pointer = '', places: Pointer[] = []): readonly Pointer[] {
  if (value === true) places.push(path);
  for (const [key, child] of entriesOf(value)) placesOfTrue(child, joinPointer(path, key), places);
  return places;
}

/** The resource of the provider for a token. Tokens are no state of the gateway: it cannot list or revoke them. */
export const TOKEN = 'gateway_token_v2';

/** A token that Terraform has issued, without its text. */
export type Token = {
  /** Its address in Terraform. */
  readonly from: string;
  readonly username: string | undefined;
  readonly vCluster: string;
  readonly lifetimeSeconds: number | undefined;
};

export function tokenOf({ address, values }: Instance): Token {
  const [username, vCluster, lifetime] = ['username', 'vcluster', 'lifetime_seconds'].map((key) =>
    valueOf(values, key),
  );
  return {
    from: address,
    username: typeof username === 'string' ? username : undefined,
    vCluster: typeof vCluster === 'string' ? vCluster : 'passthrough',
    lifetimeSeconds: typeof lifetime === 'number' ? lifetime : undefined,
  };
}

/** The command that issues another one. */
export function commandFor({ username = 'NAME', vCluster, lifetimeSeconds }: Token): string {
  const lifetime = lifetimeSeconds === undefined ? 'DURATION' : `${lifetimeSeconds}s`;
  const words = ['--account', username, '--virtual-cluster', vCluster, '--lifetime', lifetime];
  return `gwconf token issue ${words.map(wordForShell).join(' ')}`;
}
