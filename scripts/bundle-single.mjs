import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { BUNDLE, replaceFiles } from './bundle.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The pages in the single executable, by the names that gwconf reads. */
export const PAGES = { 'problems.md': join(root, 'docs', 'problems.md') };

/**
 * The script that starts gwconf in the single executable: CommonJS, the only form that Node.js takes. The chunks of the package are
 * beside it, of which it loads `main`, and the others when they are needed. Node.js keeps nothing of what it compiles in a single
 * executable, and in one script it would look for the functions of all commands at each start. Returns the script, and what is in it.
 */
export async function bundleStart(main) {
  const { outputFiles, metafile, warnings } = await build({
    ...BUNDLE,
    absWorkingDir: root,
    entryPoints: ['src/cli/start.ts'],
    outfile: 'gwconf.cjs',
    format: 'cjs',
    target: 'node22',
    plugins: [
      ...BUNDLE.plugins,
      replaceFiles({
        'src/cli/launch.ts': `
          import { getAsset, getRawAsset } from 'node:sea';
          import { runChunks } from './src/cli/host/compiled.ts';
          const read = (name) => ({ path: name, text: Buffer.from(getRawAsset(name)).toString() });
          const { exports, engine } = runChunks('${main}', read, require);
          const readPage = (name) => getAsset(name, 'utf8');
          exports.main(engine.tune, { packageFolder: () => 'path/to/gwconf', readPage });`,
      }),
    ],
  });
  // A warning is something that CommonJS does not have.
  if (warnings.length > 0) throw new Error(warnings.map((warning) => warning.text).join('\n'));
  return { text: outputFiles[0].text, metafile };
}
