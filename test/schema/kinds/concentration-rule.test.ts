import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { referencesOf } from '../../../src/model/normal/normal-form.ts';
import { concentrationRule } from '../../../src/schema/kinds/concentration-rule.ts';
import { kindSuite, normal, refusals, refusalsOfSpec } from '../../support/kind-suite.ts';

kindSuite(concentrationRule, 'ConcentrationRule/events@vCluster=prod');

describe('a concentration rule', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    ['a name with a slash', { name: 'a/b' }, ['invalid-value /metadata/name']],
    ['a name with a dot', { name: 'a.b' }, []],
    ['a virtual cluster that is empty', { name: 'a', vCluster: '' }, ['invalid-value /metadata/vCluster']],
  ])('with %s', (_, metadata, expected) => {
    expect(refusals(concentrationRule, { metadata })).toEqual(expected);
  });

  it.each<[string, JsonObject, readonly string[]]>([
    ['an empty pattern', { pattern: '' }, ['invalid-value /spec/pattern']],
    ['a pattern that is a number', { pattern: 1 }, ['invalid-value /spec/pattern']],
    ['all physical topics', { physicalTopics: { delete: 'a', compact: 'b.c', deleteCompact: 'd' } }, []],
    [
      'no topic for deletes',
      { physicalTopics: { compact: 'b' } },
      ['missing-field /spec/physicalTopics/delete'],
    ],
    [
      'a topic with a space',
      { physicalTopics: { delete: 'a b' } },
      ['invalid-value /spec/physicalTopics/delete'],
    ],
    [
      'an unknown policy',
      { physicalTopics: { delete: 'a', both: 'b' } },
      ['unknown-field /spec/physicalTopics/both'],
    ],
    ['flags', { autoManaged: false, offsetCorrectness: true }, []],
    ['a text for a flag', { autoManaged: 'yes' }, ['invalid-value /spec/autoManaged']],
    ['a number for a flag', { offsetCorrectness: 1 }, ['invalid-value /spec/offsetCorrectness']],
  ])('with %s', (_, spec, expected) => {
    expect(refusalsOfSpec(concentrationRule, spec)).toEqual(expected);
  });

  it('needs a pattern and physical topics', () => {
    expect(refusals(concentrationRule, { spec: {} })).toEqual([
      'missing-field /spec/pattern',
      'missing-field /spec/physicalTopics',
    ]);
  });

  it('has defaults', () => {
    expect(
      normal(concentrationRule, { name: 'a' }, { pattern: 'x', physicalTopics: { delete: 't' } }),
    ).toMatchObject({
      metadata: { vCluster: 'passthrough' },
      spec: { autoManaged: false, offsetCorrectness: false, physicalTopics: { delete: 't' } },
    });
  });

  it('can be changed in place', () => {
    expect(concentrationRule.immutable).toEqual([]);
  });

  it('needs its virtual cluster', () => {
    expect(referencesOf(concentrationRule.example, concentrationRule)).toEqual([
      { to: 'VirtualCluster/prod', path: '/metadata/vCluster' },
    ]);
  });
});
