import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { referencesOf } from '../../../src/model/normal/normal-form.ts';
import { aliasTopic } from '../../../src/schema/kinds/alias-topic.ts';
import { problemsOf } from '../../support/expect-problems.ts';
import { kindSuite, normal, refusals, refusalsOfSpec } from '../../support/kind-suite.ts';

kindSuite(aliasTopic, 'AliasTopic/orders@vCluster=prod');

describe('an alias topic', () => {
  it('rejects an empty physical name', () => {
    expect(
      problemsOf(`
        apiVersion: gateway/v2
        kind: AliasTopic
        metadata: { name: orders }
        spec: { physicalName: "" }
      `),
    ).toEqual([{ code: 'invalid-value', at: '4:23', path: '/spec/physicalName' }]);
  });

  it.each<[string, JsonObject, readonly string[]]>([
    ['a name with a dot', { name: 'a.b' }, []],
    ['a name with a space', { name: 'a b' }, ['invalid-value /metadata/name']],
    ['a name that is empty', { name: '' }, ['invalid-value /metadata/name']],
    ['a name that is a number', { name: 7 }, ['invalid-value /metadata/name']],
    ['a virtual cluster with a dot', { name: 'a', vCluster: 'b.c' }, []],
    ['a virtual cluster with a slash', { name: 'a', vCluster: 'b/c' }, ['invalid-value /metadata/vCluster']],
    ['a virtual cluster that is null', { name: 'a', vCluster: null }, ['invalid-value /metadata/vCluster']],
  ])('with %s', (_, metadata, expected) => {
    expect(refusals(aliasTopic, { metadata })).toEqual(expected);
  });

  it.each<[string, JsonObject, readonly string[]]>([
    ['a physical name with a slash', { physicalName: 'a/b' }, ['invalid-value /spec/physicalName']],
    ['a physical cluster', { physicalCluster: 'second' }, []],
    ['an empty physical cluster', { physicalCluster: '' }, ['invalid-value /spec/physicalCluster']],
  ])('with %s', (_, spec, expected) => {
    expect(refusalsOfSpec(aliasTopic, spec)).toEqual(expected);
  });

  it('needs a physical name', () => {
    expect(refusals(aliasTopic, { spec: {} })).toEqual(['missing-field /spec/physicalName']);
  });

  it('has defaults', () => {
    expect(normal(aliasTopic, { name: 'a' }, { physicalName: 't' })).toMatchObject({
      metadata: { name: 'a', vCluster: 'passthrough' },
      spec: { physicalName: 't', physicalCluster: 'main' },
    });
  });

  it('keeps its physical cluster for life', () => {
    expect(aliasTopic.immutable).toEqual(['/spec/physicalCluster']);
  });

  it('needs its virtual cluster, and passthrough is always there', () => {
    expect(referencesOf(aliasTopic.example, aliasTopic)).toEqual([
      { to: 'VirtualCluster/prod', path: '/metadata/vCluster' },
    ]);
    const { vCluster: _, ...metadata } = { vCluster: '', ...aliasTopic.example.metadata };
    expect(referencesOf({ ...aliasTopic.example, metadata }, aliasTopic)).toEqual([
      { to: 'VirtualCluster/passthrough', path: '/metadata/vCluster' },
    ]);
  });
});
