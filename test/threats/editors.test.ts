import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { TOPIC_VIEWS } from '../support/described.ts';
import { openEditor, type Editor } from '../support/editor.ts';
import fc from '../support/fast-check.ts';
import { hasGit, writeTrap } from '../support/git-world.ts';
import { orAll } from '../support/soak.ts';
import { alias, encrypting, projectOf } from '../support/documents.ts';

const SECRET = 'hvs.CAESIJ-a-canary-of-the-vault';
const FILES = {
  'gwconf.yaml': `
    apiVersion: gwconf/v1
    kind: Project
    environments:
      prod:
        gateway: { url: "http://127.0.0.1:9", user: admin }
        files: [gateway]
        exec: { trap: { command: [./trap.sh] } }
  `,
  'gateway/encrypt.yaml': encrypting(SECRET, 'topic: cards'),
  'gateway/topics.yaml': alias('cards', '"${exec:trap}"', 'passthrough'),
};

const METHODS = [
  'textDocument/completion',
  'textDocument/hover',
  'textDocument/definition',
  'textDocument/references',
  'textDocument/documentHighlight',
  'textDocument/prepareRename',
  'textDocument/rename',
  'textDocument/documentSymbol',
  'textDocument/foldingRange',
  'textDocument/codeLens',
  'textDocument/codeAction',
  'textDocument/formatting',
  'workspace/symbol',
  'workspace/executeCommand',
  'x',
];

/** Asks, and returns what was answered, be it an error. */
async function ask(editor: Editor, method: string, params: object): Promise<string> {
  return editor.request(method, params).then(JSON.stringify, String);
}

async function isAlive(editor: Editor): Promise<void> {
  editor.open('gateway/topics.yaml');
  expect(await editor.problems('gateway/topics.yaml')).toEqual([]);
  expect(editor.told).toEqual([]);
}

describe('threat: an editor on a hostile folder', () => {
  it('answers messages of all forms, and lives on', async () => {
    const editor = await openEditor(FILES);
    const uri = fc.oneof(
      fc.constantFrom(
        ...Object.keys(FILES).map((path) => editor.uriOf(path)),
        'untitled:a.yaml',
        'file://host/a.yaml',
        'file:///%00',
        'file:///a%2Fb.yaml',
        'vscode-remote://x/a.yaml',
        '',
      ),
      fc.string(),
    );
    const number = fc.oneof(fc.nat(30), fc.integer(), fc.double());
    const position = fc.record({ line: number, character: number });
    const params = fc.oneof(
      fc.record(
        {
          textDocument: fc.record({ uri }),
          position,
          range: fc.record({ start: position, end: position }),
          newName: fc.string(),
          query: fc.string(),
          command: fc.constantFrom('gwconf.compare', 'x'),
          arguments: fc.array(fc.oneof(fc.constant('prod'), fc.string(), fc.object())),
          context: fc.record({ diagnostics: fc.constant([]), includeDeclaration: fc.boolean() }),
        },
        {
          requiredKeys: [
            'textDocument',
            'position',
            'range',
            'newName',
            'query',
            'context',
            'command',
            'arguments',
          ],
        },
      ),
      fc.object(),
    );
    const asked = fc.sample(fc.tuple(fc.constantFrom(...METHODS), params), { numRuns: orAll(300, 10_000) });
    for (const [method, one] of asked) expect(await ask(editor, method, one)).not.toContain('CAESIJ');
    const refusal = 'no gateway is asked for a folder that you do not trust';
    expect(new Set(editor.told.splice(0))).toEqual(new Set([refusal]));
    await isAlive(editor);
  });

  it('reads texts of all forms, and lives on', async () => {
    const editor = await openEditor(FILES);
    const path = 'gateway/encrypt.yaml';
    const text = editor.world.read(path);
    editor.open(path);
    const cut = fc.tuple(
      fc.nat(text.length),
      fc.nat(text.length),
      fc.oneof(
        fc.string(),
        fc.constantFrom('&a', '*a', '${', '---\n', '\t', '{', '"', '\u2028', '\uFEFF', '<<: '),
      ),
    );
    const texts = fc.sample(cut, { numRuns: orAll(100, 3000) });
    for (const [from, length, put] of texts) {
      editor.type(path, text.slice(0, from) + put + text.slice(from + length));
      await editor.problems(path);
      const offset = { line: from % 10, character: length % 40 };
      for (const method of ['textDocument/completion', 'textDocument/hover', 'textDocument/codeLens'])
        await ask(editor, method, { textDocument: { uri: editor.uriOf(path) }, position: offset });
    }
    editor.type(path, text);
    expect((await editor.problems(path)).map(({ code }) => code)).toContain('literal-secret');
    await isAlive(editor);
  });

  it.skipIf(!hasGit)(
    'runs no program of the folder, writes no file and leaves no secret in an answer',
    async () => {
      const editor = await openEditor(FILES, {
        options: { trusted: true },
        env: { GWCONF_ALLOW_EXEC: '1', GWCONF_PASSWORD: SECRET },
        prepare: (world) => {
          writeTrap(world, 'trap.sh');
          writeTrap(world, 'node_modules/.bin/git');
          return Promise.resolve();
        },
      });
      const path = 'gateway/encrypt.yaml';
      editor.open(path);
      const said: string[] = [JSON.stringify(await editor.problems(path))];
      const lines = editor.world.read(path).split('\n');
      for (const [line, { length }] of lines.entries())
        for (let character = 0; character <= length; character += 3)
          for (const method of METHODS.slice(0, 6))
            said.push(
              await ask(editor, method, {
                textDocument: { uri: editor.uriOf(path) },
                position: { line, character },
                context: { includeDeclaration: true },
              }),
            );
      said.push(await ask(editor, 'workspace/symbol', { query: '' }));
      await ask(editor, 'workspace/executeCommand', { command: 'gwconf.compare', arguments: ['prod'] });
      expect(editor.told.splice(0).join('\n')).toMatch(/^cannot connect|127\.0\.0\.1:9/);
      expect(said.join('\n')).not.toContain('CAESIJ');
      expect(editor.world.has('trap')).toBe(false);
      const names = readdirSync(join(editor.world.folder), { recursive: true }).map(String).sort();
      expect(names.filter((name) => !name.startsWith('node_modules'))).toEqual(
        ['gateway', 'trap.sh', ...Object.keys(FILES)].sort(),
      );
      await isAlive(editor);
    },
  );

  it('shows no link, command or picture of a text, and nothing that cannot be seen', async () => {
    const hostile =
      '[a](command:b) ![c](https://evil.example/d) <img src=e> https://evil.example www.evil.example f@evil.example &#91; \u202eg';
    const description = parse(TOPIC_VIEWS) as Described;
    description.components.schemas.TopicView.description = hostile;
    description.components.schemas.TopicViewSpec.properties['filter'] = {
      type: 'string',
      description: hostile,
    };
    const view = `apiVersion: gateway/v2\nkind: TopicView\nmetadata: { name: ${JSON.stringify(hostile)} }\nspec: { filter: x }\n`;
    const editor = await openEditor({
      'gwconf.yaml': projectOf(
        { prod: 'gateway: { url: "http://127.0.0.1:9" }, files: [a.yaml]' },
        'kinds: docs.json\n',
      ),
      'docs.json': JSON.stringify(description),
      'a.yaml': view,
    });
    editor.open('a.yaml');
    const hovers = await Promise.all(
      ['TopicV|iew', 'na|me:', 'fil|ter'].map((around) =>
        editor.ask<{ contents: { value: string } }>('textDocument/hover', 'a.yaml', around),
      ),
    );
    const shown = hovers.map(({ contents }) => contents.value).join('\n');
    expect(shown).toContain('evil.example');
    expect(shown.replaceAll(/\\[!-/:-@[-`{-~]/g, '')).not.toMatch(/[[\]<>&\u202e]|:\/\/|www\.|@evil/);
    const others = [
      await editor.problems('a.yaml'),
      await editor.actions('a.yaml', 'na|me:'),
      await editor.request('workspace/symbol', { query: '' }),
    ].map((one) => JSON.stringify(one));
    for (const text of others) expect(text).toMatch(/\\\\u202e/);
    expect(others.join('')).not.toContain('\u202e');
  });

  it('fills in nothing of the editor where a field is completed', async () => {
    const description = parse(TOPIC_VIEWS) as Described;
    description.components.schemas.TopicViewSpec.properties = {
      $CLIPBOARD: { type: 'string', default: 'a$TM_FILENAME' },
    };
    const editor = await openEditor({
      'gwconf.yaml': 'apiVersion: gwconf/v1\nkind: Project\nkinds: docs.json\n',
      'docs.json': JSON.stringify(description),
      'a.yaml': 'apiVersion: gateway/v2\nkind: TopicView\nspec:\n  \n',
    });
    editor.open('a.yaml');
    const items = await editor.ask<readonly { textEdit: { newText: string } }[]>(
      'textDocument/completion',
      'a.yaml',
      'spec:\n  |',
    );
    expect(items.map(({ textEdit }) => textEdit.newText)).toEqual(['\\$CLIPBOARD: ${0:a\\$TM_FILENAME}']);
  });
});

type Described = {
  readonly components: {
    readonly schemas: {
      readonly TopicView: { description: string };
      readonly TopicViewSpec: { properties: Record<string, object> };
    };
  };
};
