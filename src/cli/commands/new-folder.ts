import type { Layout } from '../../declare/declared.ts';
import type { NewFolder } from '../../workflow/files/new-folder.ts';
import { readSettings } from '../connect/settings.ts';
import type { Io } from '../io.ts';
import type { Args } from '../table/commands.ts';

type NewFolderOptions = NewFolder & {
  readonly layout: Layout | undefined;
  readonly tell: (doing: string) => void;
};

/** What export and migrate are told of the folder to make. */
export async function readNewFolder(
  { layout, secretsEnv, secretName: secretNames, ...args }: Args<'export'> | Args<'migrate'>,
  out: string,
  connection: Parameters<typeof readSettings>[2],
  io: Io,
): Promise<NewFolderOptions> {
  const { project } = args;
  const { user } = project === undefined ? {} : await readSettings(args, io, connection);
  const named =
    project === undefined ? undefined : { name: project === true ? 'prod' : project, user: user?.value };
  const tell = (doing: string): void => showStatus(`${doing} …`, io);
  return { out, layout, secretsEnv, secretNames, project: named, tell };
}

/** Shows what is being done on the last line of a terminal; an empty text takes it away. */
export function showStatus(text: string, { live, err }: Io): void {
  if (live) err(`\r\u001b[K${text}`);
}
