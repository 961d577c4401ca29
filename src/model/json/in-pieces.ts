/** The length of a piece: passing on each small part would be slow. */
const PIECE = 64 * 1024;

/** Joins the parts of a text into larger pieces. */
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
