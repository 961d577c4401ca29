// npm run release -- --dry-run [--nodes FOLDER] [--without site]: makes all that a release has, without a network, into release/VERSION,
// and prints it with sizes and checksums, and what is missing. CONTRIBUTING.md says how a release is made.
//
//   --check    only checks whether this commit can be released
//   --texts    writes what documents say of where gwconf is published, as package.json has it
//   --singles  the folder of the single files; the workflow makes them, and signs those for macOS
//   --nodes    a folder with programs of Node.js, such as node-macos-arm64, for single files of other systems
//   --without  leaves out a part, such as site; build keeps the build that there is
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkRelease } from './release/checks.mjs';
import { facts, read, root } from './release/facts.mjs';
import { ELSEWHERE, PARTS } from './release/parts.mjs';
import { textFor } from './release/passages.mjs';
import { run, sha256, sumsOf, sumsText } from './release/run.mjs';

const { values } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    texts: { type: 'boolean', default: false },
    singles: { type: 'string' },
    nodes: { type: 'string' },
    out: { type: 'string', default: join('release', facts.version) },
    without: { type: 'string', multiple: true, default: [] },
  },
});
const unknown = values.without.filter((part) => part !== 'build' && !Object.hasOwn(PARTS, part));
if (unknown.length > 0)
  throw new Error(`--without ${unknown.join(', ')}: expected build, ${Object.keys(PARTS).join(', ')}`);
process.chdir(root);

const { GITHUB_ACTIONS, GITHUB_REF_NAME, GITHUB_REF_TYPE, GITHUB_REPOSITORY } = process.env;
const inWorkflow = GITHUB_ACTIONS === 'true' && GITHUB_REF_TYPE === 'tag';
const isReal = !values['dry-run'];
if (values.texts) await writeTexts();
else if (isReal && !inWorkflow && !values.check) refuse();
else await release();

function refuse() {
  console.error(
    `A release is made by .github/workflows/release.yaml, when the tag release/v${facts.version} is pushed: see CONTRIBUTING.md.\n` +
      'To see what it makes, without a network: npm run release -- --dry-run',
  );
  process.exitCode = 1;
}

async function release() {
  const problems = tellChecks();
  if (values.check || (isReal && problems > 0)) {
    process.exitCode = problems > 0 ? 1 : 0;
    return;
  }
  const out = resolve(values.out);
  const assets = join(out, 'assets');
  await rm(out, { recursive: true, force: true });
  await mkdir(assets, { recursive: true });
  if (!values.without.includes('build')) run(process.execPath, ['scripts/build.mjs']);
  const { singles, nodes } = values;
  let missing = 0;
  for (const [name, make] of Object.entries(PARTS)) {
    const isLeftOut = values.without.includes(name);
    const told = isLeftOut ? ['left out'] : await make({ out, assets, facts, singles, nodes });
    if (!ELSEWHERE.includes(name)) missing += told.length;
    console.log(`${told.length === 0 ? '✓' : '-'} ${name}${told.map((line) => `\n    ${line}`).join('')}`);
  }
  await printTree(out);
  if (!isReal) console.log('\nThis was a dry run: nothing has left this machine.');
  else if (missing > 0) process.exitCode = 1;
}

/** How many do not hold. */
function tellChecks() {
  const lock = JSON.parse(read('package-lock.json'));
  const about = JSON.parse(read('package.json'));
  const files = trackedTexts();
  const tag = inWorkflow
    ? GITHUB_REF_NAME
    : run('git', ['tag', '--points-at', 'HEAD']).trim().split('\n').join(' ');
  const status = run('git', ['status', '--porcelain']);
  const kept = existsSync(join('test/fixtures/releases', about.version));
  const repository = inWorkflow ? GITHUB_REPOSITORY : undefined;
  const checks = checkRelease({ about, lock, facts, files, status, tag, repository, kept });
  for (const { name, problem } of checks)
    console.log(`${problem === undefined ? '✓' : '✗'} ${name}${problem === undefined ? '' : `: ${problem}`}`);
  const failed = checks.filter(({ problem }) => problem !== undefined).length;
  console.log(
    failed === 0
      ? ''
      : `\n${failed} of ${checks.length} do not hold, so this commit would not be released.\n`,
  );
  return failed;
}

/** What people read and copy: no code, no tests. */
function trackedTexts() {
  const paths = run('git', [
    'ls-files',
    '-z',
    '--',
    '*.md',
    'docs',
    'examples',
    'templates',
    'deploy',
    'action.yml',
    'Dockerfile',
  ]);
  const isText = (path) => path !== '' && !/\.(?:png|svg)$/.test(path);
  return new Map(
    paths
      .split('\0')
      .filter(isText)
      .map((path) => [path, read(path)]),
  );
}

async function writeTexts() {
  for (const [path, text] of trackedTexts()) {
    const wanted = textFor(path, text, facts);
    if (wanted === text) continue;
    await writeFile(path, wanted);
    console.log(path);
  }
}

/** Each file with its size and checksum; a folder of many files with those of the list of its files. */
async function printTree(out) {
  const sums = await sumsOf(out);
  const rows = [];
  const action = [...sums].filter(([path]) => path.startsWith('action/'));
  for (const [path, sum] of sums)
    if (!path.startsWith('action/')) rows.push([path, (await stat(join(out, path))).size, sum]);
  if (action.length > 0) rows.push([`action/ (${action.length} files)`, undefined, sha256(sumsText(action))]);
  const width = Math.max(...rows.map(([path]) => path.length));
  console.log(`\n${out}`);
  for (const [path, size, sum] of rows)
    console.log(`  ${path.padEnd(width)}  ${(size === undefined ? '' : String(size)).padStart(11)}  ${sum}`);
}
