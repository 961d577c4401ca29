import { isObject, valueOf, type Json } from '../../model/json/json.ts';
import { pathFrom } from '../../workflow/project/find-project.ts';

/** What an editor says when it starts. */
export type Options = {
  /** Whether the user trusts the folder: variables of the shell then fill in `${NAME}`. */
  readonly trusted: boolean;
  /** The snapshot that files are compared with, or those of environments by name. */
  readonly snapshot: Json | undefined;
  /** Whether the editor has the commands of lenses by itself: one that has several servers would have each of them twice. */
  readonly hasCommands: boolean;
};

export function readOptions(given: Json | undefined): Options {
  const snapshot = valueOf(given, 'snapshot');
  return {
    trusted: valueOf(given, 'trusted') === true,
    hasCommands: valueOf(given, 'hasCommands') === true,
    snapshot: isObject(snapshot) || (typeof snapshot === 'string' && snapshot !== '') ? snapshot : undefined,
  };
}

/** The snapshot of an environment of the project in a folder; undefined if it has none. */
export function snapshotFor({ snapshot }: Options, folder: string, environment: string): string | undefined {
  const path = isObject(snapshot) ? valueOf(snapshot, environment) : snapshot;
  return typeof path === 'string' ? pathFrom(folder, path) : undefined;
}
