import { onOneLine } from '../../report/escape.ts';
import { hintOf, reasonOf } from '../../workflow/system-error.ts';

/** Output that was lost: to which file or stream, and why. */
export type Unwritten = { readonly to: string; readonly error: unknown };

export function renderUnwritten({ to, error }: Unwritten): string {
  const hint = hintOf(error);
  const why = `${reasonOf(error)}${hint === undefined ? '' : `; ${hint}`}`;
  return `gwconf: output is lost: ${onOneLine(to)} could not be written: ${onOneLine(why)}\n`;
}
