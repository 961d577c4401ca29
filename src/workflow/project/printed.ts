import type { Masker } from '../../plan/secrets/masker.ts';
import type { SourceFault } from '../../schema/yaml/interpolate.ts';
import type { Host, Program } from '../host.ts';

/** What came of a source; of a file with where it is, and all of its text. */
export type Resolved =
  | { readonly text: string; readonly file?: { readonly path: string; readonly text: string } }
  | { readonly fault: SourceFault };

/** No secret is larger. */
export const MOST_SECRET_BYTES = 1_000_000;

export const BY_HAND = 'run it by hand, in the folder of gwconf.yaml';

/** What a program printed, or why that is nothing to use; `called` names it. */
export async function printedBy(
  host: Host,
  masker: Masker,
  program: Omit<Program, 'mostBytes'>,
  called: string,
): Promise<{ readonly text: string } | { readonly fault: SourceFault }> {
  const ended = await host.runProgram({ ...program, mostBytes: MOST_SECRET_BYTES });
  const failed = (why: string): { readonly fault: SourceFault } => {
    // Its output may be the secret, and its error message may repeat it.
    masker.learn(new TextDecoder().decode(ended.stdout.slice(0, MOST_REPEATED)));
    const words = masker.mask(ended.stderr.trim()).slice(0, MOST_WORDS);
    return { fault: { message: `${called} ${why}${words === '' ? '' : `: ${words}`}`, hint: BY_HAND } };
  };
  if ('stopped' in ended) return failed(ended.stopped);
  if (ended.code !== 0) return failed(`ended with ${ended.code}`);
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(ended.stdout) };
  } catch {
    return failed('printed something that is not UTF-8 text');
  }
}

const MOST_WORDS = 300;
const MOST_REPEATED = 10_000;
