import { expect, test } from 'vitest';
import { readSourceFiles } from './source-files.ts';

const maxLines = 400;
const castsToTenantDb = /\bas\s+TenantDb\b|<TenantDb>\s*[({\w]/;

test(`no source file is longer than ${maxLines} lines`, () => {
  const tooLong = readSourceFiles('{packages,scripts,bench}/**/*.{ts,tsx,mjs,js,sh,css,sql}')
    // Nobody edits a generated file.
    .filter(({ path }) => !path.endsWith('.gen.ts') && path !== 'packages/sdk/src/api-types.ts')
    .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > maxLines)
    .map(({ path, lines }) => `${path} has ${lines} lines: split it by purpose`);
  expect(tooLong).toEqual([]);
});

test('only tenancy creates a TenantDb, so that tenant data can be accessed only through a resolved tenant', () => {
  const violations = readSourceFiles('packages/server/src/**/*.ts')
    .filter(({ path, text }) => !path.startsWith('packages/server/src/tenancy/') && castsToTenantDb.test(text))
    .map(({ path }) => `${path} casts to TenantDb: take tenant.db of the resolved tenant instead`);
  expect(violations).toEqual([]);
});
