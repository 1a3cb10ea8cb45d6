import type { Surface } from '../surfaces.ts';
import { dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { onSurface } from './endpoints.ts';

/** Reads whether the tenant is a test copy, or has one. */
export const testTenantQuery = onSurface.one('/api/v1/tenant/test-tenant', ['test-tenant']);

/** Creates the test copy of the tenant, or returns the one that it has. */
export const createTestTenant = onSurface.POST('/api/v1/tenant/test-tenant');

/** Deletes the test copy, from its live tenant or from itself. */
export const deleteTestTenant = onSurface.DELETE('/api/v1/tenant/test-tenant');

/** Closes the tenant for good. */
export function closeTenant(surface: Surface, name: string) {
  return dataOf(apiOf(surface).POST('/api/v1/tenant/close', { body: { name } }));
}
