import { type Config, loadConfig } from '../config/config.ts';
import { connectPlatformDb } from '../db/platform.ts';
import { takeServeLock } from '../db/sqlite/serve-lock.ts';
import { systemClock } from '../lib/clock.ts';
import { createKeyring } from '../lib/keyring.ts';
import { movePlatform } from '../tenancy/archive/move-platform.ts';
import { requireAppKey } from '../tenancy/archive/restore.ts';
import { listLiveNodes } from '../tenancy/nodes.ts';
import { defineCommand, exitCodes } from './command.ts';
import { archiveProgress } from './progress.ts';

/** Refuses a database that a node serves: it may not reach the servers of the tenants, and would change the copy. */
async function assertNoNodeRuns(config: Config): Promise<void> {
  if (config.databaseUrl === null) return;
  const platform = connectPlatformDb(config);
  try {
    const nodes = await listLiveNodes(platform, systemClock().now());
    if (nodes.length === 0) return;
    throw new Error(
      `${nodes.map(({ name }) => name).join(', ')} serves the database at DATABASE_URL: stop it, and run this again.`,
    );
  } finally {
    await platform.close();
  }
}

/** Moves the platform database from a SQLite file to PostgreSQL. */
export const platformMove = defineCommand({
  name: 'platform move',
  summary: 'Move the platform database from DATA_DIR into the empty database at DATABASE_URL.',
  details:
    'Stop the service first, and set APP_KEY to the content of app.key. Tenants are not moved: afterwards every node\n' +
    'serves the tenants on servers, and only this machine serves those in files, until "tenants move" moves them.',
  options: {},
  async run({ terminal }) {
    const config = loadConfig(terminal.env);
    const keyring = createKeyring(requireAppKey(config), config.previousAppKeys);
    const lock = takeServeLock(config.dataDir);
    try {
      await assertNoNodeRuns(config);
      const { rows, inFiles, kept } = await movePlatform({
        config,
        keyring,
        clock: systemClock(),
        progress: archiveProgress(terminal),
      });
      terminal.note(`Moved ${rows} rows to DATABASE_URL; the former database is kept as ${kept}. Start the service.`);
      if (inFiles > 0) {
        terminal.note(
          `${inFiles} tenants are still files in ${config.dataDir}: move them with "licensing tenants move-all".`,
        );
      }
    } finally {
      lock.release();
    }
    return exitCodes.done;
  },
});
