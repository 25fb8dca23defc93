import './scripts/resolve-cjs.js';

// The processes that run the tests inherit it.
process.env.NODE_OPTIONS = `--import ${new URL('scripts/resolve-cjs.js', import.meta.url)}`;

/** What decides amounts. The other files of the engine run with `--mutate`, since they take twice as long. */
const calculation = ['payout', 'close-order-walk', 'carried-credit', 'version-timeline', 'rule-values'];
const ledger = ['output/difference', 'output/affected-totals', 'input/known-totals'];

export default {
  // The compiled code, because StrykerJS reads a tsconfig.json by an interface that TypeScript 7 does not have.
  mutate: [`dist/src/engine/{${calculation}}.js`, `dist/src/ledger/{${ledger}}.js`],
  ignorePatterns: ['/*', '!/dist', '/dist/*', '!/dist/src', '!/dist/test', '!/package.json'],
  plugins: ['@stryker-mutator/mocha-runner'],
  testRunner: 'mocha',
  mochaOptions: {
    'no-config': true,
    require: ['dist/test/support/unit-hooks.js'],
    spec: [
      'dist/test/engine/!(*.slow|*.budget|against-oracle).test.js',
      'dist/test/ledger/difference.test.js',
      'dist/test/ledger/known-totals.test.js',
    ],
    // Tests that repeat a calculation so often that they would take more time than all others.
    grep: '/^(?!.*(gives amounts within the bounds|runs in at least one step))/',
  },
  coverageAnalysis: 'perTest',
  // A mutant of code that runs while a file is loaded would need a process of its own.
  ignoreStatic: true,
  concurrency: 2,
  // On a busy machine a slow test would count as an endless one, which finds its mutant.
  timeoutMS: 20_000,
  thresholds: { high: 97, low: 97, break: 95 },
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { logTests: false, reportTests: false },
};
