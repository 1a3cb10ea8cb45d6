import type { PlatformTransaction } from '../../../db/database.ts';
import type { Keyring } from '../../../lib/keyring.ts';

const batchSize = 500;

/**
 * Encrypts every two-factor secret under the current application key. Without it, users and admins who log in after
 * the previous key was removed could not use their second factor.
 */
export async function resealTwoFactorSecrets(tx: PlatformTransaction, keyring: Keyring): Promise<void> {
  for (const ability of ['tenant', 'admin'] as const) {
    for (let lastId = '', isDone = false; !isDone; ) {
      const rows = await tx
        .selectFrom('two_factor')
        .select(['subject_id', 'sealed_secret'])
        .where('ability', '=', ability)
        .where('subject_id', '>', lastId)
        .orderBy('subject_id')
        .limit(batchSize)
        .execute();
      for (const { subject_id, sealed_secret } of rows) {
        await tx
          .updateTable('two_factor')
          .set({ sealed_secret: keyring.seal(keyring.open(sealed_secret)) })
          .where('ability', '=', ability)
          .where('subject_id', '=', subject_id)
          .execute();
      }
      lastId = rows.at(-1)?.subject_id ?? '';
      isDone = rows.length < batchSize;
    }
  }
}
