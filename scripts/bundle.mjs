import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The commit of this checkout, with `-dirty` if files were changed since: SOURCE_COMMIT where the sources were copied without git.
 * A repository around this folder is another one.
 */
function sourceCommit() {
  const { SOURCE_COMMIT } = process.env;
  if (SOURCE_COMMIT) return SOURCE_COMMIT;
  const args = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'];
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(root.replace(/[\\/]$/, '')) };
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', env });
  return status === 0 ? stdout.trim() : 'unknown';
}

/** Of a package, code asks for its name and version at most: the rest of the file is kilobytes that each start would read. */
const briefPackages = {
  name: 'brief-packages',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]package\.json$/ }, async ({ path }) => {
      const { name, version } = JSON.parse(await readFile(path, 'utf8'));
      return { contents: JSON.stringify({ name, version }), loader: 'json' };
    });
  },
};

/** Options of esbuild for each bundle of gwconf. */
export const BUNDLE = {
  bundle: true,
  platform: 'node',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  write: false,
  metafile: true,
  define: { COMMIT: JSON.stringify(sourceCommit()) },
  plugins: [briefPackages],
};

/** Makes `validator:DIGEST` a module. */
export function provideValidators(validators) {
  return {
    name: 'validators',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^validator:/ }, ({ path }) => ({
        path: path.slice('validator:'.length),
        namespace: 'validator',
      }));
      onLoad({ filter: /./, namespace: 'validator' }, ({ path }) => ({
        contents: validators.get(path).code,
        resolveDir: root,
      }));
    },
  };
}

/** The files that give checks of formats, with checks that `load` makes instead of compiling. */
export function givingChecks(checks, load) {
  return Object.fromEntries(
    [...checks].map(([path, formats]) => {
      const entries = [...formats.keys()].map((format) => `'${format}': () => ${load(format)}`);
      return [path, `export const checks = { ${entries.join()} };`];
    }),
  );
}

/**
 * A failed assertion of the HTTP client, which a response without a proper status causes, is an error like others. That of
 * Node.js parses the source for a message: seconds, for a bundle.
 */
const ASSERT = `module.exports = (value) => {
  if (!value) throw Object.assign(new Error('assertion failed'), { code: 'ERR_ASSERTION' });
};`;

/** gwconf does not ask for HTTP/2, and the HTTP client would load what Node.js has for it. */
const NO_HTTP2 = `module.exports = () => {
  throw new Error('HTTP/2 was not asked for');
};`;

/** Replaces the contents of files by their paths, `node:assert`, and what the HTTP client knows of HTTP/2. */
export function replaceFiles(replacements) {
  return {
    name: 'replacements',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^node:assert$/ }, () => ({ path: 'assert', namespace: 'assert' }));
      onLoad({ filter: /./, namespace: 'assert' }, () => ({ contents: ASSERT }));
      onLoad({ filter: /\/undici\/lib\/dispatcher\/client-h2\.js$/ }, () => ({ contents: NO_HTTP2 }));
      for (const [path, contents] of Object.entries(replacements)) {
        onLoad({ filter: new RegExp(`/${path}$`) }, () => ({ contents, resolveDir: root }));
      }
    },
  };
}

const OF_KUBERNETES = '/node_modules/@kubernetes/client-node/';

/**
 * The client of Kubernetes, as small as it can be: what it does not use of itself has no effects, and its informer passes over the
 * generated models, of which it serializes texts alone. Rollup takes built-ins for modules without a default export, which it imports: it gets
 * them as what `require` returns.
 */
export const kubernetesClient = {
  name: 'kubernetes-client',
  setup({ onResolve, onLoad, resolve }) {
    // Asking about each import takes longer than the rest of the build: those of gwconf end in .ts.
    onResolve({ filter: /\.js$|^[^.]/ }, async ({ path, importer, namespace, pluginData, ...about }) => {
      if (namespace === 'builtin') return { path, external: true };
      if (pluginData === OF_KUBERNETES || !importer.includes(OF_KUBERNETES)) return undefined;
      if (isBuiltin(path)) return { path, namespace: 'builtin' };
      const { resolveDir, kind } = about;
      const found = await resolve(path, { importer, resolveDir, kind, pluginData: OF_KUBERNETES });
      return path.startsWith('.') ? { ...found, sideEffects: false } : found;
    });
    // Without the prefix it is loaded at once: what `src/cli/host/compiled.ts` loads late has no names to import before it is used.
    onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = require('${path.replace(/^node:/, '')}');`,
    }));
    onLoad({ filter: /client-node\/dist\/serializer\.js$/ }, () => ({
      contents: 'export const ObjectSerializer = { serialize: (text) => text };',
    }));
  },
};

/** The packages in bundles: their folders and what their package.json says. */
export async function packagesIn(...metafiles) {
  const outputs = metafiles.flatMap((metafile) => Object.values(metafile.outputs));
  const inputs = outputs.flatMap((output) => Object.keys(output.inputs));
  const inPackage = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;
  const folders = new Set(inputs.flatMap((input) => inPackage.exec(input)?.[1] ?? []));
  const read = async (folder) => ({
    folder,
    about: JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')),
  });
  return Promise.all([...folders].sort().map(read));
}

/** The licenses of the packages in bundles. Those with one license are together, as equal texts near each other are packed small. */
export async function licensesOf(...metafiles) {
  const licenseOf = ({ about: { license } }) => String(license);
  const packages = await packagesIn(...metafiles);
  const parts = packages
    .sort((one, other) => licenseOf(one).localeCompare(licenseOf(other), 'en'))
    .map(async ({ folder, about: { name, version, license } }) => {
      const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
      const text = file === undefined ? '' : await readFile(join(folder, file), 'utf8');
      return `${name} ${version} (${license})\n\n${text.trim()}\n`;
    });
  return (await Promise.all(parts)).join(`\n${'-'.repeat(80)}\n\n`);
}
