import { memoize } from '../../model/collect.ts';
import { PROTECTION_SORTS } from '../../model/principal.ts';
import { isList, type Json } from '../../model/json/json.ts';
import type { Limit } from '../../model/rules.ts';
import { meaningOf } from '../../model/problem-codes.ts';
import { compileGlobs } from '../../model/text/glob.ts';
import { parseDuration } from '../../model/text/quantities.ts';
import { DEFAULT_LIMITS, limitText } from '../../plan/checks/limits.ts';
import { limitOf } from '../../schema/project/project-rules.ts';
import { compareRules, type Fields, type Loosens, type Rule } from './compare-rules.ts';

const never: Loosens = () => false;
const always: Loosens = () => true;
/** Less is allowed for as long as it is there, but nobody knows whether another value allows less. */
const goneOrOther: Loosens = (before) => before !== undefined;
const newOrOther: Loosens = (_, after) => after !== undefined;
const gone: Loosens = (before, after) => before !== undefined && after === undefined;
const added: Loosens = (before, after) => before === undefined && after !== undefined;

const more: Loosens = (before = [], after = []) =>
  isList(after) &&
  isList(before) &&
  (after.length > before.length || after.some((one) => !before.includes(one)));

/** What globs of a list match, as far as their texts tell; those with a leading `!` apart. Each list is read once. */
const coverOf = memoize((list: readonly Json[]) => {
  const globs = list.filter((one) => typeof one === 'string');
  const within = globs.filter((glob) => !glob.startsWith('!'));
  return {
    isOpen: list.length > 0 && list.every((one) => textIn(one).startsWith('!')),
    within: compileGlobs(within),
    without: compileGlobs(globs.filter((glob) => glob.startsWith('!'))),
  };
});

const addedGlob: Loosens = (before, after, { lists: [was] }) =>
  before === undefined && !coverOf(was).within(textIn(after));
const goneGlob: Loosens = (before, after, { lists: [, is] }) =>
  after === undefined && !coverOf(is).within(textIn(before));

/** Globs of which a leading `!` excludes; with nothing but exclusions, all else is meant. */
const widerScope: Loosens = (before, after, { lists }) => {
  const [was, is] = lists.map(coverOf);
  const glob = textIn(before ?? after);
  if (glob.startsWith('!')) return after === undefined && is?.without(glob) === false;
  const isKnown = (one: string): boolean => was?.isOpen === true || was?.within(one) === true;
  return after === undefined ? is?.isOpen === true && !isKnown('*') : !isKnown(glob);
};

/** Globs of which a leading `!` excludes; with nothing but exclusions, nothing is meant. */
const widerList: Loosens = (before, after, about) =>
  textIn(before ?? after).startsWith('!')
    ? after === undefined && !coverOf(about.lists[1]).without(textIn(before))
    : addedGlob(before, after, about);

/** A glob; a map in its place stands for no text that another glob covers. */
function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : '\0';
}

const laterDay: Loosens = (before, after) => {
  const [was, is] = [before, after].map((day) => (typeof day === 'string' ? day : undefined));
  return was !== undefined && (is === undefined || is > was);
};

const longerLife: Loosens = (before, after) => lifeOf(after) > lifeOf(before);
function lifeOf(text: Json | undefined): number {
  return typeof text === 'string' ? (parseDuration(text) ?? Infinity) : Infinity;
}

/** A run is over a limit when it is over each of its bounds. */
const higherLimit: Loosens = (before, after, { tokens }) => {
  const what = tokens.at(-1) === 'updates' ? 'updates' : 'deletes';
  const usual = tokens.includes('kinds') ? {} : DEFAULT_LIMITS[what];
  const [was, is] = [before, after].map((one) => limitIn(one) ?? usual ?? {});
  return was !== undefined && is !== undefined && !isWithin(is, was);
};

function limitIn(value: Json | undefined): Limit | undefined {
  return typeof value === 'string' || typeof value === 'number' ? limitOf(value) : undefined;
}

/** Whether whatever is over one limit is over the other. */
function isWithin(one: Limit, other: Limit): boolean {
  const isAtMost = (is: number | undefined, was: number | undefined): boolean =>
    is === undefined || (was !== undefined && is <= was);
  if (other.objects === undefined && other.percent === undefined) return true;
  if (one.objects === undefined && one.percent === undefined) return false;
  return isAtMost(one.objects, other.objects) && isAtMost(one.percent, other.percent);
}

const SEVERITIES: readonly (Json | undefined)[] = ['off', 'info', 'warning', 'error'];

const lowerSeverity: Loosens = (before, after, { tokens }) => {
  const usual = meaningOf(tokens.at(-1) ?? '')?.severity;
  return SEVERITIES.indexOf(after ?? usual) < SEVERITIES.indexOf(before ?? usual);
};

const WAIVERS: Fields = { names: ['address'], fields: { until: laterDay, reason: never, owner: never } };

/** The fields of a policy beside its name. */
const POLICY: Fields['fields'] = {
  ...{ match: always, expression: always, params: always },
  severity: (before, after) => before !== 'advisory' && after === 'advisory',
  waivers: (before, after) =>
    compareRules([{ at: ['waivers'], loosens: added, by: WAIVERS }], inMap(before), inMap(after)).some(
      ({ loosens }) => loosens,
    ),
  ...{ message: never, messageExpression: never, path: never, examples: never, description: never },
};

function inMap(waivers: Json | undefined): Json {
  return { waivers: isList(waivers) ? waivers : [] };
}

const of = (...keys: readonly string[]): Rule['at'] => ['environments', '*', ...keys];

/**
 * The rules of a project, each with what makes it allow more. What is not known to be stricter counts as looser. Policies and tests
 * stand in it by their names, and comments that ignore problems by their texts, wherever they are written.
 */
export const RULES: readonly Rule[] = [
  ...['url', 'user', 'password', 'ca', 'cert', 'key'].map((key) => ({
    at: of('gateway', key),
    loosens: always,
  })),
  { at: of('pin', 'host'), loosens: goneOrOther },
  { at: ['waves'], loosens: always },
  { at: of('version'), loosens: goneOrOther },
  { at: of('security'), loosens: goneOrOther },
  { at: of('manages'), loosens: widerScope, by: 'values', whole: gone },
  {
    at: of('protect'),
    loosens: gone,
    by: {
      names: ['kind', 'address', 'pluginClass'],
      fields: { secrets: (before, after) => before === true && after !== true, reason: never },
    },
  },
  { at: of('overlays'), loosens: added, by: 'values', whole: gone },
  { at: of('limits', 'deletes'), loosens: higherLimit },
  { at: of('limits', 'updates'), loosens: higherLimit },
  { at: of('limits', 'kinds', '*', 'deletes'), loosens: higherLimit },
  { at: of('limits', 'kinds', '*', 'updates'), loosens: higherLimit },
  { at: of('token', 'maxLifetime'), loosens: longerLife },
  {
    at: of('token', 'accounts'),
    loosens: gone,
    by: { names: ['address'], fields: { maxLifetime: longerLife, reason: never } },
  },
  {
    // Who has one interceptor of a sort less does not lose the sort while another is counted as one.
    at: of('protection', '*'),
    loosens: (...one) => addedGlob(...one) || goneGlob(...one),
    by: 'values',
    whole: (before, after, { tokens }) =>
      before !== undefined || PROTECTION_SORTS.some((sort) => sort === tokens.at(-1)),
  },
  {
    at: of('exposures'),
    loosens: added,
    by: { names: ['address', 'protection'], fields: { until: laterDay, reason: never } },
  },
  { at: of('external'), loosens: addedGlob, by: 'values' },
  {
    at: of('ignore'),
    loosens: added,
    by: { names: ['address', 'path'], fields: { until: laterDay, owner: never, reason: never } },
  },
  { at: of('publicVariables'), loosens: widerList, by: 'values' },
  // Nobody knows whether another list has fewer topics, and one of an environment takes the place of that of the project.
  { at: of('topics'), loosens: always },
  { at: ['topics'], loosens: goneOrOther },
  // Another description may have fewer secrets in it, and fewer rules.
  { at: ['kinds'], loosens: always },
  { at: of('exec', '*', 'command'), loosens: newOrOther },
  { at: ['lint', '*'], loosens: lowerSeverity },
  {
    at: ['differs'],
    loosens: added,
    by: { names: ['address', 'path', 'between'], fields: { reason: never } },
  },
  { at: ['policies', '*'], loosens: gone, by: { fields: POLICY } },
  { at: ['tests', '*'], loosens: goneOrOther },
  { at: ['comments', '*'], loosens: more },
];

/** Fields of a project that are no rules, and why. */
export const NO_RULES: readonly (readonly [at: readonly string[], why: string])[] = [
  [['apiVersion'], 'it says what the file is'],
  [['kind'], 'it says what the file is'],
  [of('files'), 'what a branch no longer declares is told object by object'],
  [of('variables'), 'what they fill in is told: fields of objects, and the connection'],
  [of('gateway', 'timeout'), 'it is how long a call may take'],
  [of('exec', '*', 'timeout'), 'it is how long a program may take'],
];

/** What is in force where a rule is not there, as text. */
export function usualOf(tokens: readonly string[]): string | undefined {
  if (tokens[0] === 'lint') return meaningOf(tokens[1] ?? '')?.severity;
  const [, , field, what] = tokens;
  const limit =
    field === 'limits' && (what === 'deletes' || what === 'updates') ? DEFAULT_LIMITS[what] : undefined;
  return limit && limitText(limit);
}
