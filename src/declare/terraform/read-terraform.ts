import { addressIn } from '../../model/identity.ts';
import {
  sameJson,
  valueOf,
  type JsonObject,
  type Pointer,
  isList,
  isObject,
  joinPointer,
  parsePointer,
  type Json,
} from '../../model/json/json.ts';
import { type Kind, type KindSet, isNullable } from '../../model/kind.ts';
import { makeProblem, type Checked, type Problem } from '../../model/problem.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { isShown } from '../find-secrets.ts';
import { addOne, invalidState, readJsonMap, readState, type StateFault } from '../read-json.ts';
import {
  type Instance,
  type Instances,
  readRawState,
  readShownState,
  TOKEN,
  tokenOf,
  type Token,
} from './terraform-state.ts';

/** The gateway by a state of Terraform or OpenTofu. */
export type TerraformState = {
  readonly program: 'terraform' | 'tofu';
  readonly managed: ReadonlyMap<Address, Managed>;
  readonly tokens: readonly Token[];
  /** The number of resources of each type that are not of the gateway. */
  readonly others: ReadonlyMap<string, number>;
};
export type Managed = {
  readonly resource: Resource;
  /** Places whose values Terraform hides, with all that is below them. */
  readonly sensitive: readonly Pointer[];
  /** Its addresses in Terraform. */
  readonly from: readonly string[];
};

/** Types of resources begin with the name of their provider, whatever its registry is. */
const PROVIDER = 'conduktor_';
const OF_GATEWAY = `${PROVIDER}gateway_`;

/** Reads the output of `terraform show -json`, or a state file. */
export function readTerraform(
  text: string,
  name: string,
  kinds: KindSet,
): Checked<TerraformState | undefined> {
  const read = (map: JsonObject): Checked<TerraformState> =>
    sortOut(map['version'] === undefined ? readShownState(map) : readRawState(map), name, kinds);
  return readState(text, name, faultOf, read, SHOW_IT);
}

const SHOW_IT = 'write it with terraform show -json > FILE';

/** Why a map is not a state that can be read. */
function faultOf(map: JsonObject): StateFault | undefined {
  const [version, format] = [valueOf(map, 'version'), valueOf(map, 'format_version')];
  if (valueOf(map, 'encrypted_data') !== undefined)
    return { fault: 'is an encrypted state of OpenTofu', hint: 'write it with tofu show -json > FILE' };
  if (valueOf(map, 'planned_values') !== undefined || valueOf(map, 'resource_changes') !== undefined)
    return { fault: 'is a plan of Terraform, not a state', hint: SHOW_IT };
  if (typeof format === 'string')
    return /^[01]\./.test(format)
      ? undefined
      : { fault: `has the format version ${format}, which is not known`, hint: LATER };
  if (typeof version !== 'number' || valueOf(map, 'serial') === undefined)
    return { fault: 'is neither output of terraform show -json nor a state file', hint: SHOW_IT };
  return version === 4 ? undefined : { fault: `is a state of version ${version}; expected 4`, hint: SHOW_IT };
}
const LATER = 'use a later version of gwconf, or give it the state file itself: terraform state pull > FILE';

type Sorting = {
  readonly managed: Map<Address, Managed & { readonly from: string[] }>;
  readonly tokens: Token[];
  readonly others: Map<string, number>;
  readonly problems: Problem[];
};

function sortOut({ found, broken }: Instances, name: string, kinds: KindSet): Checked<TerraformState> {
  const byType = new Map(
    [...kinds.values()].flatMap((kind) =>
      kind.terraform === undefined ? [] : [[`${PROVIDER}${kind.terraform}`, kind]],
    ),
  );
  const sorting: Sorting = { managed: new Map(), tokens: [], others: new Map(), problems: [] };
  for (const instance of found) {
    const kind = byType.get(instance.type);
    if (!instance.type.startsWith(OF_GATEWAY)) addOne(sorting.others, instance.type);
    else if (instance.status === 'deposed')
      addProblem(sorting, instance, 'is left over from a replacement', LOOK);
    else if (instance.type === `${PROVIDER}${TOKEN}`) sorting.tokens.push(tokenOf(instance));
    else if (kind === undefined) {
      const message = `${instance.address} is of a type that gwconf does not know`;
      sorting.problems.push(makeProblem({ code: 'not-imported', message, hint: BY_HAND }));
    } else addManaged(kind, instance, sorting);
  }
  if (broken > 0) {
    const message = `${name} has ${broken} resources without a type, an address of that type, or attributes`;
    sorting.problems.push(invalidState(message, SHOW_IT));
  }
  // With an alias, each is in a state file as a provider of its own.
  const providers = new Set(
    found.flatMap(({ type, provider }) => (type.startsWith(OF_GATEWAY) ? [provider] : [])),
  );
  if (providers.size > 1) {
    const message = `${name} has objects of ${providers.size} configurations of the provider`;
    sorting.problems.push(makeProblem({ code: 'unclear-state', message, hint: SEVERAL }));
  }
  const isTofu = found.some(({ provider }) => provider.includes('registry.opentofu.org/'));
  const { problems, ...state } = sorting;
  return { value: { program: isTofu ? 'tofu' : 'terraform', ...state }, problems };
}

function addManaged(kind: Kind, instance: Instance, sorting: Sorting): void {
  const { value, sensitive, faults } = convert(kind, instance);
  for (const fault of faults) addProblem(sorting, instance, fault, 'compare its document with the gateway');
  const address = addressIn(kind, value);
  const resource = readResource(kind, value);
  if (address === undefined || typeof resource === 'string') {
    const why = typeof resource === 'string' ? resource : 'expected a name';
    const message = `${instance.address} cannot be taken over: ${why}`;
    sorting.problems.push(makeProblem({ code: 'not-imported', message, hint: BY_HAND }));
    return;
  }
  const shown = sensitive.find((place) => place.startsWith('/metadata') || isShown(kind, place));
  if (shown !== undefined)
    addProblem(sorting, instance, `has ${shown}, which Terraform hides, and files show`, LOOK_FOR_SECRETS);
  const known = sorting.managed.get(address);
  if (known !== undefined) {
    const values = sameJson(known.resource, resource) ? '' : ', with other values';
    addProblem(sorting, instance, `is ${address}, as ${known.from[0] ?? ''} is${values}`, TWICE);
  }
  if (known === undefined) sorting.managed.set(address, { resource, sensitive, from: [instance.address] });
  else known.from.push(instance.address);
  if (address.endsWith('@global'))
    addProblem(sorting, instance, 'applies to every client of the gateway', GLOBAL);
  if (instance.status === 'tainted')
    addProblem(sorting, instance, 'is tainted: Terraform would replace it', LOOK);
}

const LOOK = 'look whether the gateway has it as it should be';
const TWICE =
  'keep the values that this gateway has, and take out of the state only what is of this gateway: one of them may be of another';
const SEVERAL = 'if these are several gateways, name the objects of this one: gwconf import GLOB';
const LOOK_FOR_SECRETS = 'if it is a secret, replace it on the gateway first';
const BY_HAND = 'export it from the gateway, or write its document';
const GLOBAL =
  'the provider read a global interceptor; its next apply would have made another one, for passthrough only';

function readResource(kind: Kind, value: JsonObject): Resource | string {
  try {
    return kind.read(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return error.message;
  }
}

function addProblem({ problems }: Sorting, { address }: Instance, fault: string, hint: string): void {
  problems.push(makeProblem({ code: 'unclear-state', message: `${address} ${fault}`, hint }));
}

type Conversion = {
  /** Places of attributes that Terraform does not print, with all that is below them. */
  readonly hidden: ReadonlySet<Pointer>;
  /** These places in the resource. */
  readonly sensitive: Pointer[];
  /** Attributes that could not be taken over, as predicates: `has the attribute colour, which gwconf does not know`. */
  readonly faults: string[];
};

/**
 * Attributes of the provider as a resource of the API. Their names are those of the API in snake case, so the schema of the
 * kind says where each belongs, and where JSON text stands for an object.
 */
function convert(kind: Kind, { values, sensitive }: Instance): Conversion & { readonly value: JsonObject } {
  const conversion: Conversion = { hidden: new Set(sensitive), sensitive: [], faults: [] };
  const { spec = null, id: _, ...named } = values;
  if (conversion.hidden.has('')) conversion.sensitive.push('/spec');
  const metadata = readValue(named, kind.schema.metadata, { from: '', to: '/metadata' }, conversion);
  const below = readValue(spec, kind.schema.spec, { from: '/spec', to: '/spec' }, conversion);
  const { apiVersion, name } = kind;
  const value = { apiVersion, kind: name, metadata: metadata ?? {}, spec: below ?? {} };
  return { ...conversion, value };
}

type Places = { readonly from: Pointer; readonly to: Pointer };

/** Undefined for null, which is how the provider says that a value is absent. */
function readValue(
  value: Json,
  schema: Json | undefined,
  at: Places,
  conversion: Conversion,
): Json | undefined {
  if (value === null) return undefined;
  if (at.from !== '' && conversion.hidden.has(at.from)) conversion.sensitive.push(at.to);
  const properties = valueOf(schema, 'properties');
  if (isObject(properties) && isObject(value)) return readFields(value, properties, at, conversion);
  if (valueOf(schema, 'type') === 'object' && typeof value === 'string') {
    // The text of a plugin config.
    const read = readJsonMap(value);
    if ('map' in read) return read.map;
    conversion.faults.push(`has a ${parsePointer(at.to).at(-1) ?? ''} that ${read.fault}`);
    return undefined;
  }
  if (!isList(value)) return value;
  const items = valueOf(schema, 'items');
  return value.map((item, index) => readValue(item, items, below(at, index, index), conversion) ?? null);
}

function readFields(
  value: JsonObject,
  properties: JsonObject,
  at: Places,
  conversion: Conversion,
): JsonObject {
  const names = new Map(Object.keys(properties).map((name) => [name.toLowerCase(), name]));
  const fields: [string, Json][] = [];
  for (const [attribute, child] of Object.entries(value)) {
    const name = names.get(attribute.replaceAll('_', ''));
    if (name === undefined) {
      if (child !== null)
        conversion.faults.push(`has the attribute ${attribute}, which gwconf does not know`);
      continue;
    }
    const read = readValue(child, properties[name], below(at, attribute, name), conversion);
    if (read !== undefined) fields.push([name, read]);
  }
  return Object.fromEntries(fields.length === 0 ? nullsOf(value, names, properties) : fields);
}

/** Only if all of a map is null, each null is a value: the provider read a global interceptor. */
function nullsOf(
  value: JsonObject,
  names: ReadonlyMap<string, string>,
  properties: JsonObject,
): readonly [string, Json][] {
  const found = Object.keys(value).flatMap((attribute) => names.get(attribute.replaceAll('_', '')) ?? []);
  return found.every((name) => isNullable(properties[name])) ? found.map((name) => [name, null]) : [];
}

function below({ from, to }: Places, attribute: string | number, field: string | number): Places {
  return { from: joinPointer(from, attribute), to: joinPointer(to, field) };
}
