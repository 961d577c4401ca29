import { dirname, resolve } from 'node:path';
import {
  commands,
  RelativePattern,
  Uri,
  window,
  workspace,
  type ExtensionContext,
  type TextDocument,
} from 'vscode';
import { LanguageClient, type Executable } from 'vscode-languageclient/node';
import { findProgram, findProject, notFound } from './program.js';

/** A server for each project, by its folder; undefined where there is no program to start. */
const clients = new Map<string, LanguageClient | undefined>();

export async function activate({ subscriptions }: ExtensionContext): Promise<void> {
  subscriptions.push(
    commands.registerCommand('gwconf.restart', restart),
    commands.registerCommand('gwconf.compare', compare),
    workspace.onDidGrantWorkspaceTrust(restart),
    workspace.onDidOpenTextDocument(startFor),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('gwconf')) void restart();
    }),
  );
  await startAll();
}

export async function deactivate(): Promise<void> {
  const running = [...clients.values()];
  clients.clear();
  await Promise.allSettled(running.map(async (client) => client?.dispose()));
}

async function restart(): Promise<void> {
  await deactivate();
  await startAll();
}

/** Compares with the gateway of an environment: that of a lens, or one that the user names. */
async function compare(environment?: string): Promise<void> {
  const document = window.activeTextEditor?.document;
  const folder = document && findProject(dirname(document.uri.fsPath));
  const client = clients.get(folder ?? '');
  if (client === undefined) {
    void window.showWarningMessage('Open a file of a project with gwconf.yaml first.');
    return;
  }
  const name = environment ?? (await window.showInputBox({ prompt: 'Environment of gwconf.yaml' }));
  if (name === undefined) return;
  await client.sendRequest('workspace/executeCommand', { command: 'gwconf.compare', arguments: [name] });
}

/** For the projects of open documents, and for one that nobody has opened a document of. */
async function startAll(): Promise<void> {
  for (const document of workspace.textDocuments) startFor(document);
  if (clients.size > 0) return;
  const [project] = await workspace.findFiles('**/gwconf.yaml', '**/node_modules/**', 1);
  if (project !== undefined)
    start(dirname(project.fsPath), workspace.getWorkspaceFolder(project)?.uri.fsPath);
}

function startFor(document: TextDocument): void {
  const { uri, languageId } = document;
  if (uri.scheme !== 'file' || languageId !== 'yaml') return;
  const opened = workspace.getWorkspaceFolder(uri)?.uri.fsPath;
  const folder = dirname(uri.fsPath);
  const project = findProject(folder) ?? (isOfGateway(document.getText()) ? (opened ?? folder) : undefined);
  if (project !== undefined) start(project, opened);
}

/** Most files of YAML are of other programs. */
function isOfGateway(text: string): boolean {
  return /^apiVersion: *["']?gateway\//m.test(text);
}

function start(folder: string, opened: string = folder): void {
  if (clients.has(folder)) return;
  clients.set(folder, undefined);
  const settings = workspace.getConfiguration('gwconf', Uri.file(folder));
  const { isTrusted } = workspace;
  const isWindows = process.platform === 'win32';
  const path = settings.get<string>('path', '');
  const program = findProgram({
    ...{ path, folder, workspace: opened, isTrusted, isWindows },
    searchPath: process.env['PATH'] ?? '',
  });
  if (program === undefined) {
    void window.showWarningMessage(notFound({ path, folder, isTrusted }));
    return;
  }
  const snapshot = settings.get<string>('snapshot', '');
  const client = new LanguageClient('gwconf', 'gwconf', toRun(program, folder, isWindows), {
    documentSelector: [
      { scheme: 'file', language: 'yaml', pattern: { baseUri: Uri.file(folder).toString(), pattern: '**' } },
    ],
    workspaceFolder: { uri: Uri.file(folder), name: folder, index: 0 },
    initializationOptions: {
      ...{ trusted: isTrusted, hasCommands: true },
      ...(snapshot === '' ? {} : { snapshot: resolve(folder, snapshot) }),
    },
    synchronize: {
      fileEvents: workspace.createFileSystemWatcher(new RelativePattern(folder, '**/*.{yaml,yml,json}')),
    },
  });
  clients.set(folder, client);
  client.start().catch((error: unknown) => {
    void window.showErrorMessage(`${program} language-server did not start: ${String(error)}`);
  });
}

/** A script of npm needs a shell on Windows, and Node.js no program of the current folder. */
function toRun(program: string, cwd: string, isWindows: boolean): Executable {
  const isScript = isWindows && /\.(?:cmd|bat)$/i.test(program);
  const env = { ...process.env, NoDefaultCurrentDirectoryInExePath: '1' };
  return {
    command: isScript ? `"${program}"` : program,
    args: ['language-server'],
    options: { cwd, env, shell: isScript },
  };
}
