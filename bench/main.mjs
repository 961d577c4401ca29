// Compares gwconf with the minimum work, and checks the ratios against limits.
//
//     npm run bench -- [--only GROUP] [--quick] [--json FILE] [--profile FOLDER]
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { profileInto, startServer } from './measure.mjs';
import { groups } from './rows.mjs';

const HISTORY = fileURLToPath(new URL('history.ndjson', import.meta.url));
/** The bench fails if a limit is missed by more than this; machines differ. */
const LENIENCY = 0.25;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean' },
    json: { type: 'string' },
    profile: { type: 'string' },
  },
});
if (values.only !== undefined && !(values.only in groups)) {
  console.error(`expected --only ${Object.keys(groups).join(', ')}; found ${values.only}`);
  process.exit(64);
}
if (values.profile !== undefined) profileInto(resolve(values.profile));
const start = performance.now();
const machine = `${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}`;
const rows = await measured(values.only === undefined ? Object.keys(groups) : [values.only]);
const record = {
  at: new Date().toISOString(),
  commit: execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim(),
  machine,
  seconds: Math.round((performance.now() - start) / 1000),
  rows,
};
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(record, null, 2)}\n`);
console.log(tableOf(rows, latest(machine)));
appendFileSync(HISTORY, `${JSON.stringify(record)}\n`);
const limited = rows.filter((row) => row.limit !== undefined);
const missed = limited.filter((row) => excess(row) > LENIENCY);
const nearly = limited.filter((row) => excess(row) > 0 && excess(row) <= LENIENCY);
const names = (some) => some.map(({ name }) => name).join('; ');
console.log(
  `\n${machine}; ${record.seconds} s. ${limited.length - missed.length - nearly.length} limits are held.`,
);
if (nearly.length > 0) console.log(`Missed by less than a quarter: ${names(nearly)}`);
if (missed.length > 0) console.log(`Missed: ${names(missed)}`);
process.exitCode = missed.length === 0 ? 0 : 1;

async function measured(names) {
  const root = mkdtempSync(join(tmpdir(), 'gwconf-bench-'));
  const server = await startServer(root);
  const world = {
    root,
    url: server.url,
    seen: server.seen,
    times: values.quick === true ? 1 : 3,
    applySizes: values.quick === true ? [100, 1_000] : [100, 1_000, 10_000],
    sizes: values.quick === true ? [1_000, 10_000] : [1_000, 10_000, 100_000],
  };
  try {
    const found = [];
    for (const name of names) {
      console.error(`measuring ${name} …`);
      found.push(...(await groups[name](world)));
    }
    return found;
  } finally {
    server.stop();
    rmSync(root, { recursive: true });
  }
}

/** The previous results of this machine. */
function latest(here) {
  let text = '';
  try {
    text = readFileSync(HISTORY, 'utf8');
  } catch {
    // the first time
  }
  const found = new Map();
  for (const line of text.split('\n').filter(Boolean)) {
    const past = JSON.parse(line);
    if (past.machine === here) for (const { name, value } of past.rows) found.set(name, value);
  }
  return found;
}

function tableOf(found, before) {
  const lines = found.map((row) => [
    row.name,
    row.over === undefined ? numeral(row.value, row.unit) : sampled(row.over),
    before.has(row.name) ? numeral(before.get(row.name), row.unit) : '',
    row.limit === undefined ? '' : `${row.bound === 'most' ? '≤' : '≥'} ${row.limit}`,
    row.limit === undefined ? '' : excess(row) <= 0 ? 'held' : excess(row) <= LENIENCY ? 'nearly' : 'MISSED',
  ]);
  const all = [['Measure', 'Now', 'Before', 'Limit', ''], ...lines];
  const widths = all[0].map((_, at) => Math.max(...all.map((line) => line[at].length)));
  return all
    .map((line) =>
      line.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join('  '),
    )
    .join('\n');
}

/** The calls in flight over time, at ten points. */
function sampled(over) {
  const step = Math.max(1, Math.ceil(over.length / 10));
  return over.filter((_, at) => at % step === 0).join(' ');
}

/** The share by which a limit is missed; at most 0 if it is kept. */
function excess({ value, limit, bound }) {
  return bound === 'most' ? value / limit - 1 : limit / value - 1;
}

function numeral(value, unit) {
  const digits = unit === '×' || unit === 's' ? 2 : 0;
  return `${value.toFixed(digits)}${unit === '' ? '' : ` ${unit}`}`;
}
