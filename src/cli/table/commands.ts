import { CHANGES } from './changes.ts';
import { GROUPS, type Command } from './command.ts';
import type { Values } from './flag.ts';
import type { GLOBAL } from './flags.ts';
import { LIVE } from './live.ts';
import { TOOLS } from './tools.ts';

/** Every command. What they do is in `runs.ts`. */
export const COMMANDS = { ...CHANGES, ...LIVE, ...TOOLS };

/** The first words of commands with two. */
export const FIRST_WORDS: Readonly<Record<string, Pick<Command, 'summary' | 'description'>>> = {
  token: {
    summary: 'issue and inspect tokens of service accounts',
    description: 'Issues tokens for LOCAL service accounts, and inspects them.',
  },
  cluster: {
    summary: 'switch physical clusters',
    description: 'Switches the physical clusters that a gateway uses.',
  },
};

export type Name = keyof typeof COMMANDS;

/** The command of a name, with what each may have. */
export function entryOf(name: Name): Command {
  return COMMANDS[name];
}

const ORDER = Object.keys(GROUPS);

/** In the order of the help: by group, then as the tables have them. */
export const NAMES: readonly Name[] = (Object.keys(COMMANDS) as Name[]) // the keys of a literal
  .sort((one, other) => ORDER.indexOf(entryOf(one).group) - ORDER.indexOf(entryOf(other).group));

type Entry<N extends Name> = (typeof COMMANDS)[N];

/** What a command gets for its flags. */
export type Args<N extends Name> = (Entry<N> extends { readonly flags: infer F } ? Values<F> : unknown) &
  Pick<Values<typeof GLOBAL>, 'chdir' | 'logLevel' | 'maxInput'>;

/** What a command gets beside its flags. */
export type Operand<N extends Name> =
  Entry<N> extends { readonly operand: infer O }
    ? O extends `${string}...${string}`
      ? readonly string[]
      : O extends `<${string}`
        ? string
        : string | undefined
    : undefined;

export type FormatOf<N extends Name> =
  Entry<N> extends { readonly formats: infer F }
    ? NamesOf<F> | (F extends { readonly with: infer Others } ? NamesOf<Others> : never)
    : never;

type NamesOf<F> = F extends { readonly names: readonly (infer One)[] } ? One : never;

/** What a command may do with a gateway. */
export type Access<N extends Name> =
  Entry<N> extends { readonly gateway: infer A extends 'read' | 'write' } ? A : 'none';
