import fc from '../support/fast-check.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { completeAt } from '../../src/editor/complete.ts';
import { hoverAt } from '../../src/editor/hover.ts';
import { definitionsAt, referencesAt } from '../../src/editor/navigate.ts';
import { foldingOf, lensesOf, outlineOf } from '../../src/editor/outline.ts';
import { renameAt } from '../../src/editor/rename.ts';
import { lookAt } from '../support/look.ts';

const FOLDER = 'examples/github-repo';
const FILES = Object.fromEntries(
  readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.yaml'))
    .map((path) => [path, readFileSync(join(FOLDER, path), 'utf8')]),
);

const pieces = fc.constantFrom(
  '',
  ':',
  ' ',
  '\n',
  '- ',
  '{',
  '}',
  '[',
  "'",
  '"',
  '&a',
  '*a',
  '<<: ',
  '${',
  '---\n',
  '#',
  '|',
  '\t',
  '\0',
);

describe('a file that somebody is writing', () => {
  it('has answers at every place, however broken it is', () => {
    const broken = fc.record({
      path: fc.constantFrom(...Object.keys(FILES)),
      cut: fc.nat({ max: 4000 }),
      length: fc.nat({ max: 30 }),
      piece: pieces,
      near: fc.integer({ min: -40, max: 40 }),
    });
    fc.assert(
      fc.property(broken, ({ path, cut, length, piece, near }) => {
        const whole = FILES[path] ?? '';
        const at = cut % whole.length;
        const text = `${whole.slice(0, at)}${piece}${whole.slice(at + length)}`;
        const look = lookAt({ ...FILES, [path]: text });
        const file = look.files.get(path) ?? { path, text };
        const offset = Math.max(0, Math.min(text.length, at + near));
        for (const item of completeAt(look, file, offset)) expect(item.textEdit?.newText).toBeDefined();
        hoverAt(look, file, offset);
        definitionsAt(look, file, offset, String);
        referencesAt(look, file, offset, String, { withDeclaration: true });
        renameAt(look, file, offset, 'other-name', { uriOf: String, isLive: () => undefined });
        outlineOf(file);
        lensesOf(look, file);
        for (const { startLine, endLine } of foldingOf(file)) expect(endLine).toBeGreaterThan(startLine);
      }),
    );
  });
});
