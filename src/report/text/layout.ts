/** How much of each change a report for people shows. */
export const DETAILS = ['summary', 'fields', 'full'] as const;
export type Detail = (typeof DETAILS)[number];

/** How a report for people is printed. */
export type TextOptions = {
  readonly paint: Paint;
  /** The columns of the terminal. Absent: lines are as long as they need to be. */
  readonly width?: number | undefined;
  /** Default: what fits the number of changes. */
  readonly detail?: Detail | undefined;
};

/**
 * Breaks a line at blanks so that no part is wider than `width`, and indents the parts after the first by `indent`. Words are not
 * cut: a longer one sticks out. Without a width the line stays whole.
 */
export function wrap(line: string, width: number | undefined, indent: number): readonly string[] {
  if (width === undefined || line.length <= width) return [line];
  const lead = /^ */.exec(line)?.[0] ?? '';
  const lines: string[] = [];
  let current = lead;
  for (const word of line.slice(lead.length).split(' ')) {
    const isFirst = current.trim() === '';
    const helps = indent + word.length <= width;
    if (!isFirst && helps && current.length + 1 + word.length > width) {
      lines.push(current);
      current = `${' '.repeat(indent)}${word}`;
    } else {
      current += isFirst ? word : ` ${word}`;
    }
  }
  return [...lines, current];
}

/** Colours, or none of them: the terminal's business, so the command line hands them in. */
export type Paint = {
  readonly [style in 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan']: (text: string) => string;
};

const plain = (text: string): string => text;

export const NO_PAINT: Paint = {
  bold: plain,
  dim: plain,
  red: plain,
  green: plain,
  yellow: plain,
  cyan: plain,
};
