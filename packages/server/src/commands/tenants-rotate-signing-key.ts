import { rotateSigningKey } from '../features/licensing/signing-keys/service.ts';
import { isUuid } from '../lib/ids.ts';
import { systemActor } from '../tenancy/system-actor.ts';
import { defineCommand, exitCodes, UsageError } from './command.ts';
import { withServices } from './with-services.ts';

/** Replaces the key that signs a tenant's offline certificates. Prints the new key's id. */
export const tenantsRotateSigningKey = defineCommand({
  name: 'tenants rotate-signing-key',
  summary: 'Sign the offline certificates of a tenant with a new key from now on.',
  details:
    'Certificates of the former key stay valid: its public half is told until the last of them has ended, and for a\n' +
    'day at least. Prints the id of the new key.',
  operands: ['ID'],
  options: {},
  async run({ terminal, operands: [id = ''] }) {
    if (!isUuid(id)) throw new UsageError(`"${id}" is no tenant id: "licensing tenants list" shows the ids.`);
    await withServices(terminal.env, async (services) => {
      terminal.print(await rotateSigningKey(services, systemActor, id));
    });
    return exitCodes.done;
  },
});
