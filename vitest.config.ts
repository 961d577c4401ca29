import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build-once.ts'],
    // One for each core; the default leaves one of them to whoever watches.
    maxWorkers: '100%',
    // No test mocks a module or changes a global, so files may share what they import.
    isolate: false,
    // Against hangs only: ten times what the slowest test needs.
    testTimeout: 300_000,
    hookTimeout: 600_000,
    reporters: ['default'],
  },
});
