import { chmod, mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { BUNDLE, licensesOf } from './bundle.mjs';
import { bundleChunks } from './chunks.mjs';
import { makeDeclarations } from './declarations.mjs';
import { importBundled } from './validators.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);

/** The tests that run gwconf need no declarations, which are half of the work. */
const WITHOUT_TYPES = process.argv.includes('--without-types');

// The bundle contains all dependencies, so that the package has none.
const { files, facades, metafiles } = await bundleChunks({
  main: 'src/cli/main.ts',
  index: 'src/index.ts',
  testing: 'src/testing.ts',
});
const start = await build({
  ...BUNDLE,
  outdir: 'dist',
  target: 'node20',
  entryPoints: { gwconf: 'src/cli/start.ts' },
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  define: { MAIN: JSON.stringify(facades.get('main').chunk), 'import.meta.dirname': '__dirname' },
});
// Chunks are named by a hash of their content, so a running gwconf keeps its chunks until the entries are replaced.
const built = new Map([
  ...[...files].map(([name, contents]) => [join('dist', 'chunks', name), contents]),
  ...['index', 'testing'].map((name) => [join('dist', `${name}.js`), Buffer.from(facade(facades.get(name)))]),
  ...start.outputFiles.map(({ path, contents }) => [relative(root, path), contents]),
  ...(WITHOUT_TYPES ? [] : await makeDeclarations()),
]);
built.set(join('dist', 'LICENSES.txt'), Buffer.from(await licensesOf(...metafiles)));
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

/** A module of ECMAScript with what a chunk exports. */
function facade({ chunk, exports }) {
  return `import chunk from './chunks/${chunk}';\nexport const { ${exports.join(', ')} } = chunk;\n`;
}

function putSchema(name, schema) {
  return put(`schemas/${name}.schema.json`, Buffer.from(`${printSchema(schema)}\n`));
}

/** What fits on a line stands on one: schemas are deep, and half of one would be blanks. */
function printSchema(value, indent = '') {
  const line = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || indent.length + line.length <= 140) return line;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const items = Object.entries(value).map(([key, item]) => {
    const name = Array.isArray(value) ? '' : `${JSON.stringify(key)}: `;
    return `${inner}${name}${printSchema(item, inner)}`;
  });
  return `${open}\n${items.join(',\n')}\n${indent}${close}`;
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
