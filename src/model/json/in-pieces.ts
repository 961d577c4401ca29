/** How much is gathered before it is handed on: a call for each small part would take longer than to make it. */
const PIECE = 64 * 1024;

/** The same text in fewer pieces, none much longer than it has to be. */
export function* inPieces(parts: Iterable<string>): Generator<string> {
  let piece = '';
  for (const part of parts) {
    piece += part;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
