import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import type { Keyring } from '../lib/keyring.ts';
import type { Snapshot } from './copy/copy.ts';
import { openPostgresSnapshot } from './copy/postgres-snapshot.ts';
import { openSqliteSnapshot } from './copy/sqlite-snapshot.ts';
import type { PlatformDb, PlatformTransaction } from './database.ts';
import { type Migrations, migrate } from './migrations/migrate.ts';
import { platformMigrations } from './migrations/platform/index.ts';
import { keepOtherRolesOut } from './postgres/platform-access.ts';
import { openPostgres } from './postgres/postgres.ts';
import { openSqlite } from './sqlite/sqlite.ts';
import type { PlatformTables } from './tables/platform-tables.ts';

/** Every request with an API key reads it: the keys and tenants of a large installation stay in memory. */
const platformCacheKib = 16 * 1024;

/** The platform's file on the embedded engine. */
export function platformFile(dataDir: string): string {
  return join(dataDir, 'platform.db');
}

/** Opens the platform database without touching its schema. */
export function connectPlatformDb(config: Pick<Config, 'dataDir' | 'databaseUrl'>): PlatformDb {
  if (config.databaseUrl !== null) {
    return openPostgres<PlatformTables>({ url: config.databaseUrl }) as PlatformDb;
  }
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const options = { create: true, cacheKib: platformCacheKib, rememberReads: true };
  return openSqlite<PlatformTables>(platformFile(config.dataDir), options) as PlatformDb;
}

/** The platform database at one moment, while its writers go on. */
export function readPlatformSnapshot(config: Pick<Config, 'dataDir' | 'databaseUrl'>): Promise<Snapshot> {
  if (config.databaseUrl !== null) return openPostgresSnapshot(config.databaseUrl);
  return Promise.try(() => openSqliteSnapshot(platformFile(config.dataDir)));
}

/** Opens the platform database, brings its schema up to date, and checks that the application key is the right one. */
export async function openPlatformDb(
  config: Pick<Config, 'dataDir' | 'databaseUrl'>,
  keyring: Keyring,
  clock: Clock,
  migrations: Migrations = platformMigrations,
): Promise<PlatformDb> {
  const platform = connectPlatformDb(config);
  try {
    await migrate(platform, migrations);
    await platform.transaction((tx) => acceptAppKey(tx, keyring, clock));
    await keepOtherRolesOut(platform);
    return platform;
  } catch (error) {
    await platform.close();
    throw error;
  }
}

/**
 * A service that starts with a wrong application key would refuse every API key and token. The first start notes
 * the key's fingerprint; a start whose previous keys hold the noted one is a rotation.
 */
async function acceptAppKey(tx: PlatformTransaction, keyring: Keyring, clock: Clock): Promise<void> {
  const noted = await tx.selectFrom('instance').select('app_key_fingerprint').executeTakeFirst();
  if (noted?.app_key_fingerprint === keyring.fingerprint) return;
  if (noted === undefined) {
    const instance = { id: 1, app_key_fingerprint: keyring.fingerprint, created_at: clock.now() };
    await tx
      .insertInto('instance')
      .values(instance)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return;
  }
  if (!keyring.previousFingerprints.includes(noted.app_key_fingerprint)) {
    throw new Error(
      'APP_KEY is not the application key of this data: set the right one, or, to rotate, add the old one to APP_PREVIOUS_KEYS.',
    );
  }
  await resealTenantSecrets(tx, keyring);
  await resealTwoFactorSecrets(tx, keyring);
  await tx.updateTable('instance').set({ app_key_fingerprint: keyring.fingerprint }).execute();
}

/** What is encrypted must be readable without the old key before that can be thrown away. */
async function resealTenantSecrets(tx: PlatformTransaction, keyring: Keyring): Promise<void> {
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

const resealBatch = 500;

/** As the secrets of tenants: somebody who seldom logs in would be locked out with the old key. */
async function resealTwoFactorSecrets(tx: PlatformTransaction, keyring: Keyring): Promise<void> {
  for (const ability of ['tenant', 'admin'] as const) {
    let after = '';
    for (;;) {
      const rows = await tx
        .selectFrom('two_factor')
        .select(['subject_id', 'sealed_secret'])
        .where('ability', '=', ability)
        .where('subject_id', '>', after)
        .orderBy('subject_id')
        .limit(resealBatch)
        .execute();
      for (const { subject_id, sealed_secret } of rows) {
        await tx
          .updateTable('two_factor')
          .set({ sealed_secret: keyring.seal(keyring.open(sealed_secret)) })
          .where('ability', '=', ability)
          .where('subject_id', '=', subject_id)
          .execute();
        after = subject_id;
      }
      if (rows.length < resealBatch) break;
    }
  }
}
