// A first run in a temporary folder, with the embedded gateway and the files of examples/quickstart. README.md contains
// the output, and a test compares the two. The output is the same on every run: the URL of the gateway is its state file
// (embedded:practice.json) instead of a port, and all commands run in that folder.
import { spawnSync } from 'node:child_process';
import { closeSync, cpSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'dist', 'gwconf.js');
const gateway = { GWCONF_URL: 'embedded:practice.json' };

const folder = mkdtempSync(join(tmpdir(), 'gwconf-demo-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

cpSync(join(root, 'examples', 'quickstart'), join(folder, 'quickstart'), { recursive: true });

say('# Use the embedded gateway; this file keeps its state.');
say('$ export GWCONF_URL=embedded:practice.json\n');
gwconf('plan -f quickstart');
gwconf('apply -f quickstart --auto-approve');

say('# Edit quickstart/interceptors.yaml:');
edit('quickstart/interceptors.yaml', [
  ['  priority: 100', '  priority: 90'],
  ['          numberOfChars: 4', '          numberOfChars: 8'],
  ['        fields: [card.holder]', '        fields: [card.holder, card.email]'],
]);
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

/** Replaces lines of a file, each of which must occur once, and prints the changes. */
function edit(file, lines) {
  const path = join(folder, file);
  const before = readFileSync(path, 'utf8');
  const after = lines.reduce((text, [from, to]) => {
    if (text.split(`\n${from}\n`).length !== 2) fail(`${file} should have this line once: ${from}`);
    say(`-${from}\n+${to}`);
    return text.replace(`\n${from}\n`, `\n${to}\n`);
  }, before);
  writeFileSync(path, after);
  say('');
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
