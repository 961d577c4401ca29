import { openProject, type OpenProject } from '../../workflow/project/project.ts';
import type { Io } from '../io.ts';
import { isTrue } from './settings.ts';

export type ProjectArgs = { readonly env?: string };
export type SourceArgs = { readonly allowExec?: boolean; readonly secretRoot?: string };

/** Opens the project that flags and variables name. Throws a RequestError for an environment that is not there. */
export function openProjectFor(args: ProjectArgs & SourceArgs, io: Io): Promise<OpenProject> {
  const root = args.secretRoot ?? io.env('GWCONF_SECRET_ROOT') ?? '';
  return openProject(io, {
    environment: wantedEnvironment(args, io)?.name,
    allowExec: args.allowExec === true || isTrue(io.env('GWCONF_ALLOW_EXEC')),
    secretRoot: root === '' ? undefined : root,
    masker: io.masker,
  });
}

/** The environment that is asked for, and by what; an empty variable asks for none. */
export function wantedEnvironment(
  args: ProjectArgs,
  io: Io,
): { readonly name: string; readonly by: string } | undefined {
  if (args.env !== undefined) return { name: args.env, by: '--env' };
  const name = io.env('GWCONF_ENV') ?? '';
  return name === '' ? undefined : { name, by: 'GWCONF_ENV' };
}
