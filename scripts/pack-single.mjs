// npm run pack:single [-- linux-x64 windows-x64] [--nodes FOLDER]: one executable file with gwconf and Node.js in it, for each system,
// into release/single, with their checksums, licenses and a CycloneDX list of what is in them. docs/reference/install.md describes it.
//
// Node.js comes from FOLDER, where it is node-SYSTEM-ARCHITECTURE, or else from packages whose checksums are known.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeContents } from './release/contents.mjs';
import { read, root } from './release/facts.mjs';
import { run, sumsOf, sumsText } from './release/run.mjs';
import { bundleProgram, HOST, NODE, packSingles, programOf, TARGETS, versionIn } from './release/single.mjs';

if (process.platform !== 'linux') throw new Error('this runs on Linux only');
process.chdir(root);
const { values, positionals } = parseArgs({ allowPositionals: true, options: { nodes: { type: 'string' } } });
const wanted =
  positionals.length > 0
    ? positionals
    : TARGETS.filter((target) => values.nodes !== undefined || target.startsWith('linux'));
const unknown = wanted.filter((target) => !TARGETS.includes(target));
if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: expected ${TARGETS.join(', ')}`);

const out = join(root, 'release', 'single');
const work = await mkdtemp(join(tmpdir(), 'gwconf-single-'));
try {
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  const nodes = new Map();
  for (const target of wanted) nodes.set(target, await findNode(target));
  const { version: node } = NODE;
  const maker = await findNode(HOST);
  const metafiles = await packSingles({ program: await bundleProgram(), nodes, maker, out, work });
  const { name, version } = JSON.parse(read('package.json'));
  const license = await readFile(join(work, HOST, 'package', 'LICENSE'), 'utf8');
  for (const [file, text] of await describeContents(metafiles, { name, version, node, license }))
    await writeFile(join(out, file), text);
  const sums = await sumsOf(out);
  await writeFile(join(out, 'SHA256SUMS'), sumsText(sums));
  for (const file of sums.keys()) console.log(join(out, file));
} finally {
  await rm(work, { recursive: true });
}

/** The program of Node.js for a system, which must be of one version: the blob is made for it. */
async function findNode(target) {
  const given = values.nodes === undefined ? undefined : join(values.nodes, programOf('node', target));
  const isGiven = given !== undefined && existsSync(given) && target !== HOST;
  const program = isGiven ? given : await fetchNode(target);
  const found = await versionIn(program);
  if (found !== NODE.version) throw new Error(`${program} is Node.js ${found}; expected ${NODE.version}`);
  return program;
}

/** That of a package, unpacked once; npm checks what it fetches, and this its integrity. */
async function fetchNode(target) {
  const folder = join(work, target);
  const program = join(folder, 'package', 'bin', target.startsWith('windows') ? 'node.exe' : 'node');
  if (existsSync(program)) return program;
  const known = NODE.packages[target];
  if (known === undefined) throw new Error(`name a folder with ${programOf('node', target)}: --nodes FOLDER`);
  const name = `${known.name}@${NODE.version}`;
  const [{ filename, integrity }] = JSON.parse(
    run('npm', ['pack', name, '--json', '--pack-destination', work]),
  );
  if (integrity !== known.integrity) throw new Error(`${name} is not the one that is known: ${integrity}`);
  await mkdir(folder);
  run('tar', ['-xzf', join(work, filename), '-C', folder]);
  return program;
}
