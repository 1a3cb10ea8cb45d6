import type { PlatformTransaction } from '../../../db/database.ts';
import type { Keyring } from '../../../lib/keyring.ts';

/** Encrypts the passwords of all tenants' databases under the current application key. */
export async function resealDatabaseSecrets(tx: PlatformTransaction, keyring: Keyring): Promise<void> {
  const tenants = await tx
    .selectFrom('tenants')
    .select(['id', 'database_secret'])
    .where('database_secret', 'is not', null)
    .execute();
  for (const { id, database_secret } of tenants) {
    if (database_secret === null) continue;
    const resealed = keyring.seal(keyring.open(database_secret));
    await tx.updateTable('tenants').set({ database_secret: resealed }).where('id', '=', id).execute();
  }
}
