import { sql } from 'kysely';
import { type Clock, type Timestamp, toEpochMs } from '../lib/clock.ts';
import type { PlatformDb } from './database.ts';

/** Records a complete backup of the installation, which contains its state at `startedAt`. A later one is kept. */
export async function recordBackup(platform: PlatformDb, startedAt: Timestamp): Promise<void> {
  await platform.query
    .updateTable('instance')
    .set({ last_backup_at: startedAt })
    .where(({ or, eb }) => or([eb('last_backup_at', 'is', null), eb('last_backup_at', '<', startedAt)]))
    .execute();
}

/** Returns when the newest complete backup of the installation began, in milliseconds since 1970; null without one. */
export async function readLastBackupMs(platform: PlatformDb): Promise<number | null> {
  const row = await platform.query.selectFrom('instance').select('last_backup_at').executeTakeFirst();
  const at = row?.last_backup_at ?? null;
  return at === null ? null : toEpochMs(at);
}

/**
 * Returns how far the clock of PostgreSQL is ahead of this node's, in milliseconds: 0 if its time is between the question
 * and the answer. Null on the embedded engine.
 */
export async function readClockDifferenceMs(platform: PlatformDb, clock: Clock): Promise<number | null> {
  if (platform.engine !== 'postgres') return null;
  const askedAtMs = clock.nowMs();
  const { rows } = await sql<{ now_ms: number }>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as now_ms`.execute(platform.query);
  const answeredAtMs = clock.nowMs();
  const serverMs = rows[0]?.now_ms ?? Number.NaN;
  return serverMs < askedAtMs ? serverMs - askedAtMs : Math.max(0, serverMs - answeredAtMs);
}
