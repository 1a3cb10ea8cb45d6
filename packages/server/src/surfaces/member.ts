import type { FastifyRequest } from 'fastify';
import { authenticateBearer } from '../features/accounts/identity/tokens.ts';
import { resolveMemberTenant } from '../features/accounts/memberships/service.ts';
import { repeatedHeader, singleHeader } from '../http/headers.ts';
import type { Services } from '../services.ts';

/** The user of the request's token, and the tenant that the request is about: by `X-Tenant-ID`, or the user's only one. */
export async function authenticateMember(services: Services, request: FastifyRequest) {
  const user = await authenticateBearer(services, request, 'tenant');
  const header = singleHeader(request, 'x-tenant-id');
  // A repeated header names no tenant: it is refused like one that is no UUID.
  const tenantId = header === repeatedHeader ? '' : header;
  return { user, tenant: await resolveMemberTenant(services.platform, user.id, tenantId) };
}
