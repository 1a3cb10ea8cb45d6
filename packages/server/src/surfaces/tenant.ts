import type { FastifyInstance, FastifyRequest } from 'fastify';
import { personRequired } from '../features/accounts/access-tokens/authentication.ts';
import { findPaymentUrl } from '../features/commerce/invoices/service.ts';
import { AppError } from '../lib/error.ts';
import type { Services } from '../services.ts';
import { tenantSuspended } from '../tenancy/tenant-record.ts';
import { authenticateMember, type Member, noteUse } from './member.ts';
import { enterTenant, guardHook, releaseTenantAfterResponse } from './tenant-context.ts';
import { registerTenantResources } from './tenant-resources.ts';

/** Registers the surface of a tenant's users and access tokens, which authenticate with a bearer token. */
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

type RoleCheck = (request: FastifyRequest, member: Member) => void;

/**
 * Authenticates a member or an access token and opens the tenant. `assertMayEnter` throws 403 if its role does not
 * suffice.
 */
export async function enterAsMember(
  services: Services,
  request: FastifyRequest,
  assertMayEnter: RoleCheck,
): Promise<void> {
  const member = await authenticateMember(services, request);
  const { tenant } = member;
  // Only owners manage billing, so only they get the page on which the open invoice is paid.
  if (tenant.status === 'suspended' && member.role === 'owner') {
    throw tenantSuspended(await findPaymentUrl(services.platform, tenant.id));
  }
  await enterTenant(services, request, tenant, member.actor);
  noteUse(services, member);
  assertMayEnter(request, member);
}

/** Allows owners only, including for reads. Throws 403 `AUTH.ROLE_REQUIRED`. */
export function assertOwner(_request: FastifyRequest, { role, isAccessToken }: Member): void {
  if (isAccessToken) throw personRequired();
  if (role === 'owner') return;
  throw new AppError('AUTH.ROLE_REQUIRED', 'Only owners can read and change this. Ask an owner of this tenant.');
}

/**
 * Every role may read. Owners may write; admins may write unless the route's `writeRole` is `owner`. Access tokens may
 * use a route unless it is for people only.
 */
function assertRole(request: FastifyRequest, { role, isAccessToken }: Member): void {
  const { writeRole, peopleOnly } = request.routeOptions.config;
  if (isAccessToken && peopleOnly) throw personRequired();
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead || role === 'owner') return;
  if (role === 'viewer') {
    throw new AppError('AUTH.ROLE_REQUIRED', 'Viewers can only read. Ask an owner of this tenant for another role.');
  }
  if (writeRole !== 'owner') return;
  throw new AppError('AUTH.ROLE_REQUIRED', 'Only owners can change this. Ask an owner of this tenant to do it.');
}
