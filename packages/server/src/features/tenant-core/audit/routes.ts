import { type Page, PageEnvelope, successPage } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import type { ActorNames, NamedActor } from './actor-names.ts';
import { listAuditRecords, listPlatformAuditRecords } from './queries.ts';
import { AuditQuery, AuditRecord, PlatformAuditQuery } from './schemas.ts';

const response = { 200: PageEnvelope(AuditRecord) };

/** The functions of the features that know accounts. */
interface TenantAuditSources {
  /**
   * Copies records that still wait in the audit outbox into the tenant's database, so that the list also contains
   * changes whose copy a crash interrupted.
   */
  readonly completeAudit: (tenantId: string) => Promise<unknown>;
  /** Returns the names of actors in a tenant's log, for a reader. */
  readonly nameActors: (actors: readonly NamedActor[], tenantId: string, reader: Actor) => Promise<ActorNames>;
}

function withNames<Row extends NamedActor>(page: Page<Row>, names: ActorNames) {
  const nameOf = ({ actor_id }: Row) => (actor_id === null ? null : (names.get(actor_id) ?? null));
  return { ...page, rows: page.rows.map((row) => ({ ...row, actor_name: nameOf(row) })) };
}

/** Routes of a tenant's audit log. */
export function auditLogRoutes({ completeAudit, nameActors }: TenantAuditSources): TenantRoute[] {
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
      async handler({ request, tenant, actor }) {
        await completeAudit(tenant.id);
        const page = await listAuditRecords(tenant.db, request.query);
        return successPage(request, withNames(page, await nameActors(page.rows, tenant.id, actor)));
      },
    }),
  ];
}

/** Registers the route of the platform's own audit log. `nameActors` returns the names of its actors. */
export function platformAuditRoutes(
  services: Services,
  nameActors: (actors: readonly NamedActor[]) => Promise<ActorNames>,
): AdminRoute[] {
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
        const page = await listPlatformAuditRecords(services.platform, request.query);
        return successPage(request, withNames(page, await nameActors(page.rows)));
      },
    }),
  ];
}
