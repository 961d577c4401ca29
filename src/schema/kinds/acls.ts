import { valueAt, type Pointer } from '../../model/json/json.ts';
import type { FieldProblem } from '../../model/kind.ts';
import { hasPlaceholder } from '../../model/text/placeholder.ts';
import { closed, naming, NAMES_WHERE, text } from '../closed.ts';

export type Acl = {
  readonly resourcePattern: {
    readonly resourceType: string;
    readonly name: string;
    readonly patternType: string;
  };
  readonly principal: string;
  readonly host: string;
  readonly operation: string;
  readonly permissionType: string;
};

/** The operations of each type of resource, in addition to ALL, as Kafka has them. */
const OPERATIONS: Readonly<Record<string, readonly string[]>> = {
  CLUSTER: [
    'ALTER',
    'ALTER_CONFIGS',
    'CLUSTER_ACTION',
    'CREATE',
    'DESCRIBE',
    'DESCRIBE_CONFIGS',
    'IDEMPOTENT_WRITE',
  ],
  DELEGATION_TOKEN: ['DESCRIBE'],
  GROUP: ['DELETE', 'DESCRIBE', 'READ'],
  TOPIC: ['ALTER', 'ALTER_CONFIGS', 'CREATE', 'DELETE', 'DESCRIBE', 'DESCRIBE_CONFIGS', 'READ', 'WRITE'],
  TRANSACTIONAL_ID: ['DESCRIBE', 'WRITE'],
};

/** The JSON Schema of an ACL (gateway-api A.6); values that Kafka has for searches only are checked below. */
export const aclSchema = closed(['resourcePattern', 'principal', 'host', 'operation', 'permissionType'], {
  resourcePattern: closed(['resourceType', 'name', 'patternType'], {
    resourceType: { enum: ['ANY', ...Object.keys(OPERATIONS), 'UNKNOWN'] },
    name: { ...naming('topic'), [NAMES_WHERE]: { resourceType: 'TOPIC', patternType: 'LITERAL' } },
    patternType: { enum: ['ANY', 'LITERAL', 'MATCH', 'PREFIXED', 'UNKNOWN'] },
  }),
  principal: { ...naming('principal'), description: 'For example User:payments-app.' },
  host: { ...text, description: 'Usually *.' },
  operation: {
    enum: [
      'ALL',
      'ALTER',
      'ALTER_CONFIGS',
      'CLUSTER_ACTION',
      'CREATE',
      'CREATE_TOKENS',
      'DELETE',
      'DESCRIBE',
      'DESCRIBE_CONFIGS',
      'DESCRIBE_TOKENS',
      'IDEMPOTENT_WRITE',
      'READ',
      'UNKNOWN',
      'WRITE',
    ],
  },
  permissionType: { enum: ['ALLOW', 'DENY'] },
});

/** What a value of an ACL should be, though the API may accept others: they apply to no client or object. */
type Rule = {
  readonly field: 'principal' | 'host' | 'operation' | `resourcePattern/${keyof Acl['resourcePattern']}`;
  readonly words: string;
  readonly hint: string;
  readonly isMet: (acl: Acl) => boolean;
};

const RULES: readonly Rule[] = [
  {
    field: 'resourcePattern/resourceType',
    words: 'a type of resource',
    hint: `use ${Object.keys(OPERATIONS).join(', ')}; the others are for searches`,
    isMet: ({ resourcePattern: { resourceType } }) => Object.hasOwn(OPERATIONS, resourceType),
  },
  {
    field: 'resourcePattern/patternType',
    words: 'LITERAL or PREFIXED',
    hint: 'use one of the two; the others are for searches',
    isMet: ({ resourcePattern: { patternType } }) => isStored(patternType),
  },
  {
    field: 'resourcePattern/name',
    words: 'a name without *',
    hint: 'only a LITERAL * alone is a wildcard; for names with a common prefix use PREFIXED and leave out the *',
    isMet: ({ resourcePattern: { name, patternType } }) =>
      !isStored(patternType) || !name.includes('*') || (name === '*' && patternType === 'LITERAL'),
  },
  {
    field: 'resourcePattern/name',
    words: 'kafka-cluster or *',
    hint: 'write kafka-cluster: in ACLs every cluster has this name',
    isMet: ({ resourcePattern: { resourceType, name } }) =>
      resourceType !== 'CLUSTER' || name.includes('*') || 'kafka-cluster'.startsWith(name),
  },
  {
    field: 'principal',
    words: 'User: and the name of an account',
    hint: 'write User:NAME, or User:* for all',
    isMet: ({ principal }) => /^User:\S/.test(principal),
  },
  {
    field: 'host',
    words: '* or an IP address',
    hint: 'write * for all hosts; names of hosts are not looked up',
    isMet: ({ host }) => host === '*' || /^(?:[\d.]+|(?=[^:]*:)[\da-f:.]+)(?:\/\d+)?$/i.test(host),
  },
  {
    field: 'operation',
    words: 'an operation of this type of resource',
    hint: 'check both: Kafka never asks for this operation on this type',
    isMet: ({ operation, resourcePattern: { resourceType } }) =>
      operation === 'ALL' || (OPERATIONS[resourceType]?.includes(operation) ?? operation !== 'UNKNOWN'),
  },
];

export function checkAclValues(acls: readonly Acl[]): readonly FieldProblem[] {
  return acls.flatMap((acl, at) =>
    RULES.flatMap(({ field, words, hint, isMet }): readonly FieldProblem[] => {
      const path: Pointer = `/spec/acls/${at}/${field}`;
      const found = valueAt(acl, `/${field}`);
      if (isMet(acl) || hasPlaceholder(found)) return [];
      const name = field.slice(field.indexOf('/') + 1);
      const message = `expected ${words} as ${name} of an ACL`;
      return [
        {
          code: 'unusual-value',
          path,
          message,
          ...(found === undefined ? {} : { found }),
          hint,
        },
      ];
    }),
  );
}

/** Whether an ACL can have the type; Kafka has others for searches. */
function isStored(patternType: string): boolean {
  return patternType === 'LITERAL' || patternType === 'PREFIXED';
}
