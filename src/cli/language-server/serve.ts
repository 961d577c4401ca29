import { setImmediate } from 'node:timers/promises';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  CodeLensRefreshRequest,
  createConnection,
  MessageType,
  ProposedFeatures,
  ShowMessageNotification,
  TextDocuments,
  TextDocumentSyncKind,
  type Connection,
  type Diagnostic,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { COMPARE, describePlan, markPlans } from '../../editor/plan-marks.ts';
import { markAll, type Marked } from '../../editor/problems.ts';
import type { Look } from '../../editor/look.ts';
import type { Json } from '../../model/json/json.ts';
import { hasErrors, type SourceFile } from '../../model/problem.ts';
import type { Input } from '../../workflow/project/input.ts';
import { RequestError } from '../../workflow/system-error.ts';
import { VERSION } from '../../workflow/tool.ts';
import type { Io } from '../io.ts';
import { withoutEffect } from '../without-effect.ts';
import { ANSWERS, answer, asShown } from './answers.ts';
import { Comparison } from './comparison.ts';
import { lookAt, lookAtOpen, type Looked } from './look-at.ts';
import { readerOf, writerOf } from './messages.ts';
import { readOptions, snapshotFor } from './options.ts';
import { listFolder, Sources } from './sources.ts';

export type ServeOptions = {
  /** Default: stdin and stdout. */
  readonly streams?: { readonly input: NodeJS.ReadableStream; readonly output: NodeJS.WritableStream };
  /** The folder that paths are relative to. Default: that of the process. */
  readonly cwd?: string;
};

/** Serves the Language Server Protocol until the editor goes. */
export async function serveLanguage(
  io: Io,
  { streams = { input: process.stdin, output: process.stdout }, cwd = process.cwd() }: ServeOptions = {},
): Promise<void> {
  const connection = createConnection(
    ProposedFeatures.all,
    readerOf(streams.input),
    writerOf(streams.output),
  );
  const server = new LanguageServer(connection, io, cwd);
  const closed = new Promise<void>((resolve) => {
    connection.onExit(resolve);
    streams.input.once('end', resolve);
    streams.input.once('close', resolve);
    io.interrupted.addEventListener('abort', () => resolve(), { once: true });
  });
  server.listen();
  await closed;
  server.close();
  streams.input.pause(); // an open stdin would keep a process alive that was told to end
}

/** What was seen last, and what to say of it. */
type Seen = Looked & {
  /** The same, with what was known before gwconf.yaml was broken: it is so with each entry that somebody begins. */
  readonly known: Look;
  readonly marked: ReadonlyMap<string, readonly Marked[]>;
};

class LanguageServer {
  readonly #connection: Connection;
  readonly #documents = new TextDocuments(TextDocument);
  readonly #io: Io;
  readonly #cwd: string;
  readonly #sources: Sources;
  /** The diagnostics that the editor shows, by path. */
  readonly #shown = new Map<string, string>();
  #folder = '.';
  /** Whether the editor asks about edits that need it. */
  #canAsk = false;
  #options = readOptions(undefined);
  #isStale = true;
  readonly #opened = new AbortController();
  #looking: Promise<Seen> | undefined;
  #seen: Seen | undefined;
  readonly #comparison: Comparison;
  /** The world for asking a gateway: certificates and the files of a login may be outside of the project. */
  readonly #asking: Io;
  #refreshesLenses = false;
  /** Whether the editor has gone: a look may still be under way, and nobody hears of it. */
  #isOver = false;
  #planned: ReadonlyMap<string, readonly Diagnostic[]> = new Map();

  constructor(connection: Connection, io: Io, cwd: string) {
    this.#connection = connection;
    this.#cwd = cwd;
    this.#sources = new Sources(io, cwd);
    // Variables are those of the shell that the editor was started in: only a folder that the user trusts may name them.
    this.#io = {
      ...withoutEffect(io, 'for editors'),
      readSources: this.#sources.readSources,
      readWithin: this.#sources.readWithin,
      readNamedFile: (path) => io.readWithin([this.#folder], path, io.maxInputBytes),
      env: (name) =>
        this.#options.trusted && !name.startsWith('GWCONF_ALLOW_EXEC') ? io.env(name) : undefined,
    };
    this.#asking = { ...this.#io, readWithin: io.readWithin, readNamedFile: io.readNamedFile };
    this.#comparison = new Comparison(this.#io, {
      snapshotFor: (environment) => snapshotFor(this.#options, this.#folder, environment),
      warn: (message) => this.#tell(MessageType.Warning, message),
    });
  }

  listen(): void {
    const connection = this.#connection;
    connection.onInitialize(({ workspaceFolders, initializationOptions, capabilities, ...others }) => {
      const uri = workspaceFolders?.[0]?.uri ?? rootOf(others);
      if (uri !== undefined) this.#folder = this.#pathOf(uri) ?? '.';
      this.#options = readOptions(initializationOptions as Json | undefined); // of a message in JSON
      this.#canAsk = capabilities.workspace?.workspaceEdit?.changeAnnotationSupport !== undefined;
      this.#refreshesLenses = capabilities.workspace?.codeLens?.refreshSupport === true;
      return {
        serverInfo: { name: 'gwconf', version: VERSION },
        capabilities: {
          textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
          ...(this.#options.hasCommands ? {} : { executeCommandProvider: { commands: [COMPARE] } }),
          ...ANSWERS,
        },
      };
    });
    connection.onInitialized(() => this.#changed());
    connection.onDidChangeWatchedFiles(() => this.#changedOnDisk());
    this.#documents.onDidChangeContent(({ document }) => this.#put(document));
    this.#documents.onDidSave(() => this.#changedOnDisk());
    this.#documents.onDidClose(({ document }) => this.#close(document));
    connection.onExecuteCommand(async ({ command, arguments: [environment] = [] }) => {
      if (command === COMPARE) await this.#compare(environment);
      return null;
    });
    answer(connection, (uri) => this.#at(uri), {
      uriOf: this.#uriOf,
      plans: () => this.#comparison.plans,
      canAsk: () => this.#canAsk,
      mayCompare: () => this.#options.trusted,
      list: (folder) => listFolder(this.#io, folder),
    });
    this.#documents.listen(connection);
    connection.listen();
  }

  close(): void {
    this.#isOver = true;
    this.#connection.dispose();
  }

  readonly #uriOf = (path: string): string => pathToFileURL(resolve(this.#cwd, path)).href;

  /** The path of a file, from where this process works; undefined for what is no file. */
  #pathOf(uri: string): string | undefined {
    if (!uri.startsWith('file:')) return undefined;
    try {
      return this.#sources.pathOf(fileURLToPath(uri));
    } catch {
      return undefined; // a file of another machine
    }
  }

  #put(document: TextDocument): void {
    const path = this.#pathOf(document.uri);
    if (path === undefined) return;
    if (this.#seen !== undefined && !this.#seen.look.files.has(path)) this.#sources.forget();
    this.#sources.put(path, document.getText());
    this.#opened.abort();
    this.#changed();
  }

  #close({ uri }: TextDocument): void {
    const path = this.#pathOf(uri);
    if (path !== undefined) this.#sources.close(path);
    this.#changed();
  }

  #changedOnDisk(): void {
    this.#sources.forget();
    this.#changed();
  }

  #changed(): void {
    this.#isStale = true;
    void this.#see().catch((error: unknown) => this.#log(error));
  }

  /** What there is, as of the last text that the editor sent. */
  #see(): Promise<Seen> {
    this.#looking ??= this.#lookUntilFresh().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #lookUntilFresh(): Promise<Seen> {
    if (this.#seen === undefined) await this.#showOpen();
    while (this.#isStale || this.#seen === undefined) {
      this.#isStale = false;
      const looked = await lookAt(this.#io, this.#sources, this.#folder, (name, input) =>
        this.#showLoaded(name, input),
      );
      if (this.#hasMore()) continue;
      const { look } = looked;
      const before =
        look.project.environments.size === 0 && hasErrors(look.problems) ? this.#seen : undefined;
      const known = before === undefined ? look : { ...before.known, files: look.files };
      this.#seen = { ...looked, known, marked: markAll(look, this.#uriOf) };
      this.#show(this.#seen.marked);
      void this.#planFor(this.#seen);
    }
    return this.#seen;
  }

  /** Shows what is wrong with the files that are open, before all are compared with each other. */
  async #showOpen(): Promise<void> {
    const look = await lookAtOpen(this.#io, this.#sources, this.#folder, async () => {
      // An editor says right after its start what is open, a message a turn.
      let known: number;
      do {
        known = this.#sources.openPaths.length;
        await setImmediate();
        await setImmediate();
      } while (this.#sources.openPaths.length > known);
      if (known > 0) return;
      // Nothing is open yet, so nobody waits for an answer; what is opened ends the pause.
      await this.#io.clock.wait(PAUSE_MS, AbortSignal.any([this.#io.interrupted, this.#opened.signal]));
    });
    if (look === undefined) return;
    this.#show(markAll(look, this.#uriOf));
    await setImmediate(); // so that it leaves before the rest begins
  }

  async #at(uri: string): Promise<Seen & { readonly file: SourceFile | undefined }> {
    const seen = await this.#see();
    const path = this.#pathOf(uri);
    return { ...seen, file: path === undefined ? undefined : seen.look.files.get(path) };
  }

  /** Whether more was typed meanwhile. */
  #hasMore(): boolean {
    return this.#isStale;
  }

  /** Shows what is wrong with documents as soon as it is known; what was wrong between documents stays until that is known again. */
  async #showLoaded(name: string, input: Input): Promise<void> {
    const before = this.#seen;
    if (before === undefined || this.#hasMore()) return;
    const known = new Set(before.inputs.find((one) => one.name === name)?.input.problems);
    const environments = before.look.environments.map((one) =>
      one.name === name
        ? {
            ...one,
            ...input,
            problems: [...input.problems, ...one.problems.filter((problem) => !known.has(problem))],
          }
        : one,
    );
    this.#show(markAll({ ...before.look, environments }, this.#uriOf));
    await setImmediate(); // so that it leaves before the checks begin
  }

  /** Compares what was seen, once its problems are shown. */
  async #planFor(seen: Seen): Promise<void> {
    if (this.#options.snapshot === undefined && !this.#comparison.hasGateways) return;
    try {
      const plans = await this.#comparison.plan(seen.inputs);
      if (plans === undefined) return;
      this.#planned = markPlans(seen.look, plans);
      this.#show(seen.marked);
      if (this.#refreshesLenses) await this.#connection.sendRequest(CodeLensRefreshRequest.type);
    } catch (error) {
      this.#log(error);
    }
  }

  #log(error: unknown): void {
    if (!this.#isOver) this.#connection.console.error(String(error));
  }

  /** Reads a gateway, because somebody asked for it, and compares the files with it from now on. */
  async #compare(environment: unknown): Promise<void> {
    const { inputs } = await this.#see();
    let name: string;
    try {
      if (!this.#options.trusted)
        throw new RequestError('no gateway is asked for a folder that you do not trust');
      name = await this.#comparison.readGateway(this.#asking, inputs, environment);
    } catch (error) {
      this.#tell(MessageType.Error, error instanceof Error ? error.message : String(error));
      return;
    }
    await this.#planFor(await this.#see());
    const plan = this.#comparison.plans.find((one) => one.name === name);
    const none = `${name}: its gateway was read; there is no plan until the errors in its files are mended`;
    this.#tell(MessageType.Info, plan === undefined ? none : describePlan(plan));
  }

  #tell(type: MessageType, message: string): void {
    if (this.#isOver) return;
    const masked = this.#io.masker.mask(message);
    void this.#connection.sendNotification(ShowMessageNotification.type, { type, message: masked });
  }

  /** Sends the diagnostics of the files in which they are others than before. */
  #show(marked: ReadonlyMap<string, readonly Marked[]>): void {
    if (this.#isOver) return;
    for (const path of new Set([...this.#shown.keys(), ...marked.keys(), ...this.#planned.keys()])) {
      const problems = (marked.get(path) ?? []).map(({ diagnostic }) => diagnostic);
      const diagnostics: Diagnostic[] = [...problems, ...(this.#planned.get(path) ?? [])];
      const text = JSON.stringify(diagnostics);
      if ((this.#shown.get(path) ?? '[]') === text) continue;
      this.#shown.set(path, text);
      void this.#connection.sendDiagnostics(asShown({ uri: this.#uriOf(path), diagnostics }));
    }
  }
}

/** A slow editor takes no longer from its start to its first document. */
const PAUSE_MS = 100;

/** The folder of an editor that knows no list of folders. */
function rootOf(given: object): string | undefined {
  return 'rootUri' in given && typeof given.rootUri === 'string' ? given.rootUri : undefined;
}
