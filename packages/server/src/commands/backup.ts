import { resolve } from 'node:path';
import { withTenantSnapshots } from '../features/accounts/tenants/archive-service.ts';
import { backUp } from '../tenancy/archive/backup.ts';
import { defineCommand, exitCodes } from './command.ts';
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
    const { tenants, platform } = await withServices(terminal.env, (services) =>
      backUp(folder, {
        ...services,
        progress: archiveProgress(terminal),
        withTenantSnapshots: (tenantId, work) => withTenantSnapshots(services, tenantId, work),
      }),
    );
    const rows = tenants.reduce((total, tenant) => total + tenant.rows, platform.rows);
    terminal.print(folder);
    terminal.note(
      `Backed up ${tenants.length} tenants (${rows} rows), without the application key: store the key separately.`,
    );
    return exitCodes.done;
  },
});
