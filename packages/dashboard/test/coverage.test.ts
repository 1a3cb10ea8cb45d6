import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { uncalledOperations } from './support/uncalled-operations.ts';

const root = resolve(import.meta.dirname, '..', '..', '..');
const sources = join(root, 'packages', 'dashboard', 'src');
const methods = ['get', 'post', 'put', 'patch', 'delete'];
const ofTenant = '/api/v1/admin/tenants/{tenantId}/';

/**
 * Every operation of the API, such as `GET /api/v1/tenant/products`. The admin's operations on a tenant's objects are those
 * of the tenant, because a screen on the admin surface sends the same calls to another path.
 */
function operations(): string[] {
  const { paths } = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')) as { paths: Record<string, object> };
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => methods.includes(method))
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
  const known = new Set(all);
  const ofScreen = (operation: string) => operation.replace(ofTenant, '/api/v1/tenant/');
  return all.filter((operation) => ofScreen(operation) === operation || !known.has(ofScreen(operation)));
}

/** The operations that the application's sources call: `.POST('/api/…')`, and paths of files that are only read. */
function called(): Set<string> {
  const found = new Set<string>();
  for (const file of globSync('**/*.{ts,tsx}', { cwd: sources, exclude: ['**/*.gen.ts', '**/*.test.ts'] })) {
    const text = readFileSync(join(sources, file), 'utf8');
    for (const [, method, path] of text.matchAll(/\.(GET|POST|PUT|PATCH|DELETE)\(\s*['`](\/[^'`]+)['`]/g)) {
      found.add(`${method} ${path}`);
    }
    for (const [, path = ''] of text.matchAll(/(?<!\.[A-Z]+\(\s*)['`](\/api\/v1\/[^'`?]+)/g)) {
      found.add(`GET ${path.replace(/\$\{[^}]*?(\w+)\}/g, '{$1}')}`);
    }
  }
  return found;
}

test('the dashboard calls every operation of the API, except the ones that a list excuses with a reason', () => {
  const calls = called();
  const reasons = Object.keys(uncalledOperations);
  const isListed = (operation: string) =>
    reasons.some((reason) => (reason.endsWith('*') ? operation.startsWith(reason.slice(0, -1)) : operation === reason));
  const uncalled = operations().filter((operation) => !calls.has(operation));
  expect(
    uncalled.filter((operation) => !isListed(operation)),
    'operations that no screen calls: add a screen, or a reason in test/support/uncalled-operations.ts',
  ).toEqual([]);
});

test('each reason is about operations that exist and that the dashboard does not call', () => {
  const calls = called();
  const all = operations();
  const outdated = Object.keys(uncalledOperations).filter((reason) => {
    const matches = all.filter((operation) =>
      reason.endsWith('*') ? operation.startsWith(reason.slice(0, -1)) : operation === reason,
    );
    return matches.length === 0 || matches.some((operation) => calls.has(operation));
  });
  expect(outdated).toEqual([]);
});
