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
const laws = readdirSync('test', { recursive: true })
  .map((name) => `test/${name}`)
  .filter(
    (path) => path.endsWith('.test.ts') && readFileSync(path, 'utf8').includes('/support/fast-check.ts'),
  );
const files = [
  'test/apply/faults.test.ts',
  'test/apply/resume.test.ts',
  'test/cli/lost-output.test.ts',
  'test/cli/pipes.test.ts',
  'test/docs-pages.test.ts',
  'test/docs-problems.test.ts',
  'test/declare/edit/edit-corpus.test.ts',
  'test/e2e/canary.test.ts',
  'test/e2e/kill.test.ts',
  'test/e2e/scale.test.ts',
  'test/effective/resolve-properties.test.ts',
  'test/threats/forged-files.test.ts',
  'test/mutations.test.ts',
  'test/plan/order-properties.test.ts',
  'test/plan/exposure-properties.test.ts',
  'test/plan/scope-properties.test.ts',
  'test/plan/undo-properties.test.ts',
  'test/apply/check-plan-properties.test.ts',
  'test/workflow/run-properties.test.ts',
];
const { status } = spawnSync('npx', ['vitest', 'run', ...new Set([...files, ...laws])], {
  stdio: 'inherit',
  env: {
    ...process.env,
    GWCONF_SOAK: '1',
    GWCONF_PAIRS: values.pairs,
    ...(values.seed === undefined ? {} : { GWCONF_SEED: values.seed }),
  },
});
process.exitCode = status ?? 1;
