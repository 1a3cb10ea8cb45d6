import type { TenantDb } from '../../../db/database.ts';
import { type Page, PageEnvelope, successPage } from '../../../http/envelope.ts';
import { fileResponse, sendFile } from '../../../http/file-export.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { type ActorNames, type AuditEntry, type NamedActor, recordPlatformAudit } from './audit.ts';
import { type ExportedPage, exportAuditRecords, exportEntry, until } from './export-service.ts';
import { listAuditRecords, listPlatformAuditRecords } from './queries.ts';
import { AuditExportQuery, AuditQuery, AuditRecord, PlatformAuditExportQuery, PlatformAuditQuery } from './schemas.ts';

const response = { 200: PageEnvelope(AuditRecord) };

const exportDescription =
  'Streams every record that matches the filters of the list and was written before the request, newest first and ' +
  'without an envelope. The export is audited itself. An error midway aborts the connection. A CSV cell ' +
  'that a spreadsheet would evaluate as a formula begins with an apostrophe.';

/** The functions of the features that know accounts. */
interface TenantAuditSources {
  /**
   * Copies records that still wait in the audit outbox into the tenant's database, so that the list also contains
   * changes whose copy a crash interrupted.
   */
  readonly completeAudit: (tenantId: string) => Promise<unknown>;
  /** Returns the names of actors in a tenant's log, for a reader. */
  readonly nameActors: (actors: readonly NamedActor[], tenantId: string, reader: Actor) => Promise<ActorNames>;
  /** Returns the names of the licenses that records are about, by the id of the resource. */
  readonly nameResources: (
    db: TenantDb,
    records: readonly { readonly resource_type: string; readonly resource_id: string | null }[],
  ) => Promise<ReadonlyMap<string, string>>;
  /**
   * Writes a record to a tenant's log, also while the tenant's database refuses changes, and completes the log as
   * `completeAudit` does.
   */
  readonly recordExport: (tenantId: string, actor: Actor, entry: AuditEntry) => Promise<void>;
}

const noNames: ReadonlyMap<string, string> = new Map();

function withNames<Row extends NamedActor & { readonly resource_id: string | null }>(
  page: Page<Row>,
  actors: ActorNames,
  resources: ReadonlyMap<string, string> = noNames,
) {
  const nameIn = (names: ReadonlyMap<string, string>, id: string | null) =>
    id === null ? null : (names.get(id) ?? null);
  return {
    ...page,
    rows: page.rows.map((row) => ({
      ...row,
      actor_name: nameIn(actors, row.actor_id),
      resource_name: nameIn(resources, row.resource_id),
    })),
  };
}

/** Routes of a tenant's audit log. */
export function auditLogRoutes(
  services: Services,
  { completeAudit, nameActors, nameResources, recordExport }: TenantAuditSources,
): TenantRoute[] {
  return [
    tenantRoute('GET', '', {
      operationId: 'listAuditLogs',
      summary: 'List audit records',
      tags: ['Audit'],
      querystring: AuditQuery,
      response,
      async handler({ request, tenant, actor }) {
        await completeAudit(tenant.id);
        const page = await listAuditRecords(tenant.db, request.query);
        const actors = await nameActors(page.rows, tenant.id, actor);
        return successPage(request, withNames(page, actors, await nameResources(tenant.db, page.rows)));
      },
    }),
    tenantRoute('GET', '/export', {
      operationId: 'exportAuditLogs',
      summary: 'Export audit records to a file',
      tags: ['Audit'],
      description: exportDescription,
      querystring: AuditExportQuery,
      response: fileResponse,
      async handler({ request, reply, tenant, actor }) {
        const { format = 'csv', ...filters } = request.query;
        const entry = exportEntry(request.query, services.clock.now());
        if (request.method !== 'HEAD') await recordExport(tenant.id, actor, entry);
        const read = async (page: ExportedPage) => {
          const { rows, nextCursor } = await listAuditRecords(tenant.db, { ...until(entry.at, filters), ...page });
          const actors = await nameActors(rows, tenant.id, actor);
          return withNames({ rows, nextCursor }, actors, await nameResources(tenant.db, rows));
        };
        return sendFile(request, reply, { name: 'audit-logs', format, pages: exportAuditRecords(format, read) });
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
    adminRoute('GET', '/audit', {
      operationId: 'adminListAuditLogs',
      summary: 'List audit records of the platform',
      tags: ['Audit'],
      querystring: PlatformAuditQuery,
      response,
      async handler({ request }) {
        const page = await listPlatformAuditRecords(services.platform, request.query);
        return successPage(request, withNames(page, await nameActors(page.rows)));
      },
    }),
    adminRoute('GET', '/audit/export', {
      operationId: 'adminExportAuditLogs',
      summary: 'Export audit records of the platform to a file',
      tags: ['Audit'],
      description: exportDescription,
      querystring: PlatformAuditExportQuery,
      response: fileResponse,
      async handler({ request, reply, actor }) {
        const { platform } = services;
        const { format = 'csv', ...filters } = request.query;
        const entry = exportEntry(request.query, services.clock.now());
        if (request.method !== 'HEAD') await platform.transaction((tx) => recordPlatformAudit(tx, actor, entry));
        const read = async (page: ExportedPage) => {
          const { rows, nextCursor } = await listPlatformAuditRecords(platform, {
            ...until(entry.at, filters),
            ...page,
          });
          return withNames({ rows, nextCursor }, await nameActors(rows));
        };
        return sendFile(request, reply, { name: 'platform-audit', format, pages: exportAuditRecords(format, read) });
      },
    }),
  ];
}
