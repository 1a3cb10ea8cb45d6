import { resolve } from 'node:path';
import { exportTenantArchive } from '../features/accounts/tenants/archive-service.ts';
import { archiveProgress } from './archive-progress.ts';
import { defineCommand, exitCodes } from './command.ts';
import { assertTenantId } from './tenant-id.ts';
import { withServices } from './with-services.ts';

/** Writes a tenant's archive. Prints its checksum. */
export const tenantsExport = defineCommand({
  name: 'tenants export',
  summary: 'Export all data of a tenant to a file while the service runs.',
  details:
    'The exported data is consistent. The file contains names, email addresses and hashes of API keys, and can be\n' +
    'imported on either engine with the same application key. Prints the SHA-256 of the content.',
  operands: ['ID'],
  options: {
    to: { type: 'string', value: 'FILE', required: true, description: 'A new file; readable by its owner only.' },
  },
  async run({ terminal, values, operands: [id = ''] }) {
    assertTenantId(id);
    const file = resolve(values.to);
    const { sha256, rows, bytes } = await withServices(terminal.env, (services) =>
      exportTenantArchive(services, id, file, archiveProgress(terminal)),
    );
    terminal.print(sha256);
    terminal.note(`Exported ${rows} rows of tenant ${id} to ${file} (${bytes} bytes).`);
    return exitCodes.done;
  },
});
