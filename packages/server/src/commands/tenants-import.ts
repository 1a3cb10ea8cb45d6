import { resolve } from 'node:path';
import { importTenantArchive } from '../features/accounts/tenants/archive-service.ts';
import { systemActor } from '../tenancy/system-actor.ts';
import { archiveProgress } from './archive-progress.ts';
import { defineCommand, exitCodes } from './command.ts';
import { withServices } from './with-services.ts';

/** Makes a tenant from an archive. Prints its id. */
export const tenantsImport = defineCommand({
  name: 'tenants import',
  summary: 'Make a tenant from a file of "tenants export".',
  details:
    'Nothing of it is served before all of it was read and checked. Members who have no account here get one without a\n' +
    'password: "forgot password" sets it. Prints the id.',
  operands: ['FILE'],
  options: {
    replace: {
      type: 'boolean',
      description: 'Put it in place of the data of a tenant that is here; its state, plan and members stay.',
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
