type Below = {
  /** The offset of the key or value below a comment; the end of the text if there is none. */
  readonly offset: number;
  /** An empty line is between: above one, a comment ignores nothing. */
  readonly isApart: boolean;
};

/** What is below the comment that begins at each of these offsets, which ascend. Reads each line once, from the last one on. */
export function findBelow(text: string, comments: readonly number[]): readonly Below[] {
  const found: Below[] = [];
  let below: Below = { offset: text.length, isApart: false };
  let left = comments.length;
  for (let end = text.length; end >= 0 && left > 0;) {
    const start = end === 0 ? 0 : text.lastIndexOf('\n', end - 1) + 1;
    if ((comments[left - 1] ?? -1) >= start) {
      found.push(below);
      left -= 1;
    } else below = belowLine(text.slice(start, end), start, below);
    end = start - 1;
  }
  return found.reverse();
}

function belowLine(line: string, start: number, below: Below): Below {
  const [indent = ''] = /^[ \t]*(?:- +)*/.exec(line) ?? [];
  const rest = line.slice(indent.length).trimEnd();
  if (rest === '') return { ...below, isApart: true };
  return rest.startsWith('#') ? below : { offset: start + indent.length, isApart: false };
}
