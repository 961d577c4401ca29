import fc from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { ForgeError, type Comment, type Forge } from '../../src/forge/forge.ts';
import { inHtml, markerOf, putComment, type Wanted } from '../../src/forge/sticky.ts';

const MARKER = markerOf({ environment: 'prod' }, inHtml);

/** Comments in memory; each call takes effect when the scheduler says so. */
function makeForge(schedule: <T>(call: () => T) => Promise<T>, comments: Comment[], knowsMe: boolean): Forge {
  let id = 100;
  const at = (comment: Comment): number => {
    const found = comments.findIndex((one) => one.id === comment.id);
    if (found === -1) throw new ForgeError('there is no such comment', { status: 404 });
    return found;
  };
  return {
    whoAmI: () => Promise.resolve(knowsMe ? 'me' : undefined),
    // A page repeats what others have moved there.
    list: () => schedule(() => [...comments, ...comments].reverse()),
    create: (body) =>
      schedule(() => {
        const made = { id: String(id++), author: 'me', body, url: '' };
        comments.push(made);
        return made;
      }),
    update: (comment, body) =>
      schedule(() => {
        const changed = { ...comment, body };
        comments.splice(at(comment), 1, changed);
        return changed;
      }),
    remove: (comment) => schedule(() => void comments.splice(at(comment), 1)),
    readHead: () => Promise.resolve(undefined),
    close: () => Promise.resolve(),
  };
}

function wanting(text: string): Wanted {
  const body = `${MARKER}\n\n${text}`;
  const textAfter = (before?: string): string | undefined => (before === body ? undefined : body);
  return { marker: MARKER, isQuiet: false, whenQuiet: 'update', textAfter };
}

describe('one comment', () => {
  it('is left by any number of jobs at once, in any order of their calls', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 0, max: 2 }),
        fc.boolean(),
        async (scheduler, jobs, before, knowsMe) => {
          const strange = { id: '1', author: 'mallory', body: `${MARKER}\n\nstrange`, url: '' };
          const own = Array.from({ length: before }, (_, at) => ({
            ...{ id: String(10 + at), author: 'me', body: `${MARKER}\n\nold ${at}`, url: '' },
          }));
          const comments: Comment[] = [strange, ...own];
          const schedule = <T>(call: () => T): Promise<T> =>
            scheduler.schedule(Promise.resolve()).then(() => call());
          const forge = makeForge(schedule, comments, knowsMe);
          const texts = Array.from({ length: jobs }, (_, at) => `text ${at}`);
          const wait = (): Promise<void> => Promise.resolve();
          const all = Promise.all(texts.map((text) => putComment(forge, wanting(text), wait)));
          await scheduler.waitFor(all);

          const [first, ...rest] = comments;
          expect(first).toEqual(strange);
          expect(rest).toHaveLength(1);
          expect(rest[0]?.author).toBe('me');
          expect(texts.map((text) => `${MARKER}\n\n${text}`)).toContain(rest[0]?.body);
          // The oldest stays, with what people replied to it.
          if (before > 0) expect(rest[0]?.id).toBe('10');
        },
      ),
      { numRuns: 200 },
    );
  });

  it('is given up after some rounds when it can never be changed', async () => {
    const own = { id: '10', author: 'me', body: `${MARKER}\n\nold`, url: '' };
    const forge: Forge = {
      ...makeForge((call) => Promise.resolve(call()), [own], true),
      update: () => Promise.reject(new ForgeError('no such comment', { status: 404 })),
    };
    const waits: number[] = [];
    const wait = (ms: number): Promise<void> => Promise.resolve(void waits.push(ms));
    await expect(putComment(forge, wanting('new'), wait)).rejects.toThrow('no such comment');
    expect(waits).toEqual([1000, 2000, 4000]);
  });

  it.each<[string, (comment: Comment) => Comment, boolean]>([
    ['a new comment has another text', (made) => ({ ...made, body: 'Sign in' }), true],
    ['an older one has another text', (changed) => ({ ...changed, body: '' }), false],
  ])('is not written if in the answer %s', async (_, answer, isNew) => {
    const own = { id: '10', author: 'me', body: `${MARKER}\n\nold`, url: '' };
    const real = makeForge((call) => Promise.resolve(call()), isNew ? [] : [own], true);
    const forge: Forge = {
      ...real,
      create: async (body) => answer(await real.create(body)),
      update: async (comment, body) => answer(await real.update(comment, body)),
    };
    const put = putComment(forge, wanting('new'), () => Promise.resolve());
    await expect(put).rejects.toThrow(/did not answer with the comment/);
  });
});
