import {
  isList,
  isObject,
  joinPointer,
  valueOf,
  type Json,
  type JsonObject,
  type Pointer,
} from '../../model/json/json.ts';
import { isAddress, type Instance, type Instances } from './instance.ts';

/** The managed resources in a state file of version 4. */
export function readRawState(state: JsonObject): Instances {
  const found: Instance[] = [];
  let broken = 0;
  const resources = valueOf(state, 'resources');
  for (const resource of isList(resources) ? resources : []) {
    if (valueOf(resource, 'mode') === 'data') continue;
    const instances = valueOf(resource, 'instances');
    for (const written of isList(instances) ? instances : [null]) {
      const instance = instanceOf(resource, written);
      if (instance === undefined) broken += 1;
      else found.push(instance);
    }
  }
  return { found, broken };
}

function instanceOf(resource: Json, instance: Json): Instance | undefined {
  const [module = '', type, name] = ['module', 'type', 'name'].map((key) => valueOf(resource, key));
  const values = valueOf(instance, 'attributes');
  const index = printIndex(valueOf(instance, 'index_key') ?? null);
  if (typeof module !== 'string' || typeof type !== 'string' || typeof name !== 'string') return undefined;
  const address = `${module === '' ? '' : `${module}.`}${type}.${name}${index ?? ''}`;
  if (index === undefined || !isAddress(address) || !isObject(values)) return undefined;
  const written = valueOf(resource, 'provider');
  const provider = typeof written === 'string' ? written : '';
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
