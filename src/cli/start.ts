#!/usr/bin/env node
import { writeSync } from 'node:fs';
import { VERSION } from '../workflow/tool.ts';

if (!tellVersion(process.argv.slice(2))) void import('./launch.ts');

/**
 * Prints the version where that is all that is asked, as installers and prompts do, without loading the rest. What cannot be
 * written is left to the rest, which tells so.
 */
function tellVersion([word = '', ...others]: readonly string[]): boolean {
  if (!['--version', '-V'].includes(word) || others.length > 0) return false;
  const text = `gwconf ${VERSION}\n`;
  try {
    return writeSync(1, text) === text.length;
  } catch {
    return false;
  }
}
