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
