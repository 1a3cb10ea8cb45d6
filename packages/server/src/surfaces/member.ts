import type { FastifyRequest } from 'fastify';
import { authenticateBearer } from '../features/accounts/identity/tokens.ts';
import { resolveMemberTenant } from '../features/accounts/memberships/service.ts';
import { repeatedHeader, singleHeader } from '../http/headers.ts';
import type { Services } from '../services.ts';

/**
 * Authenticates the user by the request's token and resolves the tenant: the one in `X-Tenant-ID`, or the user's only
 * one. Throws 401 for an invalid token and the errors of `resolveMemberTenant`.
 */
export async function authenticateMember(services: Services, request: FastifyRequest) {
  const user = await authenticateBearer(services, request, 'tenant');
  const header = singleHeader(request, 'x-tenant-id');
  // A repeated header is refused like a value that is not a UUID.
  const tenantId = header === repeatedHeader ? '' : header;
  return { user, tenant: await resolveMemberTenant(services.platform, user.id, tenantId) };
}
