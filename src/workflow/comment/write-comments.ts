import type { Access } from '../../forge/forge.ts';
import { openForge } from '../../forge/open-forge.ts';
import { putComment, type PutComment, type Wanted } from '../../forge/sticky.ts';
import type { Host } from '../host.ts';
import { TOOL } from '../tool.ts';

/** Writes the comments of one pull request, one after the other, and tells the outcome of each. Rejects with a ForgeError. */
export async function writeComments<T extends Wanted>(
  { clock, now, log }: Pick<Host, 'clock' | 'now' | 'log'>,
  access: Omit<Access, 'userAgent'>,
  wanted: readonly T[],
  tell: (one: T, outcome: PutComment) => void,
): Promise<void> {
  const { signal } = new AbortController();
  const wait = (ms: number): Promise<void> => clock.wait(ms, signal);
  const trace =
    log.trace === undefined ? undefined : (event: object) => log.trace?.({ forge: event }, 'forge');
  const userAgent = TOOL.replace(' ', '/');
  const forge = await openForge({ ...access, userAgent }, { wait, now, random: clock.random }, trace);
  try {
    for (const one of wanted) tell(one, await putComment(forge, one, wait));
  } finally {
    await forge.close();
  }
}
