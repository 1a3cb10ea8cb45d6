import { loadConfig } from '../config/config.ts';
import { takeServeLock } from '../db/sqlite/serve-lock.ts';
import { createKeyring } from '../lib/keyring.ts';
import { requireAppKey } from '../tenancy/archive/restore.ts';
import { movePlatform } from '../tenancy/move/move-platform.ts';
import { archiveProgress } from './archive-progress.ts';
import { defineCommand, exitCodes } from './command.ts';

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
      const { rows, inFiles, kept } = await movePlatform({ config, keyring, progress: archiveProgress(terminal) });
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
