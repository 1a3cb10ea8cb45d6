import { describe, expect, test } from 'vitest';
import { importRules } from './import-rules.ts';
import { type Import, importsOf, readSourceFiles } from './source-files.ts';

const imports = readSourceFiles('packages/server/src/**/*.ts')
  .filter((file) => !file.path.endsWith('.test.ts'))
  .flatMap(importsOf);

describe('the arrow points inward', () => {
  test('the imports of the server are found', () => {
    expect(imports).toContainEqual({ from: 'lib/error.ts', to: 'lib/error-codes.ts' });
  });

  test.for(importRules)('$name', (rule) => {
    const violations = imports.filter(rule.forbids).map(({ from, to }) => `${from} imports ${to}: ${rule.instead}`);
    expect(violations).toEqual([]);
  });
});

describe('each rule refuses what it is for', () => {
  const forbidden: readonly (Import & { readonly rule: string })[] = [
    { from: 'lib/clock.ts', to: 'db/tables/platform-tables.ts', rule: 'lib imports nothing' },
    { from: 'db/sqlite/sqlite.ts', to: 'tenancy/tenant.ts', rule: 'db knows only' },
    {
      from: 'features/licensing/licenses/service.ts',
      to: 'surfaces/tenant.ts',
      rule: 'only the composition root registers',
    },
    { from: 'features/licensing/licenses/service.ts', to: 'app.ts', rule: 'nothing imports the composition root' },
    { from: 'http/cursor.ts', to: 'features/tenant-core/audit/audit.ts', rule: 'know no feature' },
    {
      from: 'features/licensing/licenses/service.ts',
      to: 'features/licensing/licenses/routes.ts',
      rule: 'import routes',
    },
    {
      from: 'features/licensing/activations/service.ts',
      to: 'features/licensing/activations/lease-job.ts',
      rule: 'knows the jobs',
    },
    { from: 'jobs/runner.ts', to: 'features/licensing/activations/lease-job.ts', rule: 'know no feature' },
    { from: 'jobs/runner.ts', to: 'background.ts', rule: 'nothing imports the composition root' },
    {
      from: 'features/licensing/licenses/queries.ts',
      to: 'features/licensing/licenses/service.ts',
      rule: 'queries import no service',
    },
    {
      from: 'features/licensing/licenses/service.ts',
      to: 'features/licensing/policies/queries.ts',
      rule: 'never its routes or queries',
    },
  ];

  test.for(forbidden)('$from may not import $to', ({ from, to, rule }) => {
    const broken = importRules.filter(({ forbids }) => forbids({ from, to })).map(({ name }) => name);
    expect(broken).toContainEqual(expect.stringContaining(rule));
  });

  const allowed: readonly Import[] = [
    { from: 'surfaces/tenant.ts', to: 'features/licensing/licenses/routes.ts' },
    { from: 'features/licensing/licenses/routes.ts', to: 'features/licensing/licenses/service.ts' },
    { from: 'features/licensing/products/routes.ts', to: 'features/licensing/products/queries.ts' },
    { from: 'features/licensing/licenses/service.ts', to: 'features/licensing/policies/service.ts' },
    { from: 'features/licensing/licenses/schemas.ts', to: 'features/licensing/policies/schemas.ts' },
    { from: 'features/licensing/licenses/queries.ts', to: 'db/database.ts' },
    { from: 'background.ts', to: 'features/licensing/activations/lease-job.ts' },
    { from: 'features/licensing/activations/lease-job.ts', to: 'features/licensing/licenses/service.ts' },
    { from: 'features/licensing/activations/lease-job.ts', to: 'jobs/job.ts' },
    { from: 'app.ts', to: 'surfaces/tenant.ts' },
  ];

  test.for(allowed)('$from may import $to', (edge) => {
    expect(importRules.filter(({ forbids }) => forbids(edge))).toEqual([]);
  });
});
