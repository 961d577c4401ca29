import { countPrincipals, type Fate } from '../page/fates.ts';
import type { Fates } from '../page/page.ts';
import { listSome } from '../page/principals.ts';
import type { Budget } from './budget.ts';
import { prose } from './prose.ts';

/** Of the principals of one line, only the first are named. */
const MOST_NAMES = 10;
const LONGEST = 1000;

/** What happens to principals, as one line of a list. */
export function renderFate({ text, names, notes }: Fate): string {
  const who = names.length > 1 ? ` (${prose(clip(listSome(names, MOST_NAMES)))})` : '';
  return `- ${prose(clip(text))}${who}${notes.map((note) => `. ${prose(clip(note))}`).join('')}\n`;
}

/** A section of such lines, each with the chains below it, as many as the budget has room for. */
export function renderEffects({ title, fates }: Fates, budget: Budget): string {
  const shown: string[] = [];
  for (const fate of fates) {
    const chains = fate.lines.map(({ text }) => `  - ${prose(clip(text))}\n`);
    const line = `${renderFate(fate)}${chains.join('')}`;
    if (!budget.take(line)) break;
    shown.push(line);
  }
  const left = countPrincipals(fates.slice(shown.length));
  const more = left === 0 ? '' : `- and other effects on ${left} principals\n`;
  return fates.length === 0 ? '' : `#### ${title} (${countPrincipals(fates)})\n\n${shown.join('')}${more}\n`;
}

function clip(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
