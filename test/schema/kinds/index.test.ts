import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { referencesOf } from '../../../src/model/normal/normal-form.ts';
import { isObject } from '../../../src/model/json/json.ts';
import { kindOf } from '../../../src/model/resource.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { examplesNeededBy, writableKinds } from '../../support/kinds.ts';

const kinds = [...catalog.kinds.values()];

describe('the catalogue', () => {
  it('has the kinds that only the gateway creates last', () => {
    expect(kinds.slice(0, writableKinds.length)).toEqual(writableKinds);
  });

  it('has examples that refer only to other examples', () => {
    for (const kind of kinds) expect(() => examplesNeededBy(kind)).not.toThrow();
  });

  it('has every kind that a file of the folder makes', async () => {
    const folder = new URL('../../../src/schema/kinds/', import.meta.url);
    const known: readonly unknown[] = [...kinds, ...catalog.ownKinds.values()];
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.ts'))) {
      const made = (await import(new URL(file, folder).href)) as Readonly<Record<string, unknown>>;
      const forms = Object.values(made).filter((value) => isObject(value) && 'summary' in value);
      for (const form of forms) expect(known, file).toContain(form);
    }
  });

  it('has no name twice, aliases included', () => {
    const names = [...kinds.flatMap(({ name, aliases }) => [name, ...aliases]), ...catalog.ownKinds.keys()];
    expect(new Set(names).size).toBe(names.length);
  });

  it('has kinds that refer to kinds before them only, so that they form no cycle', () => {
    for (const kind of kinds) {
      const earlier = kinds.slice(0, kinds.indexOf(kind)).map(({ name }) => name);
      for (const { to } of referencesOf(kind.example, kind)) expect(earlier).toContain(kindOf(to));
    }
  });

  it('has an item that is no resource thrown out when it is read', () => {
    for (const item of [null, [], 'x', {}, { metadata: {} }, { metadata: { name: 1 }, spec: {} }]) {
      expect(() => catalog.kinds.get('AliasTopic')?.read(item)).toThrow(TypeError);
    }
  });
});
