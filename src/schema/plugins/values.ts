import type { Json } from '../../model/json/json.ts';
import type { FieldProblem } from '../../model/kind.ts';
import { didYouMean, type Cure } from '../../model/problem.ts';
import { hasPlaceholder } from '../../model/text/placeholder.ts';
import { suggest } from '../../model/text/suggest.ts';
import { numberIn, nameAt, type Check } from './config-checks.ts';

/** A rule for one value, in words. It does not apply to absent values and to placeholders. */
type Expectation = {
  readonly words: string;
  readonly hint: string | ((found: Json) => Cure);
  readonly isMet: (value: Json) => boolean;
};

/** The gateway cannot use another value. */
function must(expectation: Expectation): Check {
  return expecting(expectation, 'invalid-value');
}

/** Another value is probably a mistake, but the gateway may accept it. */
function should(expectation: Expectation): Check {
  return expecting(expectation, 'unusual-value');
}

function expecting({ words, hint, isMet }: Expectation, code: FieldProblem['code']): Check {
  return (value, path) => {
    if (value === null || hasPlaceholder(value) || isMet(value)) return [];
    const message = `expected ${words} as ${nameAt(path)}`;
    const cure = typeof hint === 'string' ? { hint } : hint(value);
    return { code, path, message, found: value, ...cure };
  };
}

/** A number, which can be written as text. */
export function numberFrom(least: number): Check {
  return must({
    words: `a number of at least ${least}`,
    hint: 'write a number',
    isMet: (value) => isBetween(value, least, Infinity),
  });
}

export const replicas = should({
  words: 'a number of replicas',
  hint: 'write a number of at least 1, or -1 for the default of the brokers',
  isMet: (value) => isBetween(value, 1, Infinity) || Number(value) === -1,
});

export const above0 = should({
  words: 'a number above 0',
  hint: 'a limit of 0 lets nothing through; to stop clients, use a class that rejects them',
  isMet: (value) => value !== 0,
});

export const percent = must({
  words: 'a number from 0 to 100',
  hint: 'write the percentage as a number',
  isMet: (value) => isBetween(value, 0, 100),
});

/** Numbers in a rule; negative ones but -1 have no meaning in Kafka. */
export const kafkaNumber = should({
  words: 'a number of at least -1',
  hint: 'use -1 for no limit, or a positive number',
  isMet: (value) => typeof value !== 'number' || value >= -1,
});

export const versionNumber = should({
  words: 'the number of a request version',
  hint: 'write a number, such as 3',
  isMet: (value) => isBetween(value, 0, Infinity),
});

export const ratio = should({
  words: 'a number from 0 to 1',
  hint: 'write the part of the whole: 0.5 is a half',
  isMet: (value) => typeof value !== 'number' || isBetween(value, 0, 1),
});

export const url = must({
  words: 'a URL',
  hint: 'begin it with http:// or https://',
  isMet: (value) => typeof value === 'string' && value.split(',').every((one) => URL_TEXT.test(one.trim())),
});
const URL_TEXT = /^[a-z][a-z0-9+.-]*:\/\/[^\s/]\S*$/i;

export const topicName = must({
  words: 'the name of a topic',
  hint: 'use up to 249 letters, digits, dots, - or _; a regular expression is not possible here',
  isMet: (value) => typeof value === 'string' && /^[\w.-]{1,249}$/.test(value) && !/^\.\.?$/.test(value),
});

export const oneCharacter = should({
  words: 'one character',
  hint: 'write one character: each masked one is replaced by it',
  isMet: (value) => typeof value !== 'string' || /^[^]$/u.test(value),
});

export const notEmpty = should({
  words: 'text that is not empty',
  hint: 'write a value, or remove the field for its default',
  isMet: (value) => value !== '',
});

/** Also of nested fields. A field with another name is neither masked nor encrypted. */
export const oneField = should({
  words: 'the name of one field',
  hint: 'write each field by itself, and nested ones with dots: card.number',
  isMet: (value) => typeof value !== 'string' || !/,|^\s|\s$|^\$\.|^\//.test(value),
});

/** One of these texts, or a number. */
export function knownText(words: string, known: readonly string[]): Check {
  return should({
    words,
    hint: (found) => {
      const near = typeof found === 'string' ? suggest(found.toUpperCase(), known) : undefined;
      return didYouMean(near, 'check the name');
    },
    isMet: (value) => typeof value === 'number' || (typeof value === 'string' && known.includes(value)),
  });
}

function isBetween(value: Json, least: number, most: number): boolean {
  const number = numberIn(value);
  return number >= least && number <= most;
}
