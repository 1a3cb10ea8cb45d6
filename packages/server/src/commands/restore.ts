import { resolve } from 'node:path';
import { type Config, loadConfig } from '../config/config.ts';
import { type ServeLock, takeServeLock } from '../db/sqlite/serve-lock.ts';
import { systemClock } from '../lib/clock.ts';
import { createKeyring } from '../lib/keyring.ts';
import { requireAppKey, restore as restoreBackup } from '../tenancy/archive/restore.ts';
import { archiveProgress } from './archive-progress.ts';
import { defineCommand, exitCodes } from './command.ts';

/** Makes an empty installation what a backup holds. */
export const restore = defineCommand({
  name: 'restore',
  summary: 'Make an empty installation what a backup holds.',
  details:
    'On either engine, whichever the backup came from. Everything is checked first, and nothing is served before all of\n' +
    'it is there. It needs the application key of the backup, and an installation without tenants, users and admins.',
  operands: ['DIR'],
  options: {},
  async run({ terminal, operands: [folder = ''] }) {
    const config = loadConfig(terminal.env);
    const keyring = createKeyring(requireAppKey(config), config.previousAppKeys);
    const lock = lockFor(config);
    try {
      const progress = archiveProgress(terminal);
      const { tenants, finished_at } = await restoreBackup(resolve(folder), {
        config,
        keyring,
        clock: systemClock(),
        progress,
      });
      terminal.note(`${tenants.length} tenants are as they were in the backup of ${finished_at}. Start the service.`);
    } finally {
      lock?.release();
    }
    return exitCodes.done;
  },
});

/** Nobody may begin to serve a data directory while it is filled. On PostgreSQL the last transaction checks again. */
function lockFor({ databaseUrl, dataDir }: Config): ServeLock | undefined {
  return databaseUrl === null ? takeServeLock(dataDir) : undefined;
}
