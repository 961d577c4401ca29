import { addressIn } from '../model/identity.ts';
import { isList, valueOf, type JsonObject } from '../model/json/json.ts';
import type { KindSet } from '../model/kind.ts';
import type { Checked } from '../model/problem.ts';
import type { Address } from '../model/resource.ts';
import { formatCount } from '../model/text/list.ts';
import { addOne, invalidState, listAt, readState, type StateFault } from './read-json.ts';

/** The resources that the official CLI has applied, by its state file. */
export type CliState = {
  readonly managed: ReadonlySet<Address>;
  /** The number of resources of each kind that are not of the gateway. */
  readonly others: ReadonlyMap<string, number>;
};

/** Reads the state file of the official CLI, which names resources by kind and metadata, without their specs. */
export function readCliState(text: string, name: string, kinds: KindSet): Checked<CliState | undefined> {
  return readState(text, name, faultOf, (map) => sortOut(map, name, kinds), WHERE);
}

const WHERE =
  'name the file that conduktor apply --enable-state writes: that of --state-file, or cli-state.json in its default folder';

function faultOf(map: JsonObject): StateFault | undefined {
  const version = valueOf(map, 'version');
  if (typeof version !== 'string' || !isList(valueOf(map, 'resources')))
    return { fault: 'is not a state file of the official CLI', hint: WHERE };
  return version === 'v1' ? undefined : { fault: `has the version ${version}; expected v1`, hint: WHERE };
}

function sortOut(map: JsonObject, name: string, kinds: KindSet): Checked<CliState> {
  const managed = new Set<Address>();
  const others = new Map<string, number>();
  let broken = 0;
  const byName = new Map(
    [...kinds.values()].flatMap((kind) => [kind.name, ...kind.aliases].map((one) => [one, kind])),
  );
  for (const resource of listAt(map, 'resources')) {
    const [apiVersion, kindName] = ['apiVersion', 'kind'].map((key) => valueOf(resource, key));
    const kind = typeof kindName === 'string' ? byName.get(kindName) : undefined;
    // Kinds of Console and of the gateway can have one name: apiVersion tells them apart.
    if (kind?.removal === undefined || apiVersion !== kind.apiVersion) {
      if (typeof kindName === 'string') addOne(others, kindName);
      else broken += 1;
      continue;
    }
    const address = addressIn(kind, { metadata: valueOf(resource, 'metadata') ?? null });
    if (address === undefined) broken += 1;
    else managed.add(address);
  }
  const message = `${name} has ${formatCount(broken, 'resource')} without a kind, a name or a valid scope`;
  return { value: { managed, others }, problems: broken === 0 ? [] : [invalidState(message, WHERE)] };
}
