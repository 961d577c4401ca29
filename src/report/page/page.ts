import type { Position } from '../../model/problem.ts';
import type { Line } from './change-lines.ts';
import type { Fate } from './fates.ts';
import type { LazyList } from '../../outcome/lazy.ts';
import type { ProblemRecord } from '../../outcome/problem-record.ts';

/**
 * A report for people to read outside of a terminal, from the most important to the least: Markdown and HTML print it. All
 * texts are plain, and may come from files and the gateway.
 */
export type Page = {
  readonly title: string;
  readonly tone: Tone;
  /** What the report is about: the gateway, the age of a snapshot, what it was narrowed by. */
  readonly facts: readonly Fact[];
  /** What the reader can do. */
  readonly next?: string | undefined;
  /** What principals lose; it stands before the risks. */
  readonly losses?: readonly Fates[] | undefined;
  readonly risks: readonly Note[];
  readonly problems: readonly ProblemRecord[];
  readonly sections: readonly Section[];
  /** What changes for principals. */
  readonly effects?: Fates | undefined;
  readonly totals: readonly Total[];
  /** The order of the changes of a plan. */
  readonly steps?: LazyList<Step> | undefined;
  /** The numbers of what does not change. */
  readonly closing: string;
};

/** Whether there is nothing to do, something to review, a risk, or something wrong. */
export type Tone = 'calm' | 'review' | 'warning' | 'alarm';

export type Fact = { readonly label: string; readonly text: string; readonly isCode: boolean };

/** A sentence about an object; its name is not part of the text. */
export type Note = { readonly name: string; readonly text: string };

/** What happens to principals, under a title. */
export type Fates = { readonly title: string; readonly fates: readonly Fate[] };

/** Objects with the same fate. */
export type Section = {
  readonly title: string;
  readonly sign: Sign;
  /** How many objects there are; an entry may stand for several. */
  readonly count: number;
  /** Behind the title, for what is folded: it is not what the reader came for. */
  readonly aside?: string | undefined;
  /** Made when they are read, because a plan may be long. */
  readonly entries: Iterable<Entry>;
};
export type Sign = '+' | '-' | '~' | '±' | '!' | '?' | '✓';

/** One object, or several with the same lines. */
export type Entry = {
  readonly names: readonly [string, ...string[]];
  readonly at?: Position | undefined;
  /** Where it is not that of its section. */
  readonly sign?: Sign | undefined;
  readonly notes: readonly string[];
  readonly isRisky: boolean;
  /** Made when they are printed: a plan may be long. */
  readonly lines: () => readonly Line[];
};

/** Counts of one kind, in one virtual cluster if its objects are in one. */
export type Total = {
  readonly kind: string;
  readonly virtualCluster: string | undefined;
  /** By the title of the section. */
  readonly counts: Readonly<Record<string, number>>;
};

/** A change in its order: what must be made before it has come before. */
export type Step = {
  readonly id: string;
  readonly name: string;
  /** The title of its section. */
  readonly section: string;
  readonly sign: Sign;
  readonly after: readonly string[];
};
