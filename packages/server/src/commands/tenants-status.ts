import { updateTenant } from '../features/accounts/tenants/service.ts';
import { isUuid } from '../lib/ids.ts';
import { systemActor } from '../tenancy/system-actor.ts';
import { defineCommand, exitCodes, UsageError } from './command.ts';
import { withServices } from './with-services.ts';

/** Defines a command that sets a tenant's status. */
function statusCommand(name: string, status: 'active' | 'suspended', summary: string) {
  return defineCommand({
    name,
    summary,
    details: 'Takes effect with the next request, on every node. Running it again changes nothing.',
    operands: ['ID'],
    options: {},
    async run({ terminal, operands: [id = ''] }) {
      if (!isUuid(id)) throw new UsageError(`"${id}" is not a tenant id: "licensing tenants list" shows the ids.`);
      await withServices(terminal.env, (services) => updateTenant(services, systemActor, id, { status }));
      terminal.note(`Tenant ${id} is ${status}.`);
      return exitCodes.done;
    },
  });
}

/** Denies all access to a tenant. */
export const tenantsSuspend = statusCommand(
  'tenants suspend',
  'suspended',
  'Suspend a tenant: all access is denied until it is reinstated.',
);

/** Ends the suspension of a tenant. */
export const tenantsReinstate = statusCommand('tenants reinstate', 'active', 'Restore access to a suspended tenant.');
