import { parsePointer } from '../../model/json/json.ts';
import type { Protected } from '../../model/strength.ts';
import { list } from '../../model/text/list.ts';
import { nameProtection, quoteOdd } from './name-principals.ts';
import type { WeakenedPart, WeakerProtection } from './plan.ts';

type Told = Pick<WeakerProtection, 'protection' | 'certainty' | 'parts' | 'fields'>;

/** What gets or gives less, as a sentence. */
export function describeWeakening(
  subject: string,
  verb: 'has' | 'have' | 'gives',
  { protection, certainty, parts, fields }: Told,
): string {
  const name = nameProtection(protection);
  const details = parts.map((part) => describePart(part, protection, certainty)).join('; ');
  const keys = [
    ...new Set(fields.map((pointer) => parsePointer(pointer).findLast((key) => !/^\d+$/.test(key)) ?? '')),
  ];
  const by = keys.length === 0 ? '' : ` (${keys.join(', ')})`;
  return certainty === 'weaker'
    ? `${subject} ${verb} weaker ${name}: ${details}${by}`
    : `cannot tell whether ${subject} ${verb} as much ${name}: ${details}${by}`;
}

/** `card.number of customers-eu and customers-us is shown in clear` */
function describePart(part: WeakenedPart, protection: string, certainty: Told['certainty']): string {
  const { what, names, loss } = part;
  const subject = `${nameOf(what, names)}${describeTopics(part)}`;
  const are = names.length > 1 || MANY.includes(what) ? 'are' : 'is';
  if (certainty === 'cannot-tell') return subject;
  if (loss === 'undone') return `${subject} ${are} ${UNDONE[protection] ?? 'no longer protected'}`;
  const [whole, less] = endingsOf(what, protection);
  return `${subject} ${are} ${loss === 'whole' ? whole : less}`;
}

function endingsOf(what: Protected, protection: string): Endings {
  if (what === 'config') return ['no longer forbidden', 'forbidden less'];
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

function describeTopics({ what, topics, pattern }: WeakenedPart): string {
  const of = ON.includes(what) ? 'on' : 'of';
  if (topics !== null && topics.length > 0) return ` ${of} ${list(topics.map(quoteOdd))}`;
  if (pattern === null || pattern === '.*') return '';
  return /^[\w.-]+$/.test(pattern) ? ` ${of} ${pattern}` : ` ${of} topics that match ${quoteOdd(pattern)}`;
}
