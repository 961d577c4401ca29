import { describe, expect, it } from 'vitest';
import { editFile, type EditedFile, type FileEdits } from '../../../src/declare/edit/edit-file.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { alias, all, cluster } from '../../support/documents.ts';

const GONE: FileEdits = { changed: new Map([[0, undefined]]), added: [] };

function edit(text: string, edits: Partial<FileEdits>, path = 'a.yaml'): EditedFile {
  return editFile({ path, text }, { changed: new Map(), added: [], ...edits }, catalog);
}

function adding(name: string): Pick<FileEdits, 'added'> {
  const value: JsonObject = {
    apiVersion: 'gateway/v2',
    kind: 'AliasTopic',
    metadata: { name },
    spec: { physicalName: `${name}-v1` },
  };
  return { added: [{ value, text: alias(name) }] };
}

describe('a document', () => {
  it('goes with its comments, and the head of the file stays', () => {
    const head = '# yaml-language-server: $schema=x\n# of team a\n\n';
    const text = `${head}# about a\n${alias('a')}---\n# about b\n${alias('b')}`;
    expect(edit(text, GONE).text).toBe(`${head}# about b\n${alias('b')}`);
    expect(edit(text, { changed: new Map([[1, undefined]]) }).text).toBe(`${head}# about a\n${alias('a')}`);
  });

  it('takes the file with it if nothing else is there', () => {
    expect(edit(`# yaml-language-server: $schema=x\n${alias('a')}`, GONE).text).toBeUndefined();
    expect(edit(`# of team a\n\n${alias('a')}`, GONE).text).toBe('# of team a\n\n');
  });

  it('comes to its canonical place', () => {
    const text = all(cluster('prod'), alias('a'), `# about c\n${alias('c')}`);
    const after = all(cluster('prod'), alias('a'), alias('b'), `# about c\n${alias('c')}`);
    expect(edit(text, adding('b')).text).toBe(after);
    expect(edit(alias('c'), adding('b')).text).toBe(all(alias('b'), alias('c')));
    expect(edit(alias('a'), adding('b')).text).toBe(all(alias('a'), alias('b')));
    expect(edit(`---\n${alias('c')}`, adding('b')).text).toBe(`---\n${alias('b')}---\n${alias('c')}`);
    expect(edit('', adding('b')).text).toBe(alias('b'));
    expect(edit('# nothing yet', adding('b')).text).toBe(`# nothing yet\n${alias('b')}`);
  });

  it('comes with the space that the others have, and with their line breaks', () => {
    const text = `${alias('a')}\n---\n${alias('c')}\n---\n${alias('d')}`;
    expect(edit(text, adding('b')).text).toBe(
      `${alias('a')}\n---\n${alias('b')}\n---\n${alias('c')}\n---\n${alias('d')}`,
    );
    expect(edit(text, adding('e')).text).toBe(`${text}\n---\n${alias('e')}`);
    const windows = `\uFEFF${alias('a').replaceAll('\n', '\r\n')}`.trimEnd();
    expect(edit(windows, adding('b')).text).toBe(
      `${windows}\r\n---\r\n${alias('b').replaceAll('\n', '\r\n')}`,
    );
  });

  it('is one of a JSON file, which takes no second one', () => {
    const text = '{"apiVersion": "gateway/v2"}';
    expect(edit(text, adding('b'), 'a.json')).toMatchObject({ text, refused: [{ obstacle: 'layout' }] });
  });

  it('stays in a file with directives', () => {
    const text = `%YAML 1.2\n---\n${alias('a')}`;
    expect(edit(text, GONE)).toMatchObject({ text, refused: [{ obstacle: 'layout' }] });
  });
});

it('edits one of several documents, and tells where in the file an obstacle is', () => {
  const text = `# head\n---\n${alias('a')}---\nx: &x 1\ny: *x\n---\n${alias('c')}`;
  const { text: after, refused } = edit(text, { changed: new Map([[1, { x: 1, y: 2 }]]) });
  expect(after).toBe(text);
  expect(refused).toEqual([{ document: 1, path: '/y', obstacle: 'alias', offset: text.indexOf('*x') }]);
  expect(edit(text, { changed: new Map([[1, { x: 1, y: 1, z: 3 }]]) }).text).toBe(
    text.replace('*x', '*x\nz: 3'),
  );
});
