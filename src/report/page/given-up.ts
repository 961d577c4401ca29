import { fateOf } from '../../plan/causes/given-up.ts';
import type { ProblemCode, Severity } from '../../model/problem-codes.ts';
import type { PlanBase } from '../../plan/change/plan.ts';
import { formatCount } from '../phrases.ts';
import type { Notes } from './page.ts';

type GivenUp = Pick<PlanBase, 'undeclared' | 'removal'>;

/** Warnings that a page tells in blocks of their own, with all that there is to know. */
const TOLD: ReadonlySet<string> = new Set<ProblemCode>(['no-longer-declared']);

/** Whether a problem need not stand among the others, because a page tells it. */
export function isTold({ code, severity }: { readonly code: string; readonly severity: Severity }): boolean {
  return severity !== 'error' && TOLD.has(code);
}

/** What a branch gives up, for whoever decides on it. */
export function givenUpOf({ undeclared = [], removal }: GivenUp = {}, canPrune: boolean): readonly Notes[] {
  if (undeclared.length === 0) return [];
  const notes = undeclared.map((one) => ({
    name: one.address,
    text: `${fateOf(one)} (declared in ${one.was.file}:${one.was.line} on the base)`,
  }));
  const orPrune = canPrune ? '; --prune deletes them, too' : '';
  const lines = removal?.trimEnd().split('\n');
  return [
    {
      block: 'notes',
      title: 'No longer declared by this branch',
      noun: 'object',
      notes,
      style: 'marked',
      ...(lines === undefined
        ? {}
        : { paste: { title: `To delete or rename them, add this to the files${orPrune}`, lines } }),
    },
  ];
}

/** How much a branch gives up, in a few words each. */
export function countGivenUp({ undeclared = [] }: GivenUp = {}): readonly string[] {
  return undeclared.length === 0 ? [] : [`${formatCount(undeclared.length, 'object')} no longer declared`];
}

/** Whether an object on the gateway that no file declares is told of as given up. */
export function isGivenUp(name: string, { undeclared = [] }: GivenUp = {}): boolean {
  return undeclared.some(({ address }) => address === name);
}
