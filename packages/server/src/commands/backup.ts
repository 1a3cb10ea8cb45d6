import { resolve } from 'node:path';
import { withTenantSnapshots } from '../features/accounts/tenants/archive-service.ts';
import { backUp } from '../tenancy/archive/backup.ts';
import { archiveProgress } from './archive-progress.ts';
import { defineCommand, exitCodes } from './command.ts';
import { withServices } from './with-services.ts';

/** Writes the whole installation into a folder. Prints the folder. */
export const backup = defineCommand({
  name: 'backup',
  summary: 'Write the whole installation to a folder, while it is served.',
  details:
    'Each tenant is one consistent state. Run again with the same folder, it completes what was interrupted.\n' +
    'The application key is not in it: keep that apart. Without it a backup is of no use.',
  options: {
    to: { type: 'string', value: 'DIR', required: true, description: 'A new folder, or one of an interrupted backup.' },
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
      `${tenants.length} tenants and ${rows} rows are backed up. The application key is not: keep it apart.`,
    );
    return exitCodes.done;
  },
});
