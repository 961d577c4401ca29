import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/model/json/json.ts';
import { defineKind } from '../../src/schema/define-kind.ts';

const metadata = { name: 'a' };
const thing = defineKind({
  name: 'Thing',
  aliases: ['OldThing'],
  summary: 'A thing.',
  apiVersion: 'gateway/v2',
  collection: '/gateway/v2/thing',
  schema: {
    metadata: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    spec: {
      type: 'object',
      required: ['count'],
      additionalProperties: false,
      properties: {
        count: { type: 'integer', minimum: 1 },
        size: { enum: ['S', 'L'] },
        where: { type: ['string', 'null'] },
        any: {},
        members: {
          type: 'array',
          items: {
            type: 'object',
            required: ['name'],
            additionalProperties: false,
            properties: { name: { type: 'string' }, role: { type: 'string' } },
          },
        },
      },
    },
  },
  example: { apiVersion: 'gateway/v2', kind: 'Thing', metadata, spec: { count: 1 } },
});

function read(spec: JsonObject): Json {
  return thing.read({ apiVersion: 'gateway/v2', kind: 'Thing', metadata, spec }).spec;
}

describe('a listed item', () => {
  it.each<[string, JsonObject]>([
    ['as files have it', { count: 1, size: 'S', members: [{ name: 'b' }] }],
    ['with fields that the schema does not know', { new: [7], any: { a: 1 } }],
    ['with values that it does not know', { size: 'XL', count: 0 }],
    ['with null for a field that is left out', { count: null, members: null, where: null }],
    ['with more or less in an item', { members: [{ name: 'b', role: null, new: 1 }] }],
  ])('is a resource, %s', (_, spec) => {
    expect(read(spec)).toBe(spec);
  });

  it('may leave out its kind, or have it under another name', () => {
    expect(thing.read({ metadata, spec: {} })).toEqual({ metadata, spec: {} });
    expect(thing.read({ kind: 'OldThing', metadata, spec: {} })).toMatchObject({ kind: 'OldThing' });
  });

  it.each<[string, JsonObject]>([
    ['expected text or null in /spec/where, found true or false', { where: false }],
    ['expected a number or null in /spec/count, found text', { count: '1' }],
    ['expected a list or null in /spec/members, found a map', { members: {} }],
    ['expected a map in /spec/members/1, found null', { members: [{ name: 'b' }, null] }],
    ['expected name in /spec/members/0', { members: [{}] }],
    ['expected text in /spec/members/0/name, found null', { members: [{ name: null }] }],
  ])('is none where types are others: %s', (message, spec) => {
    expect(() => read(spec)).toThrow(new TypeError(message));
  });

  it.each<[string, Json]>([
    ['expected a map, found a list', []],
    ['expected a map, found null', null],
    ['expected metadata.name and spec', { metadata: {}, spec: {} }],
    ['expected text or null in /metadata/name, found a number', { metadata: { name: 1 }, spec: {} }],
    ['expected metadata.name and spec', { metadata }],
    ['expected kind Thing, found "Person"', { kind: 'Person', metadata, spec: {} }],
  ])('is none: %s', (message, item) => {
    expect(() => thing.read(item)).toThrow(new TypeError(message));
  });
});
