import { basename, dirname, join } from 'node:path';
import { rollup } from 'rollup';

/**
 * What each chunk adds to the ones before it: the start of every command; what reads and checks files; what plans; what
 * writes. A chunk for each set of modules that some commands share, as esbuild makes them, is 70 files for a plan.
 */
const TIERS = {
  start: ['src/cli/main.ts', 'src/cli/commands/version.ts'],
  check: ['src/cli/commands/validate.ts', 'src/cli/connect/read-flags.ts', 'src/cli/present/finish.ts'],
  plan: [
    'src/cli/commands/plan.ts',
    'src/cli/connect/connect.ts',
    'src/cli/connect/live-source.ts',
    'src/gateway/http/http.ts',
    'node_modules/undici/lib/dispatcher/pool.js',
  ],
  write: ['src/cli/commands/apply.ts'],
};

/**
 * Merges the chunks of an esbuild result, into CommonJS, of which `src/cli/host/compiled.ts` keeps what V8 makes. Returns the contents of
 * all chunks by path, and for each entry its chunk and what it exports.
 */
export async function mergeChunks({ outputFiles, metafile: { outputs } }, root) {
  const texts = new Map(outputFiles.map(({ path, text }) => [path.slice(root.length), text]));
  const pathOf = new Map(Object.entries(outputs).map(([path, { entryPoint }]) => [entryPoint, path]));
  const tiers = Object.entries(TIERS).map(([name, entries]) => [
    name,
    reachable(
      entries.map((entry) => expected(pathOf.get(entry), entry)),
      outputs,
    ),
  ]);
  const entries = ['dist/main.js', 'dist/index.js', 'dist/testing.js'];
  const merged = await rollup({
    input: entries,
    external: (id) => !texts.has(id) && !/^\.{1,2}\/(?:.*\/)?[^/]+\.c?js$/.test(id),
    treeshake: false,
    plugins: [
      {
        name: 'chunks',
        resolveId: (id, from) =>
          id.endsWith('.cjs')
            ? { id, external: 'absolute' }
            : from === undefined
              ? id
              : join(dirname(from), id),
        load: (id) => texts.get(id),
      },
    ],
  });
  const { output } = await merged.generate({
    format: 'cjs',
    compact: true,
    esModule: false,
    exports: 'named',
    interop: 'esModule',
    externalLiveBindings: false,
    dynamicImportInCjs: false,
    hoistTransitiveImports: false,
    entryFileNames: '[name]-[hash].cjs',
    chunkFileNames: ({ name }) => `${basename(name).replace(/-[A-Z0-9]{8}$/, '')}-[hash].cjs`,
    manualChunks: (id) => (entries.includes(id) ? undefined : tiers.find(([, paths]) => paths.has(id))?.[0]),
  });
  await merged.close();
  const files = output.map(({ fileName, code }) => [join('dist', 'chunks', fileName), Buffer.from(code)]);
  const facades = output
    .filter(({ isEntry }) => isEntry)
    .map(({ name, fileName, exports }) => [name, { chunk: fileName, exports }]);
  return { files, facades: new Map(facades) };
}

/** The files that some files import statically, and these. */
function reachable(paths, outputs, found = new Set()) {
  for (const path of paths) {
    if (found.has(path)) continue;
    found.add(path);
    const imported = outputs[path].imports.filter(
      ({ kind, external }) => kind === 'import-statement' && !external,
    );
    reachable(
      imported.map((one) => one.path),
      outputs,
      found,
    );
  }
  return found;
}

function expected(path, entry) {
  if (path === undefined) throw new Error(`${entry} is not loaded on demand any more`);
  return path;
}
