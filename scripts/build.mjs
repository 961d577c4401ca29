import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

// Everything is in the bundle, so that an installed gwconf has nothing to fetch; what a command does not need stays
// in chunks that are loaded when they are called for.
await rm('dist', { recursive: true, force: true });
await build({
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
  // Some packages in the bundle are CommonJS and ask for built-ins as such.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
});
await chmod('dist/gwconf.js', 0o755);

const types = await rollup({ input: 'src/index.ts', plugins: [dts()] });
await types.write({ file: 'dist/index.d.ts', format: 'es' });
await types.close();

const { catalog, editorSchema } = await import('../dist/index.js');
await mkdir('schemas', { recursive: true });
await writeFile('schemas/resources.schema.json', `${JSON.stringify(editorSchema(catalog), null, 2)}\n`);
