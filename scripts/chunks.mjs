import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { rollup } from 'rollup';
import { BUNDLE, givingChecks, kubernetesClient, provideValidators, replaceFiles } from './bundle.mjs';
import { precompile, precompileChecks } from './validators.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

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
    'src/gateway/http/http.ts',
    'node_modules/undici/lib/dispatcher/pool.js',
  ],
  write: ['src/cli/commands/apply.ts'],
};

/**
 * Bundles files of TypeScript, by name. Code that few commands need is in chunks that are loaded on demand. Returns the contents of all
 * chunks by name, for each entry its chunk and what it exports, and what esbuild says of what is in them.
 */
export async function bundleChunks(entries) {
  const common = { ...BUNDLE, absWorkingDir: root, outdir: 'dist', target: 'node20' };
  // ajv and the validators are CommonJS, which can be loaded in the middle of a check, and yaml, which most files do not need.
  const validators = await precompile();
  const checks = await precompileChecks();
  const compiled = new Map([...validators, ...[...checks.values()].flatMap((formats) => [...formats])]);
  const onDemand = await build({
    ...common,
    entryPoints: [
      { in: 'ajv', out: 'ajv' },
      { in: 'yaml', out: 'late-yaml' },
      ...[...compiled.keys()].map((name) => ({
        in: `validator:${name}`,
        out: `validator-${name.replace(/\W/g, '-').slice(0, validators.has(name) ? 8 : undefined)}`,
      })),
    ],
    entryNames: 'chunks/[name]-[hash]',
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    plugins: [...common.plugins, provideValidators(compiled)],
  });
  const chunkOf = new Map(
    Object.entries(onDemand.metafile.outputs).map(([path, { entryPoint }]) => [
      entryPoint,
      `./${basename(path)}`,
    ]),
  );
  const load = (name) => `require('${chunkOf.get(`validator:${name}`)}')`;
  const factories = [...validators.keys()].map((digest) => `['${digest}', () => ${load(digest)}]`);
  const code = await build({
    ...common,
    entryPoints: entries,
    splitting: true,
    format: 'esm',
    chunkNames: 'chunks/[name]-[hash]',
    external: [...chunkOf.values()],
    plugins: [
      ...common.plugins,
      kubernetesClient,
      replaceFiles({
        'src/schema/load-ajv.ts': `export const loadAjv = () => require('${chunkOf.get('node_modules/ajv/dist/ajv.js')}');`,
        ...givingChecks(checks, load),
        'src/schema/precompiled.ts': `export const precompiled = new Map([${factories.join()}]);`,
      }),
      instead('yaml', chunkOf.get('node_modules/yaml/dist/index.js')),
    ],
  });
  const { files, facades } = await mergeChunks(code, Object.keys(entries));
  for (const { path, contents } of onDemand.outputFiles) files.set(basename(path), Buffer.from(contents));
  return { files, facades, metafiles: [code.metafile, onDemand.metafile] };
}

/** Takes a file of the build for a package. */
function instead(name, path) {
  return {
    name: 'instead',
    setup({ onResolve }) {
      onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path, external: true }));
    },
  };
}

/**
 * Merges the chunks of an esbuild result, into CommonJS, of which `src/cli/host/compiled.ts` keeps what V8 makes. Returns the contents of
 * all chunks by name, and for each entry its chunk and what it exports.
 */
async function mergeChunks({ outputFiles, metafile: { outputs } }, names) {
  const texts = new Map(outputFiles.map(({ path, text }) => [path.slice(root.length), text]));
  const pathOf = new Map(Object.entries(outputs).map(([path, { entryPoint }]) => [entryPoint, path]));
  const tiers = Object.entries(TIERS).map(([name, entries]) => [
    name,
    reachable(
      entries.map((entry) => expected(pathOf.get(entry), entry)),
      outputs,
    ),
  ]);
  const entries = names.map((name) => `dist/${name}.js`);
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
  const files = new Map(output.map(({ fileName, code }) => [fileName, Buffer.from(code)]));
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
