import type { Gateway } from '../gateway/gateway.ts';
import { groupCommit } from '../model/group-commit.ts';
import type { EmbeddedGateway } from './memory.ts';
import { encodeSnapshot } from './snapshot.ts';

/**
 * The port of an embedded gateway whose every write is saved before it is over. Writes that come while a save is under
 * way share the next one; saves never overlap. A write whose save fails rejects with what the save rejected with, and
 * the next write tries again.
 */
export function persistentGateway(embedded: EmbeddedGateway, save: (text: string) => Promise<void>): Gateway {
  const keep = makeSaver(embedded, save);
  return {
    url: embedded.url,
    parallelism: 1000, // they share one save
    list: (kind) => embedded.list(kind),
    async put(kind, resource) {
      const result = await embedded.put(kind, resource);
      await keep();
      return result;
    },
    async remove(kind, resource) {
      const result = await embedded.remove(kind, resource);
      await keep();
      return result;
    },
    async close() {
      await keep();
      await embedded.close();
    },
  };
}

/** Makes a function that resolves once all that the gateway holds at the call is saved; for the server's `saved`. */
export function makeSaver(
  embedded: EmbeddedGateway,
  save: (text: string) => Promise<void>,
): () => Promise<void> {
  let kept = embedded.revision();
  const commit = groupCommit(async () => {
    const revision = embedded.revision();
    await save(encodeSnapshot(embedded.snapshot()));
    kept = revision;
  });
  return () => (kept < embedded.revision() ? commit() : Promise.resolve());
}
