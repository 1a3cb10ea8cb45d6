import type { TenantTransaction } from '../../../db/database.ts';
import type { WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';
import { newId } from '../../../lib/ids.ts';
import type { Keyring } from '../../../lib/keyring.ts';
import { createWebhookRow } from './queries.ts';
import { newSecret } from './secrets.ts';

/** An endpoint with a past. */
export type PastEndpoint = Omit<WebhookEndpointsTable, 'id' | 'sealed_secrets' | 'deleted_at'>;

/**
 * Inserts an endpoint in its past state with a secret that is not disclosed, and returns its id. The
 * caller must count it.
 */
export async function createPastEndpoint(
  tx: TenantTransaction,
  keyring: Keyring,
  endpoint: PastEndpoint,
): Promise<string> {
  const id = newId();
  await createWebhookRow(tx, { id, ...endpoint, sealed_secrets: newSecret(keyring).sealed, deleted_at: null });
  return id;
}
