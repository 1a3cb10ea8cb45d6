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

/** In KiB. Every request with an API key reads this database, so a large installation's keys and tenants are cached. */
const platformCacheKib = 16 * 1024;

/** Returns the path of the platform database on the embedded engine. */
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

/** Opens a consistent snapshot of the platform database. Writers continue meanwhile. The caller closes it. */
export function readPlatformSnapshot(config: Pick<Config, 'dataDir' | 'databaseUrl'>): Promise<Snapshot> {
  if (config.databaseUrl !== null) return openPostgresSnapshot(config.databaseUrl);
  return Promise.try(() => openSqliteSnapshot(platformFile(config.dataDir)));
}

/** Encrypts the secrets of one module again under the keyring's current key, in the transaction of a key rotation. */
export type ResealSecrets = (tx: PlatformTransaction, keyring: Keyring) => Promise<void>;

interface OpenPlatformOptions {
  readonly keyring: Keyring;
  readonly clock: Clock;
  /** One function per module that stores encrypted values in the platform database. They run after a key rotation. */
  readonly resealSecrets: readonly ResealSecrets[];
  readonly migrations?: Migrations | undefined;
}

/**
 * Opens the platform database, migrates its schema and checks the application key. Throws `NewerSchemaError` for a
 * database that a newer version migrated, and an error if the application key is not the one of this data.
 */
export async function openPlatformDb(
  config: Pick<Config, 'dataDir' | 'databaseUrl'>,
  options: OpenPlatformOptions,
): Promise<PlatformDb> {
  const platform = connectPlatformDb(config);
  try {
    await migrate(platform, options.migrations ?? platformMigrations);
    await platform.transaction((tx) => acceptAppKey(tx, options));
    await keepOtherRolesOut(platform);
    return platform;
  } catch (error) {
    await platform.close();
    throw error;
  }
}

/**
 * Refuses a wrong application key, with which the service would reject every API key and token. The first start stores
 * the key's fingerprint. A start whose previous keys include the stored fingerprint is a rotation: it reseals every
 * stored secret first, because secrets must be readable after the previous key is removed.
 */
async function acceptAppKey(
  tx: PlatformTransaction,
  { keyring, clock, resealSecrets }: OpenPlatformOptions,
): Promise<void> {
  const stored = await tx.selectFrom('instance').select('app_key_fingerprint').executeTakeFirst();
  if (stored?.app_key_fingerprint === keyring.fingerprint) return;
  if (stored === undefined) {
    const instance = { id: 1, app_key_fingerprint: keyring.fingerprint, created_at: clock.now() };
    await tx
      .insertInto('instance')
      .values(instance)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return;
  }
  if (!keyring.previousFingerprints.includes(stored.app_key_fingerprint)) {
    throw new Error(
      'APP_KEY is not the application key of this data: set the right one, or, to rotate, add the old one to APP_PREVIOUS_KEYS.',
    );
  }
  for (const reseal of resealSecrets) await reseal(tx, keyring);
  await tx.updateTable('instance').set({ app_key_fingerprint: keyring.fingerprint }).execute();
}
