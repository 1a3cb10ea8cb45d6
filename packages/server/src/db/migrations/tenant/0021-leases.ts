import type { Kysely } from 'kysely';
import { toTimestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';

/** The database of any version of the tables; this migration reads and writes these columns only. */
interface Tables {
  activations: { license_id: string; lease_expires_at: string | null; released_at: string | null };
  licenses: { id: string; policy_id: string };
  policies: { id: string; lease_seconds: number | string | null };
}

/**
 * Gives active devices the lease of their policy. Earlier versions gave no lease to a device that was active when its
 * policy got one, and left the lease of a device whose policy lost it. A new lease starts now.
 */
export async function up<Any>(any: Kysely<Any>): Promise<void> {
  // A migration receives no type of the tables, because later ones change them.
  const db = any as unknown as Kysely<Tables>;
  const now = toTimestamp(Date.now());
  for (const { id, lease_seconds } of await db.selectFrom('policies').select(['id', 'lease_seconds']).execute()) {
    const ofPolicy = db.selectFrom('licenses').select('id').where('policy_id', '=', id);
    const held = db.updateTable('activations').where('license_id', 'in', ofPolicy).where('released_at', 'is', null);
    await (lease_seconds === null
      ? held.set({ lease_expires_at: null }).where('lease_expires_at', '>', now)
      : held.set({ lease_expires_at: addSeconds(now, Number(lease_seconds)) }).where('lease_expires_at', 'is', null)
    ).execute();
  }
}
