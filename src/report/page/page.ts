import type { Position } from '../../model/problem.ts';
import type { Loss } from '../../plan/change/plan.ts';
import type { ChangeRecord } from '../../outcome/change-record.ts';
import type { LazyList } from '../../outcome/lazy.ts';
import type { ProblemRecord } from '../../outcome/problem-record.ts';
import type { Consequence } from './principals.ts';
import type { DiffLine, Edit } from './edits.ts';

/**
 * What people read of an outcome: the terminal, Markdown and HTML print it, each block in its way. All texts are plain, and may come
 * from files and the gateway. What takes a look at every change is made when it is read, because a plan may be long.
 */
export type Page = {
  /** What came of it, with the numbers that matter. */
  readonly title: string;
  readonly tone: Tone;
  /** What the outcome is about: the gateway, the age of a snapshot, what it was narrowed by. */
  readonly facts: readonly Fact[];
  /** What the reader can do. */
  readonly next?: string | undefined;
  readonly problems: readonly ProblemRecord[];
  /** In the order of a terminal. Documents put what nobody may overlook before the objects, and effects after them. */
  readonly blocks: readonly Block[];
  readonly totals: () => Totals;
  /** The numbers of what does not change. */
  readonly closing: string;
  /** The last line on a terminal, which is read from its end, below the problems: it stands for the title and the closing. */
  readonly ending: Ending | undefined;
};

/** Whether there is nothing to do, something to review, a risk, or something wrong. */
export type Tone = 'calm' | 'review' | 'warning' | 'alarm';

export type Fact = {
  readonly label: string;
  readonly text: string;
  readonly isCode: boolean;
  /** The same as a line above the blocks of a terminal; absent where another line says it, or the ending does. */
  readonly line?: string | undefined;
  /** Whether that line is less important than the others. */
  readonly isAside?: boolean;
};

/** A sentence or two; `rest` begins with the blank or the mark between them. */
export type Ending = { readonly headline: string; readonly rest: string };

export type Block =
  | Notes
  | Losses
  | Consequences
  | Changes
  | Ledger
  | Runs
  | Cases
  | Groups
  | Section
  | Table
  | Checks
  | Part;

/** Blocks below a title of their own: what is told of one of several environments, or of some of them. */
export type Part = { readonly block: 'part'; readonly title: string; readonly blocks: readonly Block[] };

/** Sentences about objects that nobody may overlook. */
export type Notes = {
  readonly block: 'notes';
  readonly title: string;
  /** One of them: `risk`. */
  readonly noun: string;
  readonly notes: readonly Note[];
  /** Whether they are good to know, and no risk. */
  readonly isGood?: boolean;
  /** Text for a file, below them. */
  readonly paste?: { readonly title: string; readonly lines: readonly string[] };
  /** How a terminal shows them: with a mark each, as a term and what it means, or as sentences without a title. */
  readonly style: 'marked' | 'terms' | 'sentences';
};

/** What there is to say about an object, or a field of it: the rest of a sentence, or what a term means. */
export type Note = {
  readonly name?: string | undefined;
  readonly path?: string | undefined;
  readonly text: string;
  /** The same in parts, of which some are values. */
  readonly parts?: readonly (string | { readonly code: string })[];
  /** Where it is written. */
  readonly at?: Position | undefined;
};

/** What an undo does not restore. */
export type Losses = {
  readonly block: 'losses';
  readonly losses: readonly Loss[];
  /** Whether a terminal has told of them before the run. */
  readonly isTold?: boolean;
};

/** What happens to principals. */
export type Consequences = {
  readonly block: 'consequences';
  readonly title: string;
  /** Whether they lose protection, or do so and it is accepted, or may do so: documents tell both before the changes. */
  readonly weight: 'loss' | 'notice' | 'effect';
  readonly consequences: readonly Consequence[];
};

/** The changes of a plan, in their order and by action. */
export type Changes = Grouped & {
  readonly block: 'changes';
  readonly list: LazyList<ChangeRecord>;
  /** The same of some of the changes. */
  readonly narrow: (list: LazyList<ChangeRecord>) => Changes;
  /** Whether it is known who caused them. */
  readonly hasCauses: boolean;
  /** The same as steps: what must be made before a step has come before. */
  readonly steps: LazyList<Step>;
};

/** What became of the changes of a run, in their order and by outcome. */
export type Ledger = Grouped & {
  readonly block: 'ledger';
  readonly list: LazyList<LedgerLine>;
  /** Whether a terminal has told of each as it ended. */
  readonly isTold: boolean;
  /** Whether a blank line follows on a terminal. */
  readonly isApart: boolean;
};
export type LedgerLine = {
  readonly sign: Sign;
  readonly name: string;
  readonly notes: readonly string[];
  readonly state: State;
  /** What follows the state: ` by …`, `: …`. */
  readonly why: string;
};
/** A word for what became of something, and how good that is. */
export type State = readonly [word: string, 'green' | 'red' | 'yellow' | 'dim'];

export type Runs = Grouped & {
  readonly block: 'runs';
  readonly list: readonly {
    readonly name: string;
    readonly day: string;
    readonly state: State;
    readonly progress: string;
    readonly notes: readonly string[];
  }[];
};

/** The cases of tests, by file and by result. */
export type Cases = Grouped & {
  readonly block: 'cases';
  readonly list: readonly {
    readonly file: string;
    readonly cases: readonly { readonly state: State; readonly name: string; readonly line: number }[];
  }[];
};

/** What holds for some principals, in their order and by what holds. */
export type Groups = Grouped & { readonly block: 'groups'; readonly list: Iterable<Group> };
export type Group = {
  readonly title: string;
  /** What follows the title. */
  readonly about?: string;
  readonly lines: readonly string[];
  readonly table?: Rows | undefined;
  /** What follows from the lines. */
  readonly note?: string;
};

/** What a terminal lists in its order, and documents in sections. */
type Grouped = { readonly sections: () => readonly Section[] };

/** Objects of which the same is to be said. */
export type Section = {
  readonly block: 'section';
  readonly title: string;
  /** The title on a terminal, where it tells more. */
  readonly heading?: string;
  readonly sign: Sign;
  /** How many objects there are; an entry may stand for several. */
  readonly count: number;
  /** Of all objects, where they are known without a look at each entry. */
  readonly names?: readonly string[];
  /** Behind the title, for what is folded: it is not what the reader came for. */
  readonly aside?: string | undefined;
  /** What a terminal shows of each: all, if nothing is said; its name, for so many of them; or its note, with the number of objects that have it. */
  readonly fold?: 'names' | 'notes';
  /** Made when they are read, because a plan may be long. */
  readonly entries: Iterable<Entry>;
};
export type Sign = '+' | '-' | '~' | '±' | '!' | '?' | '✓';

/** One object, or several with the same lines. */
export type Entry = {
  readonly names: readonly [string, ...string[]];
  readonly at?: Position | undefined;
  /** Another place where it is declared. */
  readonly also?: Position | undefined;
  /** Where it is not that of its section. */
  readonly sign?: Sign | undefined;
  readonly notes: readonly string[];
  readonly isRisky: boolean;
  /** The fields that differ, for a terminal. */
  readonly edits?: readonly Edit[];
  /** Made when they are printed: a plan may be long. */
  readonly lines: () => readonly DiffLine[];
};

export type Rows = { readonly titles: readonly string[]; readonly rows: readonly (readonly string[])[] };

export type Table = Rows & {
  readonly block: 'table';
  readonly title: string;
  /**
   * How a terminal shows it: below its title, which is the default; below the titles of its columns, without its own or with it; as terms, of which the last cell says where they come
   * from; as lines; or not at all.
   */
  readonly look?: 'numbers' | 'columns' | 'titled' | 'terms' | 'lines' | 'hidden';
  /** Whether a terminal has shown it before. */
  readonly isTold?: boolean;
};

/** What checks found; what belongs to one check stands together. */
export type Checks = {
  readonly block: 'checks';
  readonly title: string;
  readonly list: readonly {
    readonly check: string;
    readonly state: State;
    readonly message: string;
    readonly hint: string | undefined;
  }[];
};

export type Totals = {
  readonly rows: readonly Total[];
  /** The virtual clusters in which something changes. */
  readonly touched?: Fact | undefined;
};

/** Counts of one kind, in one virtual cluster if its objects are in one. */
export type Total = {
  readonly kind: string;
  readonly virtualCluster: string | undefined;
  /** By the title of the section. */
  readonly counts: Readonly<Record<string, number>>;
};

/** A change in its order. */
export type Step = {
  readonly id: string;
  readonly name: string;
  /** The title of its section. */
  readonly section: string;
  readonly after: readonly string[];
};
