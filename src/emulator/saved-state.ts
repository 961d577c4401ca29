import { GatewayError } from '../gateway/gateway.ts';
import { isList, isObject, valueAt, type Json, type JsonObject } from '../model/json/json.ts';
import type { KindSet } from '../model/kind.ts';
import { identify } from '../model/identity.ts';
import { asValid, type Parsed } from '../model/resource.ts';
import { toStoredForm } from './rules/forms.ts';
import { rulesOf } from './rules/kind-rules.ts';
import { bodyFault } from './rules/body-shape.ts';
import type { State } from './embedded-state.ts';
import { forTerminal } from '../model/text/escape.ts';
import { printJson } from '../model/json/json-text.ts';

export const STATE_FORMAT = 'gwconf/gateway-state@1';

/** The resources of an embedded gateway, as plain JSON. */
export type Snapshot = {
  readonly format: typeof STATE_FORMAT;
  readonly version: string;
  /** The description of the kinds that it serves beside our own. */
  readonly kinds?: JsonObject;
  readonly resources: readonly Parsed[];
  /** What only v1 shows of a resource, by address. */
  readonly v1?: { readonly [address: string]: JsonObject };
};

export function takeSnapshot({ kinds, store, version, description }: State): Snapshot {
  const v1 = [...store.allV1Fields()];
  return {
    format: STATE_FORMAT,
    version,
    ...(description === undefined ? {} : { kinds: description }),
    resources: [...kinds.keys()].flatMap((kind) => [...store.all(kind)]),
    ...(v1.length === 0 ? {} : { v1: Object.fromEntries(v1) }),
  };
}

/** As the text of a file: one resource a line, for readable diffs. */
export function encodeSnapshot({ format, version, kinds, resources, v1 }: Snapshot): string {
  const lines = resources.map((resource) => `\n    ${printJson(resource)}`);
  const more = v1 === undefined ? '' : `,\n  "v1": ${printJson(v1)}`;
  const described = kinds === undefined ? '' : `,\n  "kinds": ${printJson(kinds)}`;
  const head = `  "format": ${JSON.stringify(format)},\n  "version": ${JSON.stringify(version)}${described}${more}`;
  return forTerminal(
    `{\n${head},\n  "resources": [${lines.join(',')}${lines.length === 0 ? '' : '\n  '}]\n}\n`,
  );
}

/** Throws a GatewayError `not-understood` that says what is wrong. */
export function readSnapshot(value: unknown): Snapshot {
  if (!isObject(value)) throw notUnderstood('the gateway state is not a JSON object');
  const { format, version, kinds, resources, v1 = {} } = value;
  if (format !== STATE_FORMAT) {
    throw notUnderstood(
      `expected gateway state of format ${STATE_FORMAT}; found ${format === undefined ? 'none' : JSON.stringify(format)}`,
    );
  }
  if (typeof version !== 'string') throw notUnderstood('the gateway state has no version');
  if (!isList(resources)) throw notUnderstood('the gateway state has no list of resources');
  if (kinds !== undefined && !isObject(kinds))
    throw notUnderstood('the kinds of the gateway state are not a JSON object');
  if (!isObject(v1)) throw notUnderstood('the v1 fields of the gateway state are not a JSON object');
  const fields = Object.entries(v1).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
  return {
    format: STATE_FORMAT,
    version,
    ...(kinds === undefined ? {} : { kinds }),
    resources: resources.map(asObject),
    v1: Object.fromEntries(fields),
  };
}

function asObject(value: Json, at: number): Parsed {
  const name = valueAt(value, '/metadata/name');
  if (isObject(value) && typeof value['kind'] === 'string' && typeof name === 'string') return value;
  throw notUnderstood(`resource ${at} of the gateway state has no kind or metadata.name`);
}

/** Stores the resources as they are. Throws a GatewayError `not-understood` for one that is invalid or a duplicate. */
export function restore({ resources, v1 = {} }: Snapshot, kinds: KindSet, { store, version }: State): void {
  for (const [at, resource] of resources.entries()) {
    const name = resource['kind'];
    const kind = typeof name === 'string' ? kinds.get(name) : undefined;
    if (kind === undefined)
      throw notUnderstood(
        `the gateway state has a resource of unknown kind ${typeof name === 'string' ? name : 'none'}`,
      );
    const fault = bodyFault(kind, resource, rulesOf(kind).anyNameInV1 === true);
    if (fault !== undefined) throw notUnderstood(`resource ${at} of the gateway state is invalid: ${fault}`);
    const stored = toStoredForm(kind, asValid(resource), version);
    const address = identify(kind, stored);
    if (store.get(address) !== undefined) throw notUnderstood(`the gateway state has ${address} twice`);
    store.set(kind, address, stored);
    const fields = v1[address];
    if (fields !== undefined) store.setV1Fields(address, fields);
  }
}

const hint = 'start from a file that gwconf wrote, or from none';

function notUnderstood(message: string): GatewayError {
  return new GatewayError('not-understood', message, { hint });
}
