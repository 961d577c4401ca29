import { chmod, mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);

// The bundle contains all dependencies, so that the package has none. Code that few commands need is in chunks that are
// loaded on demand.
const code = await build({
  entryPoints: { gwconf: 'src/cli/main.ts', index: 'src/index.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  chunkNames: 'chunks/[name]-[hash]',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'linked',
  logLevel: 'warning',
  write: false,
  metafile: true,
  // Some packages in the bundle are CommonJS and require built-in modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
});
const types = await rollup({ input: 'src/index.ts', external: /^node:/, plugins: [dts()] });
const declarations = await types.generate({ format: 'es' });
await types.close();

// Chunks are named by a hash of their content, so a running gwconf keeps its chunks until the entries are replaced.
const built = new Map(code.outputFiles.map(({ path, contents }) => [relative(root, path), contents]));
built.set(join('dist', 'index.d.ts'), Buffer.from(declarations.output[0].code));
built.set(join('dist', 'LICENSES.txt'), Buffer.from(await licencesOf(code.metafile)));
const entriesLast = [...built].sort(([one], [other]) => depth(other) - depth(one));
for (const [path, contents] of entriesLast) await put(path, contents);
await chmod('dist/gwconf.js', 0o755);
for (const entry of await readdir('dist', { recursive: true, withFileTypes: true })) {
  const path = join(relative(root, entry.parentPath), entry.name);
  if (entry.isFile() && !built.has(path)) await rm(path, { force: true });
}

const { catalog, editorSchema, projectSchema } = await import('../dist/index.js');
for (const [name, schema] of [
  ['resources', editorSchema(catalog)],
  ['project', projectSchema],
]) {
  await put(`schemas/${name}.schema.json`, Buffer.from(`${JSON.stringify(schema, null, 2)}\n`));
}

/** The licenses of the packages in the bundle. */
async function licencesOf({ outputs }) {
  const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
  const inPackage = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;
  const folders = new Set(inputs.flatMap((input) => inPackage.exec(input)?.[1] ?? []));
  const parts = [...folders].sort().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? '' : await readFile(join(folder, file), 'utf8');
    return `${name} ${version} (${license})\n\n${text.trim()}\n`;
  });
  return (await Promise.all(parts)).join(`\n${'-'.repeat(80)}\n\n`);
}

/** Writes atomically. A file with the same content only gets a new time. */
async function put(path, contents) {
  const before = await readFile(path).catch(() => undefined);
  if (before?.equals(contents)) return utimes(path, new Date(), new Date());
  await mkdir(dirname(path), { recursive: true });
  const beside = `${path}.${process.pid}.tmp`;
  await writeFile(beside, contents, { mode: path === join('dist', 'gwconf.js') ? 0o755 : 0o644 });
  await rename(beside, path);
}

function depth(path) {
  return path.split(/[\\/]/).length;
}
