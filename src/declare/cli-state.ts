import { addressIn } from '../model/identity.ts';
import { isList, valueOf, type Json, type JsonObject } from '../model/json/json.ts';
import type { Kind, KindSet } from '../model/kind.ts';
import type { Checked } from '../model/problem.ts';
import type { Address } from '../model/resource.ts';
import { invalidState, readJsonMap } from './read-json.ts';

/** The resources that the official CLI has applied, by its state file. */
export type CliState = {
  readonly managed: ReadonlySet<Address>;
  /** The number of resources of each kind that are not of the gateway. */
  readonly others: ReadonlyMap<string, number>;
};

/** Reads the state file of the official CLI, which names resources by kind and metadata, without their specs. */
export function readCliState(text: string, name: string, kinds: KindSet): Checked<CliState | undefined> {
  const read = readJsonMap(text);
  const fault = 'fault' in read ? read.fault : faultOf(read.map);
  if ('fault' in read || fault !== undefined)
    return { value: undefined, problems: [invalidState(`${name} ${fault ?? ''}`, WHERE)] };
  const managed = new Set<Address>();
  const others = new Map<string, number>();
  let broken = 0;
  const byName = new Map(
    [...kinds.values()].flatMap((kind) => [kind.name, ...kind.aliases].map((one) => [one, kind])),
  );
  for (const resource of resourcesIn(read.map)) {
    const found = sortOne(resource, byName);
    if (found === undefined) broken += 1;
    else if ('address' in found) managed.add(found.address);
    else others.set(found.kind, (others.get(found.kind) ?? 0) + 1);
  }
  const message = `${name} has ${broken} resources without a kind, a name or a valid scope`;
  return {
    value: { managed, others },
    problems: broken === 0 ? [] : [invalidState(message, WHERE)],
  };
}

const WHERE =
  'name the file that conduktor apply --enable-state writes: that of --state-file, or cli-state.json in its default folder';

function faultOf(map: JsonObject): string | undefined {
  const version = valueOf(map, 'version');
  if (typeof version !== 'string' || !isList(valueOf(map, 'resources')))
    return 'is not a state file of the official CLI';
  return version === 'v1' ? undefined : `has the version ${version}; expected v1`;
}

function resourcesIn(map: JsonObject): readonly Json[] {
  const resources = map['resources'];
  return isList(resources) ? resources : [];
}

type Sorted = { readonly address: Address } | { readonly kind: string } | undefined;

/** Kinds of Console and of the gateway can have one name: apiVersion tells them apart. */
function sortOne(resource: Json, byName: ReadonlyMap<string, Kind>): Sorted {
  const [apiVersion, kindName] = ['apiVersion', 'kind'].map((key) => valueOf(resource, key));
  if (typeof kindName !== 'string') return undefined;
  const kind = byName.get(kindName);
  if (kind?.removal === undefined || apiVersion !== kind.apiVersion) return { kind: kindName };
  const address = addressIn(kind, { metadata: valueOf(resource, 'metadata') ?? null });
  return address === undefined ? undefined : { address };
}
