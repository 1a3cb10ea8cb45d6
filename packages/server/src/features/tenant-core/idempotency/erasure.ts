import { sql } from 'kysely';
import type { TenantTransaction } from '../../../db/database.ts';

/**
 * Deletes the responses kept for repeated requests that contain one of these texts, without case. They are kept for a
 * day, so reading all of them is cheap. A repetition of such a request acts again.
 */
export async function eraseAnswersWith(tx: TenantTransaction, texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    // As the text appears inside a JSON string; `%`, `_` and `\` mean themselves.
    const pattern = `%${JSON.stringify(text.toLowerCase())
      .slice(1, -1)
      .replace(/[\\%_]/g, '\\$&')}%`;
    const mentions = sql<boolean>`lower(response_data_json) like ${pattern} escape '\\'`;
    await tx.deleteFrom('idempotency_keys').where(mentions).execute();
  }
}
