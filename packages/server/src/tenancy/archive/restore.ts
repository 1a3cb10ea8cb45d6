import { existsSync } from 'node:fs';
import { type Kysely, sql } from 'kysely';
import { loadOrCreateAppKey } from '../../config/app-key.ts';
import type { Config } from '../../config/config.ts';
import { appKeyFile } from '../../config/data-dir.ts';
import type { ArchivedTable } from '../../db/archive/tables.ts';
import type { PlatformDb, PlatformTransaction, SqlValue } from '../../db/database.ts';
import { insertRows } from '../../db/insert-rows.ts';
import { migrate } from '../../db/migrations/migrate.ts';
import { platformMigrations } from '../../db/migrations/platform/index.ts';
import { connectPlatformDb } from '../../db/platform.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Keyring } from '../../lib/keyring.ts';
import { inParallel } from '../../lib/work-queue.ts';
import { openTenantDatabases } from '../open-tenant-databases.ts';
import type { Placement } from '../placement.ts';
import type { SeedTenant, TenantDatabases } from '../tenant-databases.ts';
import { assertEmpty, prepareEmptyPlatform, readCatalogue } from './empty-platform.ts';
import { withoutPlacement } from './export.ts';
import { refusal, type TableLine } from './format.ts';
import { dropUnused, explained, loadTenantArchive, tableOf, verifyTenantArchive } from './import.ts';
import { type Manifest, platformArchive, readManifest, tenantArchive } from './manifest.ts';
import { type ArchiveProgress, silentProgress } from './progress.ts';
import { type ArchiveVisitor, type ReadArchive, readArchive } from './reader.ts';
import { BadRowError, rowParser } from './rows.ts';

/** The number of tenants verified or restored concurrently. */
const parallelism = 2;

/** The dependencies of `restore`. */
export interface RestoreDependencies {
  readonly config: Config;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly seedTenant: SeedTenant;
  readonly progress: ArchiveProgress;
  /** Receives a sentence about a problem that does not stop the restore. */
  readonly warn: (sentence: string) => void;
}

/**
 * Restores a backup into an empty installation. The whole backup is verified before anything is written. The platform
 * rows, which refer to the tenants' databases, are written last and in one transaction, so an incomplete restore is
 * never served. Returns the manifest.
 */
export async function restore(folder: string, dependencies: RestoreDependencies): Promise<Manifest> {
  const { config, keyring, clock, seedTenant } = dependencies;
  const manifest = await verifyBackup(folder, dependencies);
  const platform = connectPlatformDb(config);
  try {
    await prepareEmptyPlatform(platform, manifest.platform_schema, config);
    const databases = openTenantDatabases(config, { platform, keyring, clock, seedTenant });
    await restoreInto({ folder, manifest, platform, databases }, dependencies);
    await migrate(platform, platformMigrations);
    return manifest;
  } finally {
    await platform.close();
  }
}

/**
 * Reads a whole backup and verifies its signatures, digests and row counts, without a database. Returns the manifest.
 * Throws an error with one sentence about the first problem.
 */
export async function verifyBackup(
  folder: string,
  { keyring, progress }: Pick<RestoreDependencies, 'keyring' | 'progress'>,
): Promise<Manifest> {
  const manifest = await readManifest(folder, keyring);
  const file = platformArchive(folder);
  const platform = await readArchive(file, keyring);
  const isPlatform =
    platform.header.archive === 'platform' && platform.header.platform_schema === manifest.platform_schema;
  if (!isPlatform || platform.trailer.sha256 !== manifest.platform.sha256) throw notOfManifest(file);
  const total = manifest.tenants.reduce((rows, tenant) => rows + tenant.rows, 0);
  progress.begin('Checking', total);
  await inParallel(manifest.tenants, parallelism, async ({ id, sha256 }) => {
    const path = tenantArchive(folder, id);
    const onProgress = (rows: number, bytes: number) => progress.advance(rows, bytes);
    const { header, trailer } = await readArchive(path, keyring, { onProgress });
    if (header.tenant_id !== id || trailer.sha256 !== sha256) throw notOfManifest(path);
  });
  return manifest;
}

function notOfManifest(file: string): Error {
  return refusal(file, 'is not the file that the manifest describes: use another copy of the backup.');
}

interface Restoration {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly platform: PlatformDb;
  readonly databases: TenantDatabases;
}

async function restoreInto(
  { folder, manifest, platform, databases }: Restoration,
  { config, keyring, progress, warn }: RestoreDependencies,
): Promise<void> {
  const placements = new Map<string, Placement>();
  try {
    progress.begin(
      'Restoring',
      manifest.tenants.reduce((rows, tenant) => rows + tenant.rows, 0),
    );
    await inParallel(manifest.tenants, parallelism, async ({ id, rows, bytes }) => {
      const file = tenantArchive(folder, id);
      const imports = { databases, keyring, progress: silentProgress, warn };
      const { placement } = await loadTenantArchive(file, await verifyTenantArchive(file, imports), imports);
      placements.set(id, placement);
      progress.advance(rows, bytes);
    });
    const { tables } = await readCatalogue(config);
    await platform.bulkTransaction(async (tx) => {
      await assertEmpty(tx);
      const file = platformArchive(folder);
      await fillPlatform(tx, { tables, placements }, async (visitor) => {
        const read = await readArchive(file, keyring, visitor);
        if (read.trailer.sha256 !== manifest.platform.sha256) throw notOfManifest(file);
        return read;
      });
    });
  } catch (error) {
    for (const placement of placements.values()) await dropUnused({ databases, warn }, placement);
    throw explained(platformArchive(folder), error);
  }
}

interface PlatformFilling {
  readonly tables: readonly ArchivedTable[];
  /** Where the databases of the tenants are now; absent if they are where the rows say. */
  readonly placements?: ReadonlyMap<string, Placement>;
}

type Row = Readonly<Record<string, SqlValue>>;

/** Replaces all rows of an empty platform database by those of an archive. Returns the number of rows. */
export async function fillPlatform(
  tx: PlatformTransaction,
  { tables, placements }: PlatformFilling,
  readRows: (visitor: ArchiveVisitor) => Promise<ReadArchive>,
): Promise<number> {
  // Deletes the rows that the migrations and the first start created.
  for (const { name } of tables.toReversed()) await sql`delete from ${sql.table(name)}`.execute(tx);
  let filling: { readonly name: string; readonly toRow: (line: string) => Row } | undefined;
  const read = await readRows({
    onTable: (line) => {
      filling = { name: line.table, toRow: rowReader(tables, line, placements) };
    },
    onRows: async (lines) => {
      if (filling === undefined) return;
      const rows = lines.map(filling.toRow);
      await insertRows(tx as unknown as Kysely<Record<string, Row>>, filling.name, rows);
    },
  });
  for (const { name } of tables) {
    const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(name)}`.execute(tx);
    if (Number(rows[0]?.rows) !== read.trailer.rows[name])
      throw new BadRowError(`the database has another number of rows of ${name}`);
  }
  return read.rows;
}

function rowReader(
  tables: readonly ArchivedTable[],
  line: TableLine,
  placements: ReadonlyMap<string, Placement> | undefined,
): (line: string) => Row {
  const isTenants = line.table === 'tenants' && placements !== undefined;
  const table = tableOf(isTenants ? tables.map(withoutPlacement) : tables, line);
  const parse = rowParser(table.columns);
  return (text) => {
    const values = parse(text);
    const row: Row = Object.fromEntries(table.columns.map(({ name }, index) => [name, values[index] ?? null]));
    if (placements === undefined) return row;
    if (line.table === 'onboarding_checkouts') return withoutFormerPlacement(row);
    if (!isTenants) return row;
    const placement = placements.get(String(row['id']));
    if (placement === undefined) throw new BadRowError(`the tenant ${row['id']} has no archive`);
    return { ...row, ...placement };
  };
}

/**
 * Resets an onboarding that had not finished creating its tenant to the step before the database. The recorded
 * placement belongs to the installation that was backed up, and this one must neither fill nor drop that database.
 */
function withoutFormerPlacement(row: Row): Row {
  const steps = JSON.parse(String(row['steps_json'])) as Record<string, string>;
  const { payment } = steps;
  const kept = steps['tenant'] === undefined ? { ...(payment !== undefined && { payment }) } : steps;
  return { ...row, placement_json: null, steps_json: JSON.stringify(kept) };
}

/**
 * Returns the application key from `APP_KEY` or the data directory. Throws when there is none, because a newly
 * generated key could not decrypt the backup.
 */
export function requireAppKey({ appKey, dataDir }: Config): string {
  if (appKey !== null) return appKey;
  if (existsSync(appKeyFile(dataDir))) return loadOrCreateAppKey(dataDir);
  throw new Error(
    `A backup does not contain the application key: set APP_KEY to the key of the backup, or copy its app.key into ${dataDir}.`,
  );
}
