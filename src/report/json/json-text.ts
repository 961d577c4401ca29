import { jsonPieces } from '../../model/json/pieces.ts';
import { forTerminal } from '../escape.ts';

/** A report as indented JSON with a line break at its end, in pieces. */
export function* renderJson(report: object): Generator<string> {
  for (const piece of jsonPieces(report)) yield forTerminal(piece);
}
