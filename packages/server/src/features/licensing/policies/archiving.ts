import type { TSchema } from 'typebox';
import type { TenantTransaction } from '../../../db/database.ts';
import { Envelope, success } from '../../../http/envelope.ts';
import type { Tag } from '../../../http/openapi-tags.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams, NoFields } from '../../../http/schema.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { AppError } from '../../../lib/error.ts';
import { orThrow } from '../../../lib/error.ts';
import type { ClockServices } from '../../../services.ts';
import { recordAudit } from '../../tenant-core/audit/audit.ts';

interface ArchivableRow {
  readonly archived_at: Timestamp | null;
  readonly updated_at: Timestamp;
}

/** A kind of resource that can be archived, and how its rows are read, written and presented. */
interface Archivable<Row extends ArchivableRow> {
  readonly name: 'Policy' | 'Product';
  readonly tag: Tag;
  readonly view: TSchema;
  readonly descriptions: Readonly<Record<'archive' | 'unarchive', string>>;
  readonly lock: (tx: TenantTransaction, id: string) => Promise<Row | undefined>;
  readonly update: (tx: TenantTransaction, row: Row) => Promise<void>;
  readonly present: (row: Row) => object;
  readonly notFound: () => AppError;
}

/**
 * Defines the routes that archive a resource, so that no licenses of it are issued, and make it available again. Its
 * licenses stay as they are. A request changes nothing if the resource is so already.
 */
export function archiveRoutes<Row extends ArchivableRow>(
  { clock }: ClockServices,
  { name, tag, view, descriptions, lock, update, present, notFound }: Archivable<Row>,
): TenantRoute[] {
  const resourceType = name.toLowerCase();
  return (['archive', 'unarchive'] as const).map((verb) =>
    tenantRoute('POST', `/:id/${verb}`, {
      operationId: `${verb}${name}`,
      summary: `${verb === 'archive' ? 'Archive' : 'Unarchive'} a ${resourceType}`,
      tags: [tag],
      description: `${descriptions[verb]} A repeated request changes nothing.`,
      params: IdParams,
      body: NoFields,
      response: { 200: Envelope(view) },
      async handler({ request, tenant, actor }) {
        const { id } = request.params;
        const row = await tenant.db.transaction(async (tx) => {
          const before = orThrow(await lock(tx, id), notFound);
          if ((before.archived_at !== null) === (verb === 'archive')) return before;
          const at = clock.now();
          const archived_at = verb === 'archive' ? at : null;
          const after = { ...before, archived_at, updated_at: at };
          await update(tx, after);
          const event = `${name}.${verb}d`.toUpperCase();
          const changes = [{ field: 'archived_at', old: before.archived_at, new: archived_at }];
          await recordAudit(tx, actor, { event, resourceType, resourceId: id, changes, at });
          return after;
        });
        return success(request, present(row));
      },
    }),
  );
}
