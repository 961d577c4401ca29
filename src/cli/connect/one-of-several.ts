import type { Workspace } from '../../workflow/project/workspace.ts';
import type { Io } from '../io.ts';
import { OWN_VARIABLES } from './settings.ts';

/** Whether gwconf.yaml says a setting of the connection, even if it has no value now. */
export function saysSetting({ gateway }: Workspace, setting: string): boolean {
  const settings: Readonly<Record<string, unknown>> = gateway?.settings ?? {};
  return (
    settings[setting] !== undefined ||
    gateway?.unfilled.some(({ path }) => path?.endsWith(`/gateway/${setting}`)) === true
  );
}

/** Where there are several gateways, what gwconf.yaml says of each comes before the variables, which are for all. */
export function asOneOfSeveral(workspace: Workspace, io: Io): Io {
  return {
    ...io,
    env: (variable) => {
      const setting = OWN_VARIABLES.get(variable);
      return setting !== undefined && saysSetting(workspace, setting) ? undefined : io.env(variable);
    },
  };
}
