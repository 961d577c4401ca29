import fc from '../../support/fast-check.ts';
import { expect, it } from 'vitest';
import { readTerraform } from '../../../src/declare/terraform/read-terraform.ts';
import { identify } from '../../../src/model/identity.ts';
import { isList, isObject, valueOf, type Json, type JsonObject } from '../../../src/model/json/json.ts';
import { normalForm, withDefaults } from '../../../src/model/normal/normal-form.ts';
import type { Kind } from '../../../src/model/kind.ts';
import type { Resource } from '../../../src/model/resource.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { state } from '../../support/generate.ts';
import { rawState, shownState, type TerraformResource } from '../../support/terraform.ts';

function kindOf(name: string): Kind {
  const kind = [...catalog.kinds.values()].find((one) => one.name === name || one.aliases.includes(name));
  if (kind === undefined) throw new Error(`no kind is called ${name}`);
  return kind;
}

/** As the provider keeps what it has read from the gateway. */
function asTerraform(resource: Resource, at: number): TerraformResource {
  const kind = kindOf(resource.kind);
  const { metadata, spec } = withDefaults(kind, resource);
  const scope = valueOf(metadata, 'scope');
  const config = valueOf(spec, 'config');
  const values = {
    name: metadata.name,
    ...(metadata['vCluster'] === undefined ? {} : { vcluster: metadata['vCluster'] }),
    ...(isObject(scope) ? { scope: lowerKeys(scope) } : {}),
    spec: {
      comment: null,
      ...(snakeKeys(spec) as JsonObject), // of an object
      ...(config === undefined ? {} : { config: JSON.stringify(config) }),
    },
  };
  return { type: kind.terraform ?? '', name: `r${at}`, values };
}

function lowerKeys(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key.toLowerCase(), child]));
}

function snakeKeys(value: Json): Json {
  if (isList(value)) return value.map(snakeKeys);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      snakeKeys(child),
    ]),
  );
}

it.each([
  ['a state file', rawState],
  ['the output of terraform show', shownState],
])('what the provider has read from a gateway is what the gateway has: %s', (_, print) => {
  fc.assert(
    fc.property(state, (resources) => {
      const own = resources.filter(({ kind }) => kindOf(kind).terraform !== undefined);
      const text = print(...own.map(asTerraform));
      const { value } = readTerraform(text, 'state.json', catalog.kinds);
      const formOf = (resource: Resource): readonly [string, Resource] => [
        identify(kindOf(resource.kind), resource),
        normalForm(kindOf(resource.kind), resource),
      ];
      const read = [...(value?.managed.values() ?? [])].map(({ resource }) => formOf(resource));
      expect(new Map(read)).toEqual(new Map(own.map(formOf)));
    }),
  );
});
