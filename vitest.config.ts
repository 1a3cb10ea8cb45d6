import { globSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** `npm test` runs the quick tests, `npm run test:long` the long ones. `by hand`: neither does. */
type Duration = 'quick' | 'long' | 'by hand';

/** The HTTP suites that `npm test` runs on PostgreSQL too, as the beginnings of their paths. */
const quickOnPostgres = ['nodes/', 'tenancy/tenant-resolution'];

/**
 * The HTTP suites that run on SQLite only, as the beginnings of their paths: what they prove is decided before a database is
 * asked, or by code whose statements other suites run on PostgreSQL with the same outcome (rows, none, or an error). None of
 * them proves anything about concurrent requests, connections, order or search. `vitest run --project postgres` with the name
 * of a file runs it there too.
 */
const sqliteOnly = [
  'accounts/actor-names',
  'accounts/busy-hashing',
  'accounts/email-change',
  'accounts/equal-work',
  'accounts/lockout',
  'accounts/login',
  'accounts/mail-links',
  'accounts/marketing',
  'accounts/members',
  'accounts/owner-consent',
  'accounts/registration',
  'accounts/sessions',
  'accounts/sign-up',
  'accounts/single-sign-on',
  'accounts/two-factor',
  'accounts/weak-passwords',
  'commands/demo-data',
  'commands/serve',
  'commerce/billing-guard',
  'commerce/event-order',
  'commerce/invoice-documents',
  'commerce/single-invoices',
  'commerce/stripe-commerce',
  'commerce/subscription-',
  'commerce/suspended-payment',
  'commerce/taxes',
  'commerce/trials',
  'holders/holder-mails-killed',
  'holders/portal-callers',
  'http/',
  'keygen-import/',
  'licensing/bulk-operations-killed',
  'licensing/certificates',
  'licensing/dev-tools',
  'licensing/entitlement-check',
  'licensing/license-days',
  'licensing/license-import-killed',
  'licensing/license-import-preview',
  'licensing/license-import-rows',
  'licensing/license-import-spreadsheets',
  'licensing/license-names',
  'licensing/signed-verdicts',
  'load/',
  'mail/',
  'operations/feature-flags',
  'operations/flag-trial',
  'operations/ofrep',
  'operations/openfeature-client',
  'operations/rate-limit-reports',
  'payments/',
  'rate-limit/',
  'sales/comparison-killed',
  'sales/message-flood',
  'sales/random-lives',
  'sales/sales-killed',
  'security/admin-roles',
  'security/bound-keys',
  'security/cross-tenant',
  'security/extracted-key',
  'security/mail-limits',
  'security/malformed-http',
  'security/parity',
  'security/platform-operations',
  'tenancy/archive/hostile',
  'tenant-core/events',
  'webhooks/dead-endpoints',
  'webhooks/hostile-endpoints',
];

/** Returns when a test file runs in a project: by its name, and on PostgreSQL by its path. */
function durationOf(project: string, file: string): Duration {
  const isRepeated = project === 'postgres' && file.endsWith('.http.test.ts');
  if (isRepeated && isIn(sqliteOnly, file)) return 'by hand';
  if (file.includes('.long.')) return 'long';
  return isRepeated && !isIn(quickOnPostgres, file) ? 'long' : 'quick';
}

function isIn(starts: readonly string[], file: string): boolean {
  const path = file.replace(/^packages\/(server\/test\/)?/, '');
  return starts.some((start) => path.startsWith(start));
}

/**
 * Small files that take long, as parts of their paths, the longest first. Vitest begins with the largest files, so these
 * would begin last, and one worker would run them while the others have nothing left to do.
 */
const beginFirst = [
  'dashboard/test/screens/every-screen',
  'guides/test/snippets',
  'guides/test/browser',
  'dashboard/test/menu',
  'dashboard/test/screens/auditor',
  'guides/test/samples',
  'guides/test/fresh-clone',
];

/** Orders the files of each project: first those of `beginFirst`, then the others by their size. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    const rankOf = ({ moduleId }: TestSpecification) => {
      const index = beginFirst.findIndex((part) => moduleId.replaceAll('\\', '/').includes(part));
      return index === -1 ? beginFirst.length : index;
    };
    const order = (left: TestSpecification, right: TestSpecification) =>
      projects.indexOf(left.project.name) - projects.indexOf(right.project.name) || rankOf(left) - rankOf(right);
    return sorted.sort(order);
  }
}

/** The suites that run on both engines; the harness reads the engine from `ENGINE`. */
const engineSuites = (engine: 'sqlite' | 'postgres') => [
  'packages/{server,keygen-import}/test/**/*.http.test.ts',
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

const tests = process.env['TESTS'];
const isContinuousIntegration = process.env['CI'] === 'true';

/** Returns the name of a project with its files: the quick or the long ones that `TESTS` names, or all. */
function project(name: keyof typeof testFiles) {
  const patterns = testFiles[name];
  const selected = () => globSync(patterns).filter((file) => durationOf(name, file.replaceAll('\\', '/')) === tests);
  return { name, include: tests === undefined ? patterns : selected() };
}

export default defineConfig({
  test: {
    watch: false,
    pool: 'forks',
    maxWorkers: 2,
    // The code has no global state, so test files share a worker and load each module once.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // These limits only end tests that hang. They are generous because a busy machine is not a failure.
    testTimeout: 600_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
    // One of 11,000 tests that meets a moment of a busy machine must not refuse a change. The summary names each test that
    // passed only then: it, or the product, has a race to repair.
    retry: isContinuousIntegration ? 1 : 0,
    allowOnly: !isContinuousIntegration,
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
          setupFiles: ['packages/server/test/support/copied-databases.ts'],
        },
      },
    ],
  },
});
