import { PageEnvelope, successPage } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import type { Services } from '../../../services.ts';
import { completeTenantAudit } from '../audit-outbox/service.ts';
import { listAuditRecords, listPlatformAuditRecords } from './queries.ts';
import { AuditQuery, AuditRecord, PlatformAuditQuery } from './schemas.ts';

const response = { 200: PageEnvelope(AuditRecord) };

/** A tenant's audit log. */
export function auditLogRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute({
      method: 'GET',
      url: '',
      schema: { summary: 'List audit records', tags: ['Audit'], querystring: AuditQuery, response },
      async handler({ request, tenant }) {
        // What a crash left behind is shown as well: a log that lags is a log that lies.
        await completeTenantAudit(services, tenant.id);
        return successPage(request, await listAuditRecords(tenant.db, request.query));
      },
    }),
  ];
}

/** The platform's own audit log. */
export function platformAuditRoutes(services: Services): AdminRoute[] {
  return [
    adminRoute({
      method: 'GET',
      url: '/audit',
      schema: {
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
