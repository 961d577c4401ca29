import { statfsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * They start many processes, which takes longer the larger the worker has become, or wait: begun last, they would leave a core idle at
 * the end.
 */
const LONG = [
  'packages/single',
  'packages/github-repo',
  'packages/action',
  'packages/package',
  'threats/bases',
  'threats/base-rules',
  'cli/plan-base',
  'cli/environments',
  'threats/files',
  'threats/scans',
  'cli/process',
  'docs-pages',
  'e2e/canary',
  'docs-problems',
  'threats/hidden-law',
  'threats/values',
  'cli/lost-output',
  'cli/pipes',
  'e2e/few-connections',
  'e2e/kill',
  'report/html/browser',
  'e2e/hostile-names',
  'examples',
].map((name) => `/test/${name}.test.ts`);

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = LONG.findIndex((name) => moduleId.endsWith(name));
      return place < 0 ? LONG.length : place;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

/** Thousands of small folders come and go, and gwconf waits for the disk whenever it writes: memory is faster. */
const MEMORY = '/dev/shm';

function hasRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > 1024 ** 3;
  } catch {
    return false; // a system without it
  }
}

/** They need an API server of Kubernetes, and say so where there is none. */
const KUBERNETES = ['test/kubernetes/*.test.ts'];

/** What is made of the sources: the package, the single file, the image and the action. `npm test` leaves them out. */
const PACKAGES = ['test/packages/*.test.ts', 'test/threats/action.test.ts'];

export default defineConfig({
  test: {
    env: hasRoomInMemory() ? { TMPDIR: MEMORY } : {},
    projects: [
      {
        extends: true,
        test: { name: 'tests', include: ['test/**/*.test.ts'], exclude: [...PACKAGES, ...KUBERNETES] },
      },
      { extends: true, test: { name: 'packages', include: PACKAGES } },
      { extends: true, test: { name: 'kubernetes', include: KUBERNETES } },
    ],
    setupFiles: ['test/support/tune-engine.ts'],
    // One for each core; the default leaves one of them to whoever watches.
    maxWorkers: '100%',
    // A file that has not changed is compiled once, not in each run.
    experimental: { fsModuleCache: true },
    // No test mocks a module or changes a global, so files may share what they import.
    isolate: false,
    sequence: { sequencer: LongFirst },
    // Against hangs only: ten times what the slowest test needs.
    testTimeout: 300_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000, interval: 10 } },
    reporters: ['default'],
  },
});
