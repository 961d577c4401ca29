import { isList, isObject, type Json, type JsonObject } from '../model/json/json.ts';
import { GROUP, KIND, PLURAL, VERSION } from './resource.ts';
import { spec, status } from './resource-shape.ts';

/** The custom resource definition, as `deploy/` has it. */
export function makeCrd(): JsonObject {
  const column = (name: string, jsonPath: string, type = 'string', more: JsonObject = {}): JsonObject => ({
    name,
    type,
    jsonPath,
    ...more,
  });
  const schema = {
    type: 'object',
    description: 'Keeps a Conduktor Gateway as the files of a project say.',
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: structural(spec),
      status: structural(status),
    },
  };
  const version = {
    name: VERSION,
    served: true,
    storage: true,
    additionalPrinterColumns: [
      column('Environment', '.spec.environment'),
      column('Mode', '.spec.mode'),
      column('Ready', '.status.conditions[?(@.type=="Ready")].status'),
      column('Changes', '.status.changes.total', 'integer'),
      column('Age', '.metadata.creationTimestamp', 'date'),
      column('Status', '.status.conditions[?(@.type=="Ready")].message', 'string', { priority: 1 }),
      column('Revision', '.status.lastAppliedRevision', 'string', { priority: 1 }),
    ],
    schema: { openAPIV3Schema: schema },
    subresources: { status: {} },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${PLURAL}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: {
        kind: KIND,
        listKind: `${KIND}List`,
        plural: PLURAL,
        singular: 'gatewayconfig',
        shortNames: ['gwc'],
      },
      versions: [version],
    },
  };
}

/** A shape as a structural schema: the API server drops the fields that it does not name, so it needs not forbid them. */
function structural(shape: object): JsonObject {
  return strip(JSON.parse(JSON.stringify(shape)) as Json) as JsonObject; // without the marks of TypeBox
}

function strip(value: Json): Json {
  if (isList(value)) return value.map(strip);
  if (!isObject(value)) return value;
  const { additionalProperties: _, format, ...rest } = value;
  const kept = Object.entries(rest).map(([key, child]) => [key, strip(child)] as const);
  const words = isList(value['enum']) ? { type: 'string' } : {};
  return { ...words, ...Object.fromEntries(kept), ...(format === 'date-time' ? { format } : {}) };
}
