import { compileGlob } from '../../../model/text/glob.ts';
import { spend, type State } from './state.ts';

/** Whether a text matches a pattern of `case` or `[[ = ]]`. Of patterns, only `*` is known; others match nothing. */
export function matchesPattern(text: string, pattern: string, state: State): boolean {
  spend(state, text.length + pattern.length);
  return text === pattern || compileGlob(pattern)(text);
}
