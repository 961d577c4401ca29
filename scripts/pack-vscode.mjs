// npm run pack:vscode [-- FILE]: the extension for VS Code, as the file that VS Code and Open VSX take; by default
// release/gwconf-vscode-VERSION.vsix. The same sources give the same file.
//
// vsce, which others use for this, is 119 packages (87 MB) with a native one for the keyring: it publishes as well. The file is a zip with
// two lists.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { zipSync } from 'fflate';
import { BUNDLE, licensesOf } from './bundle.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = 'editors/vscode';
const TYPES = {
  cjs: 'application/javascript',
  json: 'application/json',
  md: 'text/markdown',
  txt: 'text/plain',
};
const HEAD = '<?xml version="1.0" encoding="utf-8"?>\n';
/** The oldest time that a zip can have. */
const TIME = new Date(1980, 0, 1);

const from = process.cwd();
process.chdir(root);
const { version } = JSON.parse(await readFile('package.json', 'utf8'));
const out = resolve(from, process.argv[2] ?? `${root}/release/gwconf-vscode-${version}.vsix`);
const { private: _, ...about } = JSON.parse(await readFile(`${source}/package.json`, 'utf8'));
const { outputFiles, metafile } = await build({
  ...BUNDLE,
  entryPoints: [`${source}/src/extension.ts`],
  outfile: `${source}/dist/extension.cjs`,
  format: 'cjs',
  target: 'node20',
  external: ['vscode'],
});
const files = {
  'extension/package.json': `${JSON.stringify({ ...about, version }, null, 2)}\n`,
  'extension/dist/extension.cjs': outputFiles[0].text,
  'extension/README.md': await readFile(`${source}/README.md`, 'utf8'),
  'extension/LICENSE.txt': await readFile('LICENSE', 'utf8'),
  'extension/LICENSES.txt': await licensesOf(metafile),
};
const texts = { '[Content_Types].xml': types(), 'extension.vsixmanifest': manifest(), ...files };
const zip = Object.entries(texts).map(([path, text]) => [
  path,
  [Buffer.from(text), { mtime: TIME, level: 9 }],
]);
await mkdir(dirname(out), { recursive: true });
await writeFile(out, zipSync(Object.fromEntries(zip)));
console.log(out);

function types() {
  const known = Object.entries({ ...TYPES, vsixmanifest: 'text/xml' }).map(
    ([ending, type]) => `<Default Extension=".${ending}" ContentType="${type}"/>`,
  );
  return `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${known.join('')}</Types>\n`;
}

function manifest() {
  const { name, publisher, displayName, description, keywords, categories, engines } = about;
  const assets = {
    'Microsoft.VisualStudio.Code.Manifest': 'extension/package.json',
    'Microsoft.VisualStudio.Services.Content.Details': 'extension/README.md',
    'Microsoft.VisualStudio.Services.Content.License': 'extension/LICENSE.txt',
  };
  return `${HEAD}<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${xml(name)}" Version="${xml(version)}" Publisher="${xml(publisher)}"/>
    <DisplayName>${xml(displayName)}</DisplayName>
    <Description xml:space="preserve">${xml(description)}</Description>
    <Tags>${xml(keywords.join(','))}</Tags>
    <Categories>${xml(categories.join(','))}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${xml(engines.vscode)}"/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace"/>
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
${Object.entries(assets)
  .map(([type, path]) => `    <Asset Type="${type}" Path="${path}" Addressable="true"/>`)
  .join('\n')}
  </Assets>
</PackageManifest>
`;
}

function xml(text) {
  return text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}
