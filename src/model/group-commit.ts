/**
 * One commit at a time, each for all who asked before it began:
 *
 *     a asks ─▶ commit 1 ────────────▶ a is answered
 *          b asks, c asks ─▶ wait ─▶ commit 2 ─▶ b and c are answered
 */
export function groupCommit(commit: () => Promise<void>): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    if (next !== undefined) return next;
    const waiting = running.then(othersToAsk).then(() => {
      next = undefined;
      return commit();
    });
    next = waiting;
    running = waiting.catch(() => undefined); // those who asked are told; the next commit is another try
    return waiting;
  };
}

/** Until everybody who is about to ask has: callers that run in step would each get a commit of their own. */
function othersToAsk(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
