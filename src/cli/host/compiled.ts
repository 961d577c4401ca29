import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { type Engine, makeEngine } from './engine.ts';

type Module = { readonly exports: unknown };
type Require = (id: string) => unknown;
type V8 = Parameters<typeof makeEngine>[0];
type Run = (exports: unknown, require: Require, module: Module, path: string, folder: string) => void;

/** Parts of Node.js that take long to load, and that some commands do not use. Packages of this kind have late- in their name. */
const LATE: ReadonlySet<string> = new Set(
  [
    ...['child_process', 'crypto', 'dns', 'http', 'net', 'os', 'readline', 'stream', 'stream/promises'],
    ...['timers/promises', 'tls', 'tty', 'v8', 'zlib'],
  ].map((name) => `node:${name}`),
);

/** A file of CommonJS, with its path; compiled before, perhaps. */
type Source = { readonly path: string; readonly text: string; readonly cachedData?: Buffer | undefined };

/**
 * Runs a CommonJS file, and the ones of its folder that it requires; `requireBuiltIn` loads parts of Node.js. Returns beside what it
 * exports a function that keeps in the folder `cache` what V8 has compiled, for the next process, which starts in half to three quarters
 * of the time.
 *
 * `cache` is in the folder of the package: who may write there may change gwconf itself. Whatever the umask, nobody else may write to
 * `cache`, since V8 takes what is there for the code. If the folder of the package belongs to another user, or is read-only, nothing is
 * kept. The name of each file contains a digest of its content, so that what was compiled is never used for
 * another file. V8 rejects what other flags or another version compiled.
 */
export function runCompiled(
  folder: string,
  entry: string,
  cache: string,
  requireBuiltIn: Require,
): Pick<Running, 'exports' | 'engine'> & { readonly keep: () => void } {
  const kept = join(cache, `${process.version}-${process.arch}`);
  const read = (name: string): Source => {
    const path = join(folder, name);
    return { path, text: readFileSync(path, 'utf8'), cachedData: readIfThere(join(kept, name)) };
  };
  const running = runChunks(entry, read, requireBuiltIn);
  return {
    ...running,
    // With what a command alone uses, what it has compiled of the common files is kept, too.
    keep: () => {
      const isComplete = [...running.scripts.values()].every((one) => one.cachedDataRejected === false);
      if (!isComplete) keep(running, kept, cache);
    },
  };
}

/** The engine that files run in, those that have run so far, by name, and what the first of them exports. */
type Running = {
  readonly engine: Engine;
  readonly scripts: ReadonlyMap<string, Script>;
  readonly exports: unknown;
};

/** Runs a file of CommonJS, and the ones that it requires. */
export function runChunks(entry: string, read: (name: string) => Source, requireBuiltIn: Require): Running {
  const modules = new Map<string, Module>();
  const scripts = new Map<string, Script>();
  const engine = makeEngine(() => requireBuiltIn('node:v8') as ReturnType<V8>);
  return { engine, scripts, exports: run(entry) };

  function run(name: string): unknown {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const module: Module = { exports: {} };
    modules.set(name, module);
    const source = read(name);
    const script = engine.withUsualFlags(() => compile(source));
    scripts.set(name, script);
    const { path } = source;
    (script.runInThisContext() as Run)(module.exports, requireFrom, module, path, dirname(path)); // see `compile`
    return module.exports;
  }

  function requireFrom(id: string): unknown {
    if (id.startsWith('./late-')) return onFirstUse(() => run(id.slice(2)) as object);
    if (id.startsWith('./')) return run(id.slice(2));
    return LATE.has(id) ? onFirstUse(() => requirePart(id) as object) : requirePart(id);
  }

  function requirePart(id: string): unknown {
    return engine.withUsualFlags(() => requireBuiltIn(id));
  }
}

function compile({ path: filename, text, cachedData }: Source): Script {
  const source = `(function (exports, require, module, __filename, __dirname) {${text}\n})`;
  return new Script(source, { filename, ...(cachedData && { cachedData }) });
}

/** An object that is loaded when a property of it is read. */
function onFirstUse(load: () => object): object {
  let loaded: object | undefined;
  return new Proxy({}, { get: (_, key) => Reflect.get((loaded ??= load()), key) as unknown });
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function keep({ scripts, engine }: Running, folder: string, cache: string): void {
  try {
    if (statSync(dirname(cache)).uid !== process.getuid?.()) return;
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    for (const [name, script] of scripts)
      replace(
        join(folder, name),
        engine.withUsualFlags(() => script.createCachedData()),
      );
  } catch {
    // A read-only folder, or a full disk: the next process compiles again.
  }
}

/** V8 may crash on broken data: a file is whole on the disk before it has its name. */
function replace(path: string, data: Buffer): void {
  const beside = `${path}.${process.pid}.tmp`;
  try {
    const file = openSync(beside, 'wx', 0o644);
    try {
      writeFileSync(file, data);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(beside, path);
  } finally {
    rmSync(beside, { force: true });
  }
}
