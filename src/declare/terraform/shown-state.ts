import {
  isList,
  isObject,
  joinPointer,
  entriesOf,
  valueOf,
  type Json,
  type JsonObject,
  type Pointer,
} from '../../model/json/json.ts';
import { isAddress, type Instance, type Instances } from './instance.ts';

/** The managed resources in the output of `terraform show -json`. */
export function readShownState(state: JsonObject): Instances {
  const found: Instance[] = [];
  let broken = 0;
  const modules: (Json | undefined)[] = [valueOf(valueOf(state, 'values'), 'root_module')];
  for (const module of modules) {
    for (const child of listAt(module, 'child_modules')) modules.push(child);
    for (const resource of listAt(module, 'resources')) {
      if (valueOf(resource, 'mode') === 'data') continue;
      const instance = instanceOf(resource);
      if (instance === undefined) broken += 1;
      else found.push(instance);
    }
  }
  return { found, broken };
}

function instanceOf(resource: Json): Instance | undefined {
  const [address, type, values] = ['address', 'type', 'values'].map((key) => valueOf(resource, key));
  if (typeof address !== 'string' || typeof type !== 'string' || !isObject(values)) return undefined;
  if (!isAddress(address)) return undefined;
  const provider = valueOf(resource, 'provider_name');
  const sensitive = placesOfTrue(valueOf(resource, 'sensitive_values') ?? {});
  const about = { address, type, provider: typeof provider === 'string' ? provider : '', values, sensitive };
  if (valueOf(resource, 'deposed_key') !== undefined) return { ...about, status: 'deposed' };
  return valueOf(resource, 'tainted') === true ? { ...about, status: 'tainted' } : about;
}

/** `sensitive_values` has the shape of `values`, with `true` for what is sensitive. */
function placesOfTrue(value: Json, path: Pointer = '', places: Pointer[] = []): readonly Pointer[] {
  if (value === true) places.push(path);
  for (const [key, child] of entriesOf(value)) placesOfTrue(child, joinPointer(path, key), places);
  return places;
}

function listAt(value: Json | undefined, key: string): readonly Json[] {
  const list = valueOf(value, key);
  return isList(list) ? list : [];
}
