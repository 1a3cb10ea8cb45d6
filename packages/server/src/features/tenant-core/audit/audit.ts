import type { Kysely } from 'kysely';
import type { TenantTransaction } from '../../../db/database.ts';
import { insertRows } from '../../../db/insert-rows.ts';
import type { AuditLogsTable } from '../../../db/tables/shared-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { newId } from '../../../lib/ids.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { expiryRule } from '../retention/retention.ts';

/** A changed field of a resource. It must not contain a secret, not even a hashed one. */
export interface FieldChange {
  readonly field: string;
  readonly old: unknown;
  readonly new: unknown;
}

/** The content of an audit record; the actor adds the rest. */
export interface AuditEntry {
  /** `RESOURCE.VERB`, without the suffix `_BY_ADMIN`. */
  readonly event: string;
  readonly resourceType: string;
  readonly resourceId: string | null;
  readonly changes?: readonly FieldChange[];
  /** The timestamp of the transaction. */
  readonly at: Timestamp;
}

/** Returns a function that names an event and its resource, for entries about resources of one type. */
export function auditsOf(resourceType: string) {
  return (resourceId: string | null, event: string) => ({ event, resourceType, resourceId });
}

/** The audit log table, which the platform database and every tenant's database have in the same shape. */
export interface WithAuditLogs {
  audit_logs: AuditLogsTable;
}

/** Builds the row of a tenant's audit record. The event of a platform admin's action gets the suffix `_BY_ADMIN`. */
export function tenantAuditRow(actor: Actor, entry: AuditEntry): AuditLogsTable {
  const row = platformAuditRow(actor, entry);
  return actor.type === 'admin' ? { ...row, event: `${row.event}_BY_ADMIN` } : row;
}

function platformAuditRow(actor: Actor, entry: AuditEntry): AuditLogsTable {
  return {
    id: newId(),
    occurred_at: entry.at,
    event: entry.event,
    actor_type: actor.type,
    actor_id: actor.id,
    actor_created_by: actor.createdBy ?? null,
    resource_type: entry.resourceType,
    resource_id: entry.resourceId,
    request_id: actor.requestId,
    ip: actor.ip,
    changes_json: JSON.stringify(entry.changes ?? []),
  };
}

/** Writes a record to a tenant's audit log. Call it in the transaction of the change that the record reports. */
export async function recordAudit<Tables extends WithAuditLogs>(
  tx: Kysely<Tables>,
  actor: Actor,
  entry: AuditEntry,
): Promise<void> {
  await insertAuditRow(tx, tenantAuditRow(actor, entry));
}

/** Writes several records to a tenant's audit log. Call it in the transaction of the changes that they report. */
export async function recordAudits(tx: TenantTransaction, actor: Actor, entries: readonly AuditEntry[]): Promise<void> {
  const rows = entries.map((entry) => tenantAuditRow(actor, entry));
  await insertRows(tx, 'audit_logs', rows);
}

/**
 * Writes audit records that a copy brings into a tenant's log. A record that is already there stays as it is.
 * Returns the ids of the records that were new.
 */
export async function recordCopiedAudits(
  tx: TenantTransaction,
  rows: readonly AuditLogsTable[],
): Promise<ReadonlySet<string>> {
  const inserted = await tx
    .insertInto('audit_logs')
    .values(rows)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .execute();
  return new Set(inserted.map(({ id }) => id));
}

/** Writes a record to the platform's audit log. Call it in the transaction of the change that the record reports. */
export async function recordPlatformAudit<Tables extends WithAuditLogs>(
  tx: Kysely<Tables>,
  actor: Actor,
  entry: AuditEntry,
): Promise<void> {
  await insertAuditRow(tx, platformAuditRow(actor, entry));
}

async function insertAuditRow<Tables extends WithAuditLogs>(tx: Kysely<Tables>, row: AuditLogsTable): Promise<void> {
  const auditLogs: Kysely<WithAuditLogs> = tx as never;
  await auditLogs.insertInto('audit_logs').values(row).execute();
}

/** Returns the fields among `fields` that differ as JSON between two states of a resource. */
export function changedFields<State extends object>(
  before: State,
  after: State,
  fields: readonly (keyof State & string)[],
): FieldChange[] {
  return fields
    .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
    .map((field) => ({ field, old: before[field], new: after[field] }));
}

/** Deletes audit records older than the tenant's `retention_days.audit`. */
export const auditRetention = expiryRule(({ now, settings }) => [
  { table: 'audit_logs', order: ['occurred_at', 'id'], before: addDays(now, -settings.retention_days.audit) },
]);

/** The actor of an audit record. */
export type NamedActor = Pick<AuditLogsTable, 'actor_type' | 'actor_id' | 'actor_created_by'>;

/** The display names of actors by id. An actor without an entry has no name. */
export type ActorNames = ReadonlyMap<string, string>;

/** Returns the field changes of a creation: each of `fields` that is neither null nor undefined, with `old: null`. */
export function createdFields<State extends object>(
  after: State,
  fields: readonly (keyof State & string)[],
): FieldChange[] {
  return fields.filter((field) => after[field] != null).map((field) => ({ field, old: null, new: after[field] }));
}
