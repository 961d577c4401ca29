import { mapValues } from '../../model/collect.ts';

/** A flag of a command. Its key in the table is its name: `caCert` is `--ca-cert`. `T` is what a command gets. */
export type Flag<T = unknown> = {
  readonly help: string;
  /** How the help names its value: `<file>`, or `[run]` if it can be left out. Absent: it has none. */
  readonly value?: string;
  readonly short?: string;
  readonly isHidden?: true;
  /** Few need it: the help only names it, until `--all`. */
  readonly isRare?: true;
  /** What it is about, as the help says it; absent: it is of the command. */
  readonly group?: string;
  readonly isRequired?: true;
  readonly choices?: readonly string[];
  readonly default?: string;
  /** The variable that takes its place. */
  readonly env?: string;
  /** The flags that are given with it. */
  readonly implies?: Readonly<Record<string, boolean>>;
  /** Makes the value, of a text and of the value so far; `flag` is for messages. */
  read?(text: string, before: T, flag: string): T;
};

export type Flags = Readonly<Record<string, Flag>>;

type ValueOf<F> = F extends Flag<infer T> ? T : never;

/** What a command gets for its flags. */
export type Values<F> = {
  readonly [name in keyof F as undefined extends ValueOf<F[name]> ? never : name]: ValueOf<F[name]>;
} & {
  readonly [name in keyof F as undefined extends ValueOf<F[name]> ? name : never]?: Exclude<
    ValueOf<F[name]>,
    undefined
  >;
};

/** Flags that several commands have, with what they are about. */
export function inGroup<F extends Flags>(group: string, flags: F): F {
  return withMore(flags, { group });
}

/** Flags that few need. */
export function rare<F extends Flags>(flags: F): F {
  return withMore(flags, { isRare: true });
}

function withMore<F extends Flags>(flags: F, more: Pick<Flag, 'group' | 'isRare'>): F {
  // Each is the same flag with one more field.
  return mapValues(flags, (flag) => ({ ...flag, ...more })) as F;
}

/** A flag without a value. */
export function toggle(
  help: string,
  more: Pick<Flag, 'isHidden' | 'short' | 'implies'> = {},
): Flag<boolean | undefined> {
  return { help, ...more };
}

export function text(
  value: `<${string}>`,
  help: string,
  more: Pick<Flag, 'env'> = {},
): Flag<string | undefined> {
  return { help, value, ...more };
}

/** A flag that the command cannot do without. */
export function required(value: `<${string}>`, help: string): Flag<string> {
  return { help, value, isRequired: true };
}

export function withDefault(value: `<${string}>`, help: string, otherwise: string): Flag<string> {
  return { help, value, default: otherwise };
}

/** A flag whose value can be left out. */
export function optional(value: `[${string}]`, help: string): Flag<string | true | undefined> {
  return { help, value };
}

/** A list of names, as a text with commas; given several times it goes on. */
export function commaList(help: string): Flag<string | undefined> {
  return { help, value: '<names>', read: (one, before) => (before === undefined ? one : `${before},${one}`) };
}

/** One of some words. */
export function choice<const T extends string>(
  value: `<${string}>`,
  help: string,
  choices: readonly T[],
): Flag<T | undefined> {
  return { help, value, choices };
}

export function choiceWithDefault<const T extends string>(
  value: `<${string}>`,
  help: string,
  choices: readonly T[],
  otherwise: T,
): Flag<T> {
  return { help, value, choices, default: otherwise };
}

/** A flag that can be given several times; `read` makes the values of a text. */
export function list(
  value: `<${string}>`,
  help: string,
  more: Pick<Flag, 'short'> = {},
): Flag<readonly string[] | undefined> {
  return listOf(value, help, (one) => [one], more);
}

export function listOf<T>(
  value: `<${string}>`,
  help: string,
  read: (text: string, flag: string) => readonly T[],
  more: Pick<Flag, 'short'> = {},
): Flag<readonly T[] | undefined> {
  return { help, value, ...more, read: (one, before = [], flag) => [...before, ...read(one, flag)] };
}

/** The flag of a name: `caCert` is `--ca-cert`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
