import type { PlatformTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { orThrow } from '../../../lib/error.ts';
import type { TenantWorkServices } from '../../../services.ts';
import { completeTenantAudit } from '../../tenant-core/audit-outbox/service.ts';
import type { CredentialTable } from './credential.ts';

interface Revocation<Table extends CredentialTable> {
  readonly table: Table;
  readonly tenantId: string;
  readonly id: string;
  readonly notFound: () => Error;
  /** Records the revocation in the audit log, in the same transaction. */
  readonly record: (tx: PlatformTransaction, row: PlatformTables[Table], at: Timestamp) => Promise<void>;
}

/**
 * Revokes a credential permanently, from the next request on. A repeated call changes nothing and records nothing.
 * Throws `notFound` if the tenant has no such credential.
 */
export async function revokeCredential<Table extends CredentialTable>(
  services: TenantWorkServices,
  { table, tenantId, id, notFound, record }: Revocation<Table>,
): Promise<void> {
  const at = services.clock.now();
  await services.platform.transaction(async (tx) => {
    const credential = tx
      .selectFrom(table as CredentialTable)
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id);
    const row = orThrow(await forUpdate(tx, credential).executeTakeFirst(), notFound);
    if (row.status === 'revoked') return;
    await tx
      .updateTable(table as CredentialTable)
      .set({ status: 'revoked', revoked_at: at })
      .where('id', '=', id)
      .execute();
    await record(tx, row as PlatformTables[Table], at);
  });
  await completeTenantAudit(services, tenantId);
}
