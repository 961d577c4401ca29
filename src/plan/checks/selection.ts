import type { Problem } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import { compileRules } from '../../model/text/glob.ts';
import { suggest } from '../../model/text/suggest.ts';
import { isBuiltIn } from '../change/select.ts';
import type { PlannedWorld } from './world.ts';

/** A search for a similar address takes time, and the first few are enough. */
const MOST_SUGGESTIONS = 10;

/** Globs of `--target`, and addresses of `--exclude`, that match nothing, such as a typing mistake. */
export function* checkSelection(
  world: Pick<PlannedWorld, 'selection' | 'removals' | 'kinds'> & {
    readonly desired: ReadonlyMap<Address, unknown>;
    readonly live: { readonly resources: ReadonlyMap<Address, unknown> };
  },
): Generator<Problem> {
  const { selection, desired, live, removals, kinds } = world;
  // A glob of --exclude may be there in case that something matches.
  const excluded = selection.exclude.filter((written) => !written.includes('*'));
  const given = [...fromFlag('target', selection.target), ...fromFlag('exclude', excluded)];
  if (given.length === 0) return;
  const found = [...desired.keys(), ...live.resources.keys(), ...removals.map(({ address }) => address)];
  const known = new Set(found.filter((address) => !isBuiltIn(address, kinds)));
  const findMatching = compileRules(given, ({ glob }) => glob);
  const matched = new Set<Given>();
  for (const address of known) {
    for (const one of findMatching(address)) matched.add(one);
    if (matched.size === given.length) return;
  }
  for (const [at, { flag, written, glob }] of given.filter((one) => !matched.has(one)).entries()) {
    const near = at < MOST_SUGGESTIONS ? suggest(glob, known) : undefined;
    yield {
      code: 'unmatched-target',
      severity: 'warning',
      message: `--${flag} ${written} matches nothing that is declared or on the gateway`,
      hint:
        near === undefined
          ? 'use addresses as plan prints them; * matches any text'
          : `did you mean ${near}?`,
    };
  }
}

type Given = { readonly flag: 'target' | 'exclude'; readonly written: string; readonly glob: string };

function fromFlag(flag: Given['flag'], globs: readonly string[]): readonly Given[] {
  return globs.map((written) => ({ flag, written, glob: written.replace(/^!/, '') }));
}
