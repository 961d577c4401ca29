// Runs the property tests on many more pairs of states than the tests do: the order, protection on the way (a quarter as many
// pairs), plans of a part with Partners and ignored fields, undo, stale plans, stopped runs on gateways that lag, several runs
// at once. All other laws, with other cases than `npm test` tries. And in full what the tests do in part: all mutations of all
// documents of the corpus and of files that gwconf wrote, a process that is killed at each of its calls, each command on a full
// disk and with each signal, and large states.
//
//     npm run soak -- --pairs 100000 [--seed 42]
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { pairs: { type: 'string', default: '100000' }, seed: { type: 'string' } },
});
// What asks one of these does more in a soak: other cases, more of them, or each in a process.
const ASKED = /\/support\/(?:fast-check|order-pairs|sandbox|soak)\.ts'/;
const files = readdirSync('test', { recursive: true })
  .map((name) => `test/${name}`)
  .filter((path) => path.endsWith('.test.ts') && ASKED.test(readFileSync(path, 'utf8')));
const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'tests', ...files], {
  stdio: 'inherit',
  env: {
    ...process.env,
    GWCONF_SOAK: '1',
    GWCONF_PAIRS: values.pairs,
    ...(values.seed === undefined ? {} : { GWCONF_SEED: values.seed }),
  },
});
process.exitCode = status ?? 1;
