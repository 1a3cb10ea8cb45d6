import { loadConfig } from '../config/config.ts';
import { takeServeLock } from '../db/sqlite/serve-lock.ts';
import { createKeyring } from '../lib/keyring.ts';
import { requireAppKey } from '../tenancy/archive/restore.ts';
import { movePlatform } from '../tenancy/move/move-platform.ts';
import { archiveProgress } from './archive-progress.ts';
import { defineCommand, exitCodes } from './command.ts';

/** Moves the platform database from a file to PostgreSQL. */
export const platformMove = defineCommand({
  name: 'platform move',
  summary: 'Move the platform database from DATA_DIR into the empty one of DATABASE_URL.',
  details:
    'The service is stopped meanwhile. Tenants stay where they are: those on servers are served by every node from then\n' +
    'on, those in files by this machine alone, until "tenants move" takes them to a server. APP_KEY is what app.key has.',
  options: {},
  async run({ terminal }) {
    const config = loadConfig(terminal.env);
    const keyring = createKeyring(requireAppKey(config), config.previousAppKeys);
    const lock = takeServeLock(config.dataDir);
    try {
      const { rows, inFiles, kept } = await movePlatform({ config, keyring, progress: archiveProgress(terminal) });
      terminal.note(`${rows} rows are in DATABASE_URL; the former database is kept as ${kept}. Start the service.`);
      if (inFiles > 0) {
        terminal.note(
          `${inFiles} tenants are in files of ${config.dataDir}: move them with "licensing tenants move-all".`,
        );
      }
    } finally {
      lock.release();
    }
    return exitCodes.done;
  },
});
