// The parts of a release, in the order in which they are made. Each writes to folders of `out`, or returns what is missing for it.
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archive } from './archive.mjs';
import { describeContents } from './contents.mjs';
import { read, root } from './facts.mjs';
import { makeFormula, makeWinget } from './manifests.mjs';
import { notesOf, placeLinks } from './notes.mjs';
import { run, sumsOf, sumsText } from './run.mjs';
import { bundleProgram, HOST, NODE, packSingles, programOf, TARGETS, versionIn } from './single.mjs';

export const PARTS = {
  package: async ({ assets }) => {
    await npm(['pack', '--ignore-scripts', '--silent', '--pack-destination', assets]);
    return [];
  },
  'single files': (release) => (release.singles === undefined ? makeSingles(release) : takeSingles(release)),
  chart: async ({ assets, facts }) => {
    const name = 'gwconf-controller';
    await writeFile(
      join(assets, `${name}-${facts.version}.tgz`),
      await archive(join(root, 'deploy/chart'), name),
    );
    return [];
  },
  'extension for VS Code': async ({ assets, facts }) => {
    const { scripts } = JSON.parse(read('package.json'));
    if (scripts['pack:vscode'] === undefined)
      return ['needs npm run pack:vscode, which this checkout does not have'];
    await npm(['run', '--silent', 'pack:vscode', '--', join(assets, `gwconf-vscode-${facts.version}.vsix`)]);
    return existsSync(join(assets, `gwconf-vscode-${facts.version}.vsix`))
      ? []
      : ['npm run pack:vscode -- FILE did not write its file'];
  },
  site: async ({ assets, facts }) => {
    await npm(['run', '--silent', 'site']);
    await writeFile(
      join(assets, `gwconf-site-${facts.version}.tar.gz`),
      await archive(join(root, 'site'), 'site'),
    );
    return [];
  },
  checksums: async ({ assets }) => {
    await writeFile(join(assets, 'SHA256SUMS'), sumsText(await sumsOf(assets)));
    return [];
  },
  'formula and manifests': async ({ assets, out, facts }) => {
    const sums = await sumsOf(assets);
    await mkdir(join(out, 'homebrew'));
    await writeFile(join(out, 'homebrew', 'gwconf.rb'), makeFormula(facts, sums));
    await mkdir(join(out, 'winget'));
    for (const [name, text] of makeWinget(facts, sums)) await writeFile(join(out, 'winget', name), text);
    const missing = TARGETS.filter((target) => !sums.has(programOf('gwconf', target)));
    return missing.length === 0 ? [] : [`without ${missing.join(', ')}, of which there is no single file`];
  },
  'files of the action tag': ({ out }) => {
    run(process.execPath, ['scripts/pack-action.mjs', join(out, 'action')]);
    return [];
  },
  notes: async ({ out, facts }) => {
    const notes = notesOf(read('CHANGELOG.md'), facts.version);
    if (notes === undefined) return [`needs a section of ${facts.version} in CHANGELOG.md`];
    await writeFile(join(out, 'NOTES.md'), `${placeLinks(notes.text, facts)}\n`);
    return [];
  },
  image: ({ facts }) => [
    `made by the workflow: ${facts.image}:${facts.version} and ${facts.image}:${facts.version}-git, for linux/amd64 and linux/arm64`,
  ],
};

/** Parts that only the workflow can make, and that so are never missing here. */
export const ELSEWHERE = ['image'];

/** For this machine, and for each system whose Node.js is in the folder `nodes`. */
async function makeSingles({ assets, facts, nodes }) {
  const given = new Map(
    TARGETS.flatMap((target) => {
      const path = join(nodes ?? '', programOf('node', target));
      return nodes !== undefined && existsSync(path) ? [[target, path]] : [];
    }),
  );
  const maker = given.get(HOST) ?? process.execPath;
  if (TARGETS.includes(HOST)) given.set(HOST, maker);
  const version = await versionIn(maker);
  if (version === undefined) return [`needs a Node.js that can have a program in it: ${maker} cannot`];
  const told = [];
  for (const [target, path] of given) {
    const own = await versionIn(path);
    if (own === version) continue;
    told.push(
      `${target}: ${path} is Node.js ${own ?? 'of an unknown version'}, and this machine makes it with ${version}`,
    );
    given.delete(target);
  }
  for (const target of TARGETS.filter((one) => !given.has(one)))
    told.push(`${programOf('gwconf', target)} needs ${programOf('node', target)} in --nodes FOLDER`);
  if (version !== NODE.version) told.push(`with Node.js ${version}; a release has ${NODE.version}`);
  const signed = [...given.keys()].filter((target) => target.startsWith('macos'));
  if (signed.length > 0) told.push(`${signed.join(', ')}: not signed, which needs macOS`);
  const work = await mkdtemp(join(tmpdir(), 'gwconf-release-'));
  try {
    const metafiles = await packSingles({
      ...{ program: await bundleProgram(), nodes: given },
      ...{ maker, out: assets, work },
    });
    const about = {
      name: 'gwconf',
      version: facts.version,
      node: version,
      license: '(see the LICENSE of Node.js)\n',
    };
    for (const [file, text] of await describeContents(metafiles, about))
      await writeFile(join(assets, file), text);
  } finally {
    await rm(work, { recursive: true });
  }
  return told;
}

/**
 * Those that the workflow made and signed: all of them, or it is no release. Nothing else of the folder is published: archives of macOS
 * have more files (`._NAME`).
 */
export async function takeSingles({ assets, singles }) {
  const wanted = [...TARGETS.map((target) => programOf('gwconf', target)), 'gwconf.cdx.json', 'LICENSES.txt'];
  const there = await readdir(singles);
  for (const name of wanted.filter((one) => there.includes(one)))
    await cp(join(singles, name), join(assets, name));
  return wanted.filter((name) => !there.includes(name)).map((name) => `needs ${name} in ${singles}`);
}

/** npm as it runs this, also where it is no program of its own. */
function npm(args) {
  const { npm_execpath: script } = process.env;
  return script === undefined ? run('npm', args) : run(process.execPath, [script, ...args]);
}
