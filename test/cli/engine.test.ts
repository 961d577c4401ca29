import { expect, test } from 'vitest';
import { makeEngine } from '../../src/cli/host/engine.ts';

// In this JavaScript engine, a job of another thread asks twice whether a function is small enough, and ends the process if the answers
// differ: "Check failed: inlineability == SharedFunctionInfo::kHasOptimizationDisabled".
test('no flag changes during a run that compiling threads rely on', () => {
  const changed: string[] = [];
  const engine = makeEngine(() => ({ setFlagsFromString: (flags) => changed.push(...flags.split(' ')) }));
  engine.tune();
  engine.withUsualFlags(() => undefined);
  expect(changed.length).toBeGreaterThan(2);
  expect(changed.filter((flag) => /^--max-inlined-bytecode-size=/.test(flag))).toEqual([]);
});
