import type { TenantTransaction } from '../../../db/database.ts';
import type { Clock } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { extendRunningLeases } from './queries.ts';

/**
 * Longer than heartbeats can be refused by a move: half a minute until the lease of a mover that crashed ends, a minute
 * until the sweep that undoes its move, and the wait of the clients before they repeat a heartbeat.
 */
const keptSeconds = 120;

/**
 * Keeps every running lease alive for two minutes, because heartbeats are about to be refused. Call it right before a
 * pause. The new ends are ordinary changes: reads during the pause see them, and they stay if the pause is abandoned.
 * Only leases that would end within these minutes are written, so the time this takes depends on the rate of heartbeats
 * and not on the number of activations.
 */
export async function keepLeasesDuringPause(tx: TenantTransaction, clock: Pick<Clock, 'now'>): Promise<void> {
  const now = clock.now();
  await extendRunningLeases(tx, now, addSeconds(now, keptSeconds));
}
