import type { Gateway, GatewayOperations } from '../gateway/gateway.ts';
import { groupCommit } from '../model/group-commit.ts';
import type { EmbeddedGateway } from './memory.ts';
import { encodeSnapshot } from './saved-state.ts';

/**
 * The port of an embedded gateway whose writes resolve once they are saved. Writes during a save share the next one; saves
 * never overlap. A write whose save fails rejects with the error of the save, and the next write tries again.
 */
export function persistentGateway(
  embedded: EmbeddedGateway,
  save: (text: string) => Promise<void>,
): Gateway & GatewayOperations {
  const saved = makeSaver(embedded, save);
  return {
    ...embedded,
    parallelism: 1000, // they share one save
    async put(kind, resource) {
      const result = await embedded.put(kind, resource);
      await saved();
      return result;
    },
    async remove(kind, resource) {
      const result = await embedded.remove(kind, resource);
      await saved();
      return result;
    },
    async close() {
      await saved();
      await embedded.close();
    },
  };
}

/** Returns a function that saves the gateway's present state, for the `saved` of a server. */
export function makeSaver(
  embedded: EmbeddedGateway,
  save: (text: string) => Promise<void>,
): () => Promise<void> {
  let savedRevision = embedded.revision();
  const commit = groupCommit(async () => {
    const revision = embedded.revision();
    await save(encodeSnapshot(embedded.snapshot()));
    savedRevision = revision;
  });
  return () => (savedRevision < embedded.revision() ? commit() : Promise.resolve());
}
