import type { PlatformTransaction } from '../../db/database.ts';
import type { AuditLogsTable } from '../../db/tables.ts';
import type { Services } from '../../services.ts';
import type { Actor } from '../../tenancy/tenant.ts';
import { type AuditEntry, tenantAuditRow } from './audit.ts';

const batchSize = 100;

/**
 * Writes the audit record of a change to a platform row (an API key, a membership) that belongs in a tenant's log.
 * The two databases share no transaction: the record is committed here with the change, and `completeHandoffs`
 * copies it to the tenant's database. After a crash between the two the sweep does.
 */
export async function recordTenantAudit(
  tx: PlatformTransaction,
  tenantId: string,
  actor: Actor,
  entry: AuditEntry,
): Promise<void> {
  const row = tenantAuditRow(actor, entry);
  await tx
    .insertInto('audit_handoffs')
    .values({ id: row.id, tenant_id: tenantId, record_json: JSON.stringify(row), created_at: entry.at })
    .execute();
}

type HandoffServices = Pick<Services, 'platform' | 'tenants' | 'logger'>;

/**
 * Copies a tenant's waiting audit records into its database; called after the commit that wrote them.
 * The change stands: a database that cannot be reached now leaves the rest to the sweep instead of failing.
 * Answers whether nothing is left.
 */
export async function completeTenantAudit(services: HandoffServices, tenantId: string): Promise<boolean> {
  try {
    await copyHandoffs(services, tenantId);
    return true;
  } catch (error) {
    services.logger.warn({ err: error, tenant_id: tenantId }, 'audit records of this tenant wait for its database');
    return false;
  }
}

/** Safe to repeat and to run in parallel: a record that is already there is left alone. */
async function copyHandoffs(services: HandoffServices, tenantId: string): Promise<void> {
  for (;;) {
    const waiting = await services.platform.query
      .selectFrom('audit_handoffs')
      .select(['id', 'record_json'])
      .where('tenant_id', '=', tenantId)
      .orderBy('id')
      .limit(batchSize)
      .execute();
    if (waiting.length === 0) return;
    const records = waiting.map((handoff): AuditLogsTable => JSON.parse(handoff.record_json));
    await services.tenants.withTenantDb(tenantId, (db) =>
      db.query
        .insertInto('audit_logs')
        .values(records)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute(),
    );
    const ids = waiting.map((handoff) => handoff.id);
    await services.platform.query.deleteFrom('audit_handoffs').where('id', 'in', ids).execute();
  }
}

/**
 * Completes the handoffs that a crash or an unreachable tenant database left behind. One tenant that fails
 * keeps its records for the next sweep and holds up no other. Answers how many tenants failed.
 */
export async function sweepHandoffs(services: HandoffServices): Promise<number> {
  const tenants = await services.platform.query.selectFrom('audit_handoffs').select('tenant_id').distinct().execute();
  let failed = 0;
  for (const { tenant_id } of tenants) {
    if (!(await completeTenantAudit(services, tenant_id))) failed += 1;
  }
  return failed;
}
