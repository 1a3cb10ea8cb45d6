import type { FastifyInstance, FastifyRequest } from 'fastify';
import { adminAccountRoutes } from '../features/accounts/account/routes.ts';
import { readActorNames } from '../features/accounts/actor-names/service.ts';
import { adminsRoutes } from '../features/accounts/admins/routes.ts';
import { authenticateBearer } from '../features/accounts/identity/session-service.ts';
import { tenantsRoutes } from '../features/accounts/tenants/routes.ts';
import { usersRoutes } from '../features/accounts/users/routes.ts';
import { adminInvoiceWriteRoutes } from '../features/commerce/billing-admin/invoice-routes.ts';
import { billingAdminRoutes } from '../features/commerce/billing-admin/routes.ts';
import { billingAuthorizationRoutes } from '../features/commerce/billing-authorization/routes.ts';
import { authorizeBilling } from '../features/commerce/billing-authorization/service.ts';
import { catalogRoutes } from '../features/commerce/catalog/routes.ts';
import { couponRoutes } from '../features/commerce/coupons/routes.ts';
import { adminInvoiceRoutes } from '../features/commerce/invoices/routes.ts';
import { paymentEventsRoutes } from '../features/commerce/payment-events/routes.ts';
import { paymentSandboxRoutes } from '../features/commerce/payment-sandbox/routes.ts';
import { planRoutes } from '../features/commerce/plans/routes.ts';
import { subscriptionActionRoutes } from '../features/commerce/subscription-actions/routes.ts';
import { subscriptionRoutes } from '../features/commerce/subscriptions/routes.ts';
import { platformDemoDataRoutes } from '../features/operations/demo-data/routes.ts';
import { featureFlagRoutes } from '../features/operations/feature-flags/routes.ts';
import { jobsRoutes } from '../features/operations/jobs/routes.ts';
import { licenseLookupRoutes } from '../features/operations/license-lookup/routes.ts';
import { metricsRoutes } from '../features/operations/metrics/routes.ts';
import { rateLimitsRoutes } from '../features/operations/rate-limit-reports/routes.ts';
import { mailsRoutes } from '../features/operations/unsent-mails/routes.ts';
import { platformAuditRoutes } from '../features/tenant-core/audit/routes.ts';
import { declareGuard, openTenantCodes, tokenCodes } from '../http/declared-failures.ts';
import type { AdminArea } from '../http/routes/admin-roles.ts';
import { type AdminRoute, adminActor, assertAdminRole, authenticatedAdminOf } from '../http/routes/admin-route.ts';
import { refuseUnknownFields } from '../http/strict-requests.ts';
import { guardUnknownPaths } from '../http/unknown-paths.ts';
import { AppError } from '../lib/error.ts';
import { idOrText, isUuid } from '../lib/ids.ts';
import type { Services } from '../services.ts';
import { findTenantRecord } from '../tenancy/tenant-record.ts';
import { enterTenant, releaseTenantAfterResponse } from './tenant-context.ts';
import { registerTenantResources } from './tenant-resources.ts';

/** The area of a route that names none. */
const defaultArea = 'platform' satisfies AdminArea;
const adminCodes = [...tokenCodes, 'AUTH.ROLE_REQUIRED'] as const;

/** Registers the routes below `/api/v1/admin/billing`; their URLs are relative to it. */
function billingRoutes(services: Services): AdminRoute[] {
  return [
    ...billingAuthorizationRoutes(services),
    ...billingAdminRoutes(services),
    ...paymentEventsRoutes(services),
    ...paymentSandboxRoutes(services),
  ];
}

/** Applies the billing guard to a request whose admin is authenticated. Throws 403 `BILLING.ROLE_REQUIRED`. */
async function enterBilling(services: Services, request: FastifyRequest): Promise<void> {
  const { id: requestId, method, ip } = request;
  const billingRequest = { method, url: request.raw.url ?? '', requestId, ip };
  await authorizeBilling(services, authenticatedAdminOf(request), billingRequest);
}

/** The scope of billing administration. Its guard runs before routing, so that unknown paths are guarded too. */
function billingScope(services: Services) {
  return (app: FastifyInstance, _options: object, done: () => void): void => {
    declareGuard(app, () => ({ credentials: ['bearer'], codes: [...adminCodes, 'BILLING.ROLE_REQUIRED'] }));
    app.addHook('onRequest', (request) => enterBilling(services, request));
    guardUnknownPaths(app);
    for (const route of billingRoutes(services)) {
      app.route({ ...route, config: { ...route.config, adminArea: 'billing' } });
    }
    done();
  };
}

/**
 * Registers the surface of platform admins: the platform's resources, and every tenant's resources by the tenant's id.
 */
export function adminSurface(services: Services) {
  return (app: FastifyInstance, _options: object, done: () => void): void => {
    refuseUnknownFields(app);
    app.addHook('onRoute', (route) => {
      route.config = { adminArea: defaultArea, ...route.config };
    });
    app.addHook('onRequest', (request) => enterAsAdmin(services, request));
    app.register(platformScope(services));
    app.register(billingScope(services), { prefix: '/billing' });
    app.register(tenantScope(services), { prefix: '/tenants/:tenantId' });
    done();
  };
}

/** The scope of the platform's own resources. */
function platformScope(services: Services) {
  return (app: FastifyInstance, _options: object, done: () => void): void => {
    declareGuard(app, () => ({ credentials: ['bearer'], codes: adminCodes }));
    app.addHook('onRequest', (request) => enterArea(services, request));
    const platformRoutes = [
      ...tenantsRoutes(services),
      ...adminsRoutes(services),
      ...adminAccountRoutes(services),
      ...platformAuditRoutes(services, (actors) =>
        readActorNames(services.platform, actors, { tenantId: null, namesAdmins: true }),
      ),
      ...catalogRoutes(services),
      ...planRoutes(services),
      ...couponRoutes(services),
      ...subscriptionRoutes(services),
      ...subscriptionActionRoutes(services),
      ...adminInvoiceRoutes(services),
      ...adminInvoiceWriteRoutes(services),
      ...metricsRoutes(services),
      ...rateLimitsRoutes(services),
      ...featureFlagRoutes(services),
      ...usersRoutes(services),
      ...jobsRoutes(services),
      ...mailsRoutes(services),
      ...licenseLookupRoutes(services),
      ...platformDemoDataRoutes(services),
    ];
    for (const route of platformRoutes) app.route(route);
    done();
  };
}

async function enterAsAdmin(services: Services, request: FastifyRequest): Promise<void> {
  request.caller.admin = await authenticateBearer(services, request, 'admin');
}

/** Throws 403 `AUTH.ROLE_REQUIRED` or `BILLING.ROLE_REQUIRED` if the admin's role does not suffice. */
async function enterArea(services: Services, request: FastifyRequest): Promise<void> {
  const { adminArea = defaultArea } = request.routeOptions.config;
  if (adminArea === 'billing') await enterBilling(services, request);
  else assertAdminRole(request, adminArea, authenticatedAdminOf(request));
}

function tenantScope(services: Services) {
  return (app: FastifyInstance, _options: object, done: () => void): void => {
    const codes = [...adminCodes, ...openTenantCodes, 'TENANT.NOT_FOUND'] as const;
    declareGuard(app, () => ({ credentials: ['bearer'], codes }));
    releaseTenantAfterResponse(app, services);
    app.addHook('onRequest', (request) => enterTenantAsAdmin(services, request));
    registerTenantResources(app, services, 'admin');
    done();
  };
}

async function enterTenantAsAdmin(services: Services, request: FastifyRequest): Promise<void> {
  await enterArea(services, request);
  // The hook runs before validation, so the parameter is unchecked.
  const tenantId = idOrText((request.params as { tenantId: string }).tenantId);
  const record = isUuid(tenantId) ? await findTenantRecord(services.platform, tenantId) : undefined;
  if (record === undefined) throw new AppError('TENANT.NOT_FOUND', 'There is no such tenant. List tenants to find it.');
  await enterTenant(services, request, record, adminActor(request));
}
