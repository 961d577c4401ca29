// An editor on a project of many files: how long it takes until problems are shown, and from a key to its problem.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';

const gwconf = fileURLToPath(new URL('../dist/gwconf.cjs', import.meta.url));

/**
 * Opens a file of a folder in a language server, and types in it so many times; the folder is that of its project. Milliseconds from the start until problems of that file
 * are shown and until all is known, the median from a key to its problem, and the memory of the server in bytes at its highest, where the system tells it.
 */
export async function typeInEditor(folder, files, times) {
  writeFileSync(
    join(folder, 'gwconf.yaml'),
    `apiVersion: gwconf/v1\nkind: Project\nenvironments:\n  prod: { files: [${basename(files)}] }\n`,
  );
  const path = join(files, readdirSync(files)[0]);
  const text = readFileSync(path, 'utf8');
  const uri = pathToFileURL(path).href;
  const start = performance.now();
  const server = spawn(process.execPath, [gwconf, 'language-server'], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const connection = createMessageConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  let shown = () => undefined;
  connection.onNotification('textDocument/publishDiagnostics', (told) => shown(told));
  connection.listen();
  await connection.sendRequest('initialize', {
    processId: null,
    workspaceFolders: [{ uri: pathToFileURL(folder).href, name: 'bench' }],
    rootUri: null,
    capabilities: {},
  });
  await connection.sendNotification('initialized', {});
  const problems = new Promise((resolve) => (shown = resolve));
  const opened = text.replace('spec:', 'spec:\n  unknown: 1');
  const textDocument = { uri, version: 1, languageId: 'yaml', text: opened };
  await connection.sendNotification('textDocument/didOpen', { textDocument });
  /** Answered once all that was typed is known. */
  const known = () => connection.sendRequest('textDocument/documentSymbol', { textDocument: { uri } });
  await problems;
  const first = performance.now() - start;
  await known();
  const all = performance.now() - start;
  const keys = [];
  for (let at = 0; at < times; at += 1) {
    const typed = at % 2 === 0 ? text.replace('spec:', `spec:\n  unknown${at}: 1`) : text;
    const asked = performance.now();
    const told = new Promise((resolve) => (shown = resolve));
    await connection.sendNotification('textDocument/didChange', {
      textDocument: { uri, version: at + 2 },
      contentChanges: [{ text: typed }],
    });
    await told;
    keys.push(performance.now() - asked);
    await known();
  }
  const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(status(server.pid)) ?? [];
  server.stdin.end();
  connection.dispose();
  await ended;
  keys.sort((one, other) => one - other);
  return { first, all, keys: keys[Math.floor(keys.length / 2)], memoryBytes: Number(kilobytes) * 1024 };
}

function status(pid) {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}
