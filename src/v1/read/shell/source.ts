import { parse } from 'unbash';
import type { SourceFile } from '../../../model/problem.ts';
import { positionAt } from '../../../schema/yaml/lines.ts';
import { deeper, LimitError, spend, type Script, type State } from './state.ts';

/** A script that is larger is data, or hostile. */
const MOST_TEXT = 1_000_000;

/** Parses a script and runs it in a state. */
export function runSource(script: Script, state: State): void {
  const { text } = script;
  if (text.length > MOST_TEXT) throw new LimitError(`the script is larger than ${MOST_TEXT / 1e6} MB`);
  spend(state, text.length);
  const { commands } = parse(text);
  state.script = script;
  state.run.sourced.add(script.path);
  deeper(state, () => state.runCommands(commands, state));
}

/** A file as a script. Carriage returns at the ends of lines are those of a checkout on Windows. */
export function scriptOf({ path, text: written }: SourceFile): Script {
  const text = written.replaceAll('\r\n', '\n');
  const file = { path, text }; // one object, of which positions are remembered
  return { ...file, lineAt: (offset) => positionAt(file, offset).line };
}
