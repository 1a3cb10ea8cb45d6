import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { limitsOf } from '../../../tenancy/tenant-record.ts';
import type { TenantWithPlan } from './queries.ts';
import {
  CreateTenant,
  type PastDue,
  TenantDetail,
  TenantQuery,
  TenantsQuery,
  TenantView,
  UpdateTenant,
} from './schemas.ts';
import { createTenant, pageOfTenants, readStorage, readTenant, updateTenant } from './service.ts';
import { parseOverrides, presentOverrides } from './tenant.ts';

const tags = ['Tenants'] as const;

/** Registers the routes with which admins list, create, read and change tenants. */
export function tenantsRoutes(services: Services): AdminRoute[] {
  async function sendTenant(request: FastifyRequest, id: string) {
    const row = await readTenant(services.platform, id);
    return success(request, (await presentTenants(services, [row]))[0]);
  }

  return [
    adminRoute('GET', '/tenants', {
      operationId: 'adminListTenants',
      summary: 'List tenants',
      tags,
      querystring: TenantsQuery,
      response: { 200: PageEnvelope(TenantView) },
      async handler({ request }) {
        const page = await pageOfTenants(services.platform, request.query);
        return successPage(request, { ...page, rows: await presentTenants(services, page.rows) });
      },
    }),
    adminRoute('POST', '/tenants', {
      operationId: 'adminCreateTenant',
      summary: 'Create a tenant',
      tags,
      description:
        "The tenant's database is ready when the response is sent. The `owner_email` is invited by mail and becomes " +
        'an owner by accepting.',
      body: CreateTenant,
      response: { 201: Envelope(TenantView) },
      async handler({ request, reply, actor }) {
        const id = await createTenant(services, actor, request.body);
        reply.status(201);
        return sendTenant(request, id);
      },
    }),
    adminRoute('GET', '/tenants/:id', {
      operationId: 'adminGetTenant',
      summary: 'Read a tenant',
      tags,
      errors: ['TENANT.NOT_FOUND'],
      params: IdParams,
      querystring: TenantQuery,
      response: { 200: Envelope(TenantDetail) },
      async handler({ request }) {
        const row = await readTenant(services.platform, request.params.id);
        const [tenant] = await presentTenants(services, [row]);
        if (tenant === undefined) throw new Error(`The tenant ${row.id} was not presented.`);
        if (request.query.include !== 'storage') return success(request, tenant);
        return success(request, { ...tenant, storage_bytes: await readStorage(services, row) });
      },
    }),
    adminRoute('PATCH', '/tenants/:id', {
      operationId: 'adminUpdateTenant',
      summary: 'Rename, suspend, reinstate or close a tenant, or change its plan',
      tags,
      errors: ['TENANT.NOT_FOUND', 'TENANT.TRANSITION_INVALID', 'BILLING.MANAGED_BY_SUBSCRIPTION'],
      description:
        'While a subscription of the tenant runs, it determines the plan: another `plan_code` is refused with ' +
        '`BILLING.MANAGED_BY_SUBSCRIPTION`.',
      params: IdParams,
      body: UpdateTenant,
      response: { 200: Envelope(TenantView) },
      async handler({ request, actor }) {
        await updateTenant(services, actor, request.params.id, request.body);
        return sendTenant(request, request.params.id);
      },
    }),
  ];
}

async function presentTenants(
  { platform, tenantBilling }: Services,
  rows: readonly TenantWithPlan[],
): Promise<Static<typeof TenantView>[]> {
  const pastDue = await tenantBilling.findPastDue(
    platform,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => presentTenant(row, pastDue.get(row.id) ?? null));
}

function presentTenant(row: TenantWithPlan, past_due: PastDue | null): Static<typeof TenantView> {
  const { id, name, status, plan_code, live_tenant_id, placement, created_at, updated_at, closed_at } = row;
  const limits = { limits: limitsOf(row), limit_overrides: presentOverrides(parseOverrides(row.limits_json)) };
  return {
    id,
    name,
    status,
    plan_code,
    live_tenant_id,
    ...limits,
    past_due,
    placement,
    created_at,
    updated_at,
    closed_at,
  };
}
