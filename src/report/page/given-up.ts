import { formatCount } from '../../model/text/list.ts';
import { describeRuleChange, fateOf, partsOfRuleChange } from '../../plan/causes/given-up.ts';
import type { ProblemCode, Severity } from '../../model/problem-codes.ts';
import type { RuleChange } from '../../model/rules.ts';
import type { PlanBase } from '../../plan/change/plan.ts';
import type { Note, Notes } from './page.ts';

type GivenUp = Pick<PlanBase, 'undeclared' | 'removal' | 'ruleChanges'>;

/** Warnings that a page tells in blocks of their own, with all that there is to know. */
const TOLD: ReadonlySet<string> = new Set<ProblemCode>([
  'no-longer-declared',
  'loosened-rule',
  'lost-protection',
  'weakened-protection',
  'unjudged-protection',
]);

type Tellable = { readonly code: string; readonly severity: Severity; readonly inBase?: boolean | undefined };

/** Whether a problem need not stand among the others, because a page tells it, or counts it as one of the base. */
export function isTold({ code, severity, inBase }: Tellable): boolean {
  return severity !== 'error' && (TOLD.has(code) || inBase === true);
}

/** What a branch gives up, for whoever decides on it. */
export function givenUpOf(base: GivenUp = {}, canPrune: boolean): readonly Notes[] {
  return [...rulesOf(base), ...objectsOf(base, canPrune)];
}

/** The rules that it changes: those that it loosens first, with the mark of a risk. */
function rulesOf({ ruleChanges = [] }: GivenUp): readonly Notes[] {
  const noteOf = (change: RuleChange): Note => ({
    name: change.rule,
    text: describeRuleChange(change),
    parts: partsOfRuleChange(change),
    at: change.at,
  });
  const [looser, stricter] = [true, false].map((loosens) =>
    ruleChanges.filter((change) => change.loosens === loosens).map(noteOf),
  );
  const block = { block: 'notes', noun: 'rule', style: 'marked' } as const;
  return [
    { ...block, title: 'Rules that this branch changes', notes: looser ?? [] },
    {
      ...block,
      title: 'Rules that this branch changes without allowing more',
      notes: stricter ?? [],
      isGood: true,
    },
  ].filter(({ notes }) => notes.length > 0);
}

/** The objects that it leaves to nobody. */
function objectsOf({ undeclared = [], removal }: GivenUp, canPrune: boolean): readonly Notes[] {
  if (undeclared.length === 0) return [];
  const notes = undeclared.map((one) => ({
    name: one.address,
    text: `${fateOf(one)} (${one.was.file}:${one.was.line} on the base)`,
  }));
  const orPrune = canPrune ? '; --prune deletes them, too' : '';
  const lines = removal?.trimEnd().split('\n') ?? [];
  const isLong = lines.length > MOST_LINES;
  const more = { text: 'The JSON report has the Removal that deletes or renames them, as base.removal' };
  return [
    {
      block: 'notes',
      title: 'No longer declared by this branch',
      noun: 'object',
      notes: isLong ? [more, ...notes] : notes,
      style: 'marked',
      ...(lines.length === 0 || isLong
        ? {}
        : { paste: { title: `To delete or rename them, add this to the files${orPrune}`, lines } }),
    },
  ];
}

/** A longer text is not for reading. */
const MOST_LINES = 60;

/** How much a branch gives up, in a few words each. */
export function countGivenUp({ undeclared = [], ruleChanges = [] }: GivenUp = {}): readonly string[] {
  const looser = ruleChanges.filter(({ loosens }) => loosens).length;
  return [
    ...(looser === 0 ? [] : [`${formatCount(looser, 'rule')} loosened`]),
    ...(undeclared.length === 0 ? [] : [`${formatCount(undeclared.length, 'object')} no longer declared`]),
  ];
}

/** Tells the objects on the gateway that are told of as given up. */
export function findGivenUp({ undeclared = [] }: GivenUp = {}): (name: string) => boolean {
  const names = new Set<string>(undeclared.map(({ address }) => address));
  return (name) => names.has(name);
}
