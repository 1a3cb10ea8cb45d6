import { resolve } from 'node:path';
import { exportTenantArchive, importTenantArchive } from '../features/accounts/tenants/archive-service.ts';
import { systemActor } from '../tenancy/system-actor.ts';
import { defineCommand, exitCodes } from './command.ts';
import { archiveProgress } from './progress.ts';
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

/** Creates or replaces a tenant from an archive. Prints the tenant's id. */
export const tenantsImport = defineCommand({
  name: 'tenants import',
  summary: 'Import a tenant from a file of "tenants export".',
  details:
    'The tenant is not served until the whole file was read and verified. Members without an account here get one\n' +
    'without a password, which they set with "forgot password". Prints the tenant\'s id.',
  operands: ['FILE'],
  options: {
    replace: {
      type: 'boolean',
      description: 'Replace the data of the existing tenant; its status, plan and members stay.',
    },
  },
  async run({ terminal, values, operands: [file = ''] }) {
    const replace = values.replace ?? false;
    const id = await withServices(terminal.env, (services) =>
      importTenantArchive(services, systemActor, resolve(file), { replace, progress: archiveProgress(terminal) }),
    );
    terminal.print(id);
    return exitCodes.done;
  },
});
