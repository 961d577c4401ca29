import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build-once.ts'],
    // One for each core; the default leaves one of them to whoever watches.
    maxWorkers: '100%',
    // No test mocks a module or changes a global, so files may share what they import.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 120_000,
    reporters: ['default'],
  },
});
