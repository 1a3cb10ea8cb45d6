import type { Config } from '../../config/config.ts';
import type { PlatformDb } from '../../db/database.ts';
import { checkSchema } from '../../db/migrations/migrate.ts';
import { platformMigrations } from '../../db/migrations/platform/index.ts';
import { listAbandonedMoves } from '../../features/accounts/tenants/move-queries.ts';
import { toTimestamp } from '../../lib/clock.ts';
import type { Keyring } from '../../lib/keyring.ts';
import { findDamage } from './damage.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const outboxPatienceMs = 2 * 60_000;
const toleratedFutureMs = 2_000;

/** True when the platform database can be read by this version of the program. */
export async function* checkPlatformSchema(platform: PlatformDb): AsyncGenerator<Finding, boolean> {
  const state = await checkSchema(platform, platformMigrations);
  const damage = await findDamage(platform);
  if (damage !== undefined) {
    yield problem(`The platform database is damaged: ${damage}.`, 'Restore it from a backup.');
    return false;
  }
  if (state === 'current') {
    yield ok('The platform database has the current schema');
    return true;
  }
  if (state === 'newer') {
    yield warning('A newer version of this program migrated the platform database.', 'Replace this version soon.');
    return true;
  }
  if (state === 'ahead') {
    yield problem('A newer version of this program migrated the platform database.', 'Start that version.');
    return false;
  }
  yield warning('The platform database has an older schema.', 'Run "licensing migrate", or start the service.');
  return false;
}

/** The application key against the one that the data was written with. */
export async function checkAppKey(
  platform: PlatformDb,
  keyring: Keyring,
  { appKey }: Pick<Config, 'appKey'>,
): Promise<Finding> {
  const noted = await platform.query.selectFrom('instance').select('app_key_fingerprint').executeTakeFirst();
  if (noted === undefined || noted.app_key_fingerprint === keyring.fingerprint) {
    return ok('The application key is the one of this data');
  }
  if (keyring.previousFingerprints.includes(noted.app_key_fingerprint)) {
    return warning('The application key was changed since the last start.', 'Restart the service: that completes it.');
  }
  const where = appKey === null ? 'app.key in the data directory' : 'APP_KEY';
  return problem(
    `${where} is not the application key of this data.`,
    'Set the right one; to rotate, add the old one to APP_PREVIOUS_KEYS.',
  );
}

/** What waits to be copied into tenants' audit logs, and whether the clock went back. */
export async function* checkPlatformRecords(platform: PlatformDb, nowMs: number): AsyncGenerator<Finding> {
  const { waiting, oldest } = await platform.query
    .selectFrom('audit_outbox')
    .select(({ fn }) => [fn.countAll<number>().as('waiting'), fn.min('created_at').as('oldest')])
    .executeTakeFirstOrThrow();
  if (oldest !== null && oldest < toTimestamp(nowMs - outboxPatienceMs)) {
    yield warning(
      `${waiting} audit records wait for their tenants' databases since ${oldest}.`,
      'A running service copies them every minute: check that it runs and that every tenant opens.',
    );
  } else yield ok('No audit record waits for long');
  yield* checkMoves(platform, nowMs);
  yield await checkNewestRecord(platform, nowMs);
}

/** Moves whose commands died. */
async function* checkMoves(platform: PlatformDb, nowMs: number): AsyncGenerator<Finding> {
  for (const tenantId of await listAbandonedMoves(platform, toTimestamp(nowMs))) {
    yield warning(
      `A move of tenant ${tenantId} died.`,
      'A running service undoes it within a minute; run "licensing tenants move" again.',
    );
  }
}

async function checkNewestRecord(platform: PlatformDb, nowMs: number): Promise<Finding> {
  const newest = await platform.query
    .selectFrom('audit_logs')
    .select('occurred_at')
    .orderBy('occurred_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (newest === undefined || newest.occurred_at <= toTimestamp(nowMs + toleratedFutureMs)) {
    return ok('The clock is not behind the records');
  }
  return warning(`The newest record is of ${newest.occurred_at}, which is yet to come.`, 'Set the clock (use NTP).');
}
