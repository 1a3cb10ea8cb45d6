import type { Config } from '../config/config.ts';
import { appKeySource, platformFile } from '../config/data-dir.ts';
import type { Clock } from '../lib/clock.ts';
import type { Keyring } from '../lib/keyring.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { listMissingKeys, missingKey, noteFormerKeys } from './app-keys.ts';
import { openPostgresSnapshot } from './archive/postgres-rows.ts';
import { openSqliteSnapshot } from './archive/sqlite-rows.ts';
import type { Snapshot } from './archive/tables.ts';
import type { PlatformDb, PlatformTransaction } from './database.ts';
import { isMissingTable } from './errors.ts';
import { type Migrations, migrate } from './migrations/migrate.ts';
import { platformMigrations } from './migrations/platform/index.ts';
import { keepOtherRolesOut } from './postgres/platform-access.ts';
import { openPostgres } from './postgres/postgres.ts';
import { resealColumn, type SealedColumn } from './sealed.ts';
import { openSqlite } from './sqlite/sqlite.ts';
import type { PlatformTables } from './tables/platform-tables.ts';

/** In KiB. Every request with an API key reads this database, so a large installation's keys and tenants are cached. */
const platformCacheKib = 16 * 1024;

/** Opens the platform database without touching its schema. */
export function connectPlatformDb(config: Pick<Config, 'dataDir' | 'databaseUrl'>): PlatformDb {
  if (config.databaseUrl !== null) {
    return openPostgres<PlatformTables>({ url: config.databaseUrl }) as PlatformDb;
  }
  makeFolder(config.dataDir);
  const options = { create: true, cacheKib: platformCacheKib };
  return openSqlite<PlatformTables>(platformFile(config.dataDir), options) as PlatformDb;
}

/** Opens a consistent snapshot of the platform database. Writers continue meanwhile. The caller closes it. */
export function readPlatformSnapshot(config: Pick<Config, 'dataDir' | 'databaseUrl'>): Promise<Snapshot> {
  if (config.databaseUrl !== null) return openPostgresSnapshot(config.databaseUrl);
  return Promise.try(() => openSqliteSnapshot(platformFile(config.dataDir)));
}

interface OpenPlatformOptions {
  readonly keyring: Keyring;
  readonly clock: Clock;
  /** The columns of the platform database that are encrypted under the application key. */
  readonly sealedColumns: readonly SealedColumn<PlatformTables>[];
  readonly migrations?: Migrations | undefined;
}

/**
 * Opens the platform database, migrates its schema and checks the application key. Throws `NewerSchemaError` for a
 * database that a newer version migrated, and an error if the application key is not the one of this data, or if a
 * former key is missing that stored secrets may need.
 */
export async function openPlatformDb(
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'appKey'>,
  options: OpenPlatformOptions,
): Promise<PlatformDb> {
  const platform = connectPlatformDb(config);
  try {
    // The key is checked before the migration, so that a wrong one changes nothing.
    await assertAppKey(platform, options.keyring, config);
    await migrate(platform, options.migrations ?? platformMigrations);
    await platform.transaction((tx) => acceptAppKey(tx, options));
    await keepOtherRolesOut(platform);
    return platform;
  } catch (error) {
    await platform.close();
    throw error;
  }
}

/** Returns the fingerprint of the key that the data was written with; undefined for a database without data. */
async function storedFingerprint(platform: PlatformDb): Promise<string | undefined> {
  try {
    const stored = await platform.query.selectFrom('instance').select('app_key_fingerprint').executeTakeFirst();
    return stored?.app_key_fingerprint;
  } catch (error) {
    if (isMissingTable(error)) return undefined;
    throw error;
  }
}

/**
 * Refuses a wrong application key, with which the service would reject every API key and token, and a start without a
 * former key that stored secrets may need. Throws a sentence that names the key and the remedy.
 */
async function assertAppKey(
  platform: PlatformDb,
  keyring: Keyring,
  config: Pick<Config, 'dataDir' | 'appKey'>,
): Promise<void> {
  const stored = await storedFingerprint(platform);
  if (stored === undefined) return;
  if (keyring.fingerprint !== stored && !keyring.previousFingerprints.includes(stored)) {
    const { text, advice } = wrongAppKey(config);
    throw new Error(`${text} ${advice} Nothing was changed.`);
  }
  const [missing] = await listMissingKeys(platform, keyring);
  if (missing === undefined) return;
  const { text, advice } = missingKey(missing);
  throw new Error(`${text} ${advice} Nothing was changed.`);
}

/** Describes an application key that does not belong to the data, and what the operator must do. */
export function wrongAppKey(config: Pick<Config, 'dataDir' | 'appKey'>): {
  readonly text: string;
  readonly advice: string;
} {
  const remedy =
    config.appKey === null
      ? 'Replace the file with the app.key of this data, from the place where you keep it beside your backups.'
      : 'Set the key of this data.';
  return {
    text: `${appKeySource(config)} is not the application key of this data.`,
    advice: `${remedy} If you replace the key, add the old one to APP_PREVIOUS_KEYS.`,
  };
}

/**
 * Stores the fingerprint of the application key at the first start. A start whose previous keys include the stored
 * fingerprint is a rotation: the former key is noted, because most secrets need it until they are sealed again.
 */
async function acceptAppKey(
  tx: PlatformTransaction,
  { keyring, clock, sealedColumns: columns }: OpenPlatformOptions,
): Promise<void> {
  const stored = await tx.selectFrom('instance').select('app_key_fingerprint').executeTakeFirst();
  const at = clock.now();
  if (stored === undefined) {
    const instance = { id: 1, app_key_fingerprint: keyring.fingerprint, created_at: at };
    await tx
      .insertInto('instance')
      .values(instance)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return;
  }
  const former = stored.app_key_fingerprint;
  if (former === keyring.fingerprint) return await noteFormerKeys(tx, keyring, { at, columns });
  if (!keyring.previousFingerprints.includes(former)) {
    throw new Error(
      'Another process started this installation with another application key: use the same key everywhere.',
    );
  }
  await noteFormerKeys(tx, keyring, { at, columns, replaced: former });
  const database = {
    query: tx,
    transaction: <Result>(work: (same: PlatformTransaction) => Promise<Result>) => work(tx),
  };
  for (const column of columns) if (column.atRotation) await resealColumn(database, column, keyring);
  await tx.updateTable('instance').set({ app_key_fingerprint: keyring.fingerprint }).execute();
}
