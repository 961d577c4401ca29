import { inOrder, oneSpelling, overrideNeeds, type Check } from './checks.ts';
import {
  checked,
  choice,
  flag,
  integer,
  number,
  object,
  regex,
  setOf,
  text,
  untyped,
  type Field,
  type Fields,
} from './field.ts';

/** What a plugin may do when a rule is broken. */
type Action = 'BLOCK' | 'INFO' | 'OVERRIDE' | 'THROTTLE';

/** `action` and what comes with it, for a plugin that knows these actions. */
export function actionKeys(...actions: readonly Action[]): Fields {
  const action = choice(actions, 'What happens to a request that breaks the rule.', 'BLOCK');
  return actions.includes('THROTTLE') ? { action, throttleTimeMs: throttleTimeMs(100) } : { action };
}

export function throttleTimeMs(fallback: number): Field {
  return integer('How long a client is held back, in milliseconds.', fallback);
}

/** A rule on what its description names. */
export type Rule = (description: string) => Field;

/** The shapes of gateway-api E.1, by the names they have there, for a plugin that knows these actions. */
export function rulesWith(...actions: readonly Action[]) {
  const action = actionKeys(...actions);
  const rule =
    (keys: Fields, ...checks: readonly Check[]): Rule =>
    (description) =>
      checked(object({ ...keys, ...action }, description), ...checks);
  const ordered = inOrder('min', 'max');
  // The gateway refuses a number that is not there, and puts up with the rest.
  const override = (severity: 'error' | 'warning'): readonly Check[] =>
    actions.includes('OVERRIDE') ? [overrideNeeds('overrideValue', severity)] : [];
  const range = (bound: typeof integer): Rule =>
    rule(
      {
        min: bound('The smallest value allowed.'),
        max: bound('The largest value allowed.'),
        overrideValue: bound('What OVERRIDE puts in place of the value.'),
      },
      ordered,
      ...override('error'),
    );
  const oneOf = (...values: readonly string[]): Rule => rule({ value: choice(values, 'The value allowed.') });
  // The vendor's pages disagree with themselves on value and values; both are taken.
  const anyOf = (...values: readonly string[]): Rule =>
    rule(
      {
        value: setOf(choice(values), 'The values allowed; another spelling of values.'),
        values: setOf(choice(values), 'The values allowed.'),
        overrideValue: untyped('What OVERRIDE puts in place of the value.'),
      },
      oneSpelling,
      ...override('warning'),
    );

  return {
    int: range(integer),
    long: range(integer),
    double: range(number),
    regex: rule({ value: regex('A regular expression that the value must match.') }),
    bool: rule({ value: flag('The value allowed.') }),
    version: rule(
      {
        min: untyped('The smallest version allowed.'),
        max: untyped('The largest version allowed.'),
      },
      ordered,
    ),
    acks: rule({ value: setOf(choice([-1, 0, 1]), 'The values allowed.') }),
    isolationLevel: oneOf('read_uncommitted', 'read_committed'),
    timestampType: oneOf('CreateTime', 'LogAppendTime'),
    cleanupPolicy: anyOf('delete', 'compact', 'delete,compact'),
    topicCompression: anyOf('uncompressed', 'gzip', 'snappy', 'lz4', 'zstd', 'producer'),
    produceCompression: anyOf('NONE', 'GZIP', 'SNAPPY', 'LZ4', 'ZSTD'),
    blacklist: rule({ values: setOf(text(), 'Names of configs that may not be set.') }),
  };
}
