import { isList, valueOf, type Json, type JsonObject } from '../../src/model/json/json.ts';

/** An interceptor by the last part of its class. */
export type Given = { readonly is: string; readonly config: JsonObject };

/** Every name of up to three of these characters. */
const NAMES = namesOf(['a', 'b', 'x', '-', 'z'], 3);

function namesOf(characters: readonly string[], longest: number): readonly string[] {
  let level = [''];
  const names: string[] = [];
  for (let length = 0; length < longest; length += 1) {
    level = level.flatMap((name) => characters.map((character) => name + character));
    names.push(...level);
  }
  return names;
}

/** Names for each way in which patterns tell names apart. */
export function tellingNames(given: readonly string[]): readonly string[] {
  return [
    ...new Map(NAMES.map((name) => [given.map((one) => Number(matches(one, name))).join(''), name])).values(),
  ];
}

/** What happens to a client, one deed at a time: how strongly each is prevented, or recorded. 0 is not at all. */
export type Deed = readonly [what: string, topic: string];

const LEVELS: Readonly<Record<string, number>> = { INFO: 1, THROTTLE: 2, BLOCK: 1000 };

const patterns = new Map<string, RegExp>();

function matches(pattern: string, name: string): boolean {
  const regex = patterns.get(pattern) ?? new RegExp(`^(?:${pattern})$`);
  patterns.set(pattern, regex);
  return regex.test(name);
}

function textOf(value: Json | undefined, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}

/** How strongly one interceptor acts on a deed: read as a person reads the documentation, value by value. */
function levelOf({ is, config }: Given, what: string, topic: string): number {
  const [kind = '', ...rest] = what.split(' ');
  const text = (key: string, fallback = '.*'): string => textOf(config[key], fallback);
  if (!matches(text('topic'), topic)) return 0;
  const actionOf = (rule: Json | undefined): number => {
    const action = textOf(valueOf(rule, 'action'), 'BLOCK');
    const time = Number(valueOf(rule, 'throttleTimeMs') ?? 100);
    return (LEVELS[action] ?? NaN) + (action === 'THROTTLE' ? time : 0);
  };
  switch (`${is} ${kind}`) {
    case 'mask read': {
      const [field, place, policy] = rest;
      const policies = isList(config['policies']) ? config['policies'] : [];
      const isMasked = policies.some((one) => {
        const fields = valueOf(one, 'fields');
        const rule = valueOf(one, 'rule');
        const type = valueOf(rule, 'type') ?? 'MASK_ALL';
        const count = Number(valueOf(rule, 'numberOfChars'));
        const at = Number(place);
        const isIn = type === 'MASK_ALL' || (type === 'MASK_FIRST_N' ? at < count : LENGTH - 1 - at < count);
        return isList(fields) && fields.includes(field ?? '') && isIn;
      });
      const fails = (config['errorPolicy'] ?? 'fail_fetch') === 'fail_fetch';
      return isMasked && (policy === 'maskable' || fails) ? 1 : 0;
    }
    case 'audit request': {
      const [request, group = ''] = rest;
      const keys = config['apiKeys'];
      const isForUser = matches(text('username'), 'a');
      const isForGroup = matches(text('consumerGroupId'), group);
      return isList(keys) && keys.includes(request ?? '') && isForUser && isForGroup ? 1 : 0;
    }
    case 'readOnly write':
      return actionOf(config);
    case 'create partitions': {
      const rule = config['numPartition'];
      const count = Number(rest[0]);
      const isForbidden = count < Number(valueOf(rule, 'min')) || count > Number(valueOf(rule, 'max'));
      return isForbidden ? actionOf(rule) : 0;
    }
    case 'create cleanup': {
      const rule = config['cleanupPolicy'];
      const allowed = valueOf(rule, 'values');
      return isList(allowed) && !allowed.includes(rest[0] ?? '') ? actionOf(rule) : 0;
    }
    case 'create name': {
      const rule = config['namingConvention'];
      const pattern = valueOf(rule, 'value');
      return typeof pattern === 'string' && !matches(pattern, rest[0] ?? '') ? actionOf(rule) : 0;
    }
    case 'limit connect':
      return Number(rest[0]) > Number(config['maximumConnectionsPerSecond']) ? actionOf(config) : 0;
    default:
      return 0;
  }
}

/** Longer than what any mask leaves. */
const LENGTH = 9;
const many = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

const DEEDS: Readonly<Record<string, readonly string[]>> = {
  mask: ['f', 'g'].flatMap((field) =>
    many(LENGTH).flatMap((place) => [`read ${field} ${place} maskable`, `read ${field} ${place} odd`]),
  ),
  audit: ['P', 'F'].flatMap((request) =>
    ['a', 'b', 'x-x', 'zz'].map((group) => `request ${request} ${group}`),
  ),
  readOnly: ['write'],
  create: [
    ...many(9).map((count) => `partitions ${count}`),
    ...['delete', 'compact', 'delete,compact'].map((policy) => `cleanup ${policy}`),
    ...NAMES.slice(0, 30).map((name) => `name ${name}`),
  ],
  limit: many(9).map((count) => `connect ${count}`),
};

/** The deeds that a chain prevents or records less than another one did, each with its topic. */
export function findWeaker(
  before: readonly Given[],
  after: readonly Given[],
  { classes, topics }: { readonly classes: readonly string[]; readonly topics: readonly string[] },
): readonly Deed[] {
  const strongest = (chain: readonly Given[], what: string, topic: string): number =>
    Math.max(0, ...chain.map((one) => levelOf(one, what, topic)));
  return classes.flatMap((is) => {
    const [was, now] = [before, after].map((chain) => chain.filter((one) => one.is === is)) as [
      Given[],
      Given[],
    ]; // one for each
    return (DEEDS[is] ?? []).flatMap((what) =>
      topics.flatMap((topic): Deed[] => {
        const level = strongest(was, what, topic);
        return level > 0 && strongest(now, what, topic) < level ? [[what, topic]] : [];
      }),
    );
  });
}
