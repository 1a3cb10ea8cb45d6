import { updateTenant } from '../features/accounts/tenants/service.ts';
import { isUuid } from '../lib/ids.ts';
import { systemActor } from '../tenancy/system-actor.ts';
import { defineCommand, exitCodes, UsageError } from './command.ts';
import { withServices } from './with-services.ts';

function statusCommand(name: string, status: 'active' | 'suspended', summary: string) {
  return defineCommand({
    name,
    summary,
    details: 'It holds from the next request on, in every process. Repeating it changes nothing.',
    operands: ['ID'],
    options: {},
    async run({ terminal, operands: [id = ''] }) {
      if (!isUuid(id)) throw new UsageError(`"${id}" is no tenant id: "licensing tenants list" shows the ids.`);
      await withServices(terminal.env, (services) => updateTenant(services, systemActor, id, { status }));
      terminal.note(`Tenant ${id} is ${status}.`);
      return exitCodes.done;
    },
  });
}

export const tenantsSuspend = statusCommand(
  'tenants suspend',
  'suspended',
  'Lock a tenant out until it is reinstated.',
);

export const tenantsReinstate = statusCommand('tenants reinstate', 'active', 'Let a suspended tenant in again.');
