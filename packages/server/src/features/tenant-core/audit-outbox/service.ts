import type { PlatformTransaction, TenantTransaction } from '../../../db/database.ts';
import type { AuditLogsTable } from '../../../db/tables/audit-logs.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { type AuditEntry, recordCopiedAudits, tenantAuditRow } from '../audit/audit.ts';
import type { EventData } from '../events/event-data.ts';
import { type Outbox, transactWithEvents } from '../events/outbox.ts';
import type { EventType } from '../events/schemas.ts';
import type { ServiceNotification } from '../notifications/service.ts';

const batchSize = 100;

/** The webhook event of a change to a platform row, with the resource as it was right after it. */
type ReportedEvent = {
  readonly [Type in EventType]: { readonly type: Type; readonly data: EventData<Type> };
}[EventType];

/** What waits to be copied. */
type OutboxRecord = AuditLogsTable & { readonly told?: ReportedEvent; readonly notice?: ServiceNotification };

/**
 * Writes the audit record of a change to a platform row (an API key, a membership) that belongs in a tenant's log.
 * The two databases share no transaction: the record is committed here with the change, and `completeRecords`
 * copies it to the tenant's database, and writes there the event that is `told` of the change and the `notice` of what
 * it led to. After a crash between the two the sweep does.
 */
export async function recordTenantAudit(
  tx: PlatformTransaction,
  tenantId: string,
  actor: Actor,
  entry: AuditEntry,
  told?: ReportedEvent,
  notice?: ServiceNotification | null,
): Promise<void> {
  const row = tenantAuditRow(actor, entry);
  const record: OutboxRecord = { ...row, ...(told && { told }), ...(notice && { notice }) };
  await tx
    .insertInto('audit_outbox')
    .values({ id: row.id, tenant_id: tenantId, record_json: JSON.stringify(record), created_at: entry.at })
    .execute();
}

export type AuditOutboxServices = Pick<Services, 'clock' | 'wakeUps' | 'platform' | 'tenants' | 'logger'>;

/**
 * Copies a tenant's waiting audit records into its database; called after the commit that wrote them.
 * The change stands: a database that cannot be reached now leaves the rest to the sweep instead of failing.
 * Answers whether nothing is left.
 */
export async function completeTenantAudit(services: AuditOutboxServices, tenantId: string): Promise<boolean> {
  try {
    await copyRecords(services, tenantId);
    return true;
  } catch (error) {
    services.logger.warn({ err: error, tenant_id: tenantId }, 'audit records of this tenant wait for its database');
    return false;
  }
}

/** Safe to repeat and to run in parallel: a record that is already there is left alone. */
async function copyRecords(services: AuditOutboxServices, tenantId: string): Promise<void> {
  for (;;) {
    const waiting = await services.platform.query
      .selectFrom('audit_outbox')
      .select(['id', 'record_json'])
      .where('tenant_id', '=', tenantId)
      .orderBy('id')
      .limit(batchSize)
      .execute();
    if (waiting.length === 0) return;
    const records = waiting.map((record): OutboxRecord => JSON.parse(record.record_json));
    await services.tenants.withTenantDb(tenantId, (db) =>
      transactWithEvents(services, { id: tenantId, db }, (tx, outbox) => copyTo(tx, outbox, records)),
    );
    const ids = waiting.map((record) => record.id);
    await services.platform.query.deleteFrom('audit_outbox').where('id', 'in', ids).execute();
  }
}

/** Whoever writes the record of a record writes its event as well, and nobody else does. */
async function copyTo(tx: TenantTransaction, outbox: Outbox, records: readonly OutboxRecord[]): Promise<void> {
  const rows = records.map(({ told: _told, notice: _notice, ...row }) => row);
  const isNew = await recordCopiedAudits(tx, rows);
  for (const { id, told, notice, request_id, occurred_at } of records) {
    if (!isNew.has(id)) continue;
    if (told) await outbox.record({ type: told.type, data: () => told.data, requestId: request_id, at: occurred_at });
    if (notice) await outbox.notify(notice);
  }
}
