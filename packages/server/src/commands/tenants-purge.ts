import { closedRetentionDays, describePurge, purgeTenant } from '../features/accounts/tenants/archive-service.ts';
import { systemActor } from '../tenancy/system-actor.ts';
import { defineCommand, exitCodes, type Terminal } from './command.ts';
import { assertTenantId } from './tenant-id.ts';
import { withServices } from './with-services.ts';

/** Removes a closed tenant for good. */
export const tenantsPurge = defineCommand({
  name: 'tenants purge',
  summary: 'Remove a closed tenant and all of its data for good.',
  details:
    `Its data is kept for ${closedRetentionDays} days after it was closed, to be exported. What is purged can only be\n` +
    'imported from an archive. Asks for the id again.',
  operands: ['ID'],
  options: {
    yes: { type: 'boolean', description: 'Do not ask.' },
    force: {
      type: 'boolean',
      description: `Do not wait for the ${closedRetentionDays} days. It must be closed still.`,
    },
  },
  async run({ terminal, values, operands: [id = ''] }) {
    assertTenantId(id);
    const force = values.force ?? false;
    return await withServices(terminal.env, async (services) => {
      const name = await describePurge(services, id, force);
      if (!values.yes && !(await isConfirmed(terminal, id, name))) {
        terminal.note('Nothing was removed: the id was not repeated.');
        return exitCodes.failed;
      }
      await purgeTenant(services, systemActor, id, { force });
      terminal.note(`Tenant ${id} and its data are gone.`);
      return exitCodes.done;
    });
  },
});

async function isConfirmed({ stdin, note }: Terminal, id: string, name: string): Promise<boolean> {
  note(`This removes the tenant ${name} for good. Type its id to go on:`);
  return (await firstLine(stdin)) === id;
}

/** A person ends the line, not the stream. */
async function firstLine(stdin: Terminal['stdin']): Promise<string> {
  let typed = '';
  for await (const chunk of stdin) {
    typed += String(chunk);
    if (typed.includes('\n')) break;
  }
  return typed.split(/\r?\n/)[0]?.trim() ?? '';
}
