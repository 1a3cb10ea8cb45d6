import { resolve } from 'node:path';
import { type Config, loadConfig } from '../config/config.ts';
import { prepareDataDir } from '../config/data-dir.ts';
import { recordBackup } from '../db/installation.ts';
import { type ServeLock, takeServeLock } from '../db/sqlite/serve-lock.ts';
import { withTenantSnapshots } from '../features/accounts/tenants/archive-service.ts';
import { createFirstSigningKey } from '../features/licensing/signing-keys/service.ts';
import { systemClock } from '../lib/clock.ts';
import { createKeyring } from '../lib/keyring.ts';
import { backUp } from '../tenancy/archive/backup.ts';
import { requireAppKey, restore as restoreBackup, verifyBackup } from '../tenancy/archive/restore.ts';
import { defineCommand, exitCodes } from './command.ts';
import { sentenceOf } from './failure.ts';
import { archiveProgress } from './progress.ts';
import { withServices } from './with-services.ts';

/** Backs up the whole installation into a folder. Prints the folder's path. */
export const backup = defineCommand({
  name: 'backup',
  summary: 'Back up the whole installation to a folder while the service runs.',
  details:
    'The data of each tenant is consistent. To resume an interrupted backup, run the command with the same folder.\n' +
    'The backup does not contain the application key, and cannot be restored without it: store the key separately.',
  options: {
    to: {
      type: 'string',
      value: 'DIR',
      required: true,
      description: 'A new folder, or that of an interrupted backup.',
    },
  },
  async run({ terminal, values }) {
    const folder = resolve(values.to);
    const { tenants, platform } = await withServices(terminal.env, async (services) => {
      const manifest = await backUp(folder, {
        ...services,
        progress: archiveProgress(terminal),
        withTenantSnapshots: (tenantId, work) => withTenantSnapshots(services, tenantId, work),
      });
      await recordBackup(services.platform, manifest.started_at).catch((error: unknown) => {
        terminal.note(`The backup is complete, but its time could not be stored for the metrics: ${sentenceOf(error)}`);
      });
      return manifest;
    });
    const rows = tenants.reduce((total, tenant) => total + tenant.rows, platform.rows);
    terminal.print(folder);
    terminal.note(
      `Backed up ${tenants.length} tenants (${rows} rows), without the application key: store the key separately.`,
    );
    return exitCodes.done;
  },
});

/** Verifies a backup without a database. */
export const backupVerify = defineCommand({
  name: 'backup verify',
  summary: 'Verify that a backup is complete and undamaged.',
  details:
    'Reads every file of the backup, as a restore does before it writes anything, and changes nothing. Requires the\n' +
    'application key of the backup. It does not replace the drill: only a restore shows that the data is useful.',
  operands: ['DIR'],
  options: {},
  async run({ terminal, operands: [folder = ''] }) {
    const config = loadConfig(terminal.env);
    const keyring = createKeyring(requireAppKey(config), config.previousAppKeys);
    const { tenants, platform, finished_at } = await verifyBackup(resolve(folder), {
      keyring,
      progress: archiveProgress(terminal),
    });
    const rows = tenants.reduce((total, tenant) => total + tenant.rows, platform.rows);
    terminal.note(`The backup of ${finished_at} is complete and undamaged: ${tenants.length} tenants, ${rows} rows.`);
    return exitCodes.done;
  },
});

/** Restores a backup into an empty installation. */
export const restore = defineCommand({
  name: 'restore',
  summary: 'Restore a backup into an empty installation.',
  details:
    'A backup of either engine can be restored on either engine. The whole backup is verified before anything is\n' +
    'written. Requires the application key of the backup, and an installation without tenants, users and admins.',
  operands: ['DIR'],
  options: {},
  async run({ terminal, operands: [folder = ''] }) {
    const config = loadConfig(terminal.env);
    prepareDataDir(config);
    const keyring = createKeyring(requireAppKey(config), config.previousAppKeys);
    const clock = systemClock();
    const lock = lockFor(config);
    try {
      const progress = archiveProgress(terminal);
      const { tenants, finished_at } = await restoreBackup(resolve(folder), {
        config,
        keyring,
        clock,
        seedTenant: createFirstSigningKey({ clock, keyring }),
        progress,
        warn: (sentence) => terminal.note(sentence),
      });
      terminal.note(`Restored ${tenants.length} tenants from the backup of ${finished_at}. Start the service.`);
    } finally {
      lock?.release();
    }
    return exitCodes.done;
  },
});

/**
 * Prevents a service from starting on the data directory during the restore. On PostgreSQL the last transaction checks
 * again that the installation is empty.
 */
function lockFor({ databaseUrl, dataDir }: Config): ServeLock | undefined {
  return databaseUrl === null ? takeServeLock(dataDir) : undefined;
}
