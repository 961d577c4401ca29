import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { BUNDLE, givingChecks, kubernetesClient, provideValidators, replaceFiles } from './bundle.mjs';
import { precompileChecks } from './validators.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The files in the single executable, by the names that gwconf reads. */
export const ASSETS = { 'problems.md': join(root, 'docs', 'problems.md') };

/** gwconf as one CommonJS file, the only form that Node.js takes. Each module still runs when it is first imported. */
export async function bundleSingle(validators) {
  const checks = await precompileChecks();
  const factories = [...validators.keys()].map(
    (digest) => `['${digest}', () => require('validator:${digest}')]`,
  );
  const { outputFiles, metafile, warnings } = await build({
    ...BUNDLE,
    absWorkingDir: root,
    stdin: {
      contents: `
        import { tuneEngine } from './src/cli/host/engine.ts';
        void import('./src/cli/main.ts').then(tuneEngine);`,
      resolveDir: root,
    },
    outfile: 'gwconf.cjs',
    format: 'cjs',
    target: 'node22',
    plugins: [
      kubernetesClient,
      provideValidators(new Map([...validators, ...[...checks.values()].flatMap((formats) => [...formats])])),
      replaceFiles({
        'src/schema/load-ajv.ts': `export const loadAjv = () => require('ajv');`,
        ...givingChecks(checks, (format) => `require('validator:${format}')`),
        'src/schema/precompiled.ts': `export const precompiled = new Map([${factories.join()}]);`,
        'src/host/pages.ts': `
          import { getAsset } from 'node:sea';
          export const packageFolder = () => 'path/to/gwconf';
          export const readPage = (name) => getAsset(name, 'utf8');`,
      }),
    ],
  });
  // A warning is something that CommonJS does not have.
  if (warnings.length > 0) throw new Error(warnings.map((warning) => warning.text).join('\n'));
  return { text: outputFiles[0].text, metafile };
}
