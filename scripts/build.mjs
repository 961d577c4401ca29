import { chmod, mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import {
  BUNDLE,
  kubernetesClient,
  givingChecks,
  licensesOf,
  provideValidators,
  replaceFiles,
} from './bundle.mjs';
import { mergeChunks } from './chunks.mjs';
import { makeDeclarations } from './declarations.mjs';
import { importBundled, precompile, precompileChecks } from './validators.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);

/** The tests that run gwconf need no declarations, which are half of the work. */
const WITHOUT_TYPES = process.argv.includes('--without-types');

const common = { ...BUNDLE, outdir: 'dist', target: 'node20' };

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
  plugins: [provideValidators(compiled)],
});
const chunkOf = new Map(
  Object.entries(onDemand.metafile.outputs).map(([path, { entryPoint }]) => [
    entryPoint,
    `./${basename(path)}`,
  ]),
);
const load = (name) => `require('${chunkOf.get(`validator:${name}`)}')`;
const factories = [...validators.keys()].map((digest) => `['${digest}', () => ${load(digest)}]`);
const replacements = {
  'src/schema/load-ajv.ts': `export const loadAjv = () => require('${chunkOf.get('node_modules/ajv/dist/ajv.js')}');`,
  ...givingChecks(checks, load),
  'src/schema/precompiled.ts': `export const precompiled = new Map([${factories.join()}]);`,
};

// The bundle contains all dependencies, so that the package has none. Code that few commands need is in chunks that are
// loaded on demand.
const code = await build({
  ...common,
  entryPoints: { main: 'src/cli/main.ts', index: 'src/index.ts', testing: 'src/testing.ts' },
  splitting: true,
  format: 'esm',
  chunkNames: 'chunks/[name]-[hash]',
  external: [...chunkOf.values()],
  plugins: [
    kubernetesClient,
    replaceFiles(replacements),
    instead('yaml', chunkOf.get('node_modules/yaml/dist/index.js')),
  ],
});
const { files, facades } = await mergeChunks(code, root);
const start = await build({
  ...common,
  entryPoints: { gwconf: 'src/cli/start.ts' },
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  define: { MAIN: JSON.stringify(facades.get('main').chunk), 'import.meta.dirname': '__dirname' },
});
// Chunks are named by a hash of their content, so a running gwconf keeps its chunks until the entries are replaced.
const built = new Map([
  ...files,
  ...['index', 'testing'].map((name) => [join('dist', `${name}.js`), Buffer.from(facade(facades.get(name)))]),
  ...start.outputFiles.map(({ path, contents }) => [relative(root, path), contents]),
  ...(WITHOUT_TYPES ? [] : await makeDeclarations()),
  ...onDemand.outputFiles.map(({ path, contents }) => [relative(root, path), contents]),
]);
built.set(join('dist', 'LICENSES.txt'), Buffer.from(await licensesOf(code.metafile, onDemand.metafile)));
const entriesLast = [...built].sort(([one], [other]) => depth(other) - depth(one));
for (const [path, contents] of entriesLast) await put(path, contents);
await chmod('dist/gwconf.cjs', 0o755);
for (const entry of await readdir('dist', { recursive: true, withFileTypes: true })) {
  const path = join(relative(root, entry.parentPath), entry.name);
  if (entry.isFile() && !built.has(path)) await rm(path, { force: true });
}

await rm('.cache', { recursive: true, force: true });

const { catalog, editorSchema, policySchema, projectSchema, testSchema } = await import('../dist/index.js');
for (const [name, schema] of [
  ['resources', editorSchema(catalog)],
  ['project', projectSchema],
  ['test', testSchema],
  ['policy', policySchema],
]) {
  await putSchema(name, schema);
}
const { SHAPES, publish } = await importBundled(`
  export { SHAPES } from './src/outcome/shapes/published.ts';
  export { publish } from './src/model/compile-shape.ts';
`);
for (const [name, shape] of Object.entries(SHAPES)) await putSchema(name, publish(shape));

/** Takes a file of the build for a package. */
function instead(name, path) {
  return {
    name: 'instead',
    setup({ onResolve }) {
      onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path, external: true }));
    },
  };
}

/** A module of ECMAScript with what a chunk exports. */
function facade({ chunk, exports }) {
  return `import chunk from './chunks/${chunk}';\nexport const { ${exports.join(', ')} } = chunk;\n`;
}

function putSchema(name, schema) {
  return put(`schemas/${name}.schema.json`, Buffer.from(`${JSON.stringify(schema, null, 2)}\n`));
}

/** Writes atomically. A file with the same content only gets a new time. */
async function put(path, contents) {
  const before = await readFile(path).catch(() => undefined);
  if (before?.equals(contents)) return utimes(path, new Date(), new Date());
  await mkdir(dirname(path), { recursive: true });
  const beside = `${path}.${process.pid}.tmp`;
  await writeFile(beside, contents, { mode: path === join('dist', 'gwconf.cjs') ? 0o755 : 0o644 });
  await rename(beside, path);
}

function depth(path) {
  return path.split(/[\\/]/).length;
}
