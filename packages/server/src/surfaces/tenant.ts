import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TenantRole } from '../db/tables/platform/identity.ts';
import { accessTokenActor, personRequired } from '../features/accounts/access-tokens/service.ts';
import { authenticateTenantBearer } from '../features/accounts/identity/session-service.ts';
import { assertTenantOfToken, resolveMemberTenant } from '../features/accounts/memberships/service.ts';
import { billingRoutes } from '../features/commerce/billing/routes.ts';
import { ownerInvoiceRoutes } from '../features/commerce/invoices/routes.ts';
import { findPaymentUrl } from '../features/commerce/invoices/service.ts';
import { declareGuard, type Guard, openTenantCodes, tokenCodes } from '../http/declared-failures.ts';
import { repeatedHeader, singleHeader } from '../http/headers.ts';
import { isRead } from '../http/routes/admin-roles.ts';
import { isTenantAllowed, type TenantArea, tenantRolesFor } from '../http/routes/tenant-roles.ts';
import { refuseUnknownFields } from '../http/strict-requests.ts';
import { AppError } from '../lib/error.ts';
import { idOrText } from '../lib/ids.ts';
import type { Services } from '../services.ts';
import type { Actor } from '../tenancy/tenant.ts';
import { assertBillable, type TenantRecord, tenantSuspended } from '../tenancy/tenant-record.ts';
import { enterTenant, releaseTenantAfterResponse } from './tenant-context.ts';
import { registerTenantResources } from './tenant-resources.ts';

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
  const tenantId = header === repeatedHeader ? '' : header && idOrText(header);
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

const memberGuard: Guard = {
  credentials: ['bearer'],
  codes: [...tokenCodes, ...openTenantCodes, 'TENANT.SELECTION_REQUIRED', 'TENANT.ACCESS_DENIED', 'AUTH.ROLE_REQUIRED'],
};

/** Registers the surface of a tenant's users and access tokens, which authenticate with a bearer token. */
export function tenantSurface(services: Services) {
  return (app: FastifyInstance, _options: object, done: () => void): void => {
    refuseUnknownFields(app);
    declareGuard(app, () => memberGuard);
    releaseTenantAfterResponse(app, services);
    app.addHook('onRequest', (request) => enterAsMember(services, request, assertRole));
    registerTenantResources(app, services, 'tenant');
    done();
  };
}

type RoleCheck = (request: FastifyRequest, member: Member) => void;

/**
 * Authenticates a member or an access token and opens the tenant. `assertMayEnter` throws 403 if its role does not
 * suffice.
 */
async function enterAsMember(services: Services, request: FastifyRequest, assertMayEnter: RoleCheck): Promise<void> {
  const member = await authenticateMember(services, request);
  const { tenant } = member;
  request.caller.record = tenant;
  // Only owners manage billing, so only they get the page on which the open invoice is paid.
  if (tenant.status === 'suspended' && member.role === 'owner') {
    throw tenantSuspended(await findPaymentUrl(services.platform, tenant.id));
  }
  await enterTenant(services, request, tenant, member.actor);
  noteUse(services, member);
  assertMayEnter(request, member);
}

/** Allows people with rights in billing, and no changes of a test tenant. Throws 403, and the errors of `assertBillable`. */
function assertMayPay(request: FastifyRequest, member: Member): void {
  if (member.isAccessToken) throw personRequired();
  assertRights(request, member, 'billing');
  if (!isRead(request.method)) assertBillable(member.tenant);
}

/** Allows the roles of the route's area, and access tokens unless the route is for people only. Throws 403. */
function assertRole(request: FastifyRequest, member: Member): void {
  const { tenantArea = 'administration', peopleOnly } = request.routeOptions.config;
  if (member.isAccessToken && peopleOnly) throw personRequired();
  assertRights(request, member, tenantArea);
}

function assertRights({ method }: FastifyRequest, { role }: Member, area: TenantArea): void {
  if (isTenantAllowed(role, area, method)) return;
  const roles = tenantRolesFor(area, method).join(' or ');
  throw new AppError('AUTH.ROLE_REQUIRED', `This requires the role ${roles}. Ask an owner of this tenant to do it.`);
}

/** Registers the surface of a tenant's billing. */
export function billingSurface(services: Services) {
  return (app: FastifyInstance, _options: object, done: () => void): void => {
    refuseUnknownFields(app);
    declareGuard(app, () => memberGuard);
    releaseTenantAfterResponse(app, services);
    app.addHook('onRequest', (request) => enterAsMember(services, request, assertMayPay));
    for (const route of [...billingRoutes(services), ...ownerInvoiceRoutes(services)]) app.route(route);
    done();
  };
}
