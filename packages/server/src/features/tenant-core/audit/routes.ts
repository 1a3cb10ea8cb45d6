import { PageEnvelope, successPage } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import type { Services } from '../../../services.ts';
import { listAuditRecords, listPlatformAuditRecords } from './queries.ts';
import { AuditQuery, AuditRecord, PlatformAuditQuery } from './schemas.ts';

const response = { 200: PageEnvelope(AuditRecord) };

/**
 * Routes of a tenant's audit log. `completeAudit` copies records that still wait in the audit outbox into the tenant's
 * database, so that the list also contains changes whose copy a crash interrupted.
 */
export function auditLogRoutes(completeAudit: (tenantId: string) => Promise<unknown>): TenantRoute[] {
  return [
    tenantRoute({
      method: 'GET',
      url: '',
      schema: {
        operationId: 'listAuditLogs',
        summary: 'List audit records',
        tags: ['Audit'],
        querystring: AuditQuery,
        response,
      },
      async handler({ request, tenant }) {
        await completeAudit(tenant.id);
        return successPage(request, await listAuditRecords(tenant.db, request.query));
      },
    }),
  ];
}

/** Registers the route of the platform's own audit log. */
export function platformAuditRoutes(services: Services): AdminRoute[] {
  return [
    adminRoute({
      method: 'GET',
      url: '/audit',
      schema: {
        operationId: 'adminListAuditLogs',
        summary: 'List audit records of the platform',
        tags: ['Audit'],
        querystring: PlatformAuditQuery,
        response,
      },
      async handler({ request }) {
        return successPage(request, await listPlatformAuditRecords(services.platform, request.query));
      },
    }),
  ];
}
