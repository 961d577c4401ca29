import { addressOf } from '../../model/kind.ts';
import { defineKind } from '../define-kind.ts';
import type { Resource } from '../../model/resource.ts';
import { checkAges } from '../plugins/ages.ts';
import { checkPattern } from '../plugins/patterns.ts';
import { BACKED_BY_KAFKA, gatewayV2, vClusterName } from './common.ts';

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

const topicName = { type: 'string', pattern: '^[a-zA-Z0-9._-]+$' };

const AGES = [
  { at: ['spec', 'offsetCorrectness'], it: { since: '3.4.0' } },
  // False is what it is without it, and what servers print.
  { at: ['spec', 'offsetCorrectness'], it: { value: true, deprecated: '3.21.0', removed: '3.24.0' } },
];

// gateway-api A.6 ConcentrationRule
export const concentrationRule = defineKind<ConcentrationRule>({
  name: 'ConcentrationRule',
  summary: 'Topics whose names match a pattern are kept together in a few physical ones.',
  ...gatewayV2('concentration-rule'),
  removal: 'body',
  schema: {
    metadata: {
      type: 'object',
      required: ['name'],
      additionalProperties: false,
      properties: { name: { type: 'string', pattern: '^[a-zA-Z0-9._-]+$' }, vCluster: vClusterName },
    },
    spec: {
      type: 'object',
      required: ['pattern', 'physicalTopics'],
      additionalProperties: false,
      properties: {
        pattern: { type: 'string', minLength: 1, description: 'A regular expression on topic names.' },
        physicalTopics: {
          type: 'object',
          required: ['delete'],
          additionalProperties: false,
          description: 'One physical topic per cleanup policy; they must exist unless autoManaged is true.',
          properties: {
            delete: { ...topicName, description: 'For topics with cleanup.policy delete.' },
            compact: { ...topicName, description: 'For topics with cleanup.policy compact.' },
            deleteCompact: { ...topicName, description: 'For topics with cleanup.policy delete,compact.' },
          },
        },
        autoManaged: {
          type: 'boolean',
          description: 'Whether the gateway creates and extends the physical topics. Default: false.',
        },
        offsetCorrectness: {
          type: 'boolean',
          description: 'Whether offsets of one topic are continuous. Default: false.',
        },
      },
    },
  },
  example: {
    apiVersion: 'gateway/v2',
    kind: 'ConcentrationRule',
    metadata: { name: 'events', vCluster: 'prod' },
    spec: { pattern: 'events-.*', physicalTopics: { delete: 'prod-events' }, autoManaged: true },
  },
  defaults: {
    '/metadata/vCluster': 'passthrough',
    '/spec/autoManaged': false,
    '/spec/offsetCorrectness': false,
  },
  absentIn: BACKED_BY_KAFKA,
  ages: AGES,
  check: (rule, context) => [
    ...checkPattern(rule.spec.pattern, '/spec/pattern'),
    ...checkAges(AGES, rule, context),
  ],
  scope: { vCluster: '/metadata/vCluster' },
  references: ({ metadata }) => [
    { to: addressOf('VirtualCluster', metadata.vCluster ?? ''), path: '/metadata/vCluster' },
  ],
});
