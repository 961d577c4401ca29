import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/model/json/json.ts';
import { misfit } from '../../../src/model/json/shape.ts';

const schema: Json = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string' },
    count: { type: 'integer' },
    where: { type: ['string', 'null'] },
    any: {},
    members: {
      type: 'array',
      items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    },
  },
};

describe('a value beside its schema', () => {
  it.each<[string, Json]>([
    ['of the right types', { name: 'a', count: 1, members: [{ name: 'b' }] }],
    ['with fields that the schema does not know', { new: [7], any: { a: 1 } }],
    ['with null for a field that is left out', { name: null, count: null, members: null }],
    ['with more in an item', { members: [{ name: 'b', new: 1 }] }],
  ])('fits, %s', (_, value) => {
    expect(misfit(value, schema)).toBeUndefined();
  });

  it.each<[string, Json]>([
    ['expected an object, found a list', []],
    ['expected an object, found null', null],
    ['expected a text in /name, found a number', { name: 1 }],
    ['expected a text or null in /where, found true or false', { where: false }],
    ['expected a number in /count, found a text', { count: '1' }],
    ['expected a list in /members, found an object', { members: {} }],
    ['expected an object in /members/1, found null', { members: [{ name: 'b' }, null] }],
    ['expected name in /members/0', { members: [{}] }],
    ['expected name in /members/0', { members: [{ name: null }] }],
  ])('%s', (fault, value) => {
    expect(misfit(value, schema)).toBe(fault);
  });
});
