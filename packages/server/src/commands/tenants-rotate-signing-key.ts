import { rotateSigningKey } from '../features/licensing/signing-keys/service.ts';
import { isUuid } from '../lib/ids.ts';
import { systemActor } from '../tenancy/system-actor.ts';
import { defineCommand, exitCodes, UsageError } from './command.ts';
import { withServices } from './with-services.ts';

/** Rotates the key that signs a tenant's offline certificates. Prints the new key's id. */
export const tenantsRotateSigningKey = defineCommand({
  name: 'tenants rotate-signing-key',
  summary: 'Rotate the key that signs the offline certificates of a tenant.',
  details:
    'Certificates signed with the former key stay valid: its public key is published until the last of them expires,\n' +
    'and for at least a day. Prints the id of the new key.',
  operands: ['ID'],
  options: {},
  async run({ terminal, operands: [id = ''] }) {
    if (!isUuid(id)) throw new UsageError(`"${id}" is not a tenant id: "licensing tenants list" shows the ids.`);
    await withServices(terminal.env, async (services) => {
      terminal.print(await rotateSigningKey(services, systemActor, id));
    });
    return exitCodes.done;
  },
});
