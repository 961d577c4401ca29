import { list } from '../../model/text/list.ts';
import { standsForMany, type Principal } from '../../model/principal.ts';
import { parsePointer } from '../../model/json/json.ts';
import type { Protected } from '../../model/strength.ts';
import type { WeakenedPart, Weakening, WeakerProtection } from './plan.ts';

/** Principals for a sentence about them. */
export type NamedPrincipals = {
  /** `alice in prod`, `12 clients of prod`; without a count if some of them stand for many. */
  readonly subject: string;
  /** `alice in prod has`, but `all other clients in prod have`. */
  readonly isPlural: boolean;
  readonly names: readonly string[];
};

type Group = readonly [Principal, ...Principal[]];

/** Up to this many virtual clusters are named in a sentence. */
const MOST_CLUSTERS = 3;

export function describePrincipals(group: Group): NamedPrincipals {
  const clusters = [...new Set(group.map(({ virtualCluster }) => virtualCluster))];
  const where =
    clusters.length > MOST_CLUSTERS ? `${clusters.length} virtual clusters` : list(clusters.map(quoteOdd));
  const count = group.some(standsForMany) ? '' : `${group.length} `;
  return {
    subject: group.length === 1 ? namePrincipalIn(group[0]) : `${count}clients of ${where}`,
    isPlural: arePlural(group),
    names: mostFirst(group).map(clusters.length === 1 ? namePrincipal : namePrincipalIn),
  };
}

/** Whether a verb after their names is one of many. */
export function arePlural(group: Group): boolean {
  return group.length > 1 || standsForMany(group[0]);
}

/** `clients of prod (all other clients, alice and bob)` */
export function namePrincipals(group: Group): string {
  const { subject, names } = describePrincipals(group);
  return group.length === 1 ? subject : `${subject} (${list(names)})`;
}

/** All other clients are most of them, so nothing may hide them. */
export function mostFirst<T extends Principal>(group: readonly T[]): readonly T[] {
  return [
    ...group.filter(({ username }) => username === null),
    ...group.filter(({ username }) => username !== null),
  ];
}

export function namePrincipalIn(principal: Principal): string {
  return `${namePrincipal(principal)} in ${quoteOdd(principal.virtualCluster)}`;
}

export function namePrincipal({ virtualCluster, username, externalGroup, identity }: Principal): string {
  if (identity !== undefined) {
    const { externalName, was } = identity;
    const elsewhere = was.virtualCluster === virtualCluster ? '' : ` in ${quoteOdd(was.virtualCluster)}`;
    const before = `${quoteOdd(was.username)}${elsewhere}`;
    if (externalName === undefined) return `${quoteOdd(username ?? '')} (${before} before)`;
    return `whoever logs in as ${quoteOdd(externalName)} (${before} before, ${quoteOdd(username ?? '')} after)`;
  }
  const name = username === null ? undefined : quoteOdd(username);
  if (externalGroup === undefined) return name ?? 'all other clients';
  return `${name ?? 'members'} of the external group ${quoteOdd(externalGroup)}`;
}

/** A name in quotes if it could be taken for a part of a sentence. */
export function quoteOdd(name: string): string {
  return /^[\p{L}\p{N}._@:/=+%#~*-]+$/u.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`;
}

const PROTECTIONS: Readonly<Record<string, string>> = {
  access: 'access control',
  safeguard: 'safeguards',
  'data-quality': 'data quality rules',
};

/** A sort of protection as part of a sentence; its name, if the project has defined it. */
export function nameProtection(protection: string): string {
  return Object.hasOwn(PROTECTIONS, protection) ? (PROTECTIONS[protection] ?? '') : quoteOdd(protection);
}

type Told = Pick<WeakerProtection, 'protection' | 'certainty' | 'parts' | 'fields'> &
  Pick<Weakening, 'until'>;

/** What gets or gives less, as a sentence. */
export function describeWeakening(
  subject: string,
  verb: 'has' | 'have' | 'gives',
  { protection, certainty, parts, fields, until }: Told,
): string {
  const name = nameProtection(protection);
  const keys = [
    ...new Set(fields.map((pointer) => parsePointer(pointer).findLast((key) => !/^\d+$/.test(key)) ?? '')),
  ];
  const by = keys.length === 0 ? '' : ` (${keys.join(', ')})`;
  const details = withOthers(parts)
    .map((part) => describePart(part, protection, certainty, keys.length > 0))
    .join('; ');
  const time = until === undefined ? '' : ' for a while';
  if (certainty === 'weaker') return `${subject} ${verb} weaker ${name}${time}: ${details}${by}`;
  const why = certainty === 'hidden' ? ', since a value is hidden or cannot be judged' : '';
  return `cannot tell whether ${subject} ${verb} as strong ${name}${why}: ${details}${by}`;
}

type ToldPart = WeakenedPart & {
  /** Whether it is also about topics that are not named, or about those alone. */
  readonly others?: boolean;
};

/** What is so for topics by name and for all that match is said once. */
function withOthers(parts: readonly WeakenedPart[]): readonly ToldPart[] {
  const aboutOf = ({ topics: _, loss: __, ...about }: WeakenedPart): string => JSON.stringify(about);
  const keyOf = (part: WeakenedPart): string => `${part.loss} ${aboutOf(part)}`;
  const isOpen = ({ topics }: WeakenedPart): boolean => topics?.length === 0;
  const [open, named] = [parts.filter(isOpen), parts.filter((part) => !isOpen(part))];
  const [isMore, isNamed] = [
    new Set(open.map(keyOf)),
    new Set(named.flatMap((one) => [keyOf(one), aboutOf(one)])),
  ];
  return parts.flatMap((part): readonly ToldPart[] => {
    if (!isOpen(part)) return [{ ...part, others: isMore.has(keyOf(part)) }];
    return isNamed.has(keyOf(part)) ? [] : [{ ...part, others: isNamed.has(aboutOf(part)) }];
  });
}

/** `card.number of customers-eu, customers-us and others that match customers-.* is shown in clear` */
function describePart(
  part: ToldPart,
  protection: string,
  certainty: Told['certainty'],
  isFieldTold: boolean,
): string {
  const { what, names, loss } = part;
  const subject = `${nameOf(what, names)}${describeTopics(part)}`;
  const are = names.length > 1 || MANY.includes(what) ? 'are' : 'is';
  if (certainty !== 'weaker') return subject;
  if (loss === 'undone') return `${subject} ${are} ${UNDONE[protection] ?? 'no longer protected'}`;
  const [whole, less] = endingsOf(what, protection);
  if (loss === 'whole') return `${subject} ${are} ${whole}`;
  // What another interceptor leaves out may be topics, of which none is known.
  const isOpen = !isFieldTold && part.topics?.length === 0;
  return `${subject} ${are} ${less}${isOpen ? ', or for fewer topics' : ''}`;
}

function endingsOf(what: Protected, protection: string): Endings {
  if (what === 'config') return ['no longer forbidden', 'forbidden less'];
  if (what === 'acls') return ['no longer enforced', 'looser'];
  const isOwn = ON.includes(what) && what !== 'request';
  return (!isOwn && Object.hasOwn(ENDINGS, protection) ? ENDINGS[protection] : undefined) ?? OTHER;
}

type Endings = readonly [whole: string, part: string];
const ENDINGS: Readonly<Record<string, Endings>> = {
  masking: ['shown in clear', 'masked less'],
  encryption: ['no longer encrypted', 'protected less'],
  audit: ['no longer audited', 'audited less'],
};
const UNDONE: Readonly<Record<string, string | undefined>> = { encryption: 'decrypted' };
const OTHER: Endings = ['no longer enforced', 'enforced less'];

function nameOf(what: Protected, names: readonly string[]): string {
  const all = list(names.map((name) => (name === '(hidden)' ? name : quoteOdd(name))));
  switch (what) {
    case 'field':
      return all;
    case 'interceptor':
      return `what ${all} does`;
    case 'payload':
      return `the payload of ${all}`;
    case 'tag':
      return all === '' ? 'fields with tags' : `fields with the tag ${all}`;
    case 'acls':
      return 'the ACLs';
    case 'request':
      return all === '' ? 'requests' : `${all} requests`;
    case 'config':
    case 'limit':
    case 'rule':
      return `the ${what}${names.length > 1 ? 's' : ''} ${all}`;
    default:
      return what satisfies never;
  }
}

const MANY: readonly Protected[] = ['request', 'tag', 'acls'];

/** What is done on topics, rather than a part of them. */
const ON: readonly Protected[] = ['request', 'config', 'limit', 'rule', 'interceptor', 'acls'];

function describeTopics({ what, topics, pattern, others = false }: ToldPart): string {
  const of = ON.includes(what) ? 'on' : 'of';
  const isAny = pattern === null || pattern === '.*';
  const more = isAny ? 'others' : `others that match ${quoteOdd(pattern)}`;
  if (topics !== null && topics.length > 0) {
    const and = others ? `${topics.length === 1 ? '' : ','} and ${more}` : '';
    return ` ${of} ${list(topics.map(quoteOdd))}${and}`;
  }
  if (others) return ` ${of} ${more}`;
  if (isAny) return '';
  return /^[\w.-]+$/.test(pattern) ? ` ${of} ${pattern}` : ` ${of} topics that match ${quoteOdd(pattern)}`;
}
