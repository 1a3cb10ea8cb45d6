import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import type { Config } from '../../config/config.ts';
import { platformFile } from '../../config/data-dir.ts';
import { openSqliteSnapshot } from '../../db/archive/sqlite-rows.ts';
import type { Snapshot } from '../../db/archive/tables.ts';
import { migrate } from '../../db/migrations/migrate.ts';
import { platformMigrations } from '../../db/migrations/platform/index.ts';
import { connectPlatformDb } from '../../db/platform.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Keyring } from '../../lib/keyring.ts';
import { embeddedPlacement } from '../placement.ts';
import { assertEmpty, prepareEmptyPlatform, readCatalogue } from './empty-platform.ts';
import { streamPlatform } from './export.ts';
import { assertKey } from './format.ts';
import type { ArchiveProgress } from './progress.ts';
import { readStreamedArchive } from './reader.ts';
import { fillPlatform } from './restore.ts';
import { transfer } from './transfer.ts';

interface PlatformMove {
  readonly config: Config;
  readonly keyring: Keyring;
  readonly clock: Clock;
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
 * Moves the platform database of a data directory into the empty database at `DATABASE_URL`, through a streamed archive.
 * No service may run on the data directory meanwhile. Tenants keep their placements. A failure leaves the file unchanged.
 */
export async function movePlatform({ config, keyring, ...move }: PlatformMove): Promise<MovedPlatform> {
  if (config.databaseUrl === null)
    throw new Error('DATABASE_URL is not set: set it to the empty database that the platform is to move to.');
  const file = platformFile(config.dataDir);
  if (!existsSync(file)) throw new Error(`There is no platform database in ${config.dataDir}: set the right DATA_DIR.`);
  const source = openSqliteSnapshot(file);
  let moved: Omit<MovedPlatform, 'kept'>;
  try {
    for await (const [line = '[]'] of source.rows({ from: 'instance', columns: ['app_key_fingerprint'] })) {
      assertKey(file, String(JSON.parse(line)[0]), keyring);
    }
    const rows = await copyPlatform(source, { config, keyring, ...move });
    const where = { column: 'placement', value: embeddedPlacement };
    moved = { rows, inFiles: await source.count({ from: 'tenants', where }) };
  } finally {
    await source.close();
  }
  const kept = `${file}.moved`;
  await rename(file, kept);
  return { ...moved, kept };
}

async function copyPlatform(source: Snapshot, { config, keyring, clock, progress }: PlatformMove): Promise<number> {
  const platform = connectPlatformDb(config);
  try {
    await prepareEmptyPlatform(platform, source.schema, config);
    const { tables } = await readCatalogue(config);
    const rows = await platform.bulkTransaction(async (tx) => {
      await assertEmpty(tx);
      return await transfer(
        (stream) => streamPlatform(stream, source, { keyring, clock, progress }),
        (stream) => fillPlatform(tx, { tables }, (visitor) => readStreamedArchive(stream, keyring, visitor)),
      );
    });
    await migrate(platform, platformMigrations);
    return rows;
  } finally {
    await platform.close();
  }
}
