import { defineConfig } from 'vitest/config';

const isContinuousIntegration = process.env['CI'] === 'true';

/** What runs on both engines; `ENGINE` tells the harness which one. */
const engineSuites = (engine: 'sqlite' | 'postgres') => [
  'packages/server/test/**/*.http.test.ts',
  'packages/server/test/db/*.contract.test.ts',
  `packages/server/test/**/*.${engine}.test.ts`,
];

/** What counts hits, with counting shared by nodes; on the embedded engine, because no database takes part in it. */
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
    // Nothing of ours is global, so files can share a worker: modules load once instead of once per file.
    isolate: false,
    // Against hanging only: a machine that does other work as well is no failure.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    allowOnly: !isContinuousIntegration,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['packages/server/src/**/*.test.ts', 'packages/server/test/{architecture,deployment}/**/*.test.ts'],
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
