import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { resolve } from 'node:path';
import { GrowingBytes } from '../model/growing-bytes.ts';
import type { Git, GitObject } from '../workflow/host.ts';
import { runProgram } from './programs.ts';

/**
 * What a repository says in its own config must not run: hooks, a file system monitor, transports. Replacement objects would be
 * another history. A bare repository that was committed into the work tree is none.
 */
const CONFIG = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'core.warnAmbiguousRefs=true',
  'log.showSignature=false',
  'protocol.allow=never',
  'safe.bareRepository=explicit',
];
const SAFELY = ['--no-pager', '--no-replace-objects', ...CONFIG.flatMap((one) => ['-c', one])];

/** Variables of the user that git needs, such as those that say which folders are safe. Others name another repository. */
const PASSED_ON = /^(?:PATH|HOME|XDG_CONFIG_HOME|USERPROFILE|SystemRoot|GIT_CONFIG.*)$/i;

const TIMEOUT_MS = 60_000;
/** The list of all files of a large repository has some ten. */
const MOST_BYTES = 50_000_000;

/** The git on PATH, in a work tree. It reads only: nothing is fetched, locked or checked out. */
export function openGit(folder: string, variables: NodeJS.ProcessEnv = process.env): Git {
  const env = {
    ...Object.fromEntries(Object.entries(variables).filter(([name]) => PASSED_ON.test(name))),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  };
  let objects: ObjectReader | undefined;
  return {
    run: (args) =>
      runProgram({
        command: ['git', ...SAFELY, ...args],
        folder,
        env,
        timeoutMs: TIMEOUT_MS,
        mostBytes: MOST_BYTES,
      }),
    read: (id, mostBytes) => (objects ??= new ObjectReader(folder, env)).read(id, mostBytes),
    close: () => objects?.close(),
  };
}

type Waiting = {
  readonly id: string;
  readonly mostBytes: number;
  readonly resolve: (found: GitObject) => void;
  readonly reject: (error: Error) => void;
};

/** One `git cat-file --batch`: objects in the order in which they are asked for. */
class ObjectReader {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting: Waiting[] = [];
  #line = Buffer.alloc(0);
  #open: { readonly type: string; readonly bytes: GrowingBytes | undefined; left: number } | undefined;
  #fault: Error | undefined;
  #said = '';
  #isPartial = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(folder: string, env: NodeJS.ProcessEnv) {
    this.#child = spawn('git', [...SAFELY, 'cat-file', '--batch'], {
      cwd: resolve(folder),
      env,
      windowsHide: true,
    });
    this.#child.stdout.on('data', (chunk: Buffer) => this.#take(chunk));
    this.#child.stderr.on(
      'data',
      (text: Buffer) => (this.#said = `${this.#said}${text.toString()}`.slice(-1000)),
    );
    this.#child.stdin.on('error', (error) => this.#fail(error));
    this.#child.on('error', (error) => this.#fail(error));
    this.#child.on('close', () => this.#end());
  }

  read(id: string, mostBytes: number): Promise<GitObject> {
    if (!/^[0-9a-f]{40,64}$/.test(id)) return Promise.reject(new Error('not the id of an object'));
    if (this.#isPartial) return Promise.resolve({ type: 'missing' });
    if (this.#fault !== undefined) return Promise.reject(this.#fault);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id, mostBytes, resolve, reject });
      this.#limit();
      this.#child.stdin.write(`${id}\n`);
    });
  }

  close(): void {
    this.#fail(new Error('closed'));
  }

  /** Only what is asked for has to come in time: between two questions a gateway may be read. */
  #limit(): void {
    clearTimeout(this.#timer);
    if (this.#waiting.length > 0)
      this.#timer = setTimeout(() => this.#fail(new Error('git took too long')), TIMEOUT_MS);
  }

  /** At the first object that a partial clone would have to fetch git ends, and says so. */
  #end(): void {
    this.#isPartial = /could not fetch|lazy fetching/.test(this.#said);
    if (this.#isPartial) for (const { resolve } of this.#waiting.splice(0)) resolve({ type: 'missing' });
    this.#fail(new Error('git cat-file has ended'));
  }

  #fail(error: Error): void {
    clearTimeout(this.#timer);
    this.#fault ??= error;
    this.#child.kill('SIGKILL');
    for (const { reject } of this.#waiting.splice(0)) reject(this.#fault);
  }

  #take(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) rest = this.#open === undefined ? this.#takeHead(rest) : this.#takeBody(rest);
  }

  /** `<id> <type> <size>`, or `<id> missing`. */
  #takeHead(chunk: Buffer): Buffer {
    const end = chunk.indexOf(10);
    this.#line = Buffer.concat([this.#line, end < 0 ? chunk : chunk.subarray(0, end)]);
    if (end < 0) return Buffer.alloc(0);
    const [, type = '', size] = this.#line.toString('latin1').split(' ');
    this.#line = Buffer.alloc(0);
    if (size === undefined) this.#answer({ type: 'missing' });
    else {
      const isSmall = Number(size) <= (this.#waiting[0]?.mostBytes ?? 0);
      this.#open = { type, bytes: isSmall ? new GrowingBytes() : undefined, left: Number(size) + 1 };
    }
    return chunk.subarray(end + 1);
  }

  /** The content, and a line break after it. What is too large is read and dropped. */
  #takeBody(chunk: Buffer): Buffer {
    const { open } = { open: this.#open };
    if (open === undefined) return chunk;
    const part = chunk.subarray(0, open.left);
    const content = part.length === open.left ? part.subarray(0, -1) : part;
    open.bytes?.append(content);
    open.left -= part.length;
    if (open.left === 0) {
      this.#open = undefined;
      this.#answer(
        open.bytes === undefined ? { type: 'too-large' } : { type: open.type, bytes: open.bytes.all() },
      );
    }
    return chunk.subarray(part.length);
  }

  #answer(found: GitObject): void {
    this.#waiting.shift()?.resolve(found);
    this.#limit();
  }
}
