import { memoize } from '../../model/collect.ts';
import { isList, valueAt, type Json, type Pointer } from '../../model/json/json.ts';
import type { Loosened } from '../../model/kind.ts';
import type { Acl } from './acls.ts';
import { hasHidden, HIDDEN } from '../../model/secrets/hidden.ts';

type Looser = Pick<Loosened, 'at' | 'who' | 'loss' | 'topics' | 'pattern'>;

/** An ACL as Kafka's authorizer reads it; a live one may have any form. */
type Entry = {
  readonly index: number;
  readonly key: string;
  readonly type: string;
  readonly name: string;
  readonly isPrefix: boolean;
  readonly principal: string;
  readonly host: string;
  readonly operation: string;
  readonly isDeny: boolean;
};

const EVERYONE = 'User:*';

/**
 * Where ACLs let more through: a DENY that ends although something is allowed there, and an ALLOW for everyone. What they allow to
 * single clients is what they are for. No ACL, no access; a DENY goes before an ALLOW (gateway-api A.6, and Kafka's authorizer).
 */
export function findLooserAcls(before: Json | undefined, after: Json | undefined): readonly Looser[] {
  const [former, now] = [readAcls(before), readAcls(after)];
  const keptKeys = new Set(former.map(({ key }) => key));
  const nowKeys = new Set(now.map(({ key }) => key));
  const ended = former.filter(
    (one) => one.isDeny && !nowKeys.has(one.key) && !now.some((other) => other.isDeny && covers(other, one)),
  );
  const opened = now.filter(
    (one) =>
      isForEveryone(one) &&
      !one.isDeny &&
      !keptKeys.has(one.key) &&
      !former.some((other) => !other.isDeny && covers(other, one)) &&
      !now.some((other) => other.isDeny && covers(other, one)),
  );
  const found = [
    ...ended.flatMap((one) => nobodyDenies(one, now)),
    ...opened.map((one) => {
      const allowed = former.filter(
        (other) => !other.isDeny && covers({ ...other, principal: EVERYONE }, one),
      );
      return tell(one, { allBut: allowed.map(({ principal }) => usernameOf(principal)) });
    }),
  ];
  const keyOf = ({ who, topics, pattern }: Looser): string => JSON.stringify([who, topics, pattern]);
  return [...new Map(found.map((one) => [keyOf(one), one])).values()];
}

/** The ACLs on a topic, as if they were on another one. A hidden topic may be any. */
export function aclsOn(acls: readonly Acl[] = [], name: string, as: string): readonly Acl[] {
  const [topic] = readAcls([{ resourcePattern: { resourceType: 'TOPIC', name, patternType: 'LITERAL' } }]);
  const resourcePattern = { resourceType: 'TOPIC', name: as, patternType: 'LITERAL' };
  if (!isList(acls)) return []; // hidden as a whole
  return onTopics(acls).flatMap(({ acl, one }) => {
    const isOn = name === HIDDEN || hasHidden(one.name) || (topic !== undefined && coversName(one, topic));
    return isOn ? [{ ...acl, resourcePattern }] : [];
  });
}

/** Many topics are looked up in the same ACLs. */
const onTopics = memoize((acls: readonly Acl[]) =>
  readAcls(acls).flatMap((one, index) => {
    const acl = acls[index];
    return acl !== undefined && one.type === 'TOPIC' ? [{ acl, one }] : [];
  }),
);

/** Those who are allowed now what an ACL has denied. */
function nobodyDenies(denied: Entry, now: readonly Entry[]): readonly Looser[] {
  const allowed = now.filter(
    (other) => !other.isDeny && overlap(denied, other) && !isStillDenied(denied, other, now),
  );
  const principals = new Set(
    allowed.map(({ principal }) => (isForEveryone(denied) ? principal : denied.principal)),
  );
  if (principals.has(EVERYONE)) return [tell(denied, { allBut: [] })];
  return [...principals].map((principal) => tell(denied, { username: usernameOf(principal) }));
}

/** Whether narrower DENYs take the place of one, for all that an ALLOW and it were both about. */
function isStillDenied(denied: Entry, allowed: Entry, now: readonly Entry[]): boolean {
  if (hasHidden([denied.key, allowed.key])) return false;
  const both: Entry = {
    ...denied,
    ...(coversName(denied, allowed) ? { name: allowed.name, isPrefix: allowed.isPrefix } : {}),
    ...(denied.principal === EVERYONE ? { principal: allowed.principal } : {}),
    ...(denied.host === '*' ? { host: allowed.host } : {}),
  };
  const operations = denied.operation === 'ALL' ? operationsOf(allowed) : [denied.operation];
  return operations.every((operation) =>
    now.some((other) => other.isDeny && covers(other, { ...both, operation })),
  );
}

function tell({ index, type, name, isPrefix }: Entry, who: Loosened['who']): Looser {
  const isOpen = type === 'TOPIC' && !hasHidden(name);
  const isAll = name === '*' || isPrefix;
  const pattern = name === '*' ? '.*' : `${name.replaceAll('.', String.raw`\.`)}.*`;
  return {
    at: `/spec/acls/${index}`,
    who,
    loss: 'part',
    topics: isOpen && !isAll ? [name] : null,
    pattern: isOpen && isAll ? pattern : null,
  };
}

function readAcls(acls: Json | undefined): readonly Entry[] {
  return (isList(acls) ? acls : []).map((acl, index) => {
    const at = (path: Pointer): string => {
      const value = valueAt(acl, path);
      return typeof value === 'string' ? value : '';
    };
    const entry = {
      type: at('/resourcePattern/resourceType'),
      name: at('/resourcePattern/name'),
      isPrefix: at('/resourcePattern/patternType') === 'PREFIXED',
      principal: at('/principal'),
      host: at('/host'),
      operation: at('/operation'),
      isDeny: at('/permissionType') === 'DENY',
    };
    return { index, key: JSON.stringify(entry), ...entry };
  });
}

/** A principal that is hidden may be everyone. */
function isForEveryone({ principal }: Entry): boolean {
  return principal === EVERYONE || hasHidden(principal);
}

function usernameOf(principal: string): string {
  return principal.startsWith('User:') ? principal.slice('User:'.length) : principal;
}

/** Whether an ACL is about all that another one of the same sort is about. */
function covers(wide: Entry, one: Entry): boolean {
  return (
    wide.type === one.type &&
    coversName(wide, one) &&
    [EVERYONE, one.principal].includes(wide.principal) &&
    ['*', one.host].includes(wide.host) &&
    (wide.operation === 'ALL' || operationsOf(one).every((each) => operationsOf(wide).includes(each)))
  );
}

function coversName(wide: Entry, one: Entry): boolean {
  if (wide.isPrefix) return one.name.startsWith(wide.name) && (one.isPrefix || one.name !== '*');
  return wide.name === '*' || (wide.name === one.name && !one.isPrefix);
}

/** What an ACL is about: an ALLOW of some operations allows to describe as well. */
function operationsOf({ operation, isDeny }: Entry): readonly string[] {
  const implied = isDeny ? undefined : IMPLIED[operation];
  return implied === undefined ? [operation] : [operation, implied];
}

const IMPLIED: Readonly<Record<string, string>> = {
  READ: 'DESCRIBE',
  WRITE: 'DESCRIBE',
  DELETE: 'DESCRIBE',
  ALTER: 'DESCRIBE',
  ALTER_CONFIGS: 'DESCRIBE_CONFIGS',
};

/** Whether a DENY and an ALLOW can be about the same request; a network or a hidden value may be anything. */
function overlap(denied: Entry, allowed: Entry): boolean {
  const isOpen = (field: 'name' | 'principal' | 'host' | 'operation'): boolean =>
    [denied, allowed].some((one) => hasHidden(one[field]) || (field === 'host' && one.host.includes('/')));
  const either = (test: (wide: Entry, one: Entry) => boolean): boolean =>
    test(denied, allowed) || test(allowed, denied);
  return (
    denied.type === allowed.type &&
    (isOpen('name') || either(coversName)) &&
    (isOpen('principal') || either((wide, one) => [EVERYONE, one.principal].includes(wide.principal))) &&
    (isOpen('host') || either((wide, one) => ['*', one.host].includes(wide.host))) &&
    (isOpen('operation') ||
      [denied.operation, allowed.operation].includes('ALL') ||
      operationsOf(allowed).includes(denied.operation))
  );
}
