import { onOneLine } from '../../report/escape.ts';
import { exportLive, tellExport, type Exported } from '../../workflow/files/export.ts';
import { parseWanted } from '../../workflow/live/wanted.ts';
import { inputOf } from '../connect/read-flags.ts';
import type { Run } from '../given.ts';
import type { Ending } from '../present/finish.ts';
import type { Args } from '../table/commands.ts';
import { commandLine, pathForShell, quoted } from '../present/command-line.ts';
import { wrapLines } from '../present/plain-table.ts';
import { readNewFolder, showStatus } from './new-folder.ts';

/** Writes what is live as files. */
export const run: Run<'export'> = async ({ operand: terms, args, io, openWorkspace, openLive }) => {
  const { out, userMappings } = args;
  const workspace = await openWorkspace(args);
  const opened = await openLive(args, workspace);
  if ('problems' in opened) return viewOf(tellExport(opened, '', out));
  const { source, warnings } = opened;
  await opened.workspace.catalog.ask();
  const wanted = parseWanted(terms, [], opened.workspace.catalog.kinds);
  const exported = await exportLive(io, opened.workspace, source, wanted, {
    ...inputOf([], args),
    ...(await readNewFolder(args, out, workspace.gateway, io)),
    userMappings,
  });
  showStatus('', io);
  return {
    ...viewOf(tellExport(exported, source.url, out, warnings)),
    hints: wrapLines(hintsOn(exported, args), io.columns.err),
  };
};

function viewOf({ outcome, problems }: ReturnType<typeof tellExport>): Ending {
  const isMade = outcome.result === 'ok' || outcome.result === 'incomplete';
  const text = isMade ? undefined : () => [];
  return { view: { report: outcome, problems, text }, isAnswer: true };
}

function hintsOn({ result, variables, documents }: Exported, args: Args<'export'>): string {
  if (documents.length === 0) return '';
  if (result === 'error') return "Nothing was written. To leave an object out, add '!ADDRESS'.\n";
  const { out, secretsEnv, snapshot } = args;
  const isThere = snapshot === undefined;
  const plan = commandLine(['plan', '-f', out, ...(isThere ? [] : ['--snapshot', snapshot])], args);
  if (variables.length === 0) return `To compare the files with the gateway: ${plan}\n`;
  const names = variables.map(({ name }) => name);
  return [
    secretsEnv === undefined
      ? `Set these variables before you run: ${plan}\n`
      : `Their values are in ${onOneLine(secretsEnv)}, which only you can read; keep it out of git. To use them: set -a; . ${quoted(pathForShell(secretsEnv))}; set +a; ${plan}\n`,
    `In CI, files can use them if the job sets GWCONF_ALLOWED_VARIABLES="${names.join(',')}"\n`,
  ].join('');
}
