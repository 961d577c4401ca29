// node scripts/pack-action.mjs FOLDER: writes the files of a release tag, from which GitHub, GitLab and pre-commit take gwconf. That is
// the package, with the build that the repository does not have, and their own files. The same build gives the same files.
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [, , folder] = process.argv;
if (folder === undefined) throw new Error('usage: node scripts/pack-action.mjs FOLDER');

// In a checkout, .git stays.
await mkdir(folder, { recursive: true });
for (const name of await readdir(folder)) {
  if (name !== '.git') await rm(join(folder, name), { recursive: true });
}
// Nothing is built or fetched from a tag.
const { scripts, devDependencies, ...about } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
for (const name of [
  'action.yml',
  '.pre-commit-hooks.yaml',
  'templates',
  'LICENSE',
  'README.md',
  ...about.files.filter((name) => !name.startsWith('!')),
]) {
  await cp(join(root, name), join(folder, name), { recursive: true });
}
await writeFile(join(folder, 'package.json'), `${JSON.stringify(about, null, 2)}\n`);
