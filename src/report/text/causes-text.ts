import { onOneLine } from '../escape.ts';
import { CAUSE_MEANINGS, CAUSE_TITLES, splitByCause } from '../page/causes.ts';
import type { ChangeRecord } from '../../outcome/change-record.ts';
import type { Lazy, LazyList } from '../../outcome/lazy.ts';
import type { PlanReport } from '../../outcome/plan.ts';
import { renderChanges } from './changes-text.ts';
import { renderSymbol } from './phrases.ts';
import type { TextOptions } from './text-options.ts';

/** Of the changes of others, so many have a line each. */
const MOST_NAMES = 20;

/** The changes of this branch; then those of others, a line for each unless `--detail` asks for more. */
export function* renderByCause({ changes }: Lazy<PlanReport>, options: TextOptions): Generator<string> {
  const { paint, detail } = options;
  const { own, others } = splitByCause(changes);
  yield paint.bold(own.length === 0 ? 'Nothing is changed by this branch.\n' : 'By this branch:\n');
  yield* renderChanges(own, options);
  for (const [cause, theirs] of others) {
    yield `\n${paint.bold(CAUSE_TITLES[cause])} ${paint.dim(`(${CAUSE_MEANINGS[cause]}):`)}\n`;
    if (detail === undefined) yield* renderNames(theirs, options);
    else yield* renderChanges(theirs, options);
  }
  if (detail === undefined && others.length > 0)
    yield `\n${paint.dim('--detail fields shows what is not by this branch with its fields, too.')}\n`;
}

function* renderNames(changes: LazyList<ChangeRecord>, { paint }: TextOptions): Generator<string> {
  let left = MOST_NAMES;
  for (const { action, address } of changes) {
    if (left === 0) break;
    left -= 1;
    yield `  ${renderSymbol(action, paint)} ${onOneLine(address)}\n`;
  }
  const more = changes.length - MOST_NAMES;
  if (more > 0) yield `  and ${more} more\n`;
}
