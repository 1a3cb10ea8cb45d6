import { describe, expect, test } from 'vitest';
import { importRules } from './import-rules.ts';
import { type Import, importsOf, readSourceFiles } from './source-files.ts';

const imports = readSourceFiles('packages/server/src/**/*.ts')
  .filter((file) => !file.path.endsWith('.test.ts'))
  .flatMap((file) => importsOf(file));

test('the reader finds the imports of the server', () => {
  expect(imports).toContainEqual({ from: 'lib/error.ts', to: 'lib/error-codes.ts', isTypeOnly: false });
});

describe('the rules', () => {
  test.for(importRules)('no import violates the rule "$name"', (rule) => {
    const violations = imports.filter(rule.forbids).map(({ from, to }) => `${from} imports ${to}: ${rule.instead}`);
    expect(violations).toEqual([]);
  });
});

type Arrow = Pick<Import, 'from' | 'to'>;

/** Folders of three features, from which the cases build paths. */
const licenses = 'features/licensing/licenses';
const policies = 'features/licensing/policies';
const activations = 'features/licensing/activations';

const forbidden: readonly (Arrow & { readonly rule: string })[] = [
  { from: 'lib/clock.ts', to: 'db/tables/platform-tables.ts', rule: 'lib imports only' },
  { from: 'config/config.ts', to: 'mail/queue.ts', rule: 'config imports only' },
  { from: 'db/sqlite/sqlite.ts', to: 'tenancy/tenant.ts', rule: 'db imports only' },
  { from: 'db/sqlite/sqlite.ts', to: 'db/postgres/client.ts', rule: 'two engines' },
  { from: 'db/postgres/client.ts', to: 'db/sqlite/handle.ts', rule: 'two engines' },
  { from: `${licenses}/service.ts`, to: 'surfaces/tenant.ts', rule: 'registers surfaces' },
  { from: `${licenses}/service.ts`, to: 'app.ts', rule: 'nothing imports the composition root' },
  { from: 'features/accounts/account/export-service.ts', to: 'personal-data-holders.ts', rule: 'composition root' },
  { from: 'http/cursor.ts', to: 'features/tenant-core/audit/audit.ts', rule: 'import no feature' },
  { from: 'metrics/metrics.ts', to: 'features/operations/metrics/service.ts', rule: 'import no feature' },
  { from: 'tenancy/provisioning.ts', to: 'features/licensing/signing-keys/service.ts', rule: 'import no feature' },
  { from: `${licenses}/service.ts`, to: `${licenses}/routes.ts`, rule: 'import routes' },
  { from: `${licenses}/import/service.ts`, to: `${licenses}/import/routes.ts`, rule: 'import routes' },
  { from: `${activations}/service.ts`, to: `${activations}/lease-job.ts`, rule: 'imports the jobs' },
  { from: 'jobs/runner.ts', to: `${activations}/lease-job.ts`, rule: 'import no feature' },
  { from: 'jobs/runner.ts', to: 'background.ts', rule: 'nothing imports the composition root' },
  { from: `${licenses}/queries.ts`, to: `${licenses}/service.ts`, rule: 'queries import no service' },
  { from: `${licenses}/import/row-queries.ts`, to: `${licenses}/import/service.ts`, rule: 'queries import no service' },
  { from: `${licenses}/service.ts`, to: `${policies}/queries.ts`, rule: 'never its routes or queries' },
  { from: `${licenses}/import/service.ts`, to: `${policies}/queries.ts`, rule: 'never its routes or queries' },
  { from: `${policies}/service.ts`, to: `${licenses}/import/row-queries.ts`, rule: 'never its routes or queries' },
  {
    from: 'features/tenant-core/settings/service.ts',
    to: 'features/accounts/tenants/service.ts',
    rule: 'only the groups below',
  },
  {
    from: `${licenses}/import/service.ts`,
    to: 'features/commerce/plans/service.ts',
    rule: 'only the groups below',
  },
];

test.for(forbidden)('the rules forbid that $from imports $to', ({ from, to, rule }) => {
  const broken = importRules.filter(({ forbids }) => forbids({ from, to })).map(({ name }) => name);
  expect(broken).toContainEqual(expect.stringContaining(rule));
});

const allowed: readonly Arrow[] = [
  { from: 'surfaces/tenant.ts', to: `${licenses}/routes.ts` },
  { from: `${licenses}/routes.ts`, to: `${licenses}/service.ts` },
  { from: 'features/licensing/products/routes.ts', to: 'features/licensing/products/queries.ts' },
  { from: `${licenses}/service.ts`, to: `${policies}/service.ts` },
  { from: `${licenses}/schemas.ts`, to: `${policies}/schemas.ts` },
  { from: `${licenses}/queries.ts`, to: 'db/database.ts' },
  { from: 'background.ts', to: `${activations}/lease-job.ts` },
  { from: `${activations}/lease-job.ts`, to: `${licenses}/service.ts` },
  { from: `${activations}/lease-job.ts`, to: 'jobs/job.ts' },
  { from: 'app.ts', to: 'surfaces/tenant.ts' },
];

test.for(allowed)('the rules allow that $from imports $to', (edge) => {
  expect(importRules.filter(({ forbids }) => forbids(edge))).toEqual([]);
});
