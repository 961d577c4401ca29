import { countPrincipals, type Consequence } from '../page/consequence.ts';
import type { Consequences } from '../page/page.ts';
import { listSome } from '../page/principals.ts';
import type { Budget } from './budget.ts';
import { prose } from './prose.ts';

/** Of the principals of one line, only the first are named. */
const MOST_NAMES = 10;
const LONGEST = 1000;

/** What happens to principals, as one line of a list. */
export function renderConsequence({ text, names, notes }: Consequence): string {
  const who = names.length > 1 ? ` (${prose(clip(listSome(names, MOST_NAMES)))})` : '';
  return `- ${prose(clip(text))}${who}${notes.map((note) => `. ${prose(clip(note))}`).join('')}\n`;
}

/** A section of such lines, each with the chains below it, as many as the budget has room for. */
export function renderEffects({ title, consequences }: Consequences, budget: Budget): string {
  const shown: string[] = [];
  for (const one of consequences) {
    const chains = one.lines.map(({ text }) => `  - ${prose(clip(text))}\n`);
    const line = `${renderConsequence(one)}${chains.join('')}`;
    if (!budget.take(line)) break;
    shown.push(line);
  }
  const left = countPrincipals(consequences.slice(shown.length));
  const more = left === 0 ? '' : `- and other effects on ${left} principals\n`;
  return consequences.length === 0
    ? ''
    : `#### ${title} (${countPrincipals(consequences)})\n\n${shown.join('')}${more}\n`;
}

function clip(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
