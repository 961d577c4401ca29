import { GatewayError } from '../gateway/gateway.ts';
import { isList, isObject, valueAt, type Json } from '../model/json/json.ts';
import type { KindSet } from '../model/kind.ts';
import { identify } from '../model/identity.ts';
import { asValid, type Parsed } from '../model/resource.ts';
import { toStoredForm } from './rules/forms.ts';
import { bodyFault } from './rules/shape.ts';
import type { State } from './state/state.ts';
import { forTerminal } from '../model/text/escape.ts';

export const STATE_FORMAT = 'gwconf/gateway-state@1';

/** The resources of an embedded gateway, as plain JSON. */
export type Snapshot = {
  readonly format: typeof STATE_FORMAT;
  readonly version: string;
  readonly resources: readonly Parsed[];
};

export function takeSnapshot({ kinds, store, version }: State): Snapshot {
  return {
    format: STATE_FORMAT,
    version,
    resources: [...kinds.keys()].flatMap((kind) => [...store.all(kind)]),
  };
}

/** As the text of a file: one resource a line, for readable diffs. */
export function encodeSnapshot({ format, version, resources }: Snapshot): string {
  const lines = resources.map((resource) => `\n    ${JSON.stringify(resource)}`);
  const head = `  "format": ${JSON.stringify(format)},\n  "version": ${JSON.stringify(version)}`;
  return forTerminal(
    `{\n${head},\n  "resources": [${lines.join(',')}${lines.length === 0 ? '' : '\n  '}]\n}\n`,
  );
}

/** Throws a GatewayError `not-understood` that says what is wrong. */
export function readSnapshot(value: unknown): Snapshot {
  if (!isObject(value)) throw notUnderstood('the gateway state is not a JSON object');
  const { format, version, resources } = value;
  if (format !== STATE_FORMAT) {
    throw notUnderstood(`expected gateway state of format ${STATE_FORMAT}; found ${JSON.stringify(format)}`);
  }
  if (typeof version !== 'string') throw notUnderstood('the gateway state has no version');
  if (!isList(resources)) throw notUnderstood('the gateway state has no list of resources');
  return { format: STATE_FORMAT, version, resources: resources.map(asObject) };
}

function asObject(value: Json, at: number): Parsed {
  const name = valueAt(value, '/metadata/name');
  if (isObject(value) && typeof value['kind'] === 'string' && typeof name === 'string') return value;
  throw notUnderstood(`resource ${at} of the gateway state has no kind or metadata.name`);
}

/** Stores the resources as they are. Throws a GatewayError `not-understood` for one that is invalid or a duplicate. */
export function restore({ resources }: Snapshot, kinds: KindSet, { store, version }: State): void {
  for (const [at, resource] of resources.entries()) {
    const name = resource['kind'];
    const kind = typeof name === 'string' ? kinds.get(name) : undefined;
    if (kind === undefined)
      throw notUnderstood(
        `the gateway state has a resource of unknown kind ${typeof name === 'string' ? name : 'none'}`,
      );
    const fault = bodyFault(kind, resource);
    if (fault !== undefined) throw notUnderstood(`resource ${at} of the gateway state is invalid: ${fault}`);
    const stored = toStoredForm(kind, asValid(resource), version);
    const address = identify(kind, stored);
    if (store.get(address) !== undefined) throw notUnderstood(`the gateway state has ${address} twice`);
    store.set(kind, address, stored);
  }
}

const hint = 'start from a file that gwconf wrote, or from none';

function notUnderstood(message: string): GatewayError {
  return new GatewayError('not-understood', message, { hint });
}
