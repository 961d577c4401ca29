/**
 * Runs one commit at a time, each for all callers before its start:
 *
 *     a asks ─▶ commit 1 ────────────▶ a is answered
 *          b asks, c asks ─▶ wait ─▶ commit 2 ─▶ b and c are answered
 */
export function groupCommit(commit: () => Promise<void>): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    if (next !== undefined) return next;
    const waiting = running.then(otherCallers).then(() => {
      next = undefined;
      return commit();
    });
    next = waiting;
    running = waiting.catch(() => undefined); // the callers get the error; the next commit starts anew
    return waiting;
  };
}

/** Waits for callers in the same turn, so that they share a commit. */
function otherCallers(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
