import { formatCount } from '../../model/text/list.ts';
import { join } from 'node:path';
import { hasErrors } from '../../model/problem.ts';
import { jsonPieces } from '../../model/json/pieces.ts';
import { pathForShell, quoted } from '../present/command-line.ts';
import { FLEET_FILE, type Stage } from '../perform.ts';
import type { Ending } from '../present/finish.ts';
import type { Line } from '../program.ts';
import { gather, runInEach, withMissed, type Ended, type Fleet, memberOf } from './run-in-each.ts';
import { canApply } from './apply-in-waves.ts';

export function planName(environment: string): string {
  return `${encodeURIComponent(environment)}.plan.json`;
}

/** Plans each environment, and keeps the plans in a folder. */
export async function savePlans(line: Line, stage: Stage, fleet: Fleet, folder: string): Promise<Ending> {
  const { io, output } = stage;
  // What an earlier run has left there is no longer what was planned last.
  await io.writePrivately(join(folder, FLEET_FILE), '');
  const ended = await planEach(line, stage, fleet, (name) => join(folder, planName(name)));
  const told = withMissed(fleet, line, ended);
  const ending = gather('plan', ended, { output }, told);
  if (hasErrors(told.problems)) {
    for (const name of fleet.names) await io.removeFile(join(folder, planName(name)));
    return ending;
  }
  const { view } = ending;
  if (view !== undefined) await io.writePrivately(join(folder, FLEET_FILE), jsonPieces(view.report));
  const saved = ended.filter((one) => canApply(memberOf(one))).length;
  const words = `gwconf apply ${quoted(pathForShell(folder))}`;
  return {
    ...ending,
    hints: `${formatCount(saved, 'plan')} of ${formatCount(ended.length, 'environment')} ${saved === 1 ? 'is' : 'are'} saved in ${folder}. Apply them with: ${words}\n`,
  };
}

/** Plans each environment into a file of its own. */
export function planEach(
  line: Line,
  stage: Stage,
  fleet: Fleet,
  fileOf: (environment: string) => string,
): Promise<readonly Ended[]> {
  const lineFor = (name: string): Line => ({
    name: 'plan',
    operand: line.operand ?? [],
    args: { ...line.args, out: fileOf(name) },
  });
  const partOf = { id: stage.io.random(), environments: fleet.names };
  return runInEach(line, stage, fleet, fleet.names, { lineFor, partOf });
}
