import type { TenantTransaction } from '../../../db/database.ts';
import type { WebhookAttemptsTable } from '../../../db/tables/tenant/webhooks.ts';
import { createAttemptRows } from './dispatch-queries.ts';

/** Inserts attempts of the past, in the caller's transaction, which has inserted their deliveries. */
export async function createPastAttempts(tx: TenantTransaction, rows: readonly WebhookAttemptsTable[]): Promise<void> {
  await createAttemptRows(tx, rows);
}
