import { closedRetentionDays, describePurge, purgeTenant } from '../features/accounts/tenants/archive-service.ts';
import { systemActor } from '../tenancy/system-actor.ts';
import { defineCommand, exitCodes, type Terminal } from './command.ts';
import { assertTenantId } from './tenant-id.ts';
import { withServices } from './with-services.ts';

/** Deletes a closed tenant permanently. */
export const tenantsPurge = defineCommand({
  name: 'tenants purge',
  summary: 'Delete a closed tenant and all of its data permanently.',
  details:
    `The data of a closed tenant is kept for ${closedRetentionDays} days, so that it can be exported. After a purge the tenant can only be\n` +
    'imported from an archive. Asks for the id as a confirmation.',
  operands: ['ID'],
  options: {
    yes: { type: 'boolean', description: 'Skip the confirmation.' },
    force: {
      type: 'boolean',
      description: `Purge before the ${closedRetentionDays} days have passed. The tenant must still be closed.`,
    },
  },
  async run({ terminal, values, operands: [id = ''] }) {
    assertTenantId(id);
    const force = values.force ?? false;
    return await withServices(terminal.env, async (services) => {
      const name = await describePurge(services, id, force);
      if (!values.yes && !(await isConfirmed(terminal, id, name))) {
        terminal.note('Nothing was deleted: the id that was typed does not match.');
        return exitCodes.failed;
      }
      await purgeTenant(services, systemActor, id, { force });
      terminal.note(`Tenant ${id} and its data were deleted.`);
      return exitCodes.done;
    });
  },
});

async function isConfirmed({ stdin, note }: Terminal, id: string, name: string): Promise<boolean> {
  note(`This deletes the tenant ${name} permanently. Type its id to continue:`);
  return (await firstLine(stdin)) === id;
}

/** Reads up to the first line break: a person at a terminal ends the line, not the stream. */
async function firstLine(stdin: Terminal['stdin']): Promise<string> {
  let typed = '';
  for await (const chunk of stdin) {
    typed += String(chunk);
    if (typed.includes('\n')) break;
  }
  return typed.split(/\r?\n/)[0]?.trim() ?? '';
}
