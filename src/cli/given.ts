import type { Examinable, ReadingOperations, ReadableGateway } from '../gateway/gateway.ts';
import type { ExitCode } from '../outcome/verdict.ts';
import type { OpenGateway } from '../workflow/live/around-calls.ts';
import type { Workspace } from '../workflow/project/workspace.ts';
import type { Opened } from '../workflow/live/read-live.ts';
import type { OpenSource } from './connect/connect.ts';
import type { Io } from './io.ts';
import type { Ending } from './present/finish.ts';
import type { Output } from './present/parse-output.ts';
import type { Access, Args, FormatOf, Name, Operand } from './table/commands.ts';
import type { ConnectionArgs, EnvironmentArgs, SourceArgs } from './table/flags.ts';

/** What a command is given: the command line, the world, and ways to what its entry in the table says that it may reach. */
export type Given<N extends Name> = {
  readonly operand: Operand<N>;
  readonly args: Args<N>;
  readonly output: Output<FormatOf<N>>;
  readonly io: Io;
  readonly openWorkspace: (args: EnvironmentArgs & SourceArgs) => Promise<Workspace>;
  /** Runs another command line. */
  readonly runLine: RunLine;
  /** Prints a report now; a command that ends returns it instead. */
  readonly print: (ending: Ending<FormatOf<N>>) => Promise<ExitCode>;
} & Reach[Access<N>];

/** Runs a command line in a world, and returns its exit code. */
export type RunLine = (words: readonly string[], io: Io) => Promise<ExitCode>;

/** What a command does. It ends as it returns; without that, well and with nothing more to tell. */
export type Run<N extends Name> = (
  given: Given<N>,
) => Ending<FormatOf<N>> | undefined | Promise<Ending<FormatOf<N>> | undefined>;

/** The ways to a gateway. */
export type Reach = {
  readonly none: unknown;
  readonly read: {
    readonly connect: Connect<ReadableGateway & ReadingOperations & Examinable>;
    /** The gateway, or the snapshot in its place. */
    readonly openLive: (
      args: ConnectionArgs & { readonly snapshot?: string | undefined },
      workspace: Workspace,
    ) => Promise<OpenSource>;
  };
  readonly write: { readonly connect: Connect<OpenGateway> };
};

/** Opens a gateway, which is closed when the command ends; or says why there is none. */
type Connect<G> = (args: ConnectionArgs, workspace: Workspace, io?: Io) => Promise<Opened<G>>;
