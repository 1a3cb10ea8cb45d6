import { defineConfig } from 'vitest/config';

const isContinuousIntegration = process.env['CI'] === 'true';

/** The suites that run on both engines; the harness reads the engine from `ENGINE`. */
const engineSuites = (engine: 'sqlite' | 'postgres') => [
  'packages/server/test/**/*.http.test.ts',
  'packages/server/test/db/*.contract.test.ts',
  `packages/server/test/**/*.${engine}.test.ts`,
];

/** The rate-limit suites with counters in Valkey. They use the embedded engine because no database is involved. */
const valkeySuites = [
  'packages/server/test/rate-limit/*.contract.test.ts',
  'packages/server/test/rate-limit/shared-rate-limits.test.ts',
  'packages/server/test/rate-limit/integration-limit.http.test.ts',
  'packages/server/test/accounts/lockout.http.test.ts',
];

export default defineConfig({
  test: {
    watch: false,
    pool: 'forks',
    maxWorkers: 2,
    // The code has no global state, so test files share a worker and load each module once.
    isolate: false,
    // These limits only end tests that hang. They are generous because a busy machine is not a failure.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 15_000, interval: 100 } },
    allowOnly: !isContinuousIntegration,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['packages/server/src/**/*.test.ts', 'packages/server/test/{architecture,deployment}/**/*.test.ts'],
        },
      },
      {
        test: {
          name: 'examples',
          include: ['examples/test/*.test.ts'],
          globalSetup: ['examples/test/support/global-setup.ts'],
        },
      },
      { test: { name: 'guides', include: ['packages/guides/test/**/*.test.ts'] } },
      {
        test: { name: 'sdk', include: ['packages/sdk/{src,test}/**/*.test.ts'], env: { ENGINE: 'sqlite' } },
      },
      {
        test: {
          name: 'dashboard',
          include: ['packages/dashboard/src/**/*.test.ts', 'packages/dashboard/test/*.test.ts'],
          env: { ENGINE: 'sqlite' },
        },
      },
      {
        test: {
          name: 'dashboard-screens',
          include: ['packages/dashboard/test/screens/*.test.ts'],
        },
      },
      {
        test: {
          name: 'lighthouse',
          include: ['packages/dashboard/test/lighthouse/*.test.ts'],
          // Lighthouse loads each page several times.
          testTimeout: 300_000,
        },
      },
      { test: { name: 'sqlite', include: engineSuites('sqlite'), env: { ENGINE: 'sqlite' } } },
      {
        test: {
          name: 'valkey',
          include: valkeySuites,
          env: { ENGINE: 'sqlite', RATE_LIMITS: 'valkey' },
          globalSetup: ['packages/server/test/support/valkey-global-setup.ts'],
        },
      },
      {
        test: {
          name: 'postgres',
          include: engineSuites('postgres'),
          env: { ENGINE: 'postgres' },
          globalSetup: ['packages/server/test/support/postgres-global-setup.ts'],
        },
      },
    ],
  },
});
