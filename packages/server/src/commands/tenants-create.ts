import { CreateTenant } from '../features/accounts/tenants/schemas.ts';
import { createTenant } from '../features/accounts/tenants/service.ts';
import { freePlanCode } from '../features/accounts/tenants/tenant.ts';
import { systemActor } from '../tenancy/system-actor.ts';
import { checkInput } from './check-input.ts';
import { defineCommand, exitCodes } from './command.ts';
import { withServices } from './with-services.ts';

const optionNames = { name: '--name', plan_code: '--plan', owner_email: '--owner' };

/** Creates a tenant with its database. Prints the tenant's id. */
export const tenantsCreate = defineCommand({
  name: 'tenants create',
  summary: 'Create a tenant with its database.',
  details:
    "An owner with an account becomes a member at once; another address gets an invitation by mail. Prints the tenant's id.",
  options: {
    name: { type: 'string', value: 'NAME', required: true, description: 'Display name.' },
    plan: { type: 'string', value: 'CODE', description: `Code of the plan; default: ${freePlanCode}.` },
    owner: { type: 'string', value: 'EMAIL', description: 'Email address of the owner.' },
  },
  async run({ terminal, values }) {
    const { name, plan: plan_code, owner: owner_email } = values;
    const input = checkInput(CreateTenant, { name, plan_code, owner_email }, optionNames);
    await withServices(terminal.env, async (services) => {
      terminal.print(await createTenant(services, systemActor, input));
      await services.mail.deliverDue();
    });
    return exitCodes.done;
  },
});
