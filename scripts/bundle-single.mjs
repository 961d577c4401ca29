import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { BUNDLE, replaceFiles } from './bundle.mjs';
import { bundleChunks } from './chunks.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The pages in the single executable, by the names that gwconf reads. */
export const PAGES = { 'problems.md': join(root, 'docs', 'problems.md') };

/**
 * gwconf for the single executable: a small script of CommonJS, the only form that Node.js takes, and the chunks of the package, which it
 * loads when they are needed. Node.js keeps nothing of what it compiles in a single executable, and in one script it would look for the
 * functions of all commands at each start. Returns the script, the chunks by name, and what is in them.
 */
export async function bundleSingle() {
  const target = 'node22';
  const { files, facades, metafiles } = await bundleChunks(
    { main: 'src/cli/main.ts' },
    {
      target,
      replacements: {
        'src/host/pages.ts': `
          import { getAsset } from 'node:sea';
          export const packageFolder = () => 'path/to/gwconf';
          export const readPage = (name) => getAsset(name, 'utf8');`,
      },
    },
  );
  const { outputFiles, metafile, warnings } = await build({
    ...BUNDLE,
    absWorkingDir: root,
    entryPoints: ['src/cli/start.ts'],
    outfile: 'gwconf.cjs',
    format: 'cjs',
    target,
    plugins: [
      replaceFiles({
        'src/cli/launch.ts': `
          import { getRawAsset } from 'node:sea';
          import { runChunks } from './src/cli/host/compiled.ts';
          const read = (name) => ({ path: name, text: Buffer.from(getRawAsset(name)).toString() });
          const { exports, engine } = runChunks('${facades.get('main').chunk}', read, require);
          exports.main(engine.tune);`,
      }),
    ],
  });
  // A warning is something that CommonJS does not have.
  if (warnings.length > 0) throw new Error(warnings.map((warning) => warning.text).join('\n'));
  return { text: outputFiles[0].text, chunks: files, metafiles: [metafile, ...metafiles] };
}
