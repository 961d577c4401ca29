import { suggest } from '../../model/text/suggest.ts';
import type { Environment, Exec } from '../../schema/project/project.ts';
import type { Sourced } from '../../schema/yaml/interpolate.ts';

/** Why a source has no value. */
export type SourceFault = Extract<Sourced, { fault: unknown }>['fault'];

/** How the names of programs begin, in `${exec:NAME}`. */
export const EXEC = 'exec:';

type Found = (Exec & { readonly fault?: undefined }) | { readonly fault: SourceFault };

/** The program that the environment gives a name. Nothing else can name one, so no saved plan can. */
export function findProgram(name: string, environment: Environment | undefined): Found {
  const called = name.slice(EXEC.length);
  const programs = new Map(Object.entries(environment?.exec ?? {}));
  const found = programs.get(called);
  if (found !== undefined) return found;
  const near = suggest(called, programs.keys());
  const where =
    environment === undefined
      ? 'no environment of gwconf.yaml is chosen'
      : `${environment.name} has no exec of that name`;
  return {
    fault: {
      message: `there is no program ${called}: ${where}`,
      hint:
        near === undefined ? 'name it under exec of the environment in gwconf.yaml' : `did you mean ${near}?`,
    },
  };
}

/** For commands that compare nothing: no file is read and no program run. */
export function leaveSourcesOpen(environment: Environment | undefined): (name: string) => Sourced {
  return (name) => {
    const fault = name.startsWith(EXEC) ? findProgram(name, environment).fault : undefined;
    return fault === undefined ? 'open' : { fault };
  };
}
