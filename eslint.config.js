import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

// What only reads gets a gateway that cannot be written to; these names are the ways to one that can. The driver gives every
// command its gateway, as its entry in the table says.
const reading = [
  'src/workflow/plan/**/*.ts',
  'src/workflow/project/**/*.ts',
  ...['list-live', 'live-source', 'read-live', 'target'].map((name) => `src/workflow/live/${name}.ts`),
];
const writers = ['apply', 'undo', 'run-on-gateway', 'token-issue', 'cluster-switch'].map(
  (name) => `src/cli/commands/${name}.ts`,
);
const doors = [
  { group: ['**/gateway/gateway.ts'], importNames: ['Gateway'] },
  {
    group: [
      '**/apply/apply.ts',
      '**/workflow/run/**',
      '!**/journal-files.ts',
      '!**/last-written.ts',
      '**/run-on-gateway.ts',
    ],
  },
];
const openers = [
  { group: ['**/connect.ts'], importNames: ['connect', 'tryConnect'] },
  { group: ['**/live/connection.ts'], importNames: ['connectGateway', 'openGateway'] },
  { group: ['**/gateway/http/**', '**/emulator/**'] },
];

// The pure folders compute values from values; the world is handed to them.
const pure = [
  'src/model',
  'src/schema',
  'src/plan',
  'src/doctor',
  'src/apply',
  'src/report',
  'src/emulator/memory.ts',
];

export default tseslint.config(
  { ignores: ['dist', 'node_modules', 'coverage', '**/*.js', '**/*.mjs'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // A quarter of the linter's time. There is no enum, and classes are made by `new` alone.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // Rest siblings are how a key is left out.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true, varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-definitions': ['error', 'type'],
    },
  },
  {
    // A pattern that backtracks takes the square of the length of a text, or more; see test/threats/scans.test.ts.
    files: ['src/**/*.ts'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...['callee.property.name=/^(push|unshift|splice)$/', 'callee.object.name="Math"'].map((call) => ({
          selector: `CallExpression[${call}] > SpreadElement`,
          message: 'A call fails with about 100,000 arguments; use addAll or largestOf of model/collect.ts.',
        })),
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    ignores: ['test/support/fast-check.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { name: 'fast-check', message: 'Import it from test/support/fast-check.ts, which sets the seed.' },
      ],
    },
  },
  withoutImports(reading, [...doors, ...openers]),
  withoutImports(
    ['src/cli/commands/*.ts'],
    [...doors, ...openers],
    [...writers, 'src/cli/commands/gateway.ts'],
  ),
  withoutImports(writers, openers),
  {
    files: pure.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.ts`)),
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'process', message: 'A pure folder is handed what it needs.' },
        { name: 'Date', message: 'A pure folder knows no clock; pass the time in.' },
        { name: 'fetch', message: 'A pure folder touches no network.' },
        { name: 'setTimeout', message: 'A pure folder knows no clock.' },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'A pure folder has no randomness; pass it in.' },
      ],
    },
  },
);

function withoutImports(files, patterns, ignores = []) {
  const message =
    'What only reads gets a gateway from the driver, which opens what the table of commands says.';
  return {
    files,
    ignores,
    rules: { 'no-restricted-imports': ['error', { patterns: patterns.map((one) => ({ ...one, message })) }] },
  };
}
