import type { JsonObject } from '../../src/model/json/json.ts';
import type { Kind, KindSet } from '../../src/model/kind.ts';
import { defineKind } from '../../src/schema/define-kind.ts';
import { identify } from '../../src/model/identity.ts';
import { asValid, type Address, type Resource } from '../../src/model/resource.ts';
import type { Declared, DesiredState, LiveState } from '../../src/model/state.ts';

const anything: JsonObject = { type: 'object' };

function toy(
  name: string,
): Pick<Kind, 'name' | 'summary' | 'apiVersion' | 'collection' | 'schema' | 'example'> {
  return {
    name,
    summary: `A ${name}.`,
    apiVersion: 'gateway/v2',
    collection: `/gateway/v2/${name.toLowerCase()}`,
    schema: { metadata: anything, spec: anything },
    example: toyOf(`${name}/a`),
  };
}

/** A thing that hangs on others: `needs` are things, a set; `key` is unique; `born` is for life. */
export const thing = defineKind({
  ...toy('Thing'),
  removal: 'path',
  sets: ['/spec/needs'],
  unique: ['/spec/key'],
  immutable: ['/spec/born'],
  references: { '/spec/needs/*': 'Thing' },
});

/** A place that people are in, with things that are lost with it; one of them is always there. */
export const room = defineKind({
  ...toy('Room'),
  removal: 'path',
  builtIn: ['lobby'],
  immutable: ['/spec/floor'],
  holds: 'the furniture in it',
});

/** Someone in a room, with a badge that nobody else has; born once. */
export const person = defineKind({
  ...toy('Person'),
  removal: 'body',
  unique: ['/spec/badge'],
  immutable: ['/spec/born'],
  references: { '/spec/room': 'Room' },
});

/** Some people, in no order. */
export const team = defineKind({
  ...toy('Team'),
  removal: 'path',
  sets: ['/spec/members'],
  references: { '/spec/members/*': 'Person' },
});

export const toyKinds: KindSet = new Map([room, person, team, thing].map((kind) => [kind.name, kind]));

/** A resource of a toy kind: `toyOf('Room/attic', { floor: 3 })`. */
export function toyOf(address: string, spec: JsonObject = {}): Resource {
  const [kind = '', name = ''] = address.split('/');
  return asValid({ apiVersion: 'gateway/v2', kind, metadata: { name }, spec });
}

export type Toys = Readonly<Record<string, JsonObject>>;

/** What files ask for: specs by address, each in a file of its own. */
export function desiredOf(toys: Toys, kinds: KindSet = toyKinds): DesiredState {
  return new Map(
    Object.entries(toys).map(([address, spec]): [Address, Declared] => {
      const resource = toyOf(address, spec);
      const file = { path: `${address}.yaml`, text: JSON.stringify(resource) };
      const declared: Declared = {
        address: addressIn(resource, kinds),
        resource,
        document: { file, index: 0, offset: 0 },
        at: { file: file.path, line: 1, column: 1 },
      };
      return [declared.address, declared];
    }),
  );
}

/** What the gateway has: specs by address. */
export function liveOf(
  toys: Toys,
  kinds: KindSet = toyKinds,
  unavailable: Readonly<Record<string, string>> = {},
): LiveState {
  return {
    resources: new Map(
      Object.entries(toys).map(([address, spec]) => {
        const resource = toyOf(address, spec);
        return [addressIn(resource, kinds), resource];
      }),
    ),
    unavailable: new Map(Object.entries(unavailable)),
  };
}

function addressIn(resource: Resource, kinds: KindSet): Address {
  const kind = kinds.get(resource.kind);
  if (kind === undefined) throw new Error(`no kind is named ${resource.kind}`);
  return identify(kind, resource);
}
