import { sql } from 'kysely';
import type { Config } from '../../config/config.ts';
import type { Database, PlatformDb } from '../../db/database.ts';
import { isMissingTable } from '../../db/errors.ts';
import { readNewest } from '../../db/migrations/ledger.ts';
import { checkSchema, isFromBeforeFirstRelease } from '../../db/migrations/migrate.ts';
import { platformMigrations } from '../../db/migrations/platform/index.ts';
import { wrongAppKey } from '../../db/platform.ts';
import { listAbandonedMoves } from '../../features/accounts/tenants/queries.ts';
import { toTimestamp } from '../../lib/clock.ts';
import type { Keyring } from '../../lib/keyring.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const outboxPatienceMs = 2 * 60_000;
const toleratedFutureMs = 2_000;

/** Checks the platform database. Returns true when this version of the program can read it. */
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
    yield warning('A newer version of this program migrated the platform database.', 'Update this version soon.');
    return true;
  }
  if (state === 'ahead' && (await isFromBeforeFirstRelease(platform, platformMigrations))) {
    yield problem(
      'A version before 1.0 created the platform database.',
      'Start that version, or set DATA_DIR or DATABASE_URL to an empty database.',
    );
    return false;
  }
  if (state === 'ahead') {
    yield problem('A newer version of this program migrated the platform database.', 'Start that version.');
    return false;
  }
  if (await isEmpty(platform)) {
    yield ok('The platform database is empty; the first start creates its tables');
    return false;
  }
  yield warning('The platform database has an older schema.', 'Run "licensing migrate", or start the service.');
  return false;
}

/** Returns true for a database in which no migration ran. */
async function isEmpty(platform: PlatformDb): Promise<boolean> {
  try {
    return (await readNewest(platform)) === undefined;
  } catch (error) {
    if (isMissingTable(error)) return true;
    throw error;
  }
}

/** Compares the application key with the one that the data was written with. */
export async function checkAppKey(
  platform: PlatformDb,
  keyring: Keyring,
  config: Pick<Config, 'appKey' | 'dataDir'>,
): Promise<Finding> {
  const stored = await platform.query.selectFrom('instance').select('app_key_fingerprint').executeTakeFirst();
  if (stored === undefined || stored.app_key_fingerprint === keyring.fingerprint) {
    return ok('The application key matches the data');
  }
  if (keyring.previousFingerprints.includes(stored.app_key_fingerprint)) {
    return warning(
      'The application key was replaced since the last start.',
      'Restart the service to complete the replacement.',
    );
  }
  const { text, advice } = wrongAppKey(config);
  return problem(text, advice);
}

/** Checks the audit outbox, abandoned moves, and whether the clock went back. */
export async function* checkPlatformRecords(platform: PlatformDb, nowMs: number): AsyncGenerator<Finding> {
  const { waiting, oldest } = await platform.query
    .selectFrom('audit_outbox')
    .select(({ fn }) => [fn.countAll<number>().as('waiting'), fn.min('created_at').as('oldest')])
    .executeTakeFirstOrThrow();
  if (oldest !== null && oldest < toTimestamp(nowMs - outboxPatienceMs)) {
    yield warning(
      `${waiting} audit records have not been copied to their tenants' databases; the oldest is from ${oldest}.`,
      'A running service copies them every minute: check that it runs and that every tenant database can be opened.',
    );
  } else yield ok('The audit outbox is up to date');
  yield* checkMoves(platform, nowMs);
  yield await checkNewestRecord(platform, nowMs);
}

/** Reports moves whose command ended before it completed. */
async function* checkMoves(platform: PlatformDb, nowMs: number): AsyncGenerator<Finding> {
  for (const tenantId of await listAbandonedMoves(platform, toTimestamp(nowMs))) {
    yield warning(
      `A move of tenant ${tenantId} was interrupted.`,
      'A running service undoes it within a minute; then run "licensing tenants move" again.',
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
    return ok('The clock is not behind the newest record');
  }
  return warning(
    `The newest record is from ${newest.occurred_at}, which is in the future.`,
    'Correct the clock of this machine, with NTP.',
  );
}

/**
 * Checks every page of an embedded database (https://sqlite.org/pragma.html#pragma_quick_check). Returns the first
 * problem, or undefined when there is none. Skips PostgreSQL, whose pages are the server's responsibility.
 */
export async function findDamage<Tables>(database: Database<Tables>): Promise<string | undefined> {
  if (database.engine !== 'sqlite') return undefined;
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(database.query);
  const found = rows[0]?.quick_check ?? 'the check returned no result';
  return found === 'ok' ? undefined : found.replace(/\s+/g, ' ').replace(/^\*\*\* in database main \*\*\* /, '');
}
