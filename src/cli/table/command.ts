import type { Format } from '../../report/formats.ts';
import type { Flags } from './flag.ts';

/** What a command is for, as the help says it, in its order. */
export const GROUPS = {
  daily: 'Every day',
  look: 'Look',
  back: 'Go back',
  review: 'Pull requests',
  move: 'Move in and out',
  operate: 'Operate',
  learn: 'Learn',
  other: 'Other',
} as const satisfies Readonly<Record<string, string>>;

/** A command, but for what it does. */
export type Command = {
  readonly group: keyof typeof GROUPS;
  readonly summary: string;
  readonly description?: string;
  /** What it takes besides flags. */
  readonly operand?: `<${string}>` | `[${string}]`;
  readonly alias?: string;
  readonly flags?: Flags;
  /** What `-o` takes; absent: there is no `-o`. */
  readonly formats?: Formats;
  /** What it may do with a gateway; absent: nothing, and it gets none. */
  readonly gateway?: 'read' | 'write';
  /** Whether it takes several environments at once, side by side, with one report. */
  readonly takesSeveral?: true;
  /** The page of docs that is about it, and a heading there. */
  readonly page?: string;
  /** Two command lines for the help. */
  readonly examples: readonly [string, string];
};

/** The formats of a command; the first is the one without `-o`. */
export type Formats = {
  readonly names: readonly [string, ...string[]];
  /** Reports can also be written to files: `-o FORMAT=FILE`. */
  readonly toFiles?: true;
  /** The formats with a flag that asks for another report. */
  readonly with?: { readonly flag: string; readonly names: readonly [Format, ...Format[]] };
  /** In place of the list in the help. */
  readonly help?: string;
};

/** Those of reports, in the order of the help. */
const REPORT = [
  'human',
  'json',
  'ndjson',
  'markdown',
  'html',
  'step-summary',
  'sarif',
  'junit',
  'github',
  'gitlab-quality',
] as const satisfies readonly Format[];

export const FORMATS_OF = {
  report: { names: REPORT, toFiles: true },
  plan: { names: [...REPORT, 'gitlab-terraform'], toFiles: true },
  /** For people and programs; no results of a check. */
  page: { names: ['human', 'json', 'markdown', 'html', 'step-summary'], toFiles: true },
  answer: { names: ['human', 'json'] },
} as const satisfies Readonly<Record<string, Formats>>;
