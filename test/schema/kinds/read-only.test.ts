import { describe, expect, it } from 'vitest';
import { identify } from '../../../src/model/identity.ts';
import { concentratedTopic } from '../../../src/schema/kinds/concentrated-topic.ts';
import { plugin } from '../../../src/schema/kinds/plugin.ts';
import { violationsOf } from '../../../src/schema/validate.ts';

describe.each([concentratedTopic, plugin])('a $name', ({ example, schema, removal, summary }) => {
  it('can only be read', () => {
    expect(removal).toBeUndefined();
    expect(summary).toMatch(/Read-only\.$/);
  });

  it('is as its example is', () => {
    expect(violationsOf(schema.metadata, example.metadata)).toEqual([]);
    expect(violationsOf(schema.spec, example.spec)).toEqual([]);
  });
});

it('a concentrated topic is identified by name and virtual cluster', () => {
  expect(identify(concentratedTopic, concentratedTopic.example)).toBe(
    'ConcentratedTopic/events-clicks@vCluster=prod',
  );
  expect(identify(concentratedTopic, { ...concentratedTopic.example, metadata: { name: 'a' } })).toBe(
    'ConcentratedTopic/a@vCluster=passthrough',
  );
});

it('a plugin is read from a shape of its own', () => {
  expect(plugin.read({ plugin: 'io.x.Audit', pluginId: 'Audit', readme: '#', version: '1' })).toEqual({
    apiVersion: 'gateway/v2',
    kind: 'Plugin',
    metadata: { name: 'io.x.Audit' },
    spec: { pluginId: 'Audit', readme: '#', version: '1' },
  });
});
