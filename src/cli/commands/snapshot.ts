import { readLive } from '../../gateway/read-live.ts';
import { hasErrors, type Problem } from '../../model/problem.ts';
import type { DesiredState } from '../../model/state.ts';
import { encodeLiveSnapshot, takeLiveSnapshot, type LiveSnapshot } from '../../plan/saved/live-snapshot.ts';
import { onOneLine } from '../../report/escape.ts';
import { formatCount } from '../../report/text/phrases.ts';
import { renderProblems } from '../../report/text/problems-text.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { tryConnectToRead } from '../connect/connect.ts';
import { loadInput, problemOf, type InputArgs } from '../input.ts';
import { EXIT, VERDICTS, type ExitCode, type FailureCode, type Io } from '../io.ts';
import { conclude } from '../present/output.ts';
import { leavingOpen, openProject, type OpenProject, type ProjectArgs } from '../project.ts';
import type { ConnectionArgs } from '../connect/settings.ts';
import { wrongTarget } from '../target.ts';
import { TOOL } from '../version.ts';

export type SnapshotArgs = ProjectArgs & ConnectionArgs & Pick<InputArgs, 'file'> & { readonly out: string };

/** Writes down what is live, without a secret, for those who may not ask the gateway. */
export async function snapshot(args: SnapshotArgs, io: Io): Promise<ExitCode> {
  const project = await openProject(args, io);
  const desired = await declaredIn(args, leavingOpen(project), io);
  if ('problems' in desired) return fail(desired.problems, EXIT.failed, io);
  const connected = await tryConnectToRead(args, io, project);
  if ('problems' in connected) return fail(connected.problems, connected.exit, io);
  const { gateway, warnings } = connected;
  io.err(renderProblems(locateProblems(warnings), io.errPaint));
  try {
    const elsewhere = wrongTarget(undefined, gateway.url, project);
    if (elsewhere !== undefined) return await fail([elsewhere], EXIT.stale, io);
    const live = await readLive(gateway, [...catalog.kinds.values()]);
    const environment = project.environment?.name;
    const taken = takeLiveSnapshot(live, desired.value, catalog.kinds, {
      tool: TOOL,
      takenAt: io.now().toISOString(),
      gateway: gateway.url,
      salt: io.random(),
      ...(environment === undefined ? {} : { environment }),
    });
    await io.writeFile(args.out, encodeLiveSnapshot(taken));
    io.out(saying(taken, args.out));
    await conclude('ok', io);
    return EXIT.ok;
  } catch (error) {
    return await fail([problemOf(error)], EXIT.failed, io);
  } finally {
    await gateway.close();
  }
}

/** What files declare, where there are any: they know which fields variables fill in. */
async function declaredIn(
  args: SnapshotArgs,
  project: OpenProject,
  io: Io,
): Promise<{ readonly value: DesiredState } | { readonly problems: readonly Problem[] }> {
  if (args.file === undefined && project.files.length === 0) return { value: new Map() };
  const loaded = await loadInput([], { ...args, allowEmpty: true }, project, io);
  return hasErrors(loaded.problems) ? { problems: loaded.problems } : { value: loaded.value };
}

function saying({ gateway, resources, unavailable }: LiveSnapshot, out: string): string {
  const secrets = resources.flatMap((sealed) => Object.keys(sealed.secrets ?? {})).length;
  const lines = [
    `${formatCount(resources.length, 'object')} of ${onOneLine(gateway)} ${resources.length === 1 ? 'is' : 'are'} in ${out}; ${secrets} secrets as digests.`,
    ...Object.entries(unavailable).map(([kind, words]) => `It does not serve ${kind}: ${onOneLine(words)}`),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

async function fail(problems: readonly Problem[], exit: FailureCode, io: Io): Promise<ExitCode> {
  io.err(renderProblems(locateProblems(problems), io.errPaint));
  await conclude(VERDICTS[exit], io);
  return exit;
}
