import {
  inOrder,
  oneSpelling,
  overrideAmongValues,
  overrideInBounds,
  overrideNeeds,
  type Check,
  needsOneOf,
} from './checks.ts';
import {
  checked,
  choice,
  flag,
  from,
  integer,
  number,
  object,
  regex,
  scalar,
  setOf,
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
  const action = choice(actions, 'What happens to requests that violate the rule.', 'BLOCK');
  return actions.includes('THROTTLE') ? { action, throttleTimeMs: throttleTimeMs(100) } : { action };
}

export function throttleTimeMs(fallback: number): Field {
  return from(0, integer('How long a client is throttled, in milliseconds.', fallback));
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
        object({ ...keys, ...action }, description),
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
        min: bound('Minimum allowed value.'),
        max: bound('Maximum allowed value.'),
        overrideValue: bound('The value that OVERRIDE sets.'),
      },
      ordered,
      overrideInBounds,
      ...override('error'),
    );
  const oneOf = (...values: readonly string[]): Rule => rule({ value: choice(values, 'The allowed value.') });
  // The vendor documents both value and values; both are accepted.
  const anyOf = (...values: readonly string[]): Rule =>
    rule(
      {
        value: setOf(choice(values), 'The allowed values; the same as values.'),
        values: setOf(choice(values), 'The allowed values.'),
        overrideValue: untyped('The value that OVERRIDE sets.'),
      },
      oneSpelling,
      overrideAmongValues,
      ...override('warning'),
    );

  return {
    int: range(whole),
    long: range(whole),
    double: range((description) => checked(number(description), ratio)),
    regex: rule({ value: regex('Regular expression that the value must match.') }),
    bool: rule({ value: flag('The allowed value.') }),
    version: rule(
      { min: version('Minimum allowed version.'), max: version('Maximum allowed version.') },
      ordered,
    ),
    acks: rule({ value: setOf(choice([-1, 0, 1]), 'The allowed values.') }),
    isolationLevel: oneOf('read_uncommitted', 'read_committed'),
    timestampType: oneOf('CreateTime', 'LogAppendTime'),
    cleanupPolicy: anyOf('delete', 'compact', 'delete,compact'),
    topicCompression: anyOf('uncompressed', 'gzip', 'snappy', 'lz4', 'zstd', 'producer'),
    produceCompression: anyOf('NONE', 'GZIP', 'SNAPPY', 'LZ4', 'ZSTD'),
    blacklist: rule({ values: setOf(text(), 'Configs that must not be set.') }),
  };
}
