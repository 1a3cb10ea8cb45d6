import type { FastifyRequest } from 'fastify';
import type { TenantRole } from '../db/tables/platform/identity.ts';
import { accessTokenActor } from '../features/accounts/access-tokens/authentication.ts';
import { authenticateTenantBearer } from '../features/accounts/identity/tokens.ts';
import { assertTenantOfToken, resolveMemberTenant } from '../features/accounts/memberships/service.ts';
import { repeatedHeader, singleHeader } from '../http/headers.ts';
import type { Services } from '../services.ts';
import type { Actor } from '../tenancy/tenant.ts';
import type { TenantRecord } from '../tenancy/tenant-record.ts';

/** A caller of a tenant: one of its users, or one of its access tokens. */
export interface Member {
  readonly tenant: TenantRecord;
  readonly role: TenantRole;
  readonly isAccessToken: boolean;
  readonly actor: Actor;
}

/**
 * Authenticates the caller of a tenant by the request's token and resolves the tenant. An access token has one; for a
 * user it is the one in `X-Tenant-ID`, or the user's only one. Throws 401 for an invalid token and the errors of
 * `resolveMemberTenant`.
 */
export async function authenticateMember(services: Services, request: FastifyRequest): Promise<Member> {
  const bearer = await authenticateTenantBearer(services, request);
  const header = singleHeader(request, 'x-tenant-id');
  // A repeated header is refused like a value that is not a UUID.
  const tenantId = header === repeatedHeader ? '' : header;
  if ('token_id' in bearer) {
    assertTenantOfToken(bearer.id, tenantId);
    return { tenant: bearer, role: bearer.role, isAccessToken: true, actor: accessTokenActor(bearer, request) };
  }
  const tenant = await resolveMemberTenant(services.platform, bearer.id, tenantId);
  const actor = { type: 'user', id: bearer.id, requestId: request.id, ip: request.ip } as const;
  return { tenant, role: tenant.role, isAccessToken: false, actor };
}

/** Records that the access token of a request was accepted for an active tenant. Does nothing for a user. */
export function noteUse({ accessTokenUsage, clock }: Services, { isAccessToken, actor }: Member): void {
  if (isAccessToken && actor.id !== null) accessTokenUsage.record(actor.id, clock.nowMs());
}
