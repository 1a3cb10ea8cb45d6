import { globSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

/** `quick` is the lane of `npm test`, `long` that of `npm run test:long`. Every test file is in one lane per project. */
type Lane = 'quick' | 'long';

/**
 * The HTTP suites that prove something about the engine, as the beginnings of their paths. `npm test` runs them on
 * PostgreSQL too; the others run there in `npm run test:long`.
 */
const engineMatters = [
  'crash/',
  'exactness/',
  'faults/',
  'jobs/',
  'nodes/',
  'security/current-verdict',
  'security/other-licenses',
  'tenancy/move/',
  'tenancy/tenant-',
  'tenancy/upgrade/',
  'tenant-core/idempoten',
  'tenant-core/user-idempotency',
].map((start) => `packages/server/test/${start}`);

/** Returns the lane in which a project runs a test file: a file is long by its name, or by its engine. */
function laneOf(project: string, file: string): Lane {
  if (file.includes('.long.')) return 'long';
  const isOnlyRepeated = project === 'postgres' && file.endsWith('.http.test.ts');
  return isOnlyRepeated && !engineMatters.some((start) => file.startsWith(start)) ? 'long' : 'quick';
}

/** The suites that run on both engines; the harness reads the engine from `ENGINE`. */
const engineSuites = (engine: 'sqlite' | 'postgres') => [
  'packages/server/test/**/*.http.test.ts',
  'packages/server/test/db/*.contract.test.ts',
  `packages/server/test/**/*.${engine}.test.ts`,
];

/** The files of each project. */
export const testFiles = {
  unit: ['packages/server/src/**/*.test.ts', 'packages/server/test/{architecture,deployment}/**/*.test.ts'],
  examples: ['examples/test/*.test.ts'],
  guides: ['packages/guides/test/**/*.test.ts'],
  // The suite `native` runs it, after the compilers.
  native: ['sdks/test/*.test.ts'],
  sdk: ['packages/sdk/{src,test}/**/*.test.ts'],
  dashboard: ['packages/dashboard/src/**/*.test.ts', 'packages/dashboard/test/{,screens/}*.test.ts'],
  portal: ['packages/portal/test/*.test.ts'],
  lighthouse: ['packages/{dashboard,portal}/test/lighthouse/*.test.ts'],
  sqlite: engineSuites('sqlite'),
  postgres: engineSuites('postgres'),
  // The rate-limit suites with counters in Valkey. They use the embedded engine because no database is involved.
  valkey: [
    'packages/server/test/rate-limit/*.contract.test.ts',
    'packages/server/test/rate-limit/shared-rate-limits.test.ts',
    'packages/server/test/rate-limit/integration-limit.http.test.ts',
    'packages/server/test/accounts/lockout.http.test.ts',
  ],
};

const lane = process.env['LANE'];

/** Returns the name of a project with its files: those of the lane in `LANE`, or all. */
function project(name: keyof typeof testFiles) {
  const patterns = testFiles[name];
  const inLane = () => globSync(patterns).filter((file) => laneOf(name, file.replaceAll('\\', '/')) === lane);
  return { name, include: lane === undefined ? patterns : inLane() };
}

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
    expect: { poll: { timeout: 60_000, interval: 100 } },
    allowOnly: process.env['CI'] !== 'true',
    projects: [
      { test: project('unit') },
      { test: { ...project('examples'), globalSetup: ['examples/test/support/global-setup.ts'] } },
      { test: project('guides') },
      { test: project('native') },
      { test: { ...project('sdk'), env: { ENGINE: 'sqlite' } } },
      { test: { ...project('dashboard'), env: { ENGINE: 'sqlite' } } },
      { test: { ...project('portal'), env: { ENGINE: 'sqlite' } } },
      // Lighthouse loads each page several times.
      { test: { ...project('lighthouse'), testTimeout: 300_000 } },
      { test: { ...project('sqlite'), env: { ENGINE: 'sqlite' } } },
      {
        test: {
          ...project('valkey'),
          env: { ENGINE: 'sqlite', RATE_LIMITS: 'valkey' },
          globalSetup: ['packages/server/test/support/valkey-global-setup.ts'],
        },
      },
      {
        test: {
          ...project('postgres'),
          env: { ENGINE: 'postgres' },
          globalSetup: ['packages/server/test/support/postgres-global-setup.ts'],
        },
      },
    ],
  },
});
