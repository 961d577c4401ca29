import type { ExitCode } from '../outcome/verdict.ts';
import type { Opened } from '../workflow/live/read-live.ts';
import type { Workspace } from '../workflow/project/workspace.ts';
import type { Reach, Run, RunLine } from './given.ts';
import type { Io } from './io.ts';
import type { Ending } from './present/finish.ts';
import type { Output } from './present/parse-output.ts';
import type { Line } from './program.ts';
import { entryOf, type Name } from './table/commands.ts';
import type { EnvironmentArgs, SourceArgs } from './table/flags.ts';

/** The report of the plans in a folder: which environments there are, and what came of each. */
export const FLEET_FILE = 'fleet.json';

export type Stage = {
  readonly io: Io;
  readonly output: Output;
  readonly print: (ending: Ending) => Promise<ExitCode>;
  /** Runs another command line. */
  readonly runLine: RunLine;
  /** Default: as flags and variables say. */
  readonly openWorkspace?: (flags: EnvironmentArgs & SourceArgs) => Promise<Workspace>;
};

/** Runs a command with what its entry says that it may reach, and closes what it opened. */
export async function perform(
  { name, operand, args }: Line,
  { io, output, print, runLine, openWorkspace }: Stage,
): Promise<Ending | undefined> {
  const { gateway } = entryOf(name);
  const opened: Closable[] = [];
  const given = {
    ...{ operand, args, output, io, print, runLine },
    openWorkspace:
      openWorkspace ??
      (async (flags: EnvironmentArgs & SourceArgs) =>
        (await import('./connect/read-flags.ts')).openWorkspaceFor(flags, io)),
    ...(gateway === undefined ? {} : reach(gateway, opened, io)),
  };
  try {
    const { run } = await RUNS[name]();
    return await run(given as never); // what the entry of this name says
  } finally {
    for (const one of opened) await one.close();
  }
}

type Closable = { close(): Promise<void> };

/** The ways to a gateway; what they open is closed when the command ends. */
function reach(access: 'read' | 'write', opened: Closable[], io: Io): Reach['read'] | Reach['write'] {
  const load = () => import('./connect/connect.ts');
  const kept = <T extends Opened<Closable>>(tried: T): T => {
    if ('gateway' in tried) opened.push(tried.gateway);
    return tried;
  };
  if (access === 'write')
    return {
      connect: async (flags, workspace, within = io) =>
        kept(await (await load()).tryConnect(flags, within, workspace)),
    };
  return {
    connect: async (flags, workspace, within = io) =>
      kept(await (await load()).tryConnectToRead(flags, within, workspace)),
    openLive: async (flags, workspace) => {
      const source = await (await load()).openLive(flags, workspace, io);
      if ('source' in source) opened.push(source);
      return source;
    },
  };
}

/** What each command does, loaded when it runs. */
const RUNS: { readonly [name in Name]: () => Promise<{ readonly run: Run<name> }> } = {
  init: () => import('./commands/init.ts'),
  validate: () => import('./commands/validate.ts'),
  test: () => import('./commands/test.ts'),
  plan: () => import('./commands/plan.ts'),
  diff: () => import('./commands/diff.ts'),
  apply: () => import('./commands/apply.ts'),
  undo: () => import('./commands/undo.ts'),
  journal: () => import('./commands/journal.ts'),
  show: () => import('./commands/show.ts'),
  comment: () => import('./commands/comment.ts'),
  import: () => import('./commands/import.ts'),
  drift: () => import('./commands/drift.ts'),
  get: () => import('./commands/get.ts'),
  plugins: () => import('./commands/plugins.ts'),
  effective: () => import('./commands/effective.ts'),
  resolve: () => import('./commands/resolve.ts'),
  'token issue': () => import('./commands/token-issue.ts'),
  'token inspect': () => import('./commands/token-inspect.ts'),
  'cluster switch': () => import('./commands/cluster-switch.ts'),
  export: () => import('./commands/export.ts'),
  migrate: () => import('./commands/migrate.ts'),
  snapshot: () => import('./commands/snapshot.ts'),
  render: () => import('./commands/render.ts'),
  environments: () => import('./commands/environments.ts'),
  doctor: () => import('./commands/doctor.ts'),
  keygen: () => import('./commands/keygen.ts'),
  schema: () => import('./commands/schema.ts'),
  controller: () => import('./commands/controller.ts'),
  gateway: () => import('./commands/gateway.ts'),
  fmt: () => import('./commands/fmt.ts'),
  explain: () => import('./commands/explain.ts'),
  template: () => import('./commands/template.ts'),
  mcp: () => import('./commands/mcp.ts'),
  'language-server': () => import('./commands/language-server.ts'),
  version: () => import('./commands/version.ts'),
  completion: () => import('./commands/completion.ts'),
};
