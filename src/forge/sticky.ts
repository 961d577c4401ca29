import { present } from '../model/collect.ts';
import { ForgeError, type Comment, type Forge } from './forge.ts';

/** A comment as it is to be. */
export type Wanted = {
  /** Its first line. */
  readonly marker: string;
  /** The commit that it is about. */
  readonly commit?: string | undefined;
  /** The commit that a comment is about, which no text of a report can change. */
  readonly commitIn?: (body: string) => string | undefined;
  /** Whether there is nothing to tell. */
  readonly isQuiet: boolean;
  /** The action then: update an existing comment, write one all the same, or delete it. */
  readonly whenQuiet: 'update' | 'create' | 'delete';
  /** The text, made from what the comment says now; undefined if that is as it should be. */
  readonly textAfter: (before: string | undefined) => string | undefined;
};

export type PutComment = {
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'deleted' | 'skipped' | 'outdated';
  readonly url: string;
  /** The account of the token, if a comment had to be created to learn it. */
  readonly learnt?: string;
};

/** The most rounds: each reads all comments again, because somebody else changed them at the same time. */
const MOST_ROUNDS = 4;
const FIRST_WAIT_MS = 1_000;

/**
 * Writes the one comment with this marker that is ours. Of several, which two jobs at once make, the oldest stays: whoever sees
 * them updates it, and deletes the others. Comments of others are not touched, whatever they say.
 */
export async function putComment(
  forge: Forge,
  wanted: Wanted,
  wait: (ms: number) => Promise<void>,
): Promise<PutComment> {
  for (let round = 1; ; round += 1) {
    try {
      return await putOnce(forge, wanted);
    } catch (error) {
      if (!(error instanceof AgainError)) throw error;
      if (round === MOST_ROUNDS) throw error.cause;
      await wait(FIRST_WAIT_MS * 2 ** (round - 1));
    }
  }
}

async function putOnce(forge: Forge, wanted: Wanted): Promise<PutComment> {
  const me = await forge.whoAmI();
  const marked = await listMarked(forge, wanted);
  const own = me === undefined ? [] : marked.filter(({ author }) => isSame(author, me));
  // A token of an unknown account learns it from its own comment; that is needed only if one may be there already.
  const mayBeOwn = me === undefined ? marked : own;
  if (wanted.isQuiet && wanted.whenQuiet !== 'create' && mayBeOwn.length === 0)
    return { outcome: 'skipped', url: '' };
  if (own.length > 0) return keepOldest(forge, wanted, own);
  const made = await create(forge, wanted);
  const seen = (await listMarked(forge, wanted)).filter(({ author }) => isSame(author, made.author));
  // A list may be older than the comment.
  const all = (seen.some(({ id }) => id === made.id) ? seen : [...seen, made]).sort(byAge);
  const { outcome, url } = await keepOldest(forge, wanted, all);
  const learnt = me === undefined && marked.length > 0 ? { learnt: made.author } : {};
  const isNew = outcome === 'unchanged' && all[0]?.id === made.id;
  return { outcome: isNew ? 'created' : outcome, url, ...learnt };
}

/** Leaves the oldest of our comments, with the text. */
async function keepOldest(forge: Forge, wanted: Wanted, own: readonly Comment[]): Promise<PutComment> {
  const isGone = wanted.isQuiet && wanted.whenQuiet === 'delete';
  const text = isGone ? undefined : wanted.textAfter(own[0]?.body);
  const stays = (isGone || text !== undefined) && (await isOutdated(forge, wanted, own));
  const [kept, ...others] = isGone && !stays ? [undefined, ...own] : own;
  for (const other of others) if (other !== undefined) await remove(forge, other);
  if (kept === undefined) return { outcome: 'deleted', url: '' };
  if (stays) return { outcome: 'outdated', url: kept.url };
  if (text === undefined) return { outcome: 'unchanged', url: kept.url };
  const changed = await again([404, 409], () => forge.update(kept, text));
  const isAsBefore = changed.body.trim() === kept.body.trim();
  if (changed.id !== kept.id || isAsBefore || !isAnswer(changed, wanted)) throw notAnswered('change');
  return { outcome: 'updated', url: kept.url };
}

/** Whether a comment is about the newest commit, and this one is not: an old run ends later, or was begun again. */
async function isOutdated(forge: Forge, wanted: Wanted, [kept]: readonly Comment[]): Promise<boolean> {
  const own = wanted.commit?.slice(0, SHOWN);
  const named = kept && wanted.commitIn?.(kept.body);
  if (own === undefined || named === undefined || own === named) return false;
  const head = await forge.readHead();
  return head?.startsWith(named) === true && !head.startsWith(own);
}

/** As much of a commit as a comment shows. */
const SHOWN = 12;

/** Oldest first. What is written while pages are read moves comments to the next page, which lists them again. */
async function listMarked(forge: Forge, { marker }: Wanted): Promise<readonly Comment[]> {
  const byId = new Map((await forge.list()).map((comment) => [comment.id, comment]));
  return [...byId.values()].filter(({ body }) => hasMarker(body, marker)).sort(byAge);
}

/** Forges number their comments. */
function byAge({ id: one }: Comment, { id: other }: Comment): number {
  return one.length - other.length || (one < other ? -1 : 1);
}

/** After a failure on the way, it is not known whether there is a comment: the list tells. */
async function create(forge: Forge, wanted: Wanted): Promise<Comment> {
  const text = wanted.textAfter(undefined) ?? '';
  const made = await again([undefined, 500, 502, 503, 504], () => forge.create(text));
  if (!isAnswer(made, wanted)) throw notAnswered('create');
  return made;
}

/** Whether an answer has the comment in it that was sent. */
function isAnswer({ id, body }: Comment, { marker }: Wanted): boolean {
  return id !== '' && hasMarker(body, marker);
}

function notAnswered(what: string): ForgeError {
  return new ForgeError(`the forge did not answer with the comment that it was to ${what}`, {
    hint: 'check --api-url, and what answers there: a proxy may',
  });
}

/** Another job may have deleted it first. */
async function remove(forge: Forge, comment: Comment): Promise<void> {
  try {
    await again([409], () => forge.remove(comment));
  } catch (error) {
    if (!(error instanceof ForgeError && error.status === 404)) throw error;
  }
}

/** Names of accounts do not depend on case. A comment that names no author is nobody's. */
function isSame(one: string, other: string): boolean {
  return one !== '' && one.toLowerCase() === other.toLowerCase();
}

/** The comments that were read are out of date. */
class AgainError extends Error {
  override readonly cause: ForgeError;
  constructor(cause: ForgeError) {
    super('read again');
    this.cause = cause;
  }
}

async function again<T>(statuses: readonly (number | undefined)[], call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ForgeError && statuses.includes(error.status)) throw new AgainError(error);
    throw error;
  }
}

/** How a forge hides a line of a comment. */
export type Hide = (text: string) => string;

/** As HTML. */
export const inHtml: Hide = (text) => `<!-- ${text} -->`;

/** As a link that nothing refers to, where HTML is shown as it is. */
export const inLink: Hide = (text) => `[//]: # (${text})`;

/** The first line of a comment, which says what it is about; `name` is of one of several projects in a repository. */
export function markerOf(
  { name, environment }: { readonly name?: string | undefined; readonly environment?: string | undefined },
  hide: Hide,
): string {
  const parts = Object.entries(present({ name, environment })).map(([key, text]) => `${key}=${encode(text)}`);
  return hide(['gwconf', ...parts].join(' '));
}

/** Only letters, digits and a few marks, none of which ends a comment of HTML or a link. */
function encode(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd')).replace(
    /[^\w.%]/g,
    (found) => `%${found.charCodeAt(0).toString(16)}`,
  );
}

/** Whether a comment begins with this marker: a quotation, or a text about it, does not. Forges change the ends of lines. */
function hasMarker(body: string, marker: string): boolean {
  return body.trim().split(/\r?\n/, 1)[0] === marker;
}
