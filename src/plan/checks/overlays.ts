import { makeProblem, type Problem } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import type { Overlay } from '../../model/state.ts';
import { list } from '../../model/text/list.ts';
import type { DesiredWorld } from './world.ts';

/** Which file changes documents of which other one, once for both: an error if it must not, a note where nobody says that it may. */
export function* checkOverlays({ desired, declared = desired, rules }: DesiredWorld): Generator<Problem> {
  const pairs = new Map<string, { readonly over: Overlay; readonly base: string; readonly of: Address[] }>();
  for (const { address, document, overlays } of declared.values())
    for (const over of overlays ?? []) {
      const base = document.file.path;
      const key = JSON.stringify([over.document.file.path, base]);
      const pair = pairs.get(key) ?? { over, base, of: [] };
      pair.of.push(address);
      pairs.set(key, pair);
    }
  for (const { over, base, of } of pairs.values()) {
    const { path } = over.document.file;
    const at = { document: over.document, path: '/overlay', on: 'key' } as const;
    if (rules.overlays === undefined)
      yield makeProblem({
        code: 'overlaid-file',
        message: `${path} changes what ${base} declares: ${list(of)}`,
        at,
        hint: 'list the files and folders that may do so as overlays in gwconf.yaml',
      });
    else if (!rules.overlays.some((one) => isIn(path, one)))
      yield makeProblem({
        code: 'overlay-not-allowed',
        message: `${path} must not change what ${base} declares: ${list(of)}`,
        at,
        hint: `move the change to ${base}, or add ${path} to overlays in gwconf.yaml`,
      });
  }
}

function isIn(path: string, folder: string): boolean {
  return folder === '.' || path === folder || path.startsWith(`${folder}/`) || path.startsWith(`${folder}\\`);
}
