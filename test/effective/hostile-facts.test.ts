import { expect, test } from 'vitest';
import { chainsOf, makeEffectiveState } from '../../src/effective/effective-state.ts';
import { listExternalPrincipals, listPrincipals } from '../../src/effective/principals.ts';
import { changeAt, parsePointer, type Json, type JsonObject } from '../../src/model/json/json.ts';
import { asValid, type Address, type Resource } from '../../src/model/resource.ts';
import { assessChanges } from '../../src/plan/exposure/assess.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { pointersIn } from '../support/places.ts';

const VALUES: readonly Json[] = [null, true, 1e308, 'x', '', [], [null], [[]], { x: 1 }];
const rules = { own: ['*Plugin', 'Interceptor/*'] };

const told = [...catalog.kinds.values()].filter(({ facts }) => facts !== undefined);

test.each(told.map((kind) => [kind.name, kind] as const))(
  'a %s with values of any type ends in chains, not in a crash',
  (_, kind) => {
    const example = kind.example;
    for (const at of [...pointersIn(example.spec, '/spec'), '/metadata/scope', '/metadata/vCluster'] as const)
      for (const value of VALUES) {
        const odd = asValid(changeAt(example, parsePointer(at), () => value) as JsonObject); // not checked: it is hostile
        const resources = new Map<Address, Resource>(
          told.map((one) => [`${one.name}/a` as Address, one === kind ? odd : one.example]), // any address will do
        );
        const state = makeEffectiveState(resources, catalog.kinds);
        const principals = [...listPrincipals(state), ...listExternalPrincipals(state)];
        expect(principals.map(chainsOf(state)).flat().length).toBeGreaterThanOrEqual(0);
        const address = `${kind.name}/a` as Address;
        const about = { address, dependsOn: [], stage: 2 } as const;
        assessChanges(resources, [{ ...about, action: 'delete', before: odd }], catalog.kinds, rules);
      }
  },
);
