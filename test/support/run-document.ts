import { expect } from 'vitest';
import { blocksOf, withTexts, type Block } from './markdown.ts';
import type { Sandbox } from './sandbox.ts';

/**
 * Does what a document tells its reader to do, in order, in one shell's environment:
 *
 *     ```yaml file=NAME   is written to NAME
 *     ```sh run           is run; `exit=N` when it ends so
 *     ```text output      is what the last run printed to stdout, `stderr` to stderr
 *
 * Gives the document as it should be: with what was printed.
 */
export async function runDocument(markdown: string, sandbox: Sandbox): Promise<string> {
  let last = { stdout: '', stderr: '' };
  const printed = new Map<Block, string>();
  for (const block of blocksOf(markdown)) {
    const { language, words, text, line } = block;
    const file = wordAfter('file=', words);
    if (file !== undefined) sandbox.write(file, text);
    if (language === 'sh' && words.includes('run')) {
      const { code, ...said } = await sandbox.bash(inOneShell(text));
      expect(code, `line ${line}:\n${text}${said.stdout}${said.stderr}`).toBe(
        Number(wordAfter('exit=', words) ?? '0'),
      );
      last = said;
    }
    if (words.includes('output')) printed.set(block, last.stdout);
    if (words.includes('stderr')) printed.set(block, last.stderr);
  }
  return withTexts(markdown, printed);
}

/** What a block exports is there for the next, which begins in the folder where it ended. */
function inOneShell(lines: string): string {
  const before = 'state=$PWD/../environment; [ ! -f "$state" ] || . "$state"';
  const after = `trap '{ export -p; printf "cd %q\\n" "$PWD"; } > "$state"' EXIT`;
  return `${before}\n${after}\n${lines}`;
}

function wordAfter(start: string, words: readonly string[]): string | undefined {
  return words.find((word) => word.startsWith(start))?.slice(start.length);
}
