import { removeAllDemoData } from '../features/operations/demo-data/service.ts';
import { systemActor } from '../tenancy/tenant.ts';
import { defineCommand, exitCodes } from './command.ts';
import { withServices } from './with-services.ts';

/** Removes the demo data. */
export const demoRemove = defineCommand({
  name: 'demo remove',
  summary: 'Remove all demo data.',
  details:
    "Deletes the demo's tenants with everything in them, also what people created in them. Other tenants and the demo\n" +
    'accounts stay. Later starts with --demo do not create the data again.',
  options: {},
  async run({ terminal }) {
    return await withServices(terminal.env, async (services) => {
      const removed = await removeAllDemoData(services, systemActor);
      const count = removed.tenants;
      terminal.note(removed.present ? `The demo data was removed, with ${count} tenants.` : 'There is no demo data.');
      return exitCodes.done;
    });
  },
});
