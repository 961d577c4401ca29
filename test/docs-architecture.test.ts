import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { catalog } from '../src/index.ts';
import { readDocument, rowsOf } from './support/markdown.ts';
import { ROOT } from './support/sandbox.ts';

const page = readDocument('ARCHITECTURE.md');

type Rule = {
  readonly name: string;
  readonly from: { readonly pathNot?: readonly string[] };
  readonly to: { readonly pathNot?: readonly string[] };
};
const config = (await import(pathToFileURL(join(ROOT, '.dependency-cruiser.mjs')).href)) as {
  readonly default: { readonly forbidden: readonly Rule[] }; // plain JavaScript, so nobody else says its type
};
const rules = config.default.forbidden;

describe('ARCHITECTURE.md', () => {
  it('has the map that the imports are held to', () => {
    const written = cells(rowsOf(page, '| Folder | Holds | May import |')).map(
      ([folder = '', , imports = '']) => ({
        folder: folder.replaceAll('`', ''),
        imports: imports === 'nothing' ? [] : imports.split(', '),
      }),
    );
    const held = rules
      .filter(({ name }) => name.endsWith('-may-import'))
      .map(({ name, to }) => ({
        folder: `src/${name.replace('-may-import', '')}/`,
        imports: (to.pathNot ?? []).slice(1).map((path) => path.replace(/^\^src\/(.*)\/$/, '$1')),
      }));
    expect(written).toEqual(held);
  });

  it('names every folder of src', () => {
    const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    expect(folders.filter(({ name }) => !page.includes(`\`src/${name}/\``))).toEqual([]);
  });

  it('has the doors that packages are held to', () => {
    const written = cells(rowsOf(page, '| Package | Door |')).map(([name = '', doors = '']) => ({
      name: name.replaceAll('`', ''),
      doors: doors.replaceAll('`', '').split(', '),
    }));
    const held = rules
      .filter(({ name }) => name.startsWith('one-door-to-'))
      .map(({ name, from }) => ({
        name: name.replace('one-door-to-', ''),
        doors: (from.pathNot ?? []).map((path) => path.slice(1)),
      }));
    expect(written).toEqual(held);
  });

  it('is right that nothing but the forms, and the tables of the embedded gateway, knows a kind by name', () => {
    const mayKnow = /^(schema\/kinds\/.*|emulator\/(rules\/kind-rules|responses)\.ts)$/;
    const forms = [...catalog.kinds.values()].flatMap(({ name, aliases }) => [name, ...aliases]);
    const quoted = new RegExp(`['"\`](${[...forms, ...catalog.ownKinds.keys()].join('|')})['"\`]`);
    const knowing = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => path.endsWith('.ts') && !mayKnow.test(path))
      .filter((path) => quoted.test(readFileSync(join(ROOT, 'src', path), 'utf8')));
    expect(knowing).toEqual([]);
  });

  it('is right that v1 is known through a door that imports nothing before it is called', () => {
    const outside = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => path.endsWith('.ts') && !path.startsWith('v1/'));
    const imported = outside.flatMap((path) =>
      (readFileSync(join(ROOT, 'src', path), 'utf8').match(/(?<=['"])[./]+v1\/[^'"]+(?=['"])/g) ?? []).map(
        (file) => `${path.replace(/^cli\/.*/, 'cli')} ${basename(file)}`,
      ),
    );
    expect([...new Set(imported)].sort()).toEqual(['cli door.ts', 'index.ts door.ts', 'testing.ts door.ts']);
    const door = readFileSync(join(ROOT, 'src/v1/door.ts'), 'utf8');
    const whole = door.match(/^(?:import|export) .*from .*/gm) ?? [];
    expect(whole.filter((line) => !/^(?:import|export) type /.test(line))).toEqual([]);
  });

  it('names guards that are there', () => {
    const named = page.match(/`(test\/[\w./-]+)`/g) ?? [];
    const missing = named.map((path) => path.replaceAll('`', '')).filter((path) => !isThere(path));
    expect(missing).toEqual([]);
  });
});

/** The cells of rows. */
function cells(rows: readonly string[]): readonly (readonly string[])[] {
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

function isThere(path: string): boolean {
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' }).includes(path.slice(5));
}
