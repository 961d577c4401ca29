import { formatCount } from '../../model/text/list.ts';
import type { MigrateReport } from '../../outcome/migrate.ts';
import { onOneLine } from '../../report/escape.ts';
import type { Format, RenderOptions } from '../../report/formats.ts';
import { jsonPieces } from '../../model/json/pieces.ts';
import { pageOfMigrate } from '../../report/page/tool-pages.ts';
import { joinParts, partPage } from '../../report/text/text.ts';
import { loadMigration, type Migrated, type ToldMigration } from '../../v1/door.ts';
import { refuseConnection } from '../connect/settings.ts';
import type { Given, Run } from '../given.ts';
import { UsageError } from '../io.ts';
import type { Ending } from '../present/finish.ts';
import { commandLine } from '../present/command-line.ts';
import { renderVariables, wrapLines } from '../present/plain-table.ts';
import type { Args } from '../table/commands.ts';
import { readNewFolder, showStatus } from './new-folder.ts';

type MigrateArgs = Args<'migrate'>;

/** Writes files that declare what scripts or a gateway below 3.21.0 have made through v1. */
export const run: Run<'migrate'> = async (given) => {
  const { operand: paths, args, io } = given;
  if (args.scan === true) return (await import('./migrate-scan.ts')).scan(paths, io);
  const out = outOf(args);
  if (paths.length > 0)
    refuseConnection(
      args,
      (flag) => `the calls come from files, and no gateway is called: leave out ${flag}, or the paths`,
    );
  const workspace = await given.openWorkspace(args);
  const { migrateFiles, migrateLive } = await loadMigration();
  const options = () => readNewFolder(args, out, workspace.gateway, io);
  if (paths.length > 0)
    return end(
      await migrateFiles(io, workspace, paths, { ...(await options()), gateways: args.gateway }),
      given,
    );
  if (args.gateway !== undefined) throw new UsageError('--gateway chooses calls of files: name their paths');
  const connected = await given.connect(args, workspace);
  const made = { ...(await options()), virtualClusters: args.virtualCluster };
  return end(await migrateLive(io, workspace, connected, made), given);
};

function end(
  { outcome, problems, migrated }: ToldMigration,
  { operand, args, io }: Given<'migrate'>,
): Ending<Format> {
  showStatus('', io);
  const text = migrated === undefined ? '' : describe(migrated, operand.length === 0);
  return {
    result: outcome.result,
    problems,
    render: (format, options) => renderMigration(format, outcome, text, options),
    hints: wrapLines(hintsOn(migrated, args), io.columns.err),
  };
}

function outOf({ out }: MigrateArgs): string {
  if (out !== undefined) return out;
  throw new UsageError('name the folder to make with --out');
}

function describe(
  { result, gateways, secrets, open, calls, clients, problems }: Migrated,
  isLive: boolean,
): string {
  if (result === 'error') return '';
  if (gateways.length === 0) {
    const [none, some] = isLive
      ? ['The gateway has nothing to declare', 'Nothing on the gateway could be converted']
      : ['There are no calls to a gateway', 'The calls leave nothing to declare'];
    return `${calls.length === 0 ? none : some}, so nothing was written.\n`;
  }
  const lines = ['An embedded gateway without v1 took them, and a second plan of them was empty.\n'];
  if (clients !== undefined && !problems.some(({ code }) => code === 'changed-interceptors'))
    lines.push(
      `It runs the same interceptors for ${formatCount(clients, 'client')} as the gateway that was read.\n`,
    );
  if (secrets.length > 0)
    lines.push(`\n${formatCount(secrets.length, 'secret')}, as variables:\n`, renderVariables(secrets));
  if (open.length > 0) lines.push(`\nVariables of the scripts: ${open.map(onOneLine).join(', ')}\n`);
  return lines.join('');
}

function hintsOn(migrated: Migrated | undefined, args: MigrateArgs): string {
  const [first] = migrated?.gateways ?? [];
  if (migrated === undefined || migrated.result === 'error') return 'Nothing was written.\n';
  if (first === undefined) return '';
  const names = [...migrated.secrets.map(({ name }) => name), ...migrated.open];
  // What was read is the old gateway.
  const to = args.url === undefined ? args : { ...args, url: 'URL' };
  const next = `To compare the files with a gateway that has v2: ${commandLine(['plan', '-f', first.folder], to)}\n`;
  return names.length === 0
    ? next
    : `${next}Set its variables first: ${names.slice(0, 20).map(onOneLine).join(', ')}\n`;
}

/** A migration in one of its formats; `end` is told to people alone. */
function* renderMigration(
  format: Format,
  report: MigrateReport,
  end: string,
  options: RenderOptions,
): Generator<string> {
  if (format === 'json') yield* jsonPieces(report);
  else {
    yield* joinParts(partPage(pageOfMigrate(report), options));
    yield wrapLines(end, options.width);
  }
}
