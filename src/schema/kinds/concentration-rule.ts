import { defineKind } from '../define-kind.ts';
import { closed, text } from '../closed.ts';
import type { FieldProblem } from '../../model/kind.ts';
import type { Resource } from '../../model/resource.ts';
import { checkPattern } from '../plugins/pattern-fields.ts';
import {
  BACKED_BY_KAFKA,
  gatewayV2,
  inVirtualCluster,
  kafkaName,
  topicName,
  vClusterName,
} from './common.ts';

export type ConcentrationRule = Resource<
  'ConcentrationRule',
  { readonly name: string; readonly vCluster?: string },
  {
    readonly pattern: string;
    readonly physicalTopics: {
      readonly delete: string;
      readonly compact?: string;
      readonly deleteCompact?: string;
    };
    readonly autoManaged?: boolean;
    readonly offsetCorrectness?: boolean;
  }
>;

// gateway-api A.6 ConcentrationRule
export const concentrationRule = defineKind<ConcentrationRule>({
  name: 'ConcentrationRule',
  summary: 'Stores topics whose names match a pattern together in a few physical topics.',
  ...gatewayV2('concentration-rule'),
  ...inVirtualCluster,
  topics: { by: 'pattern', at: '/spec/pattern' },
  storedIn: [
    '/spec/physicalTopics/delete',
    '/spec/physicalTopics/compact',
    '/spec/physicalTopics/deleteCompact',
  ],
  removal: 'body',
  schema: {
    metadata: closed(['name'], { name: kafkaName, vCluster: vClusterName }),
    spec: closed(['pattern', 'physicalTopics'], {
      pattern: { ...text, description: 'Regular expression for topic names.' },
      physicalTopics: {
        ...closed(['delete'], {
          delete: { ...topicName, description: 'For topics with cleanup.policy delete.' },
          compact: { ...topicName, description: 'For topics with cleanup.policy compact.' },
          deleteCompact: { ...topicName, description: 'For topics with cleanup.policy delete,compact.' },
        }),
        description: 'One physical topic per cleanup policy. They must exist unless autoManaged is true.',
      },
      autoManaged: {
        type: 'boolean',
        description: 'Whether the gateway creates and extends the physical topics. Default: false.',
      },
      offsetCorrectness: {
        type: 'boolean',
        description: 'Whether offsets of one topic are continuous. Default: false.',
      },
    }),
  },
  example: {
    apiVersion: 'gateway/v2',
    kind: 'ConcentrationRule',
    metadata: { name: 'events', vCluster: 'prod' },
    spec: { pattern: 'events-.*', physicalTopics: { delete: 'prod-events' }, autoManaged: true },
  },
  columns: [
    { title: 'PATTERN', at: '/spec/pattern' },
    { title: 'PHYSICAL TOPIC', at: '/spec/physicalTopics/delete' },
    { title: 'AUTO MANAGED', at: '/spec/autoManaged' },
  ],
  defaults: {
    '/metadata/vCluster': 'passthrough',
    '/spec/autoManaged': false,
    '/spec/offsetCorrectness': false,
  },
  absentIn: BACKED_BY_KAFKA,
  ages: [
    { at: ['spec', 'offsetCorrectness'], it: { since: '3.4.0' } },
    // False is the default and printed by servers, so it is not deprecated.
    { at: ['spec', 'offsetCorrectness'], it: { value: true, deprecated: '3.21.0', removed: '3.24.0' } },
  ],
  rules: (rule) => [
    rule(['/spec/pattern'], ({ spec }) => checkPattern(spec.pattern, '/spec/pattern')),
    rule(['/spec/physicalTopics'], ({ spec }) => checkTopics(spec.physicalTopics)),
  ],
});

// A topic has one cleanup policy, and the gateway rejects another one (gateway-api A.2).
function checkTopics(topics: ConcentrationRule['spec']['physicalTopics']): readonly FieldProblem[] {
  const names = Object.entries(topics);
  return names.flatMap(([policy, found], at): readonly FieldProblem[] => {
    const other = names.slice(0, at).find(([, name]) => name === found);
    if (other === undefined) return [];
    const message = `expected a topic for each cleanup policy; ${other[0]} and ${policy} have the same`;
    const hint = 'use another topic for one of them';
    return [{ code: 'unusual-value', path: `/spec/physicalTopics/${policy}`, message, found, hint }];
  });
}
