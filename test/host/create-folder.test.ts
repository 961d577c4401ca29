import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createFolder } from '../../src/host/folders.ts';

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'gwconf-folder-')));
  onTestFinished(() => rmSync(top, { recursive: true }));
});

const FILES = [
  { path: 'a.yaml', text: 'a' },
  { path: 'b/c.yaml', text: 'c' },
];

function* failing(): Generator<(typeof FILES)[number]> {
  yield* FILES;
  throw new Error('no more');
}

describe('a folder that is made', () => {
  it.each(['new', 'new/in/new', 'there'])('appears with its files, and nothing else: %s', (path) => {
    mkdirSync(join(top, 'there'));
    createFolder(join(top, path), FILES, top);
    expect(readdirSync(join(top, path)).sort()).toEqual(['a.yaml', 'b']);
    expect(readFileSync(join(top, path, 'b/c.yaml'), 'utf8')).toBe('c');
    expect(statSync(join(top, path)).mode).toBe(statSync(join(top, 'there')).mode);
    expect(readdirSync(top).sort()).toEqual([...new Set([path.split('/')[0], 'there'])].sort());
  });

  it.each(['new', 'new/in/new', 'there'])('leaves nothing if a file cannot be written: %s', (path) => {
    mkdirSync(join(top, 'there'));
    expect(() => createFolder(join(top, path), failing(), top)).toThrow('no more');
    expect([readdirSync(top), readdirSync(join(top, 'there'))]).toEqual([['there'], []]);
  });

  it('is refused where something is, and outside of the tree', () => {
    mkdirSync(join(top, 'full'));
    writeFileSync(join(top, 'full/x'), '');
    writeFileSync(join(top, 'file'), '');
    const outside = realpathSync(mkdtempSync(join(tmpdir(), 'gwconf-outside-')));
    onTestFinished(() => rmSync(outside, { recursive: true }));
    symlinkSync(outside, join(top, 'link'));
    expect(() => createFolder(join(top, 'full'), FILES, top)).toThrow('not empty');
    expect(() => createFolder(join(top, 'file'), FILES, top)).toThrow('a file is there');
    expect(() => createFolder(join(top, 'link/new'), FILES, top)).toThrow('out of the project');
    expect(readdirSync(outside)).toEqual([]);
  });
});
