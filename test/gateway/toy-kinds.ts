import { defineKind } from '../../src/schema/define-kind.ts';
import type { Resource, Scope } from '../../src/model/resource.ts';

const anything = { metadata: { type: 'object' }, spec: { type: 'object' } };

/** Identified by its name; deleted by path. */
export const shelf = defineKind<Resource<'Shelf'>>({
  name: 'Shelf',
  summary: 'A shelf.',
  apiVersion: 'gateway/v2',
  collection: '/gateway/v2/shelf',
  removal: 'path',
  schema: anything,
  example: { apiVersion: 'gateway/v2', kind: 'Shelf', metadata: { name: 'top' }, spec: {} },
});

type Book = Resource<'Book', { readonly name: string; readonly vCluster?: string }>;
/** Identified by its name and virtual cluster; deleted by body. */
export const book = defineKind<Book>({
  name: 'Book',
  summary: 'A book on a shelf.',
  apiVersion: 'gateway/v2',
  collection: '/gateway/v2/book',
  removal: 'body',
  schema: anything,
  example: { apiVersion: 'gateway/v2', kind: 'Book', metadata: { name: 'ulysses' }, spec: {} },
  defaults: { '/metadata/vCluster': 'passthrough' },
  scope: { vCluster: '/metadata/vCluster' },
});

type Rule = Resource<'Rule', { readonly name: string; readonly scope?: Scope }>;
/** Identified by its name and whole scope; deleted by path and body. */
export const rule = defineKind<Rule>({
  name: 'Rule',
  summary: 'A rule of the library.',
  apiVersion: 'gateway/v2',
  collection: '/gateway/v2/rule',
  removal: 'path-and-body',
  schema: {
    metadata: { properties: { scope: { properties: { vCluster: { type: ['string', 'null'] } } } } },
    spec: { type: 'object' },
  },
  example: { apiVersion: 'gateway/v2', kind: 'Rule', metadata: { name: 'silence' }, spec: {} },
  defaults: { '/metadata/scope': {}, '/metadata/scope/vCluster': 'passthrough' },
  scope: {
    vCluster: '/metadata/scope/vCluster',
    group: '/metadata/scope/group',
    username: '/metadata/scope/username',
  },
});

/** Its items have another shape; nobody writes it. */
export const author = defineKind<Resource<'Author'>>({
  name: 'Author',
  summary: 'An author. Read-only.',
  apiVersion: 'gateway/v2',
  collection: '/gateway/v2/author',
  read: ({ author: name, ...spec }) => ({
    apiVersion: 'gateway/v2',
    kind: 'Author',
    metadata: { name: typeof name === 'string' ? name : '' },
    spec,
  }),
  schema: anything,
  example: { apiVersion: 'gateway/v2', kind: 'Author', metadata: { name: 'joyce' }, spec: {} },
});
