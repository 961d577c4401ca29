import type { JsonObject } from '../../model/json/json.ts';
import { closed, NAMES, naming, text, textLike, type Nameable } from '../closed.ts';
import { topicName } from '../kinds/common.ts';

function texts(description: string, ...what: readonly Nameable[]): JsonObject {
  return { type: 'array', items: naming(...what), description };
}

const PATTERN = 'A glob for plugin classes, in full or by their last part, or, with a slash, for addresses.';

const principal = {
  ...textLike('^\\*$', '* for all clients, or a map'),
  ...closed([], {
    username: {
      ...naming('serviceAccount'),
      description: 'The name of an account, or a glob. Default: all other clients.',
    },
    virtualCluster: {
      ...naming('virtualCluster'),
      description: 'A name, or a glob. Default: passthrough; with a glob in username, all of them.',
    },
    groups: {
      type: 'array',
      items: naming('gatewayGroup'),
      description:
        'Default: the groups that have the client as a member. With a glob, only clients in all of them.',
    },
  }),
  type: ['string', 'object'],
  description:
    'The client, or * for all that the files know, with all other clients in each virtual cluster.',
};

const expectations = {
  ...closed([], {
    chain: texts(
      'The addresses of all interceptors that run, in order. Equal priorities may come in any order.',
      'address',
    ),
    includes: texts(`Interceptors that run. ${PATTERN}`, 'class', 'address'),
    excludes: texts(`Interceptors that do not run. ${PATTERN}`, 'class', 'address'),
    protectedBy: texts(
      'Protection types: encryption, masking, audit, access, safeguard, data-quality, or one of protection in gwconf.yaml.',
      'protection',
    ),
    noLastingLoss: {
      enum: [true],
      description: 'With after: plan. No client ends without a protection type that it had before.',
    },
  }),
  description: 'What is true of the interceptors that run for the client. All of it must be.',
};

/** The JSON Schema of a test file, for checking and for editors. */
export const testSchema: JsonObject = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Tests of gwconf, *.gwtest.yaml',
  ...closed(['apiVersion', 'kind', 'cases'], {
    apiVersion: { enum: ['gwconf/v1'] },
    kind: { enum: ['Test'] },
    environment: {
      ...naming('environment'),
      description:
        'The environment of gwconf.yaml whose files and rules are tested. Default: the chosen one; if none is, each of them.',
    },
    files: {
      type: 'array',
      items: naming('path'),
      minItems: 1,
      description:
        'Files and folders to test instead of those of the environment, relative to this file; later ones can overlay earlier ones.',
    },
    cases: {
      type: 'array',
      minItems: 1,
      items: closed(['as', 'expect'], {
        name: { ...text, description: 'What the case is about, for reports. Default: the client.' },
        as: principal,
        topic: {
          ...topicName, // a glob would be the name of a topic that nobody has
          [NAMES]: ['topic'],
          description: 'Only interceptors whose config covers this topic count.',
        },
        after: {
          enum: ['plan'],
          description:
            'Tests the gateway as it will be after the plan, instead of the files alone. Needs a gateway or --snapshot.',
        },
        expect: expectations,
      }),
    },
  }),
};
