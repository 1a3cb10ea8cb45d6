import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import type { Config } from '../../config/config.ts';
import { platformFile } from '../../config/data-dir.ts';
import type { Snapshot } from '../../db/copy/copy.ts';
import { openPostgresLoader } from '../../db/copy/postgres-loader.ts';
import { openPostgresSnapshot } from '../../db/copy/postgres-snapshot.ts';
import { openSqliteSnapshot } from '../../db/copy/sqlite-snapshot.ts';
import { migrate } from '../../db/migrations/migrate.ts';
import { platformMigrations } from '../../db/migrations/platform/index.ts';
import { connectPlatformDb } from '../../db/platform.ts';
import type { Keyring } from '../../lib/keyring.ts';
import { prepareEmptyPlatform } from '../archive/empty-platform.ts';
import { assertKey } from '../archive/format.ts';
import type { ArchiveProgress } from '../archive/progress.ts';
import { embeddedPlacement } from '../placement.ts';
import { assertSameRows, copyRows, countRows, digestRows } from './copy-rows.ts';

interface PlatformMove {
  readonly config: Config;
  readonly keyring: Keyring;
  readonly progress: ArchiveProgress;
}

/** The result of moving the platform database. */
export interface MovedPlatform {
  /** The number of rows that were moved. */
  readonly rows: number;
  /** The number of tenants whose databases are still files in this data directory. */
  readonly inFiles: number;
  /** The path of the former database, renamed so that no service starts on it by mistake. */
  readonly kept: string;
}

/**
 * Moves the platform database of a data directory into the empty database at `DATABASE_URL`. No service may run on the
 * data directory meanwhile. Tenants keep their placements. The copy is read back and compared; a failure leaves the
 * file unchanged.
 */
export async function movePlatform({ config, keyring, progress }: PlatformMove): Promise<MovedPlatform> {
  const { databaseUrl } = config;
  if (databaseUrl === null)
    throw new Error('DATABASE_URL is not set: set it to the empty database that the platform is to move to.');
  const file = platformFile(config.dataDir);
  if (!existsSync(file)) throw new Error(`There is no platform database in ${config.dataDir}: set the right DATA_DIR.`);
  const source = openSqliteSnapshot(file);
  let moved: Omit<MovedPlatform, 'kept'>;
  try {
    for await (const [line = '[]'] of source.rows({ from: 'instance', columns: ['app_key_fingerprint'] })) {
      assertKey(file, String(JSON.parse(line)[0]), keyring);
    }
    const rows = await copyPlatform(source, databaseUrl, { config, keyring, progress });
    const where = { column: 'placement', value: embeddedPlacement };
    moved = { rows, inFiles: await source.count({ from: 'tenants', where }) };
  } finally {
    await source.close();
  }
  const kept = `${file}.moved`;
  await rename(file, kept);
  return { ...moved, kept };
}

async function copyPlatform(
  source: Snapshot,
  databaseUrl: string,
  { config, progress }: PlatformMove,
): Promise<number> {
  const platform = connectPlatformDb(config);
  try {
    await prepareEmptyPlatform(platform, source.schema, config);
    const rows = await countRows(source);
    const loader = await openPostgresLoader(databaseUrl);
    try {
      progress.begin('Copying', rows);
      const read = await copyRows(source, loader, progress);
      await loader.finish();
      progress.begin('Checking', rows);
      const copy = await openPostgresSnapshot(databaseUrl);
      try {
        assertSameRows(read, await digestRows(copy, loader.tables, progress));
      } finally {
        await copy.close();
      }
    } finally {
      await loader.close();
    }
    await migrate(platform, platformMigrations);
    return rows;
  } finally {
    await platform.close();
  }
}
