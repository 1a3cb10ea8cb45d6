import { queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf } from './query-client.ts';

/** Reads whether the tenant is a test copy, or has one. */
export function testTenantQuery(surface: Surface) {
  return queryOptions({
    queryKey: keyOf(surface, 'test-tenant'),
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/test-tenant')),
  });
}

/** Creates the test copy of the tenant, or returns the one that it has. */
export function createTestTenant(surface: Surface) {
  return dataOf(apiOf(surface).POST('/api/v1/tenant/test-tenant'));
}

/** Deletes the test copy, from its live tenant or from itself. */
export function deleteTestTenant(surface: Surface) {
  return dataOf(apiOf(surface).DELETE('/api/v1/tenant/test-tenant'));
}

/** Closes the tenant for good. */
export function closeTenant(surface: Surface, name: string) {
  return dataOf(apiOf(surface).POST('/api/v1/tenant/close', { body: { name } }));
}
