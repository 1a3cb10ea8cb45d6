import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TenantRole } from '../db/tables/platform/identity.ts';
import { findPaymentUrl } from '../features/commerce/invoices/service.ts';
import { AppError } from '../lib/error.ts';
import type { Services } from '../services.ts';
import { tenantSuspended } from '../tenancy/tenant-record.ts';
import { authenticateMember } from './member.ts';
import { enterTenant, guardHook, releaseTenantAfterResponse } from './tenant-context.ts';
import { registerTenantResources } from './tenant-resources.ts';

/** Registers the surface of a tenant's users, who authenticate with a token. */
export function tenantSurface(services: Services) {
  return (app: FastifyInstance, _options: object, done: () => void): void => {
    releaseTenantAfterResponse(app, services);
    app.addHook(
      'onRequest',
      guardHook((request) => enterAsMember(services, request, assertRole)),
    );
    registerTenantResources(app, services, 'tenant');
    done();
  };
}

type RoleCheck = (request: FastifyRequest, role: TenantRole) => void;

/** Authenticates a member and opens the tenant; `assertMayEnter` throws 403 if the member's role does not suffice. */
export async function enterAsMember(
  services: Services,
  request: FastifyRequest,
  assertMayEnter: RoleCheck,
): Promise<void> {
  const { user, tenant } = await authenticateMember(services, request);
  // Only owners manage billing, so only they get the page on which the open invoice is paid.
  if (tenant.status === 'suspended' && tenant.role === 'owner') {
    throw tenantSuspended(await findPaymentUrl(services.platform, tenant.id));
  }
  const actor = { type: 'user', id: user.id, requestId: request.id, ip: request.ip } as const;
  await enterTenant(services, request, tenant, actor);
  assertMayEnter(request, tenant.role);
}

/** Allows owners only, including for reads. Throws 403 `AUTH.ROLE_REQUIRED`. */
export function assertOwner(_request: FastifyRequest, role: TenantRole): void {
  if (role === 'owner') return;
  throw new AppError('AUTH.ROLE_REQUIRED', 'Only owners can read and change this. Ask an owner of this tenant.');
}

/** Every role may read. Owners may write; admins may write unless the route's `writeRole` is `owner`. */
function assertRole(request: FastifyRequest, role: TenantRole): void {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead || role === 'owner') return;
  if (role === 'viewer') {
    throw new AppError('AUTH.ROLE_REQUIRED', 'Viewers can only read. Ask an owner of this tenant for another role.');
  }
  if (request.routeOptions.config.writeRole !== 'owner') return;
  throw new AppError('AUTH.ROLE_REQUIRED', 'Only owners can change this. Ask an owner of this tenant to do it.');
}
