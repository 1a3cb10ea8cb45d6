import type { PlatformTransaction, TenantTransaction } from '../../../db/database.ts';
import type { AuditLogsTable } from '../../../db/tables/shared-tables.ts';
import type { TenantWorkServices } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { type AuditEntry, recordCopiedAudits, tenantAuditRow } from '../audit/audit.ts';
import type { EventData } from '../events/event.ts';
import { type Outbox, transactWithEvents } from '../events/outbox.ts';
import type { EventType } from '../events/schemas.ts';
import type { ServiceNotification } from '../notifications/service.ts';

const batchSize = 100;

/** The webhook event of a change to a platform row, with the resource as presented right after the change. */
type ReportedEvent = {
  readonly [Type in EventType]: { readonly type: Type; readonly data: EventData<Type> };
}[EventType];

/** The JSON of an outbox row: the audit record, and the event and notification to write with it. */
type OutboxRecord = Omit<AuditLogsTable, 'actor_created_by'> & {
  /** Absent instead of null, because a version without this column writes every property of the row. */
  readonly actor_created_by?: string;
  readonly webhookEvent?: ReportedEvent;
  readonly notice?: ServiceNotification;
};

/**
 * Writes the audit record of a change to a platform row (an API key, a membership) that belongs in a tenant's log. The
 * two databases share no transaction: this function commits the record with the change, and `completeTenantAudit`
 * copies it to the tenant's database, together with the `webhookEvent` of the change and a `notice` to the tenant's
 * users. After a crash between the two, a job completes the copy.
 */
export async function recordTenantAudit(
  tx: PlatformTransaction,
  tenantId: string,
  actor: Actor,
  entry: AuditEntry,
  webhookEvent?: ReportedEvent,
  notice?: ServiceNotification | null,
): Promise<void> {
  const { actor_created_by, ...row } = tenantAuditRow(actor, entry);
  const record: OutboxRecord = {
    ...row,
    ...(actor_created_by !== null && { actor_created_by }),
    ...(webhookEvent && { webhookEvent }),
    ...(notice && { notice }),
  };
  await tx
    .insertInto('audit_outbox')
    .values({ id: row.id, tenant_id: tenantId, record_json: JSON.stringify(record), created_at: entry.at })
    .execute();
}

/**
 * Copies a tenant's pending audit records into its database. Call it after the commit that wrote them. The change is
 * already committed, so this function does not throw when the database is unreachable: a job copies the records later.
 * Returns true if no record is pending any more.
 */
export async function completeTenantAudit(services: TenantWorkServices, tenantId: string): Promise<boolean> {
  try {
    const pending = services.platform.query.selectFrom('audit_outbox').select('id').where('tenant_id', '=', tenantId);
    if ((await pending.limit(1).executeTakeFirst()) !== undefined) await copyAuditRecords(services, tenantId);
    return true;
  } catch (error) {
    services.logger.warn(
      { err: error, tenant_id: tenantId },
      'audit records could not be copied to the tenant database; a background job retries',
    );
    return false;
  }
}

/**
 * Copies a tenant's pending audit records. Opens the tenant's database before it reads them. Idempotent, also when run
 * concurrently: a record that exists in the tenant's log is not written again.
 */
export async function copyAuditRecords(services: TenantWorkServices, tenantId: string): Promise<void> {
  await services.tenants.withTenantDb(tenantId, async (db) => {
    while (await copyBatch(services, { id: tenantId, db }));
  });
}

/** Returns false if no record was pending. */
async function copyBatch(services: TenantWorkServices, tenant: Pick<Tenant, 'id' | 'db'>): Promise<boolean> {
  const { query } = services.platform;
  const pending = await query
    .selectFrom('audit_outbox')
    .select(['id', 'record_json'])
    .where('tenant_id', '=', tenant.id)
    .orderBy('id')
    .limit(batchSize)
    .execute();
  if (pending.length === 0) return false;
  const records = pending.map((record): OutboxRecord => JSON.parse(record.record_json));
  await transactWithEvents(services, tenant, (tx, outbox) => copyTo(tx, outbox, records));
  const ids = pending.map((record) => record.id);
  await query.deleteFrom('audit_outbox').where('id', 'in', ids).execute();
  return true;
}

/** Only the transaction that inserts an audit record writes its event and notification, so each is written once. */
async function copyTo(tx: TenantTransaction, outbox: Outbox, records: readonly OutboxRecord[]): Promise<void> {
  const rows = records.map(({ webhookEvent: _webhookEvent, notice: _notice, actor_created_by = null, ...row }) => {
    return { ...row, actor_created_by };
  });
  const isNew = await recordCopiedAudits(tx, rows);
  for (const { id, webhookEvent, notice, request_id, occurred_at } of records) {
    if (!isNew.has(id)) continue;
    if (webhookEvent) {
      const { type, data } = webhookEvent;
      await outbox.record({ type, data: () => data, requestId: request_id, at: occurred_at });
    }
    if (notice) await outbox.notify(notice);
  }
}
