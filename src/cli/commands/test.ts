import { dirname, normalize } from 'node:path';
import type { Workspace } from '../../workflow/project/workspace.ts';
import { runTests, type OpenLive, type TestRun } from '../../workflow/test/run-tests.ts';
import { wantedEnvironment } from '../connect/read-flags.ts';
import type { Given, Run } from '../given.ts';
import { UsageError } from '../io.ts';
import type { Ending } from '../present/finish.ts';
import { isYamlOrJson } from '../../model/text/file-ending.ts';

/** Runs the tests of *.gwtest.yaml files. Only cases about a plan need a gateway. */
export const run: Run<'test'> = async (given) =>
  given.args.watch === true ? repeat(given) : (await runOnce(given)).ending;

/** Runs the tests now, and again after each change of a file that was read or that lies beside one, until an interrupt. */
async function repeat(given: Given<'test'>): Promise<undefined> {
  const {
    operand: paths,
    output: { files },
    io,
    print,
  } = given;
  const written = new Set(files.map(({ path }) => normalize(path)));
  const change = { isPending: false, tell: (): void => undefined };
  const watch = io.watch((path) => {
    if (!isYamlOrJson(path) || written.has(normalize(path))) return;
    change.isPending = true;
    change.tell();
  });
  io.interrupted.addEventListener('abort', () => change.tell(), { once: true });
  try {
    while (!io.interrupted.aborted) {
      change.isPending = false;
      const { ending, ran, folder } = await runOnce(given);
      await print(ending);
      watch.add([...new Set([folder, ...paths, ...ran.files.map(({ path }) => dirname(path))])]);
      io.err('Waiting for changes of files; Ctrl-C ends it.\n');
      await new Promise<void>((resolve) => {
        change.tell = resolve;
        if (change.isPending || io.interrupted.aborted) resolve();
      });
      await io.clock.wait(SETTLE_MS, io.interrupted);
    }
  } finally {
    watch.close();
  }
  return undefined;
}

/** An editor writes a file in several steps. */
const SETTLE_MS = 50;

async function runOnce(
  given: Given<'test'>,
): Promise<{ readonly ending: Ending; readonly ran: TestRun; readonly folder: string }> {
  const { operand: paths, args, io } = given;
  const workspace = await given.openWorkspace(args);
  const chosen = wantedEnvironment(args, io)?.name;
  const ran = await runTests(io, workspace, { paths, chosen, openLive: liveOpener(given) });
  const { outcome, problems } = ran;
  return { ending: { view: { report: outcome, problems } }, ran, folder: workspace.project.folder ?? '.' };
}

/** A gateway or a snapshot is of one environment. */
function liveOpener({ args, openLive }: Given<'test'>): OpenLive {
  const opened = new Set<string | undefined>();
  return async (workspace: Workspace) => {
    opened.add(workspace.environment?.name);
    if (opened.size > 1 && (args.snapshot ?? args.url) !== undefined)
      throw new UsageError('tests of several environments are about a plan: choose one with --env');
    return openLive(args, workspace);
  };
}
