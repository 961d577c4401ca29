import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection,
} from 'vscode-languageserver-protocol/node';
import type { CodeAction, Diagnostic, TextEdit } from 'vscode-languageserver-types';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { serveLanguage } from '../../src/cli/language-server/serve.ts';
import { makeWorld, type Circumstances, type World } from './cli.ts';

/** An editor on the files of a world, which speaks to the server over a pair of streams. */
export type Editor = {
  readonly world: World;
  readonly connection: MessageConnection;
  /** What the server has logged or told the user: nothing, unless it failed or was asked. */
  readonly told: string[];
  /** All that was shown, in turn. */
  readonly history: readonly { readonly uri: string; readonly diagnostics: readonly Diagnostic[] }[];
  uriOf(path: string): string;
  /** Opens a file with a text that may not be saved. Default: the text on the disk. */
  open(path: string, text?: string): void;
  /** Replaces all of a text. */
  type(path: string, text: string): void;
  /** Asks with a place in a file: where the mark `|` is in `around`, which the text has once. */
  ask<T>(method: string, path: string, around: string, more?: object): Promise<T>;
  request<T>(method: string, params: object): Promise<T>;
  /** What is shown of a file, once the server has seen all that was typed. */
  problems(path: string): Promise<readonly Diagnostic[]>;
  /** Waits until something is shown of a file. */
  shows(path: string, message: RegExp): Promise<readonly Diagnostic[]>;
  /** Waits until the server logs or tells something. */
  says(message: RegExp): Promise<string>;
  actions(path: string, around: string): Promise<readonly CodeAction[]>;
  /** A text after an action. */
  after(path: string, action: CodeAction | undefined): string;
  apply(path: string, edits: readonly TextEdit[]): string;
};

export async function openEditor(
  files: Readonly<Record<string, string>>,
  {
    options = {},
    opened = {},
    workspaceEdit = { documentChanges: true, changeAnnotationSupport: {} },
    prepare = () => Promise.resolve(),
    ...circumstances
  }: Circumstances & {
    readonly options?: Readonly<Record<string, unknown>> | ((folder: string) => object);
    /** What is open when the editor starts: texts by path. */
    readonly opened?: Readonly<Record<string, string>>;
    /** What the editor can do with edits of several files. */
    readonly workspaceEdit?: object;
    readonly prepare?: (world: World) => Promise<void>;
  } = {},
): Promise<Editor> {
  const world = makeWorld(files);
  await prepare(world);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const io = world.io(circumstances);
  const served = serveLanguage(io, { streams: { input, output }, cwd: world.folder });
  const connection = createMessageConnection(new StreamMessageReader(output), new StreamMessageWriter(input));
  onTestFinished(async () => {
    input.end();
    await served;
    connection.dispose();
  });
  const told: string[] = [];
  const shown = new Map<string, readonly Diagnostic[]>();
  const history: { readonly uri: string; readonly diagnostics: readonly Diagnostic[] }[] = [];
  const waiting = new Set<() => void>();
  const texts = new Map<string, TextDocument>();
  const uriOf = (path: string): string => pathToFileURL(`${world.folder}/${path}`).href;
  connection.onNotification(
    'textDocument/publishDiagnostics',
    ({ uri, diagnostics }: { uri: string; diagnostics: Diagnostic[] }) => {
      shown.set(uri, diagnostics);
      history.push({ uri, diagnostics });
      for (const look of waiting) look();
    },
  );
  const hear = ({ message }: { message: string }): void => {
    told.push(message);
    for (const look of waiting) look();
  };
  connection.onNotification('window/logMessage', hear);
  connection.onNotification('window/showMessage', hear);
  connection.onRequest('client/registerCapability', () => null);
  connection.onRequest('workspace/configuration', () => []);
  connection.listen();
  await connection.sendRequest('initialize', {
    processId: null,
    rootUri: pathToFileURL(world.folder).href,
    capabilities: { workspace: { workspaceEdit } },
    initializationOptions: typeof options === 'function' ? options(world.folder) : options,
  });
  const note = (method: string, params: object): void => void connection.sendNotification(method, params);
  const textOf = (path: string): TextDocument =>
    texts.get(path) ?? TextDocument.create(uriOf(path), 'yaml', 0, world.read(path));
  const keep = (path: string, text: string): TextDocument => {
    const document = TextDocument.create(uriOf(path), 'yaml', textOf(path).version + 1, text);
    texts.set(path, document);
    return document;
  };
  const placeOf = (path: string, around: string): { readonly line: number; readonly character: number } => {
    const document = textOf(path);
    const at = document.getText().indexOf(around.replace('|', ''));
    if (at < 0) throw new Error(`${path} has no ${around}`);
    return document.positionAt(at + Math.max(0, around.indexOf('|')));
  };
  const editor: Editor = {
    ...{ world, connection, uriOf, told, history },
    open(path, text = world.read(path)) {
      texts.set(path, TextDocument.create(uriOf(path), 'yaml', 1, text));
      const textDocument = { uri: uriOf(path), languageId: 'yaml', version: 1, text };
      note('textDocument/didOpen', { textDocument });
    },
    type(path, text) {
      const { version } = keep(path, text);
      const textDocument = { uri: uriOf(path), version };
      note('textDocument/didChange', { textDocument, contentChanges: [{ text }] });
    },
    ask: (method, path, around, more = {}) =>
      connection.sendRequest(method, {
        textDocument: { uri: uriOf(path) },
        position: placeOf(path, around),
        ...more,
      }),
    request: (method, params) => connection.sendRequest(method, params),
    async problems(path) {
      // An answer comes after what was to be shown by then.
      await connection.sendRequest('textDocument/formatting', {
        textDocument: { uri: uriOf(path) },
        options: { tabSize: 2, insertSpaces: true },
      });
      return shown.get(uriOf(path)) ?? [];
    },
    shows: (path, message) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = (shown.get(uriOf(path)) ?? []).filter((one) =>
            message.test(JSON.stringify(one.message).slice(1, -1)),
          );
          if (found.length === 0) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    says: (message) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = told.find((one) => message.test(one));
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    async actions(path, around) {
      const start = placeOf(path, around);
      return connection.sendRequest('textDocument/codeAction', {
        textDocument: { uri: uriOf(path) },
        range: { start, end: start },
        context: { diagnostics: [] },
      });
    },
    after: (path, action) => editor.apply(path, action?.edit?.changes?.[uriOf(path)] ?? []),
    apply: (path, edits) => TextDocument.applyEdits(textOf(path), [...edits]),
  };
  note('initialized', {});
  for (const [path, text] of Object.entries(opened)) editor.open(path, text);
  return editor;
}
