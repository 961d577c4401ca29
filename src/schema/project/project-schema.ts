import type { JsonObject } from '../../model/json/json.ts';
import { closed, text, textLike } from '../closed.ts';
import { policyDefinitions, policySettingsSchema } from './policy-schema.ts';
import { differsSchema, ruleSchemas } from './rule-schemas.ts';

/** How a gateway can authenticate its clients. */
export const SECURITY_MODES = [
  'PLAINTEXT',
  'SSL',
  'SASL_PLAINTEXT',
  'SASL_SSL',
  'DELEGATED_SASL_PLAINTEXT',
  'DELEGATED_SASL_SSL',
  'GATEWAY_MANAGED',
  'KAFKA_MANAGED',
] as const;

/** A setting whose value a variable fills in is checked once it has one. */
const FILLED = '\\$\\{';

const texts = { type: 'array', items: text };

/** The JSON Schema of the project file, for checking and for editors. */
export const projectSchema: JsonObject = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'The project file of gwconf, gwconf.yaml',
  definitions: policyDefinitions,
  ...closed(['apiVersion', 'kind'], {
    apiVersion: { enum: ['gwconf/v1'] },
    kind: { enum: ['Project'] },
    environments: {
      type: 'object',
      description: 'The environments, by name.',
      additionalProperties: closed([], {
        gateway: closed([], {
          url: textLike(
            `${FILLED}|^\\s*(embedded|[hH][tT][tT][pP][sS]?):`,
            'an http or https URL, or embedded:FILE',
          ),
          user: text,
          password: text,
          ca: text,
          cert: text,
          key: text,
          timeout: textLike(`${FILLED}|^\\d+(\\.\\d+)?(ms|[smhd])?$`, 'a duration such as 30s'),
        }),
        version: {
          ...textLike('^\\d+\\.\\d+(\\.\\d+)?$', 'a version such as 3.21 or 3.21.1, in quotes'),
          description:
            'The version of the gateway. Default: 3.21, with warnings instead of errors for what depends on the version.',
        },
        security: { enum: SECURITY_MODES, description: 'How the gateway authenticates its clients.' },
        pin: closed(['host'], { host: text }),
        files: {
          ...texts,
          description: 'Folders and files, relative to this file; later ones can overlay earlier ones.',
        },
        variables: {
          type: 'object',
          additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
          description:
            'Variables for resources: ${var.NAME}, with their type. They can use environment variables.',
        },
        publicVariables: {
          ...texts,
          maxItems: 1000,
          description: 'Environment variables whose values can be shown, and used in names; globs.',
        },
        exec: {
          type: 'object',
          propertyNames: textLike('^[\\w.-]+$', 'a name of letters, digits, dots, - or _'),
          additionalProperties: closed(['command'], {
            command: {
              type: 'array',
              items: { ...text, ...textLike('^[^\\u0000]*$', 'text without the character U+0000') },
              minItems: 1,
              description: 'A program and its arguments; runs without a shell.',
            },
            timeout: textLike('^\\d+(\\.\\d+)?(ms|s|m)?$', 'a duration such as 30s'),
          }),
          description: 'Programs for ${exec:NAME}, by name; only with --allow-exec.',
        },
        ...ruleSchemas,
      }),
    },
    differs: differsSchema,
    policies: policySettingsSchema,
    lint: {
      type: 'object',
      additionalProperties: { enum: ['error', 'warning', 'info', 'off'] },
      description: 'Severities by problem code.',
    },
  }),
};
