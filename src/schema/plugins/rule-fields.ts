import {
  inOrder,
  oneSpelling,
  overrideAmongValues,
  overrideInBounds,
  overrideNeeds,
  type Check,
  needsOneOf,
} from './config-checks.ts';
import {
  alias,
  allows,
  checked,
  choice,
  each,
  essential,
  flag,
  from,
  integer,
  least,
  matching,
  most,
  number,
  object,
  ordered,
  part,
  regex,
  scalar,
  setOf,
  strengthOf,
  text,
  untyped,
  type Field,
  type Fields,
} from './field.ts';
import { kafkaNumber, ratio, versionNumber } from './values.ts';

/** Actions of a plugin when a rule is violated. */
type Action = 'BLOCK' | 'INFO' | 'OVERRIDE' | 'THROTTLE';

/** `action` and related fields, for a plugin with these actions. */
export function actionKeys(...actions: readonly Action[]): Fields {
  const field = choice(actions, 'What happens to requests that violate the rule.', 'BLOCK');
  const action = ordered(
    ACTIONS.map((same) => same.filter((one) => actions.includes(one))),
    field,
  );
  return actions.includes('THROTTLE') ? { action, throttleTimeMs: throttleTimeMs(100) } : { action };
}

// BLOCK rejects what OVERRIDE corrects: which of them protects more is not documented.
const ACTIONS: readonly (readonly Action[])[] = [['INFO'], ['THROTTLE'], ['BLOCK', 'OVERRIDE']];

export function throttleTimeMs(fallback: number): Field {
  const field = from(0, integer('How long a client is throttled, in milliseconds.', fallback));
  return strengthOf({ type: 'amount', when: { field: 'action', is: 'THROTTLE' } }, field);
}

/** The value that OVERRIDE sets. */
export function overriding(field: Field): Field {
  return strengthOf({ type: 'unknown', when: { field: 'action', is: 'OVERRIDE' } }, field);
}

function whole(description: string): Field {
  return checked(integer(description), kafkaNumber);
}

function version(description: string): Field {
  return checked(scalar(description), versionNumber);
}

/** A rule for the setting in its description. */
export type Rule = (description: string) => Field;

/** The rules of gateway-api E.1 by name, for a plugin with these actions. */
export function rulesWith(...actions: readonly Action[]) {
  const action = actionKeys(...actions);
  const rule =
    (keys: Fields, ...checks: readonly Check[]): Rule =>
    (description) =>
      checked(
        part('rule', object({ ...keys, ...action }, description)),
        needsOneOf(
          Object.keys(keys).filter((key) => key !== 'overrideValue'),
          'it allows everything',
        ),
        ...checks,
      );
  const ordered = inOrder('min', 'max');
  // The gateway rejects a missing number, but accepts other missing values.
  const override = (severity: 'error' | 'warning'): readonly Check[] =>
    actions.includes('OVERRIDE') ? [overrideNeeds('overrideValue', severity)] : [];
  const range = (bound: Rule): Rule =>
    rule(
      {
        min: least(bound('Minimum allowed value.')),
        max: most(bound('Maximum allowed value.')),
        overrideValue: overriding(bound('The value that OVERRIDE sets.')),
      },
      ordered,
      overrideInBounds,
      ...override('error'),
    );
  const oneOf = (values: readonly string[], forbidden = values): Rule =>
    rule({ value: allows(forbidden, choice(values, 'The allowed value.')) });
  const bool = (...forbidden: readonly boolean[]): Rule =>
    rule({ value: allows(forbidden, flag('The allowed value.')) });
  // The vendor documents both value and values; both are accepted.
  const anyOf = (...values: readonly string[]): Rule =>
    rule(
      {
        value: alias(
          'values',
          allows(values, setOf(choice(values), 'The allowed values; the same as values.')),
        ),
        values: allows(values, setOf(choice(values), 'The allowed values.')),
        overrideValue: overriding(untyped('The value that OVERRIDE sets.')),
      },
      oneSpelling,
      overrideAmongValues,
      ...override('warning'),
    );

  return {
    int: range(whole),
    long: range(whole),
    double: range((description) => checked(number(description), ratio)),
    regex: rule({ value: matching(regex('Regular expression that the value must match.')) }),
    bool: bool(true, false),
    // Whether false forbids anything is not documented.
    required: bool(false),
    version: rule(
      { min: least(version('Minimum allowed version.')), max: most(version('Maximum allowed version.')) },
      ordered,
    ),
    acks: rule({ value: allows([-1, 0, 1], setOf(choice([-1, 0, 1]), 'The allowed values.')) }),
    isolationLevel: oneOf(['read_uncommitted', 'read_committed'], ['read_uncommitted']),
    timestampType: oneOf(['CreateTime', 'LogAppendTime']),
    cleanupPolicy: anyOf('delete', 'compact', 'delete,compact'),
    topicCompression: anyOf('uncompressed', 'gzip', 'snappy', 'lz4', 'zstd', 'producer'),
    produceCompression: anyOf('NONE', 'GZIP', 'SNAPPY', 'LZ4', 'ZSTD'),
    blacklist: rule({
      values: essential(each('config', setOf(text(), 'Configs that must not be set.'))),
    }),
  };
}
