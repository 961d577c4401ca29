// A first run in a temporary folder, with the embedded gateway and the files of examples/quickstart.
// test/demo.txt contains the output, and a test compares the two. The output is the same on every run: the URL of
// the gateway is its state file (embedded:practice.json) instead of a port, and all commands run in that folder.
// `demo.mjs FILE` also draws the second plan as an SVG; README.md shows it as docs/plan.svg.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawTerminal } from './draw-terminal.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'dist', 'gwconf.cjs');
const gateway = { GWCONF_URL: 'embedded:practice.json' };

const folder = mkdtempSync(join(tmpdir(), 'gwconf-demo-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

cpSync(join(root, 'examples', 'quickstart'), join(folder, 'quickstart'), { recursive: true });

say('# Use the embedded gateway; this file keeps its state.');
say('$ export GWCONF_URL=embedded:practice.json\n');
gwconf('plan -f quickstart');
gwconf('apply -f quickstart --auto-approve');

say('# Mask more digits, move a topic, add a topic, and remove an interceptor:');
edit('quickstart/interceptors.yaml', '          numberOfChars: 4', '          numberOfChars: 8');
edit('quickstart/topics.yaml', '  physicalName: prod-orders-v1', '  physicalName: prod-orders-v2');
append('quickstart/topics.yaml', [
  '---',
  'apiVersion: gateway/v2',
  'kind: AliasTopic',
  'metadata: { name: refunds, vCluster: prod }',
  'spec: { physicalName: prod-refunds-v1 }',
]);
say('$ rm quickstart/safeguards.yaml');
rmSync(join(folder, 'quickstart/safeguards.yaml'));
append('quickstart/removals.yaml', [
  'apiVersion: gwconf/v1',
  'kind: Removal',
  'metadata: { name: topic-standards }',
  'spec:',
  '  reason: The platform team checks topics now',
  '  remove: [Interceptor/topic-standards@vCluster=prod]',
]);
say('');

const picture = process.argv[2];
if (picture !== undefined) writeFileSync(picture, drawTerminal('gwconf plan -f quickstart', colouredPlan()));

gwconf('plan -f quickstart --out plan.json');
gwconf('apply plan.json');
const last = gwconf('plan -f quickstart');
if (!last.includes('No changes.')) fail('the last plan still has changes');

/** Prints a command, runs it, and prints its output: stdout and stderr, as on a terminal. */
function gwconf(line) {
  say(`$ gwconf ${line}`);
  const path = join(folder, '.output');
  const output = openSync(path, 'w');
  const { status } = spawnSync(process.execPath, [program, ...line.split(' ')], {
    cwd: folder,
    env: { ...environment(), ...gateway },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const text = readFileSync(path, 'utf8');
  say(text);
  if (status !== 0) fail(`gwconf ${line} failed with exit code ${String(status)}; run npm run build first`);
  return text;
}

/** Replaces a line of a file, which must occur once, and prints the change. */
function edit(file, from, to) {
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  if (text.split(`\n${from}\n`).length !== 2) fail(`${file} should have this line once: ${from}`);
  writeFileSync(path, text.replace(`\n${from}\n`, `\n${to}\n`));
  say(`# ${file}\n-${from}\n+${to}`);
}

/** Adds lines to the end of a file, and prints them. */
function append(file, lines) {
  appendFileSync(join(folder, file), `${lines.join('\n')}\n`);
  say(`# ${file}\n${lines.map((line) => `+${line}`).join('\n')}`);
}

/** The second plan, as a terminal shows it. */
function colouredPlan() {
  const env = { ...environment(), ...gateway, FORCE_COLOR: '1' };
  return execFileSync(process.execPath, [program, 'plan', '-f', 'quickstart'], {
    cwd: folder,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** The environment without settings of gwconf. */
function environment() {
  const foreign = /^(GWCONF_|CDK_|GITHUB_OUTPUT$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

function say(text) {
  process.stdout.write(`${text}\n`);
}

function fail(message) {
  process.stderr.write(`demo: ${message}\n`);
  process.exit(1);
}
