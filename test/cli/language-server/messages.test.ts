import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type Message,
} from 'vscode-languageserver-protocol/node';
import { readerOf, writerOf } from '../../../src/cli/language-server/messages.ts';
import { makeWorld } from '../../support/cli.ts';
import { BINARY } from '../../support/process.ts';
import { projectOf } from '../../support/documents.ts';

it('writes no half of a surrogate pair, which editors refuse', async () => {
  const output = new PassThrough();
  const text = 'half \ud83d and \ude00, whole 😀, written \\ud83d';
  await writerOf(output).write({ jsonrpc: '2.0', method: 'x', params: { text } } as Message);
  const [, written = ''] = String(output.read()).split('\r\n\r\n');
  expect(JSON.parse(written)).toMatchObject({
    params: { text: 'half \ufffd and \ufffd, whole 😀, written \\ud83d' },
  });
  expect(written).not.toMatch(/[^\\]\\ud/);
});

it('waits by no timer for the rest of a message, which an editor that is gone leaves out', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const input = new PassThrough();
  readerOf(input).listen(() => undefined);
  input.emit('data', Buffer.from('Content-Length: 5000\r\n\r\n{"jsonrpc":'));
  expect(vi.getTimerCount()).toBe(0);
});

it.each([
  'with its stdin, while the editor that started it lives on',
  'at SIGTERM, while its stdin stays open',
])('is a process that ends %s', async (when) => {
  const world = makeWorld({
    'gwconf.yaml': projectOf({ dev: 'files: [a.yaml]' }),
    'a.yaml': 'apiVersion: gateway/v2\nkind: AliasTopic\n---\n'.repeat(500), // so that it still looks when the editor goes
  });
  const server = spawn(process.execPath, [BINARY, 'language-server'], { cwd: world.folder });
  let told = '';
  server.stderr.on('data', (text) => (told += String(text)));
  const connection = createMessageConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  connection.listen();
  const rootUri = pathToFileURL(world.folder).href;
  await connection.sendRequest('initialize', { processId: process.pid, rootUri, capabilities: {} });
  const ended = once(server, 'close');
  await connection.sendNotification('initialized', {}); // so that it looks at the project
  if (when.includes('SIGTERM')) server.kill('SIGTERM');
  else server.stdin.end();
  expect([await ended, told]).toEqual([[0, null], '']);
  connection.dispose();
});
