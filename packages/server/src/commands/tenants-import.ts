import { resolve } from 'node:path';
import { importTenantArchive } from '../features/accounts/tenants/archive-service.ts';
import { systemActor } from '../tenancy/system-actor.ts';
import { archiveProgress } from './archive-progress.ts';
import { defineCommand, exitCodes } from './command.ts';
import { withServices } from './with-services.ts';

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
